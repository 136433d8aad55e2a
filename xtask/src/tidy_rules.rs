//! The rules of `cargo xtask tidy` for one file, each a plain function over its text.
//!
//! What is looked for is put together from halves, so that this file does not find itself.

use crate::finding::Finding;

/// Words that do not stay in a tree, with the cure.
const LEFT_BEHIND: [(&str, &str); 4] = [
    (concat!("#[", "ignore"), "mend the test or remove it"),
    (
        concat!("to", "do!("),
        "write it, or return an error that says what is missing",
    ),
    (
        concat!("unimple", "mented!("),
        "write it, or return an error that says what is missing",
    ),
    (concat!("d", "bg!("), "remove it"),
];

/// Folders that exist on one machine only; each is the beginning of a path.
const MACHINE_FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Folders whose next part is somebody's name.
const HOMES: [&str; 2] = [concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Names that stand for anybody in an example.
const ANYBODY: [&str; 4] = ["me", "you", "user", "artist"];

/// A Rust file begins with `//!` docs; inner attributes may come first.
pub(crate) fn module_docs(file: &str, text: &str) -> Option<Finding> {
    let mut in_attribute = false;
    for line in text.lines().map(str::trim) {
        if in_attribute || line.starts_with("#![") {
            in_attribute = !line.ends_with(']');
        } else if line.starts_with("//!") {
            return None;
        } else if !line.is_empty() {
            break;
        }
    }
    Some(
        Finding::new(
            file,
            "does not begin with module docs",
            "say in a `//!` line what the file is for",
        )
        .at(1),
    )
}

/// Placeholders, debugging aids and tests that are switched off.
pub(crate) fn left_behind(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (word, cure) in LEFT_BEHIND {
            if line.contains(word) {
                findings
                    .push(Finding::new(file, format!("`{word}` is left in"), cure).at(index + 1));
            }
        }
    }
    findings
}

/// Blanks at the end of a line.
pub(crate) fn trailing_blanks(file: &str, text: &str) -> Vec<Finding> {
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            line.ends_with([' ', '\t'])
        })
        .map(|(index, _)| {
            Finding::new(file, "blanks at the end of the line", "remove them").at(index + 1)
        })
        .collect()
}

/// Paths that hold on one machine only.
pub(crate) fn machine_paths(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fixed = MACHINE_FOLDERS
            .into_iter()
            .find(|folder| begins_a_path(line, folder, |_| true));
        let home = HOMES
            .into_iter()
            .find(|folder| begins_a_path(line, folder, is_somebody));
        if let Some(folder) = fixed.or(home) {
            findings.push(
                Finding::new(
                    file,
                    format!("a path under {folder} exists on one machine only"),
                    "use a relative path, or an example such as /projects/hero",
                )
                .at(index + 1),
            );
        }
    }
    findings
}

/// Whether the folder stands in the line as the beginning of a path whose rest is as wanted.
fn begins_a_path(line: &str, folder: &str, wanted: impl Fn(&str) -> bool) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        let inside = before.is_some_and(|c| c.is_alphanumeric() || "_-.~*/}>)]$".contains(c));
        let rest = line.get(at + folder.len()..).unwrap_or_default();
        !inside && wanted(rest)
    })
}

/// Whether a path goes on with a name that is not just an example's.
fn is_somebody(rest: &str) -> bool {
    let name: &str = rest
        .split(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)))
        .next()
        .unwrap_or_default();
    !name.is_empty() && !ANYBODY.contains(&name)
}

/// Whether the text declares a test.
pub(crate) fn holds_a_test(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        line == "#[test]" || line.starts_with("#[tokio::test") || line.starts_with("proptest!")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_come_first() {
        assert_eq!(module_docs("a.rs", "//! What it is.\n"), None);
        assert_eq!(
            module_docs(
                "a.rs",
                "#![allow(\n    x,\n    reason = \"y\"\n)]\n\n//! What.\n"
            ),
            None
        );
        assert!(module_docs("a.rs", "use std::fmt;\n//! Late.\n").is_some());
        assert!(module_docs("a.rs", "").is_some());
        assert!(module_docs("a.rs", "// Not docs.\n").is_some());
    }

    #[test]
    fn each_word_left_behind_is_found_with_its_line() {
        for (word, _) in LEFT_BEHIND {
            let findings = left_behind("a.rs", &format!("fn a() {{\n    {word}\n}}\n"));
            assert_eq!(findings.len(), 1, "{word}");
            assert_eq!(findings[0].line, Some(2));
        }
        assert_eq!(left_behind("a.rs", "fn tidy() {}\n"), Vec::new());
    }

    #[test]
    fn blanks_at_the_end() {
        assert_eq!(
            trailing_blanks("a.md", "one\ntwo \nthree\t\r\nfour\r\n").len(),
            2
        );
    }

    #[test]
    fn paths_of_one_machine() {
        for folder in MACHINE_FOLDERS {
            assert_eq!(
                machine_paths("a.md", &format!("see `{folder}tree/x`")).len(),
                1
            );
            assert_eq!(machine_paths("a.md", &format!("{folder}x")).len(), 1);
            assert_eq!(
                machine_paths("a.md", &format!("net{folder}x and ..{folder}y")).len(),
                0
            );
        }
        for home in HOMES {
            assert_eq!(machine_paths("a.md", &format!("\"{home}zoe/x\"")).len(), 1);
            assert_eq!(
                machine_paths("a.md", &format!("\"{home}artist/x\"")).len(),
                0
            );
            assert_eq!(
                machine_paths("a.md", &format!("a folder in {home} of")).len(),
                0
            );
        }
    }

    #[test]
    fn this_file_does_not_find_itself() {
        let text = include_str!("tidy_rules.rs");
        assert_eq!(left_behind("tidy_rules.rs", text), Vec::new());
        assert_eq!(machine_paths("tidy_rules.rs", text), Vec::new());
    }

    #[test]
    fn a_test_is_known_by_its_attribute() {
        assert!(holds_a_test("    #[test]\n    fn a() {}"));
        assert!(holds_a_test("#[tokio::test(flavor = \"current_thread\")]"));
        assert!(!holds_a_test("//! Integration tests.\n"));
    }
}
