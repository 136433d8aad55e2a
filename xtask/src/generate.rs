//! `cargo xtask gen`: the files that are written from the code.
//!
//! `docs/rules` holds a page for each code, `docs/schemas` the JSON Schemas of the files of a skill. Both come from
//! the command itself, so that they say what it says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::finding::Finding;
use crate::metadata::Metadata;
use crate::metier_binary;
use crate::process::{capture, root};
use crate::steps::Report;

const RULES: &str = "docs/rules";
const SCHEMAS: [(&str, &str); 3] = [
    ("skill", "docs/schemas/skill-frontmatter.json"),
    ("tools", "docs/schemas/tools.json"),
    ("prompts", "docs/schemas/prompts.json"),
];

/// A page as `metier check --explain all --format json` prints it.
#[derive(Debug, Deserialize)]
struct Page {
    id: String,
    name: String,
    summary: String,
    #[serde(rename = "page")]
    text: String,
}

/// Writes the files, or with `check` only tells which are not as they would be written.
pub(crate) fn run(check: bool) -> Report {
    let wanted = match Metadata::read()
        .and_then(|metadata| wanted(&metier_binary::build(&metadata, false)?))
    {
        Ok(wanted) => wanted,
        Err(why) => return Report::failed(why),
    };
    let mut findings = Vec::new();
    for (file, text) in &wanted {
        let path = root().join(file);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == *text) {
            continue;
        }
        if check {
            findings.push(Finding::new(
                file,
                "is not what the code says",
                "run `cargo xtask gen`",
            ));
        } else if let Err(why) = write(&path, text) {
            return Report::failed(format!("{file} could not be written: {why}"));
        } else {
            println!("wrote {file}");
        }
    }
    for file in left_over(&wanted) {
        if check {
            findings.push(Finding::new(
                &file,
                "belongs to no code",
                "remove it; a retired code keeps its page only with the code",
            ));
        } else if std::fs::remove_file(root().join(&file)).is_ok() {
            println!("removed {file}");
        }
    }
    Report::of_findings(&findings)
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// Every generated file with its text.
fn wanted(metier: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    let pages =
        capture(Command::new(metier).args(["check", "--explain", "all", "--format", "json"]))?;
    let pages: Vec<Page> = serde_json::from_str(&pages)
        .map_err(|error| format!("the pages could not be read: {error}"))?;
    files.insert(format!("{RULES}/README.md"), index(&pages));
    for page in pages {
        files.insert(format!("{RULES}/{}.md", page.id), page.text);
    }
    for (name, file) in SCHEMAS {
        files.insert(
            file.to_owned(),
            capture(Command::new(metier).args(["schema", name]))?,
        );
    }
    Ok(files)
}

fn index(pages: &[Page]) -> String {
    let mut text = String::from(
        "# Rules\n\nEvery finding has a code that never changes its meaning. `metier check --explain CODE` prints the same \
         pages.\n\n| code | name | about |\n|---|---|---|\n",
    );
    for page in pages {
        let _ = writeln!(
            text,
            "| [{0}]({0}.md) | `{1}` | {2} |",
            page.id, page.name, page.summary
        );
    }
    text
}

fn left_over(wanted: &BTreeMap<String, String>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root().join(RULES)) else {
        return Vec::new();
    };
    let mut files: Vec<String> = entries
        .flatten()
        .map(|entry| format!("{RULES}/{}", entry.file_name().to_string_lossy()))
        .filter(|file| !wanted.contains_key(file))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_links_every_page() {
        let page = Page {
            id: "MT101".to_owned(),
            name: "empty".to_owned(),
            summary: "Is empty.".to_owned(),
            text: String::new(),
        };
        let text = index(&[page]);
        assert!(
            text.ends_with("| [MT101](MT101.md) | `empty` | Is empty. |\n"),
            "{text}"
        );
    }
}
