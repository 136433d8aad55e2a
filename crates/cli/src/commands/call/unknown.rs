//! Why there is no tool of a name, and what to do.

use metier::catalog::CallError;
use metier::skill_model::{STUB_PREFIX, SkillStatus, SkillSummary, canonical_name, stub_name};
use metier::{SkillCatalog, skill_model::wire_name};

use crate::config::nearest;
use crate::findings::errors_of;
use crate::options::SkillPlaces;
use crate::printer::count;

/// What keeps a name from being called.
pub(super) enum Unknown {
    /// The name is wrong.
    Name(String),
    /// The skill is.
    Skill(String),
}

/// What the name of a stub stands for. Nobody can call a stub: its skill's tools take its place.
pub(super) fn of_stub(catalog: &SkillCatalog, tool: &str) -> Option<Unknown> {
    let named = tool.strip_prefix(STUB_PREFIX)?;
    let skills = all(catalog);
    let meant = skills
        .iter()
        .find(|skill| skill.name == named || stub_name(&skill.name) == tool);
    let Some(skill) = meant else {
        let near = nearest(named, skills.iter().map(|skill| skill.name.as_str()));
        let cure = near.map_or_else(
            || "`metier list` shows all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Some(Unknown::Name(format!(
            "`{tool}` stands for a skill, and there is no skill `{named}`; {cure}"
        )));
    };
    Some(Unknown::Name(format!(
        "`{tool}` stands for the skill `{0}` and is no tool; {1}; `metier info {0}` says more",
        skill.name,
        tools_of(skill)
    )))
}

/// Why a tool is unknown: its skill is broken, has no such tool, or is not there.
pub(super) fn of_tool(
    catalog: &SkillCatalog,
    places: &SkillPlaces,
    tool: &str,
    error: &CallError,
) -> Unknown {
    let skills = all(catalog);
    let check = places.check_command();
    let Some(skill) = skills.iter().find(|skill| owns(skill, tool)) else {
        let broken: Vec<String> = skills
            .iter()
            .filter(|skill| is_broken(skill))
            .map(|skill| format!("`{}`", skill.name))
            .collect();
        return Unknown::Name(if broken.is_empty() {
            error.to_string()
        } else {
            format!(
                "{error}; {} cannot be used: {} (`{check}` says why)",
                count(broken.len(), "skill"),
                broken.join(", ")
            )
        });
    };
    let errors = errors_of(&catalog.snapshot(), skill);
    let mut lines: Vec<String> = errors.iter().map(|line| format!("\n  {line}")).collect();
    if !lines.is_empty() {
        lines.push(format!("\n`{check}` shows the places"));
    }
    if is_broken(skill) {
        return Unknown::Skill(format!(
            "`{tool}` cannot be called: the skill `{}` is broken ({}){}",
            skill.name,
            skill.status,
            lines.concat()
        ));
    }
    Unknown::Name(format!(
        "{error}; in the skill `{}`, {}{}",
        skill.name,
        tools_of(skill),
        lines.concat()
    ))
}

fn all(catalog: &SkillCatalog) -> Vec<SkillSummary> {
    let mut skills = catalog.list_skills(None);
    skills.extend(catalog.list_skills(Some(SkillStatus::Skipped)));
    skills
}

fn is_broken(skill: &SkillSummary) -> bool {
    matches!(skill.status, SkillStatus::Error | SkillStatus::Skipped)
}

/// Whether the name looks like one of the skill's tools: `my_skill__tool` or `my-skill__tool`.
fn owns(skill: &SkillSummary, tool: &str) -> bool {
    let Some((before, rest)) = tool.split_once("__") else {
        return false;
    };
    before == skill.name || canonical_name(&skill.name, rest) == tool
}

/// `its tools are a, b`.
fn tools_of(skill: &SkillSummary) -> String {
    let names: Vec<String> = skill
        .tool_names
        .iter()
        .map(|tool| wire_name(&canonical_name(&skill.name, tool)))
        .collect();
    match names.as_slice() {
        [] => "there is no tool, only instructions".to_owned(),
        [one] => format!("the tool is {one}"),
        several => format!("the tools are {}", several.join(", ")),
    }
}
