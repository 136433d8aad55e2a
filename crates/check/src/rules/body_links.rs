//! Links in the text of SKILL.md that lead nowhere, or out of the skill.
//!
//! Only what Markdown takes for a link counts: words with a slash and code are no paths.

use std::ops::Range;

use metier_diagnostics::Diagnostic;
use metier_loader::body_of;

use crate::codes::{BODY_LINK_BROKEN, BODY_LINK_OUTSIDE};
use crate::subject::{SKILL_FILE, Subject};

/// The excerpt that the loader keeps ends here, so that longer bodies have to be read again.
const EXCERPT: usize = 8000;

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let excerpt = &subject.skill.body_excerpt;
    if !excerpt.contains("](") && excerpt.len() < EXCERPT {
        return Vec::new();
    }
    let Some(text) = subject.text(SKILL_FILE) else {
        return Vec::new();
    };
    let body = text.len() - body_of(text.as_bytes()).map_or(0, <[u8]>::len);
    let mut found = Vec::new();
    for span in links(&text, body) {
        let target = text.get(span.clone()).unwrap_or_default();
        let Some(path) = local_path(target) else {
            continue;
        };
        let place = subject.place(SKILL_FILE, &text, span);
        let Some(path) = inside(&path) else {
            let message = format!("the link `{target}` leads out of the skill folder");
            let about = Diagnostic::info(BODY_LINK_OUTSIDE, message).at(place, "");
            found.push(
                about.help("put the file into the skill; clients read nothing outside of it"),
            );
            continue;
        };
        if !path.is_empty() && subject.skill.files.folder().join(&path).metadata().is_err() {
            let message = format!("the link leads to `{path}`, which does not exist");
            let about = Diagnostic::warning(BODY_LINK_BROKEN, message).at(place, "");
            found.push(about.help("add the file, or mend the link"));
        }
    }
    found
}

/// The targets of inline links behind `from`, outside of code.
fn links(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut targets = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if start < from {
            continue;
        }
        let words = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| words.starts_with(marker));
        if let Some(marker) = marker {
            match fence {
                None => fence = Some(marker),
                Some(open) if open == marker => fence = None,
                Some(_) => {}
            }
            continue;
        }
        let is_code = line.starts_with("    ") || line.starts_with('\t');
        if fence.is_none() && !is_code {
            targets.extend(
                links_of_line(line)
                    .into_iter()
                    .map(|span| start + span.start..start + span.end),
            );
        }
    }
    targets
}

fn links_of_line(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut in_code = false;
    let mut open = false;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => in_code = !in_code,
            '\\' => {
                chars.next();
            }
            '[' if !in_code => open = true,
            ']' if !in_code && open && chars.peek().is_some_and(|(_, next)| *next == '(') => {
                let start = at + 2;
                let rest = line.get(start..).unwrap_or_default();
                let end = rest.find([')', ' ', '\t', '\n']).unwrap_or(0);
                if rest
                    .get(end..)
                    .is_some_and(|tail| tail.starts_with([')', ' ']))
                    && end > 0
                {
                    found.push(start..start + end);
                }
            }
            _ => {}
        }
    }
    found
}

/// The path of a link to a file; `None` for an address, an anchor, an absolute path or a template.
fn local_path(target: &str) -> Option<String> {
    let target = target.trim_matches(['<', '>']);
    let scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    });
    let odd =
        target.contains(['{', '}', '<', '>', '*', '$', '|', '"', '…']) || target.contains("...");
    if scheme || odd || target.starts_with(['/', '\\', '#', '~', '@']) {
        return None;
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    // A word without a dot or a slash is more often a placeholder than a file.
    if !path.contains(['.', '/']) {
        return None;
    }
    Some(decoded(path))
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = code {
            bytes.push(byte);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// The path below the skill; `None` if it climbs out.
fn inside(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_are_links() {
        let text = "---\nx: [a](b.md)\n---\nSee [one](a/b.md) and ![two](c.png \"t\"), not `[x](y.md)`.\n\
                    ```\n[no](no.md)\n```\n    [no](no.md)\neither/or (a.md) \\[no](x.md) [empty]()\n";
        let body = text.find("See").unwrap();
        let found: Vec<&str> = links(text, body)
            .into_iter()
            .map(|span| &text[span])
            .collect();
        assert_eq!(found, ["a/b.md", "c.png"]);
    }

    #[test]
    fn only_files_are_looked_for() {
        for other in [
            "https://x.y/z.md",
            "mailto:a@b.c",
            "#part",
            "/World/Prop",
            "{file}.md",
            "~/x.md",
            "url",
            "path/<name>.md",
            "@john.doe",
            "a/...",
        ] {
            assert_eq!(local_path(other), None, "{other}");
        }
        assert_eq!(local_path("a%20b.md#part").as_deref(), Some("a b.md"));
        assert_eq!(local_path("references/").as_deref(), Some("references/"));
        assert_eq!(inside("./a/../b.md").as_deref(), Some("b.md"));
        assert_eq!(inside("../b.md"), None);
    }
}
