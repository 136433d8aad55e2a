//! The instructions of a skill with the arguments put in.
//!
//! Everything is put in once: an argument that looks like a placeholder stays what it is. Nothing is
//! run, whatever the text asks for.

use std::collections::BTreeMap;
use std::ops::Range;

/// The most characters of an activated text.
pub const MOST_CHARACTERS: usize = 100_000;

/// What a prompt is called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// As one text.
    pub raw: String,
    /// By the names that the skill gives them.
    pub named: BTreeMap<String, String>,
}

impl Arguments {
    /// The arguments of a call. `names` are those that the front matter gives them, in their order.
    pub fn new(raw: impl Into<String>, names: &[String]) -> Self {
        let raw = raw.into();
        let named = names.iter().cloned().zip(words(&raw)).collect();
        Self { raw, named }
    }
}

/// The instructions with everything put in. `base` stands where the folder of the skill is meant: a
/// client has no other way to its files.
pub fn fill(body: &str, base: &str, arguments: &Arguments) -> String {
    let words = words(&arguments.raw);
    let mut text = Filled::default();
    let mut used = false;
    let mut rest = body;
    while let Some(at) = rest.find(['$', '{'])
        && !text.is_full()
    {
        let (before, from) = rest.split_at(at);
        text.put(before);
        let mut put = None;
        for folder in ["${CLAUDE_SKILL_DIR}", "{baseDir}"] {
            if let Some(after) = from.strip_prefix(folder) {
                put = Some((base, after));
            }
        }
        if put.is_none() {
            put = argument(from, arguments, &words);
            used |= put.is_some();
        }
        let (value, after) = put.unwrap_or_else(|| from.split_at(1));
        text.put(value);
        rest = after;
    }
    text.put(rest);
    if !used && !arguments.raw.trim().is_empty() {
        text.put("\n\nARGUMENTS: ");
        text.put(&arguments.raw);
    }
    cut(text.text)
}

/// A text that takes one character more than it may have, which says that it is to be cut, and nothing after that: what
/// is put in a thousand times may be long.
#[derive(Default)]
struct Filled {
    text: String,
    characters: usize,
}

impl Filled {
    const fn is_full(&self) -> bool {
        self.characters > MOST_CHARACTERS
    }

    fn put(&mut self, more: &str) {
        let left = (MOST_CHARACTERS + 1).saturating_sub(self.characters);
        if let Some((end, _)) = more.char_indices().nth(left) {
            self.text.push_str(more.get(..end).unwrap_or_default());
            self.characters += left;
        } else {
            self.text.push_str(more);
            self.characters += more.chars().count();
        }
    }
}

/// The argument that a text beginning with `$` means, and what follows the placeholder.
fn argument<'t>(
    from: &'t str,
    arguments: &'t Arguments,
    words: &'t [String],
) -> Option<(&'t str, &'t str)> {
    let after = from.strip_prefix('$')?;
    if let Some(after) = after.strip_prefix("ARGUMENTS") {
        if let Some((index, rest)) = indexed(after) {
            return Some((words.get(index).map_or("", String::as_str), rest));
        }
        return Some((&arguments.raw, after));
    }
    let end = after
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    if let Some(value) = arguments.named.get(name) {
        return Some((value, rest));
    }
    // Without so many arguments it is an amount of money.
    let index = name.parse::<usize>().ok()?;
    words.get(index).map(|word| (word.as_str(), rest))
}

/// `[NUMBER]` at the beginning of a text, and what follows it.
fn indexed(text: &str) -> Option<(usize, &str)> {
    let text = text.strip_prefix('[')?;
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest.strip_prefix(']')?))
}

/// The words of a command line; blanks alone part them where quotes do not close.
fn words(text: &str) -> Vec<String> {
    quoted_words(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect())
}

fn quoted_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        end if end == c => break,
                        '\\' if c == '"' => word.push(characters.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            blank if blank.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

/// Cut at the end of a line where it is too long.
fn cut(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) else {
        return text;
    };
    let within = text.get(Range { start: 0, end }).unwrap_or_default();
    let end = within.rfind('\n').unwrap_or(end);
    let kept = text.get(Range { start: 0, end }).unwrap_or_default();
    format!("{kept}\n\n(The instructions go on; read SKILL.md for the rest.)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with(body: &str, raw: &str) -> String {
        let arguments = Arguments {
            raw: raw.to_owned(),
            named: BTreeMap::from([("path".to_owned(), "$0".to_owned())]),
        };
        fill(body, "skill://x", &arguments)
    }

    #[test]
    fn placeholders_are_filled_once() {
        assert_eq!(with("a $ARGUMENTS b", "x y"), "a x y b");
        assert_eq!(
            with("$0|$1|$2|$5.00", "'a b' \"c\\\"d\" $1"),
            "a b|c\"d|$1|$5.00"
        );
        assert_eq!(with("$ARGUMENTS[1]-$ARGUMENTS[9]", "a b"), "b-");
        assert_eq!(with("$path, $paths", "q"), "$0, $paths");
        assert_eq!(
            with("{baseDir}/a ${CLAUDE_SKILL_DIR}/b {x} ${Y}", ""),
            "skill://x/a skill://x/b {x} ${Y}"
        );
        assert_eq!(with("no place", "here"), "no place\n\nARGUMENTS: here");
        assert_eq!(with("no place", " "), "no place");
        assert_eq!(with("$0 $1", "it's b"), "it's b");
        assert_eq!(with("costs 5$", ""), "costs 5$");
    }

    #[test]
    fn a_long_text_ends_at_a_line() {
        let body = "12345678é\n".repeat(11_000);
        let text = with(&body, "");
        assert!(text.chars().count() < MOST_CHARACTERS + 100);
        assert!(text.contains("é\n\n(The instructions go on"));
    }

    #[test]
    fn what_is_put_in_a_thousand_times_is_no_longer_than_it_may_be() {
        let raw = "y".repeat(1_000_000);
        for placeholder in ["$ARGUMENTS\n", "$0\n", "$ARGUMENTS[0]\n", "{baseDir} $0 "] {
            let text = with(&placeholder.repeat(20_000), &raw);
            assert!(text.len() < MOST_CHARACTERS + 100);
            assert!(text.capacity() < 3 * MOST_CHARACTERS, "{}", text.capacity());
        }
        let open = with(&"$ARGUMENTS[".repeat(90_000), "y");
        assert!(open.starts_with("y[y["));
    }

    proptest! {
        #[test]
        fn any_text_is_filled(body in "\\PC{0,80}", raw in "\\PC{0,40}") {
            let _ = with(&body, &raw);
        }
    }
}
