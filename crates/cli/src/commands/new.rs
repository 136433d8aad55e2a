//! `metier new`.

use std::path::{Path, PathBuf};

use clap::Args;
use metier::skill_model::{SkillName, canonical_name, is_wire_safe};
use serde_json::json;

use crate::Failure;
use crate::pasted;
use crate::printer::Printer;

const SKILL: &str = include_str!("../../templates/skill/SKILL.md");
const TOOLS: &str = include_str!("../../templates/skill/tools.yaml");
const SCRIPT: &str = include_str!("../../templates/skill/count_words.py");
const SCRIPT_WITH_HELPER: &str = include_str!("../../templates/skill/count_words_with_helper.py");
const HELPER: &str = include_str!("../../assets/metier_skill.py");

/// The tool that the script is.
const TOOL: &str = "count_words";

/// The longest name that other hosts of skills take.
const LONGEST: usize = 64;

#[derive(Args)]
pub(crate) struct New {
    /// The skill's name, which is also its folder's: 1 to 64 of a-z, 0-9 and single hyphens.
    name: String,
    /// Where the folder is made.
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Add a Python file that reads arguments, reports progress and answers.
    #[arg(long)]
    with_helper: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl New {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let name = check(&self.name).map_err(Failure::Usage)?;
        if !self.dir.is_dir() {
            return Err(Failure::Usage(format!(
                "--dir {}: there is no such folder",
                self.dir.display()
            )));
        }
        // `./x` would be shown for the usual case.
        let folder = if self.dir == Path::new(".") {
            PathBuf::from(&self.name)
        } else {
            self.dir.join(&self.name)
        };
        let files = self.files(&name);
        write(&folder, &files).map_err(Failure::Usage)?;
        let shown: Vec<String> = files
            .iter()
            .map(|(path, _)| folder.join(path).display().to_string())
            .collect();
        if self.json {
            printer.json(&json!({
                "name": self.name,
                "folder": folder.to_string_lossy(),
                "files": shown,
            }));
        } else {
            for file in &shown {
                printer.data(file);
            }
        }
        let arguments = r#"{"text": "hello world"}"#;
        printer.say(&format!(
            "try it:\n  metier call {2} --args '{arguments}' {0}\nthen write what the skill does into {1}",
            pasted::path(&folder),
            folder.join("SKILL.md").display(),
            tool_of(&self.name),
        ));
        Ok(())
    }

    fn files(&self, name: &SkillName) -> Vec<(&'static str, String)> {
        let script = if self.with_helper {
            SCRIPT_WITH_HELPER
        } else {
            SCRIPT
        };
        let tool = tool_of(&self.name);
        let skill = SKILL
            .replace("name: {name}", &format!("name: {}", name.in_yaml()))
            .replace("{name}", &self.name)
            .replace("{tool}", &tool);
        let mut files = vec![
            ("SKILL.md", skill),
            ("tools.yaml", TOOLS.replace("{tool}", &tool)),
            ("scripts/count_words.py", script.to_owned()),
        ];
        if self.with_helper {
            files.push(("scripts/_metier_skill.py", HELPER.to_owned()));
        }
        files
    }
}

/// The name of the tool. Behind a long skill's name it would be longer than clients accept, and listed
/// under another; written whole, it can be shorter.
fn tool_of(skill: &str) -> String {
    let canonical = canonical_name(skill, TOOL);
    if is_wire_safe(&canonical) {
        return TOOL.to_owned();
    }
    let room = LONGEST.saturating_sub(TOOL.len() + 2);
    let skill: String = skill.replace('-', "_").chars().take(room).collect();
    format!("{}__{TOOL}", skill.trim_end_matches('_'))
}

/// Refuses a name that some host of skills would refuse, with the rule that it breaks and a name
/// that is fine.
fn check(name: &str) -> Result<SkillName, String> {
    let rule = match SkillName::new(name) {
        Err(fault) => fault.to_string(),
        Ok(checked) if checked.is_standard() => return Ok(checked),
        Ok(_) => broken_rule(name),
    };
    let offer = match SkillName::standard_near(name) {
        Some(offer) => format!("; `{offer}` would do"),
        None => String::new(),
    };
    Err(format!(
        "`{name}` cannot be a skill's name: {rule}; a name is 1 to {LONGEST} of a-z, 0-9 and single hyphens between them{offer}"
    ))
}

fn broken_rule(name: &str) -> String {
    let odd = name
        .chars()
        .find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-'));
    match odd {
        Some(odd) if odd.is_ascii_uppercase() => format!("`{odd}` is upper case"),
        Some(' ') => "it holds a blank".to_owned(),
        Some(odd) => format!("it holds `{odd}`"),
        None if name.contains("--") => "two hyphens stand together".to_owned(),
        None if name.starts_with('-') || name.ends_with('-') => {
            "a hyphen stands at its edge".to_owned()
        }
        None => format!("it is {} characters long", name.chars().count()),
    }
}

/// Makes the folder, which must not be there, and its files.
fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), String> {
    let told = |path: &Path, error: &std::io::Error| format!("{}: {error}", path.display());
    match std::fs::create_dir(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(format!(
                "{} is there already, and nothing is overwritten; choose another name or --dir",
                folder.display()
            ));
        }
        Err(error) => return Err(told(folder, &error)),
    }
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| told(parent, &error))?;
        }
        std::fs::write(&path, text).map_err(|error| told(&path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_explained() {
        assert_eq!(check("bake-ao").unwrap().as_str(), "bake-ao");
        let said: Vec<String> = [
            "Bake AO",
            "bake_ao",
            "灯光",
            "-a",
            "a--b",
            "../x",
            "",
            &"a".repeat(65),
        ]
        .iter()
        .map(|name| check(name).unwrap_err())
        .collect();
        insta::assert_snapshot!(said.join("\n"), @"
        `Bake AO` cannot be a skill's name: `B` is upper case; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `bake-ao` would do
        `bake_ao` cannot be a skill's name: it holds `_`; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `bake-ao` would do
        `灯光` cannot be a skill's name: it holds `灯`; a name is 1 to 64 of a-z, 0-9 and single hyphens between them
        `-a` cannot be a skill's name: a hyphen stands at its edge; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `a` would do
        `a--b` cannot be a skill's name: two hyphens stand together; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `a-b` would do
        `../x` cannot be a skill's name: the name holds `/`; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `x` would do
        `` cannot be a skill's name: the name is empty; a name is 1 to 64 of a-z, 0-9 and single hyphens between them
        `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` cannot be a skill's name: it is 65 characters long; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` would do
        ");
    }
}
