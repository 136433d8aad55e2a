//! The bullets of metadata/depends.md.

use std::borrow::Cow;
use std::ops::Range;

use metier_diagnostics::Diagnostic;
use metier_skill_model::SkillName;

use super::depends::{Depends, end_of_name, unchecked};
use crate::codes;
use crate::findings::{Findings, brief};
use crate::skill_files::{FolderHandle, ReadFileError};

/// The largest depends.md that is read.
const LIMIT: u64 = 256 * 1024;
const PATH: &str = "metadata/depends.md";

/// What Markdown puts around a word, and people around a name.
const PAIRS: [(&str, &str); 13] = [
    ("`", "`"),
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("\"", "\""),
    ("'", "'"),
    ("<", ">"),
    ("(", ")"),
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("[", "]"),
];

/// What stands behind a word and is no part of it.
const CLOSING: [char; 10] = ['.', ',', ':', ';', '。', '，', '、', '：', '；', '…'];

/// Reads the bullets of metadata/depends.md.
///
/// `- name`, also with `*` or `+`, with a trailing `# note` ignored; the first word is the name, or the
/// text of a link. Prose, headings, rules, comments and fenced lines are ignored.
pub(crate) fn read_depends_file(
    handle: &FolderHandle,
    new_findings: impl for<'t> Fn(&'t str) -> Findings<'t>,
    depends: &mut Depends,
) -> Vec<Diagnostic> {
    let problem = |message: String, cure: &str| {
        let findings = new_findings("");
        let found = Diagnostic::new(codes::DEPENDS_FILE, findings.mode.fault(), message);
        vec![found.at(findings.whole(), "").help(cure)]
    };
    let bytes = match handle.read(PATH, LIMIT) {
        Ok(bytes) => bytes,
        Err(ReadFileError::NotFound { .. }) => return Vec::new(),
        Err(error) => {
            let other = "make it a file of one bullet for each dependency";
            return problem(error.to_string(), error.cure().unwrap_or(other));
        }
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            return problem(
                format!("`{PATH}` is not UTF-8 (byte {at})"),
                "save the file as UTF-8",
            );
        }
    };
    let mut findings = new_findings(text);
    let mut fence: Option<(&str, Range<usize>)> = None;
    let mut comment: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if fence.is_none() && (comment.is_some() || line.contains("<!--")) {
            let seen = without_comments(line, start, &mut comment);
            bullet(&mut findings, &seen, start, depends);
            continue;
        }
        let words = line.trim_start_matches('\u{FEFF}').trim();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| words.starts_with(marker));
        match (&fence, marker) {
            (None, Some(marker)) => fence = Some((marker, start..start + marker.len())),
            (Some((open, _)), Some(marker)) if *open == marker => fence = None,
            (None, None) => bullet(&mut findings, line, start, depends),
            _ => {}
        }
    }
    for (span, what, end) in [
        (comment, "comment", "-->"),
        (fence.map(|(_, span)| span), "block", "the same mark"),
    ] {
        let Some(span) = span else { continue };
        let message =
            format!("the {what} that begins here is not closed; nothing behind it is read");
        findings
            .warning(codes::DEPENDS_LINE, &span, message)
            .help(format!("close it with {end}"));
    }
    findings.finish()
}

/// The line with blanks in place of comments, so that places stay.
fn without_comments<'l>(
    line: &'l str,
    start: usize,
    open: &mut Option<Range<usize>>,
) -> Cow<'l, str> {
    let mut seen = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let mark = if open.is_some() { "-->" } else { "<!--" };
        let end = rest.find(mark);
        let (part, behind) = rest.split_at(end.map_or(rest.len(), |end| end + mark.len()));
        if open.is_some() {
            seen.extend(std::iter::repeat_n(' ', part.len()));
        } else {
            let kept = part.len() - if end.is_some() { mark.len() } else { 0 };
            seen.push_str(part.get(..kept).unwrap_or_default());
            seen.extend(std::iter::repeat_n(' ', part.len() - kept));
        }
        if end.is_some() {
            let place = start + line.len() - rest.len() + part.len() - mark.len();
            *open = match open {
                Some(_) => None,
                None => Some(place..place + mark.len()),
            };
        }
        rest = behind;
    }
    Cow::Owned(seen)
}

/// Reads one line, which begins at `start` in the file.
fn bullet(findings: &mut Findings<'_>, line: &str, start: usize, depends: &mut Depends) {
    let mut entry = line.trim_start_matches('\u{FEFF}').trim();
    if is_rule(entry) {
        return;
    }
    let mut is_bullet = false;
    // A list in a list begins in one line.
    while let Some(inner) = entry
        .strip_prefix(['-', '*', '+'])
        .filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    {
        entry = inner.trim_start();
        is_bullet = true;
    }
    for done in ["[ ]", "[x]", "[X]"] {
        let behind = entry.strip_prefix(done);
        // `[x](…)` is a link.
        let behind = behind.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        entry = behind.unwrap_or(entry).trim_start();
    }
    entry = entry.split(" #").next().unwrap_or(entry).trim();
    if !is_bullet || entry.is_empty() || entry.starts_with('#') {
        return;
    }
    let place = |part: &str| {
        let from = start + part.as_ptr().addr() - line.as_ptr().addr();
        from..from + part.len()
    };
    let read = name_in(entry);
    let shown = brief(entry);
    if !read.name.contains(char::is_alphanumeric) || SkillName::new(read.name).is_err() {
        findings
            .warning(
                codes::DEPENDS_LINE,
                &place(entry),
                format!("`{shown}` begins with no skill's name; the line is passed over"),
            )
            .help("write the skill's name behind the bullet, or take the bullet away");
        return;
    }
    if read.name.contains('#') {
        // As in YAML: only behind a blank is it the beginning of a note.
        let name = brief(read.name);
        findings
            .warning(
                codes::DEPENDS_LINE,
                &place(read.name),
                format!("`{name}` is read as the name, with its `#`: a note begins behind a blank"),
            )
            .help("write a blank before the `#`; the name of a skill that hosts accept has none");
    } else if read.is_marked {
        findings
            .info(
                codes::DEPENDS_LINE,
                &place(entry),
                format!(
                    "of `{shown}` the name `{}` is read, and nothing else",
                    brief(read.name)
                ),
            )
            .help("write one name behind each bullet");
    } else if read.has_more {
        unchecked(findings, entry, &place(entry));
    }
    depends.push(findings, read.name, &place(read.name));
}

/// `---`, `* * *`: a line across the page.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(first @ ('-' | '*' | '_')) = marks.next() else {
        return false;
    };
    let mut more = 0;
    marks.all(|mark| {
        more += 1;
        mark == first
    }) && more >= 2
}

#[derive(Debug, PartialEq, Eq)]
struct Read<'e> {
    name: &'e str,
    /// It stood in quotes or emphasis, or something stood close behind it.
    is_marked: bool,
    /// Something follows that may be meant as a version.
    has_more: bool,
}

fn name_in(entry: &str) -> Read<'_> {
    let mut name = entry;
    let mut is_marked = false;
    let mut has_more = false;
    while let Some((open, inner, behind)) = enclosed(name) {
        // A link and a code word are the usual ways to write a name.
        is_marked |= !matches!(open, "[" | "`") || (open == "`" && !behind.trim().is_empty());
        name = inner.trim();
    }
    let word_end = name
        .find([',', '，', '、', '：', '；', '。'])
        .unwrap_or(name.len());
    let (word, behind) = name.split_at(end_of_name(name).min(word_end));
    has_more |= !behind.trim().is_empty();
    is_marked |= word_end < name.len() && word.len() == word_end;
    let bare = word.trim_end_matches(CLOSING);
    is_marked |= bare.len() < word.len();
    Read {
        name: bare,
        is_marked,
        has_more,
    }
}

/// What stands between two marks at the beginning, and what follows them.
fn enclosed(text: &str) -> Option<(&'static str, &str, &str)> {
    PAIRS.iter().find_map(|(open, close)| {
        let inside = text.strip_prefix(open)?;
        let ends = inside.match_indices(close).find(|(at, _)| {
            let behind = inside.get(at + close.len()..).unwrap_or_default();
            *at > 0 && (*open == "[" || !behind.starts_with(char::is_alphanumeric))
        });
        let (end, _) = ends?;
        let behind = inside.get(end + close.len()..)?;
        Some((*open, inside.get(..end)?, behind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_taken_out_of_what_stands_around_it() {
        let marked = [
            "**base**",
            "__base__",
            "_base_",
            "*base*",
            "\"base\"",
            "'base'",
            "“base”",
            "<base>",
            "(base)",
            "base.",
            "base: why",
            "base, other",
            "base,other",
            "base：说明",
            "**base**: why",
            "**base:** why",
            "[**base**](x)",
            "`base` (>= 1)",
        ];
        for entry in marked {
            let read = name_in(entry);
            assert_eq!((read.name, read.is_marked), ("base", true), "{entry}");
        }
        for entry in ["base", "`base`", "[base](x)", "[`base`](x)", "[base][1]"] {
            let read = name_in(entry);
            assert_eq!(
                (read.name, read.is_marked, read.has_more),
                ("base", false, false),
                "{entry}"
            );
        }
        for entry in [
            "base >= 1.2",
            "base>=1",
            "base@1",
            "base - why",
            "base (>= 1)",
        ] {
            let read = name_in(entry);
            assert_eq!(
                (read.name, read.is_marked, read.has_more),
                ("base", false, true),
                "{entry}"
            );
        }
        for name in ["_private", "my_skill", "a.b", "_a_b"] {
            assert_eq!(name_in(name).name, name);
        }
    }

    #[test]
    fn rules_are_no_bullets() {
        for rule in ["---", "- - -", "* * *", "***", "_ _ _"] {
            assert!(is_rule(rule), "{rule}");
        }
        for other in ["- -", "- a", "--", "", "- - b"] {
            assert!(!is_rule(other), "{other}");
        }
    }
}
