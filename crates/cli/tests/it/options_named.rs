//! An option that a message, a help text or a document names is one that there is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::command::{fixtures, metier};

/// Options of other programs, and where they are named.
const FOREIGN: &[(&str, &str)] = &[
    ("server", "the Inspector"),
    ("cli", "the Inspector"),
    ("method", "the Inspector"),
    ("tool-name", "the Inspector"),
    ("tool-arg", "the Inspector"),
    ("decode", "base64, in the texts of hostile skills"),
    ("user", "systemctl, likewise"),
    ("data-binary", "curl, likewise"),
    ("verify", "the Inspector"),
    ("require-digests", "the Inspector"),
    ("transport", "claude mcp add"),
    ("bench", "cargo bench"),
    ("release", "cargo"),
    ("path", "cargo install"),
    ("locked", "cargo"),
    ("workspace", "cargo"),
    ("all-features", "cargo"),
    ("all-targets", "cargo"),
    ("features", "cargo"),
    ("full", "cargo xtask ci, cargo xtask interop"),
    ("corpus", "cargo xtask search-eval"),
    ("queries", "cargo xtask search-eval"),
    ("arms", "cargo xtask search-eval"),
    ("without", "cargo xtask search-eval"),
    ("set", "cargo xtask search-eval"),
    ("calibrate", "cargo xtask search-eval"),
    ("speed", "cargo xtask search-eval"),
    ("out", "cargo xtask search-eval"),
    ("program", "cargo xtask search-eval"),
    ("changes", "cargo xtask search-eval"),
    ("prompts", "cargo xtask protocol-eval"),
    ("said", "cargo xtask protocol-eval"),
    ("key", "how a script's own argument is written"),
    ("frame-start", "an example of a script's own argument"),
];

fn repository() -> PathBuf {
    fixtures().join("../..").canonicalize().unwrap()
}

/// Every option of every command, without the hyphens.
fn known() -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let help = |arguments: &[&str]| {
        let output = metier(folder.path()).args(arguments).arg("--help").output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let top = help(&[]);
    let list = top.split("Commands:").nth(1).unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && *word != "help")
        .collect();
    assert!(commands.len() >= 14, "{commands:?}");
    let mut known = BTreeSet::new();
    let mut texts: Vec<String> = commands.iter().map(|command| help(&[command])).collect();
    texts.push(help(&["config", "show"]));
    for action in ["show", "forget", "export"] {
        texts.push(help(&["state", action]));
        texts.push(help(&["state", "memory", action]));
    }
    texts.push(top.clone());
    for line in texts.iter().flat_map(|text| text.lines()) {
        let line = line.trim_start();
        // `-h, --help` and `--json`; not a line of prose that mentions one.
        if line.starts_with('-') {
            known.extend(options(line).into_iter().take(1));
        }
    }
    known
}

/// `--like-this`, without the hyphens.
fn options(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = '\0';
    let mut rest = text;
    while let Some(place) = rest.find("--") {
        before = rest
            .get(..place)
            .unwrap()
            .chars()
            .next_back()
            .unwrap_or(before);
        let after = rest.get(place + 2..).unwrap();
        let name: String = after
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
            .collect();
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        if begins && !before.is_alphanumeric() && before != '-' {
            found.push(name.trim_end_matches('-').to_owned());
        }
        before = '-';
        rest = after;
    }
    found
}

fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            files(&path, extensions, found);
        } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
            found.push(path);
        }
    }
}

#[test]
fn every_option_that_is_named_exists() {
    let known = known();
    for wanted in [
        "python",
        "root",
        "capability",
        "with-defaults",
        "write",
        "explain",
    ] {
        assert!(known.contains(wanted), "{wanted}: {known:?}");
    }
    let repository = repository();
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(repository.join("crates")).unwrap() {
        // Messages and their pages; what tests name is their own affair.
        files(
            &entry.unwrap().path().join("src"),
            &["rs", "md"],
            &mut sources,
        );
    }
    files(&repository.join("docs"), &["md"], &mut sources);
    files(
        &repository.join("fixtures/skills/demo"),
        &["md"],
        &mut sources,
    );
    sources.extend(["README.md", "README.zh.md", "SECURITY.md"].map(|name| repository.join(name)));
    let mut named = 0;
    let mut unknown = Vec::new();
    for path in sources {
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in text.lines().enumerate() {
            for option in options(line) {
                named += 1;
                let foreign = FOREIGN.iter().any(|(name, _)| *name == option);
                if !known.contains(&option) && !foreign {
                    let path = path.strip_prefix(&repository).unwrap().display();
                    unknown.push(format!("{path}:{}: --{option}", number + 1));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(named > 100, "only {named} were found");
}

#[test]
fn options_are_told_from_other_hyphens() {
    assert_eq!(
        options("use --root DIR, `--env`; --- a--b ---name `-- x` (--with-defaults)--json="),
        ["root", "env", "with-defaults", "json"]
    );
}
