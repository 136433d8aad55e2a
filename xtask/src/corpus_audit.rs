//! Holds what the check says of a source against the source's own files, read by simpler means.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

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
    /// Tools files that were not compared, with the reason.
    pub(crate) left_out: Vec<String>,
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

/// Holds the tools of a skill against the file that its front matter names.
fn compare(folder: &Path, place: &str, tools: &[String], audit: &mut Audit) {
    let skill = folder.join(place);
    let front = std::fs::read_to_string(skill.join("SKILL.md")).unwrap_or_default();
    let named = tools_file(&front);
    let Some(file) = named else {
        if skill.join("tools.yaml").is_file() {
            let why = "its front matter does not name the tools.yaml beside it";
            audit.left_out.push(format!("{place}: {why}"));
        }
        return;
    };
    let names = std::fs::read_to_string(skill.join(&file))
        .map_err(|error| error.to_string())
        .and_then(|text| names_in(&text));
    match names {
        Err(why) => audit.left_out.push(format!("{place}/{file}: {why}")),
        Ok(names) => {
            audit.compared += 1;
            if names == tools {
                audit.listed += 1;
            } else {
                audit.faults.push(format!(
                    "{place}: the tools are {tools:?}, the file has {names:?}"
                ));
            }
        }
    }
}

/// What the front matter says under `metadata.dcc-mcp.tools`, nested or as one key.
fn tools_file(text: &str) -> Option<String> {
    let front = text.strip_prefix("---")?.split("\n---").next()?;
    let front: Value = serde_yaml::from_str(front).ok()?;
    let metadata = front.get("metadata")?;
    let nested = metadata.get("dcc-mcp").and_then(|own| own.get("tools"));
    let named = nested.or_else(|| metadata.get("dcc-mcp.tools"))?;
    named.as_str().map(str::to_owned)
}

/// The names under `tools`, in the order of the file.
fn names_in(text: &str) -> Result<Vec<String>, String> {
    let file: Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let Some(tools) = file.get("tools").and_then(Value::as_array) else {
        return Err("it has no list `tools`".to_owned());
    };
    tools
        .iter()
        .map(|tool| {
            let name = tool.get("name").unwrap_or(tool).as_str();
            let name = name.ok_or_else(|| format!("a tool without a name: {tool}"))?;
            Ok(name.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_the_order_of_the_file() {
        let text = "tools:\n  - name: b # first\n    next-tools:\n      - name: no\n  - a\ngroups:\n  - name: g\n";
        assert_eq!(names_in(text), Ok(vec!["b".to_owned(), "a".to_owned()]));
        assert!(names_in("tools:\n  - description: x\n").is_err());
        assert!(names_in("groups: []\n").is_err());
    }

    #[test]
    fn the_front_matter_names_the_file() {
        let nested = "---\nname: a\nmetadata:\n  dcc-mcp:\n    tools: t.yaml\n---\nbody\n";
        assert_eq!(tools_file(nested), Some("t.yaml".to_owned()));
        let flat = "---\nname: a\nmetadata:\n  dcc-mcp.tools: tools.yaml\n---\n";
        assert_eq!(tools_file(flat), Some("tools.yaml".to_owned()));
        assert_eq!(tools_file("---\nname: a\n---\n"), None);
    }

    #[test]
    fn places_where_no_skill_is_looked_for() {
        assert!(is_passed_over("a/.hidden/b"));
        assert!(is_passed_over("1/2/3/4/5/6/7"));
        assert!(!is_passed_over("1/2/3/4/5/6"));
    }
}
