//! Text to terms, the same way for documents and for queries.
//!
//! - Compatibility forms are unified (NFKC), accents of Latin letters and traditional Chinese forms
//!   folded, everything in lower case.
//! - Words end at whatever is neither letter nor digit. An identifier (`createSphere`,
//!   `create_sphere`, `create-sphere`) gives itself without separators and its parts; a word with
//!   digits (`mp4`) also gives its letters and its digits.
//! - English words are reduced to their Porter2 stem, common little words are left out.
//! - Chinese, Japanese and Korean text gives overlapping pairs of characters, for each script of its
//!   own; a character that stands alone gives itself.

mod fold;
mod identifier;
mod script;
mod simplified;
mod stop;

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use script::Class;

/// Characters beyond this many are cut from a word, and a longer compound is not a term.
const LONGEST_WORD: usize = 64;

/// What a token is to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKind {
    /// A word, or a part of an identifier.
    Word,
    /// An identifier as a whole, without separators.
    Whole,
    /// The letters alone or the digits alone of a word that has both.
    Piece,
    /// A pair of Chinese, Japanese or Korean characters, or a single one.
    Gram,
}

/// One token, before stemming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The form in the text, folded and in lower case.
    pub surface: String,
    /// What it is.
    pub kind: TokenKind,
    /// Tokens of one identifier have the same number.
    pub group: usize,
}

impl Token {
    /// The form under which the index keeps it: the stem of an English word, else the surface.
    pub fn term(&self) -> Cow<'_, str> {
        term(&self.surface)
    }
}

/// The tokens of a text, in its order.
///
/// ```
/// use metier_search::analyse;
///
/// let terms = |text| analyse(text).iter().map(|token| token.term().into_owned()).collect::<Vec<_>>();
/// assert_eq!(terms("Rendering the spheres"), ["render", "sphere"]);
/// assert_eq!(terms("createSphere"), ["createspher", "creat", "sphere"]);
/// assert_eq!(terms("多边形球體"), ["多边", "边形", "形球", "球体"]);
/// ```
pub fn analyse(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    each_token(text, &mut |surface, kind, group| {
        tokens.push(Token {
            surface: surface.to_owned(),
            kind,
            group,
        });
    });
    tokens
}

/// The form under which the index keeps a token's surface.
pub(crate) fn term(surface: &str) -> Cow<'_, str> {
    if surface.len() > 2 && surface.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(surface)
    } else {
        Cow::Borrowed(surface)
    }
}

/// Whether a word of a query is more likely talk than what is looked for.
pub(crate) fn is_weak(surface: &str) -> bool {
    stop::is_weak_word(surface)
}

/// A text as a key of exact names: letters and digits only, folded, in lower case.
pub(crate) fn name_key(text: &str) -> String {
    if text.is_ascii() {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        return letters.map(|letter| letter.to_ascii_lowercase()).collect();
    }
    let mut key = String::with_capacity(text.len());
    for character in fold::folded(text) {
        if script::class(character).is_searchable() {
            key.extend(character.to_lowercase());
        }
    }
    key
}

/// A text with its forms folded, in lower case.
pub(crate) fn fold_lower(text: &str) -> String {
    fold::folded(text).flat_map(char::to_lowercase).collect()
}

/// Whether a character belongs to a script that is cut into pairs.
pub(crate) fn is_gram(character: char) -> bool {
    matches!(script::class(character), Class::Gram(_))
}

/// Receives tokens: surface, kind, group.
pub(crate) type Sink<'a> = dyn FnMut(&str, TokenKind, usize) + 'a;

/// Hands each token of a text to `sink`; a buffer is reused, so nothing is allocated for a token.
pub(crate) fn each_token(text: &str, sink: &mut Sink<'_>) {
    if text.is_ascii() {
        tokens(text.chars(), sink);
    } else {
        tokens(fold::folded(text), sink);
    }
}

fn tokens(characters: impl Iterator<Item = char>, sink: &mut Sink<'_>) {
    let mut run = Run::default();
    let mut characters = characters.peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match script::class(character) {
            Class::Word => run.word(character, sink),
            Class::Mark if run.is_word() => run.word(character, sink),
            Class::Gram(script) => run.gram(character, script, sink),
            _ if run.is_word() && next.is_some_and(|next| script::class(next) == Class::Word) => {
                match character {
                    // A quotation or genitive mark inside a word is no boundary.
                    '\'' | '\u{2019}' => {}
                    '_' | '-' | '\u{2010}' => run.word('_', sink),
                    _ => run.end(sink),
                }
            }
            _ if character == '_' && next == Some('_') && run.is_word() => {}
            // Names of languages that would lose all that tells them apart.
            _ if matches!(character, '+' | '#') && run.is_language() => {
                run.name_language(character);
            }
            _ => run.end(sink),
        }
    }
    run.end(sink);
}

/// The characters that are being gathered to one identifier or one run of grams.
#[derive(Default)]
struct Run {
    script: Option<Class>,
    text: String,
    group: usize,
    scratch: String,
}

impl Run {
    fn is_word(&self) -> bool {
        self.script == Some(Class::Word)
    }

    fn is_language(&self) -> bool {
        self.is_word() && matches!(self.text.as_str(), "c" | "C" | "f" | "F" | "cpp" | "Cpp")
    }

    fn name_language(&mut self, sign: char) {
        if sign == '#' {
            self.text.push_str("sharp");
        } else if self.text.len() == 1 {
            self.text.push_str("pp");
        }
    }

    fn word(&mut self, character: char, sink: &mut Sink<'_>) {
        if !self.is_word() {
            self.end(sink);
            self.script = Some(Class::Word);
        }
        self.text.push(character);
    }

    fn gram(&mut self, character: char, script: script::Script, sink: &mut Sink<'_>) {
        if self.script != Some(Class::Gram(script)) {
            self.end(sink);
            self.script = Some(Class::Gram(script));
        }
        self.text.extend(character.to_lowercase());
    }

    fn end(&mut self, sink: &mut Sink<'_>) {
        match self.script.take() {
            Some(Class::Word) => {
                identifier::tokens(&self.text, self.group, &mut self.scratch, sink);
            }
            Some(Class::Gram(script)) => grams(&self.text, script, self.group, sink),
            _ => return,
        }
        self.text.clear();
        self.group += 1;
    }
}

/// Overlapping pairs; a single character gives itself, unless it is one of Japanese's particles.
fn grams(run: &str, script: script::Script, group: usize, sink: &mut Sink<'_>) {
    let starts: Vec<usize> = run.char_indices().map(|(start, _)| start).collect();
    if starts.len() == 1 {
        if script != script::Script::Hiragana {
            sink(run, TokenKind::Gram, group);
        }
        return;
    }
    for (place, start) in starts
        .iter()
        .enumerate()
        .take(starts.len().saturating_sub(1))
    {
        let end = starts.get(place + 2).copied().unwrap_or(run.len());
        if let Some(pair) = run.get(*start..end)
            && !stop::is_stop_pair(pair)
        {
            sink(pair, TokenKind::Gram, group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surfaces(text: &str) -> Vec<String> {
        analyse(text)
            .into_iter()
            .map(|token| token.surface)
            .collect()
    }

    #[test]
    fn identifiers_give_themselves_and_their_parts() {
        for spelling in [
            "create_sphere",
            "create-sphere",
            "createSphere",
            "CreateSphere",
            "CREATE_SPHERE",
        ] {
            assert_eq!(
                surfaces(spelling),
                ["createsphere", "create", "sphere"],
                "{spelling}"
            );
        }
        assert_eq!(
            surfaces("maya_geometry__create_sphere"),
            [
                "mayageometrycreatesphere",
                "maya",
                "geometry",
                "create",
                "sphere"
            ]
        );
        assert_eq!(surfaces("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(surfaces("UVs"), ["uvs"]);
        assert_eq!(surfaces("mp4"), ["mp4", "mp", "4"]);
        assert_eq!(
            surfaces("blender-3d-export"),
            ["blender3dexport", "blender", "3d", "3", "export"]
        );
    }

    #[test]
    fn signs_are_boundaries_and_little_words_are_left_out() {
        assert_eq!(surfaces("the of and"), [""; 0]);
        assert_eq!(surfaces(".*[( --- \u{0}\u{7} 👨‍👩‍👧"), [""; 0]);
        assert_eq!(surfaces("Bob's - mesh -"), ["bobs", "mesh"]);
        assert_eq!(surfaces("C++, C# and F#"), ["cpp", "csharp", "fsharp"]);
    }

    #[test]
    fn forms_are_unified() {
        assert_eq!(surfaces("Ｆｂｘ"), ["fbx"]);
        assert_eq!(surfaces("ﾏﾃﾘｱﾙ"), surfaces("マテリアル"));
        assert_eq!(surfaces("多邊形"), surfaces("多边形"));
        assert_eq!(surfaces("résumé"), ["resume"]);
        assert_eq!(surfaces("re\u{301}sume\u{301}"), ["resume"]);
    }

    #[test]
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(surfaces("导出FBX文件"), ["导出", "fbx", "文件"]);
        assert_eq!(surfaces("球"), ["球"]);
        assert_eq!(surfaces("球体を作成"), ["球体", "作成"]);
        assert_eq!(surfaces("렌더링"), ["렌더", "더링"]);
    }

    #[test]
    fn a_very_long_word_is_cut() {
        assert_eq!(surfaces(&"x".repeat(5_000)), ["x".repeat(LONGEST_WORD)]);
    }
}
