//! The instructions of a skill with the arguments put in.
//!
//! Everything is put in once: an argument that looks like a placeholder stays what it is. Nothing is
//! run, whatever the text asks for.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

/// So many arguments of a skill have names.
const MOST_NAMES: usize = 32;

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

    /// The same where each is given by its name, as a form asks for them: exactly what the line of all of them would be, in
    /// the order of `names` and each as one word. One that is not given is an empty word where another follows it.
    pub fn by_name(given: &BTreeMap<String, String>, names: &[String]) -> Self {
        let values: Vec<_> = names.iter().map(|name| given.get(name)).collect();
        let last = values.iter().rposition(Option::is_some);
        let words = values.iter().take(last.map_or(0, |last| last + 1));
        let words = words.map(|value| word(value.map_or("", String::as_str)));
        Self::new(words.collect::<Vec<_>>().join(" "), names)
    }
}

/// The names that `arguments` of a front matter gives them, 32 at most: a list, or one text with blanks or commas between
/// them.
pub fn argument_names(front_matter: &serde_json::Map<String, Value>) -> Vec<String> {
    let parts = |c: char| c == ',' || c.is_whitespace();
    let names: Vec<&str> = match front_matter.get("arguments") {
        Some(Value::String(text)) => text.split(parts).collect(),
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| item.as_str().or_else(|| item.get("name")?.as_str()))
            .collect(),
        _ => Vec::new(),
    };
    let names = names.into_iter().filter(|name| !name.is_empty());
    let names = names.take(MOST_NAMES);
    names.map(str::to_owned).collect()
}

/// A value as one word of a line.
fn word(value: &str) -> String {
    let parts = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    if !value.is_empty() && !value.contains(parts) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The instructions with everything put in; empty lines before them are left out. `base` stands where the folder of the skill is meant: a
/// client has no other way to its files.
pub fn fill(body: &str, base: &str, arguments: &Arguments) -> String {
    let words = words(&arguments.raw);
    let mut text = Filled::default();
    let mut used = false;
    let mut rest = body.trim_start_matches(['\r', '\n']);
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

    #[test]
    fn names_stand_in_a_list_or_in_a_text() {
        let names = |value: Value| {
            let front_matter =
                Value::Object([("arguments".to_owned(), value)].into_iter().collect());
            argument_names(front_matter.as_object().unwrap()).join("|")
        };
        for value in ["mesh size", "mesh, size", "mesh,size", " mesh\tsize\n"] {
            assert_eq!(names(value.into()), "mesh|size");
        }
        let list = serde_json::json!(["mesh", {"name": "size"}, 7, {}, ""]);
        assert_eq!(names(list), "mesh|size");
        assert_eq!(names(vec!["x"; 40].into()).len(), 63);
        assert_eq!(names(Value::Null), "");
    }

    #[test]
    fn what_is_not_given_takes_no_place_of_another() {
        let names: Vec<_> = ["a", "b", "c"].map(str::to_owned).into();
        let by_name = |given: &[(&str, &str)]| {
            let given = given
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()));
            let arguments = Arguments::by_name(&given.collect(), &names);
            fill("$a|$b|$c|$0|$1|$ARGUMENTS", "", &arguments)
        };
        assert_eq!(by_name(&[]), "$a|$b|$c|$0|$1|");
        assert_eq!(by_name(&[("b", "x y")]), "|x y|$c||x y|\"\" \"x y\"");
        assert_eq!(by_name(&[("a", "$b")]), "$b|$b|$c|$b|$1|$b");
    }

    proptest! {
        /// Whatever a value is, it is one word, and the line says the same to whoever reads it again.
        #[test]
        fn a_value_is_one_word(values in prop::collection::vec("\\PC{0,9}|[\"'\\\\ \t\r\n\u{a0}$,]{0,4}", 1..5)) {
            let names: Vec<_> = (0..values.len()).map(|it| format!("n{it}")).collect();
            let given: BTreeMap<_, _> = names.iter().cloned().zip(values.iter().cloned()).collect();
            let arguments = Arguments::by_name(&given, &names);
            prop_assert_eq!(&arguments.named, &given);
            prop_assert_eq!(words(&arguments.raw), values);
        }

        #[test]
        fn any_text_is_filled(body in "\\PC{0,80}", raw in "\\PC{0,40}") {
            let _ = with(&body, &raw);
        }
    }
}
