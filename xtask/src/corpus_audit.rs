//! Holds what the check says of a source against the source's own files, read by simpler means.

use std::collections::BTreeMap;
use std::path::Path;

use crate::corpus::Figures;

/// How deep below a root skills are looked for.
const DEEPEST: usize = 6;

/// What the comparison gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Audit {
    /// Files named SKILL.md.
    pub(crate) files: usize,
    /// Of those, inside another skill.
    pub(crate) nested: usize,
    /// Of those, in hidden folders, in packages of others, or too deep.
    pub(crate) passed_over: usize,
    /// Skills whose tools were compared with their file.
    pub(crate) compared: usize,
    /// Of those, with every tool of the file in its order.
    pub(crate) listed: usize,
    pub(crate) faults: Vec<String>,
}

pub(crate) fn audit(folder: &Path, figures: &Figures) -> Result<Audit, String> {
    let skills: BTreeMap<&str, &Vec<String>> = figures
        .skills
        .iter()
        .filter_map(|skill| Some((skill.id.split_once(':')?.1, &skill.tools)))
        .collect();
    let mut found = Vec::new();
    walk(folder, "", &mut found).map_err(|error| error.to_string())?;
    let mut audit = Audit {
        files: found.len(),
        ..Audit::default()
    };
    // A root that is a skill itself is known by the name of its folder.
    let whole = found.iter().any(String::is_empty);
    for place in &found {
        if whole && !place.is_empty() {
            audit.nested += 1;
        } else if whole || skills.contains_key(place.as_str()) {
            if let Some(tools) = skills.get(place.as_str()) {
                compare(folder, place, tools, &mut audit);
            }
        } else if skills
            .keys()
            .any(|skill| place.starts_with(&format!("{skill}/")))
        {
            audit.nested += 1;
        } else if is_passed_over(place) {
            audit.passed_over += 1;
        } else {
            audit
                .faults
                .push(format!("{place}/SKILL.md is neither a skill nor rejected"));
        }
    }
    Ok(audit)
}

fn walk(folder: &Path, place: &str, found: &mut Vec<String>) -> std::io::Result<()> {
    if folder.join("SKILL.md").is_file() {
        found.push(place.to_owned());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let below = if place.is_empty() {
                name
            } else {
                format!("{place}/{name}")
            };
            walk(&entry.path(), &below, found)?;
        }
    }
    found.sort();
    Ok(())
}

fn is_passed_over(place: &str) -> bool {
    let parts: Vec<&str> = place.split('/').collect();
    let odd =
        |part: &&str| part.starts_with('.') || matches!(*part, "node_modules" | "__pycache__");
    parts.len() > DEEPEST || parts.iter().any(odd)
}

/// The names in `tools.yaml` are read line by line; files in another style are left alone.
fn compare(folder: &Path, place: &str, tools: &[String], audit: &mut Audit) {
    let Ok(text) = std::fs::read_to_string(folder.join(place).join("tools.yaml")) else {
        return;
    };
    let Some(names) = names_by_line(&text) else {
        return;
    };
    // Without a key in the front matter the file is not read, and the check says so.
    let front = std::fs::read_to_string(folder.join(place).join("SKILL.md")).unwrap_or_default();
    if !front.contains("tools.yaml") {
        return;
    }
    audit.compared += 1;
    if names == tools {
        audit.listed += 1;
    } else {
        audit.faults.push(format!(
            "{place}: the tools are {tools:?}, the file has {names:?}"
        ));
    }
}

/// `- name: X` at the indentation of the first entry behind `tools:`.
fn names_by_line(text: &str) -> Option<Vec<String>> {
    let mut lines = text
        .lines()
        .skip_while(|line| line.trim_end() != "tools:")
        .skip(1)
        .peekable();
    let first = lines
        .peek()
        .copied()
        .filter(|line| line.trim_start().starts_with("- name:"))?;
    let indent = first.len() - first.trim_start().len();
    let mut names = Vec::new();
    for line in lines {
        let own = line.len() - line.trim_start().len();
        let words = line.trim_start();
        if !words.is_empty() && own == 0 && !words.starts_with(['-', '#']) {
            break;
        }
        if own == indent
            && let Some(entry) = words.strip_prefix("- ")
        {
            let name = entry.strip_prefix("name:")?.split(" #").next()?.trim();
            names.push(name.trim_matches(['"', '\'']).to_owned());
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_line() {
        let text = "# top\ntools:\n  - name: b # first\n    next-tools:\n      - name: no\n  - name: \"a\"\ngroups:\n  - name: g\n";
        assert_eq!(
            names_by_line(text),
            Some(vec!["b".to_owned(), "a".to_owned()])
        );
        assert_eq!(
            names_by_line("tools:\n  - description: x\n    name: y\n"),
            None
        );
        assert_eq!(names_by_line("groups: []\n"), None);
    }

    #[test]
    fn places_where_no_skill_is_looked_for() {
        assert!(is_passed_over("a/.hidden/b"));
        assert!(is_passed_over("1/2/3/4/5/6/7"));
        assert!(!is_passed_over("1/2/3/4/5/6"));
    }
}
