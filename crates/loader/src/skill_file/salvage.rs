//! What can be read of front matter of which a part is no YAML, so that one broken line hides nothing else.
//!
//! The keys at the top are taken one by one. A key whose lines cannot be read even by themselves is broken; the rest is
//! read without it.

use std::cell::OnceCell;
use std::ops::Range;

use super::fields::is_known;
use super::recover::{Recovered, parse_recovering};
use crate::codes;
use crate::findings::Findings;
use crate::yaml::{Fault, FaultKind, Tree, salvage};

/// Room for the texts that had to be changed.
#[derive(Debug, Default)]
pub(crate) struct Room {
    mended: OnceCell<String>,
    without_broken: OnceCell<String>,
    mended_rest: OnceCell<String>,
}

/// What had to be left out.
#[derive(Debug, Default)]
pub(crate) struct Broken {
    /// With those around them, as in `metadata.author`; an empty one for a line without a key.
    keys: Vec<String>,
    /// What is wrong with each.
    pub(crate) faults: Vec<Fault>,
}

impl Broken {
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Takes back that a key is missing which is only broken.
    pub(crate) fn forget_missing(&self, findings: &mut Findings<'_>) {
        for (key, missing) in [
            ("name", codes::NAME_MISSING),
            ("description", codes::DESCRIPTION_MISSING),
        ] {
            let may_be = |broken: &String| broken == key || !is_known(broken);
            if self.keys.iter().any(may_be) {
                findings.forget(missing);
            }
        }
    }

    /// Whether a part of this key at the top may be among what is broken.
    pub(crate) fn may_hold(&self, field: &str) -> bool {
        let mut tops = self.keys.iter().map(|key| key.split('.').next());
        tops.any(|top| top.is_none_or(|top| top == field || !is_known(top)))
    }

    /// Whether one of the keys may be, or hold, the one that names the tools file.
    pub(crate) fn may_name_tools(&self, has_metadata: bool) -> bool {
        self.keys.iter().any(|key| match key.split_once('.') {
            Some((_, inner)) => match inner.split_once('.') {
                Some((_, innermost)) => innermost.is_empty() || innermost.contains("tool"),
                None => inner.is_empty() || inner.contains("dcc"),
            },
            None => !has_metadata && (key == "metadata" || !is_known(key)),
        })
    }
}

/// Parses front matter as [`parse_recovering`] does, and without the keys that cannot be read where there are such.
///
/// An `Err` means that the rest cannot be told from what is broken.
pub(crate) fn parse_salvaging<'a>(
    text: &'a str,
    base: usize,
    room: &'a Room,
) -> Result<(Tree<'a>, Option<Recovered>, Broken), Fault> {
    let fault = match parse_recovering(text, base, &room.mended) {
        Ok((tree, recovered)) => return Ok((tree, recovered, Broken::default())),
        Err(fault) => fault,
    };
    let Some((rest, broken)) = without_broken(text, base, &fault) else {
        return Err(fault);
    };
    let rest = room.without_broken.get_or_init(|| rest);
    let (tree, recovered) = parse_recovering(rest, base, &room.mended_rest)?;
    Ok((tree, recovered, broken))
}

/// The text with blanks in place of what is broken, `fault` being what was found first.
fn without_broken(text: &str, base: usize, fault: &Fault) -> Option<(String, Broken)> {
    let whole = |rest: &str| parse_recovering(rest, base, &OnceCell::new()).err();
    let in_parts = |parts: Vec<Entry>| {
        let ranges = parts.iter().map(|part| part.lines.clone()).collect();
        let found = salvage((text, base), ranges, fault, whole, fault_alone)?;
        let mut broken = Broken::default();
        for (lines, fault) in found.broken {
            let part = parts.iter().find(|part| part.lines == lines)?;
            broken.keys.push(part.key.clone());
            broken.faults.extend(fault);
        }
        Some((found.rest, broken))
    };
    // What names the tools lies two levels deep: one broken line there is to cost that line.
    let whole_keys = entries(text);
    in_parts(with_parts_of(text, &whole_keys)).or_else(|| in_parts(whole_keys))
}

/// The lines of one key.
#[derive(Clone, Debug)]
struct Entry {
    key: String,
    lines: Range<usize>,
}

/// The keys, with those below `metadata` and `dcc-mcp` one by one.
fn with_parts_of(text: &str, entries: &[Entry]) -> Vec<Entry> {
    let mut parts = Vec::new();
    for entry in entries {
        match entry.key.as_str() {
            "metadata" | "metadata.dcc-mcp" => {
                let (head, below) = entries_below(text, entry);
                parts.push(head);
                parts.extend(with_parts_of(text, &below));
            }
            _ => parts.push(entry.clone()),
        }
    }
    parts
}

/// The first line of a key, and the keys below it.
fn entries_below(text: &str, entry: &Entry) -> (Entry, Vec<Entry>) {
    let lines = text.get(entry.lines.clone()).unwrap_or_default();
    let first = lines.find('\n').map_or(lines.len(), |end| end + 1);
    let (_, rest) = lines.split_at(first);
    let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let indent = rest
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map_or(0, indent_of);
    let start = entry.lines.start;
    let head = Entry {
        key: entry.key.clone(),
        lines: start..start + first,
    };
    let below = split_into_keys(rest, indent).into_iter().map(|part| Entry {
        key: format!("{}.{}", entry.key, part.key),
        lines: start + first + part.lines.start..start + first + part.lines.end,
    });
    (head, below.collect())
}

/// What is wrong with a key and its value, read by themselves.
fn fault_alone(lines: &str, place: usize) -> Option<Fault> {
    match parse_recovering(lines, place, &OnceCell::new()) {
        Err(fault) => Some(fault),
        Ok((tree, _)) => {
            let root = tree.root?;
            root.map().is_none().then(|| {
                let message = "not valid YAML: a line without a key";
                Fault::new(FaultKind::Invalid, root.span, message)
                    .cured_by("write `key: value`, or indent what belongs to the line above")
            })
        }
    }
}

/// The keys at the top.
fn entries(text: &str) -> Vec<Entry> {
    split_into_keys(text, 0)
}

/// The keys that stand at an indent, each with the lines that follow it.
fn split_into_keys(text: &str, indent: usize) -> Vec<Entry> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let is_item = content
            .strip_prefix('-')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let is_inner = is_item
            || line.len() - content.len() > indent
            || content.starts_with(['\t', '#', ']', '}']);
        let begins = !is_inner && !content.trim().is_empty();
        let end = at + line.len();
        match ranges.last_mut() {
            Some(last) if !begins => last.end = end,
            _ => ranges.push(at..end),
        }
        at = end;
    }
    ranges
        .into_iter()
        .map(|lines| Entry {
            key: key_of(text.get(lines.clone()).unwrap_or_default()).to_owned(),
            lines,
        })
        .collect()
}

fn key_of(lines: &str) -> &str {
    let key = lines.split_once(':').map_or("", |(key, _)| key);
    let key = key.trim().trim_matches(['"', '\'']);
    if key.contains('\n') { "" } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The broken keys, the places of what is wrong with them, and what is left.
    fn salvaged(text: &str) -> Option<(Vec<String>, Vec<usize>, Vec<String>)> {
        let room = Room::default();
        let (tree, _, found) = parse_salvaging(text, 4, &room).ok()?;
        assert!(!found.is_empty());
        let left = tree.root.map(|root| root.to_json_map());
        let left = left.unwrap_or_default().keys().cloned().collect();
        let places = found.faults.iter();
        let lines = places.map(|fault| {
            let before = text.get(..fault.span.start - 4).unwrap();
            1 + before.matches('\n').count()
        });
        Some((found.keys.clone(), lines.collect(), left))
    }

    fn told(
        broken: &[&str],
        lines: &[usize],
        left: &[&str],
    ) -> (Vec<String>, Vec<usize>, Vec<String>) {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        (owned(broken), lines.to_vec(), owned(left))
    }

    #[test]
    fn each_broken_key_is_told_and_the_rest_is_read() {
        for (text, expected) in [
            (
                "name: 名\nlicense: L: x\nversion: 1\n",
                told(&["license"], &[2], &["name", "version"]),
            ),
            (
                "name: a\nlicense: L: x\ndescription: a: b\n",
                told(&["license"], &[2], &["name", "description"]),
            ),
            (
                "description: a: b\nlicense: L: x\n",
                told(&["license"], &[2], &["description"]),
            ),
            (
                "name: [a\nlicense: \"x\nversion: 'y' z\ntags: [b]\n",
                told(&["name", "license", "version"], &[1, 2, 3], &["tags"]),
            ),
            (
                "metadata:\n  a: b: c\n  d: e\nname: x\n",
                told(&["metadata.a"], &[2], &["metadata", "name"]),
            ),
            (
                "metadata:\n  dcc-mcp:\n    dcc: [a\n    tools: t.yaml\n  x: 1\nname: x\n",
                told(&["metadata.dcc-mcp.dcc"], &[3], &["metadata", "name"]),
            ),
            (
                "metadata:\n  a: 1\n bad: 2\nname: x\n",
                told(&["metadata"], &[3], &["name"]),
            ),
            (
                "name: x\nallowed-tools:\n- [Read\nlicense: MIT\n",
                told(&["allowed-tools"], &[3], &["name", "license"]),
            ),
            (
                "name: x\nno key at all\nlicense: MIT\n",
                told(&[""], &[2], &["name", "license"]),
            ),
        ] {
            assert_eq!(salvaged(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_right_is_not_told() {
        // The second line belongs to the quotes that begin in the first.
        let text = "description: \"first\n  second: x\n  third\"\nlicense: a: b\n";
        assert_eq!(
            salvaged(text),
            Some(told(&["license"], &[4], &["description"]))
        );
        let text = "x: &x [1]\ny: *x\nlicense: a: b\n";
        assert_eq!(salvaged(text), Some(told(&["license"], &[3], &["x", "y"])));
        // Nothing is left of these that could be told from the fault.
        for text in ["{name: x, license: [}\n", "a: 1\n---\nb: [\n"] {
            assert!(
                salvaged(text).is_none_or(|(_, _, left)| left.is_empty()),
                "{text}"
            );
        }
    }
}
