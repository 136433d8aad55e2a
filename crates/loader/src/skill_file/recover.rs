//! Reads front matter, and the most reported fault of all besides: a description without quotes.
//!
//! `description: Checks a scene: units` is no YAML, and neither is one that begins with `@`. Where
//! the description's line is all that is wrong, the whole line is taken as its value.

use std::cell::OnceCell;
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::yaml::{Fault, FaultKind, Tree, parse, unprintable, without_pairs};

/// A description that was recovered.
#[derive(Debug)]
pub(crate) struct Recovered {
    /// The whole line behind `description:`, trimmed.
    pub(crate) value: String,
    /// The bytes of the value in the file.
    pub(crate) span: Range<usize>,
    /// What YAML said about it.
    pub(crate) fault: Fault,
}

/// Parses front matter; `base` is where it begins in the file. `mended` is room for a text that had
/// to be changed.
pub(crate) fn parse_recovering<'a>(
    text: &'a str,
    base: usize,
    mended: &'a OnceCell<String>,
) -> Result<(Tree<'a>, Option<Recovered>), Fault> {
    let first = match parse_checked(text, base) {
        Ok(tree) => {
            // A tag is no fault of syntax; one that begins a description is meant as a word.
            match tree
                .faults
                .iter()
                .find(|fault| fault.kind == FaultKind::Tag)
            {
                Some(fault) => (fault.clone(), Some(tree)),
                None => return Ok((tree, None)),
            }
        }
        Err(fault) => (fault, None),
    };
    let (fault, tree) = first;
    let Some(value) = description_line(text) else {
        return tree.map(|tree| (tree, None)).ok_or(fault);
    };
    // The stand-in is as long as the value, so that every place after it stays right.
    let stand_in = format!("\"{}\"", "x".repeat(value.len().saturating_sub(2)));
    let mended = mended.get_or_init(|| {
        let mut mended = text.to_owned();
        mended.replace_range(value.clone(), &stand_in);
        mended
    });
    match parse_checked(mended, base) {
        Ok(mended) if mended.faults.iter().all(|other| *other != fault) => {
            let recovered = Recovered {
                value: text.get(value.clone()).unwrap_or_default().to_owned(),
                span: base + value.start..base + value.end,
                fault,
            };
            Ok((mended, Some(recovered)))
        }
        _ => tree.map(|tree| (tree, None)).ok_or(fault),
    }
}

/// The tree, provided that the other family of YAML parsers accepts the text as well.
///
/// Hosts read front matter with descendants of libyaml; what those refuse is not valid, whatever
/// our own parser thinks of it.
fn parse_checked(text: &str, base: usize) -> Result<Tree<'_>, Fault> {
    let tree = parse(text, base)?;
    if tree.is_plain {
        return Ok(tree);
    }
    let paired = without_pairs(text);
    let checked = paired.as_deref().unwrap_or(text);
    if let Err(error) = serde_yaml::from_str::<IgnoredAny>(checked) {
        let at = error
            .location()
            .map_or(0, |place| place.index().min(text.len()));
        let message = format!("not valid YAML: {}", without_places(&error.to_string()));
        // A text without any value is no fault of syntax.
        if tree.root.is_some() {
            if let Some(fault) = unprintable(text, base) {
                return Err(fault);
            }
            let at_tab = text.get(at..).is_some_and(|rest| rest.starts_with('\t'));
            let about_tab = at_tab || message.contains("tab character");
            let fault = Fault::new(FaultKind::Invalid, base + at..base + at, message);
            return Err(if about_tab {
                fault.cured_by("write blanks in place of the tab")
            } else {
                fault
            });
        }
    }
    Ok(tree)
}

/// What a parser says without the lines that it counts from the beginning of the front matter: the finding has its place.
fn without_places(said: &str) -> String {
    let mut words = said.split(" at line ");
    let mut plain = words.next().unwrap_or_default().to_owned();
    for rest in words {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = behind.strip_prefix(" column ").unwrap_or(behind);
        plain.push_str(behind.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    plain
}

/// The bytes of a one-line description that could be a sentence YAML stumbles over.
fn description_line(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let Some(rest) = behind_key(line) else {
            continue;
        };
        let key = line.len() - rest.len();
        let continues = lines
            .peek()
            .is_some_and(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty());
        let value = rest.trim();
        if continues || value.len() < 2 || !rest.starts_with([' ', '\t']) || !is_sentence(value) {
            return None;
        }
        let start = start + key + (rest.len() - rest.trim_start().len());
        return Some(start..start + value.len());
    }
    None
}

/// What follows `description:`, in every way to write this key at the start of a line.
fn behind_key(line: &str) -> Option<&str> {
    ["description", "\"description\"", "'description'"]
        .iter()
        .find_map(|key| line.strip_prefix(key))?
        .trim_start_matches(' ')
        .strip_prefix(':')
}

/// Whether a value is worth another try: an unclosed quote or bracket never is.
fn is_sentence(value: &str) -> bool {
    let mut chars = value.chars();
    match chars.next() {
        Some(quote @ ('"' | '\'')) => {
            let rest = chars.as_str();
            rest.find(quote).is_some_and(|end| {
                rest.get(end + 1..)
                    .is_some_and(|after| !after.trim().is_empty())
            })
        }
        Some(open @ ('[' | '{')) => {
            let close = if open == '[' { ']' } else { '}' };
            chars.as_str().rfind(close).is_some_and(|end| {
                chars
                    .as_str()
                    .get(end + 1..)
                    .is_some_and(|after| !after.trim().is_empty())
            })
        }
        Some('@' | '`' | '*' | '&' | '!' | '%') => true,
        Some('|' | '>') | None => false,
        Some(_) => value.contains(": ") || value.contains(":\t") || value.ends_with(':'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recovered(value: &str) -> Option<String> {
        let text = format!("name: x\ndescription: {value}\nlicense: MIT\n");
        let room = OnceCell::new();
        let (tree, recovered) = parse_recovering(&text, 0, &room).ok()?;
        let license = tree.root.unwrap().get("license").unwrap().clone();
        assert_eq!(&text[license.span], "MIT");
        recovered.map(|found| {
            assert_eq!(text[found.span], found.value);
            found.value
        })
    }

    #[test]
    fn the_whole_line_is_the_value() {
        for value in [
            "Checks a scene: units, 名字. Use when: exporting",
            "@lead reviews",
            "`render` helper",
            "*bold* claims",
            "& more",
            "%d frames",
            "!important text",
            "\"Look first\" then build",
            "[wip] not a list",
            "ends with:",
        ] {
            assert_eq!(recovered(value).as_deref(), Some(value), "{value}");
        }
    }

    #[test]
    fn the_key_may_be_quoted_or_apart_from_its_colon() {
        for key in [
            "\"description\":",
            "'description':",
            "description :",
            "\"description\" :",
        ] {
            let text = format!("name: x\n{key} Use when: baking\nlicense: MIT\n");
            let room = OnceCell::new();
            let (_, recovered) = parse_recovering(&text, 0, &room).unwrap();
            let recovered = recovered.unwrap();
            assert_eq!(recovered.value, "Use when: baking", "{key}");
            assert_eq!(&text[recovered.span], "Use when: baking", "{key}");
        }
    }

    #[test]
    fn a_place_is_told_once() {
        for text in ["name: a\n\t\ndescription: x\n", "allowed-tools:\n-\tRead\n"] {
            let fault = parse_recovering(text, 4, &OnceCell::new()).unwrap_err();
            assert!(!fault.message.contains(" line "), "{}", fault.message);
            assert!(fault.help.is_some(), "{}", fault.message);
        }
        assert_eq!(
            without_places("a at line 2 column 1, b at line 10 column 7"),
            "a, b"
        );
    }

    #[test]
    fn what_is_not_recovered() {
        for value in [
            "[unclosed",
            "\"unclosed: x",
            "'open",
            "{a: b",
            "fine",
            "a:b",
        ] {
            assert_eq!(recovered(value), None, "{value}");
        }
        // Another fault in the text stays one.
        assert!(parse_recovering("description: a: b\nname: [x\n", 0, &OnceCell::new()).is_err());
    }
}
