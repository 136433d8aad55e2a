//! Why there is no tool of a name, and what to do.

use metier::skill_model::{STUB_PREFIX, SkillStatus, SkillSummary, canonical_name, stub_name};
use metier::{SkillCatalog, skill_model::wire_name};

use crate::config::nearest;
use crate::findings::errors_of;
use crate::options::SkillPlaces;
use crate::printer::count;

/// How many errors are shown; `metier check` has them all.
const SHOWN: usize = 5;

/// What keeps a name from being called.
pub(super) enum Unknown {
    /// The name is wrong.
    Name(String),
    /// A skill is, and the name may be right.
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
    nearest: &[String],
) -> Unknown {
    let skills = all(catalog);
    let owners = of_several(&skills, tool);
    if owners.len() > 1 {
        return Unknown::Name(format!(
            "{} have a tool `{tool}`; call one of them by its whole name: {}",
            count(owners.len(), "skill"),
            owners.join(", ")
        ));
    }
    let mut message = format!("unknown tool: {tool}");
    if !nearest.is_empty() {
        message = format!("{message} (did you mean {}?)", ticked(nearest, " or "));
    }
    let mut is_slip = !nearest.is_empty();
    if nearest.is_empty()
        && !tool.contains("__")
        && let Some(near) = near_bare(&skills, tool)
    {
        is_slip = true;
        message = format!("{message} (did you mean `{near}`?)");
    }
    if let Some(skill) = skills.iter().find(|skill| owns(skill, tool)) {
        let why = why(catalog, places, &[skill]);
        return if is_broken(skill) {
            Unknown::Skill(format!(
                "`{tool}` cannot be called: the skill `{}` is {}{why}",
                skill.name,
                standing(skill)
            ))
        } else if nearest.is_empty() {
            if why.is_empty() {
                Unknown::Name(format!(
                    "{message}; in the skill `{}`, {}",
                    skill.name,
                    tools_of(skill)
                ))
            } else {
                // The name says the skill, and an entry that an error keeps out may be the one.
                Unknown::Skill(format!(
                    "`{tool}` cannot be called; it may be what is left out of the skill `{}`:{why}",
                    skill.name
                ))
            }
        } else {
            Unknown::Name(message + &why)
        };
    }
    if places.paths.is_empty() && std::path::Path::new(tool).is_dir() {
        return Unknown::Name(format!(
            "{message}; that is a folder, and the tool's name comes before it: metier call TOOL {tool}"
        ));
    }
    // A tool's name alone does not say which skill was meant; one that cannot be read may have it, unless a
    // name that is near says that this one is a slip.
    let broken: Vec<&SkillSummary> = skills.iter().filter(|skill| is_broken(skill)).collect();
    let left_out = left_out(catalog, places, &skills);
    let is_unexplained = broken.is_empty() && left_out.is_empty();
    message.push_str(&left_out);
    if !broken.is_empty() {
        let names: Vec<String> = broken.iter().map(|skill| skill.name.clone()).collect();
        message = format!(
            "{message}; {} cannot be used: {}{}",
            count(broken.len(), "skill"),
            ticked(&names, ", "),
            why(catalog, places, &broken)
        );
    }
    if is_slip || is_unexplained {
        Unknown::Name(message)
    } else {
        Unknown::Skill(message)
    }
}

/// The whole names of the tools that are called so.
fn of_several(skills: &[SkillSummary], tool: &str) -> Vec<String> {
    let usable = skills.iter().filter(|skill| !is_broken(skill));
    usable
        .filter(|skill| skill.tool_names.iter().any(|name| name == tool))
        .map(|skill| wire_name(&canonical_name(&skill.name, tool)))
        .collect()
}

/// The tool's own name that the given one looks like.
fn near_bare<'a>(skills: &'a [SkillSummary], tool: &str) -> Option<&'a str> {
    let names = skills.iter().flat_map(|skill| &skill.tool_names);
    nearest(tool, names.map(String::as_str))
}

/// Entries of usable skills that an error keeps out: the tool that was meant may be one of them.
fn left_out(catalog: &SkillCatalog, places: &SkillPlaces, skills: &[SkillSummary]) -> String {
    let snapshot = catalog.snapshot();
    let usable: Vec<&SkillSummary> = skills
        .iter()
        .filter(|skill| !is_broken(skill) && !errors_of(&snapshot, skill).is_empty())
        .collect();
    match why(catalog, places, &usable) {
        lines if lines.is_empty() => lines,
        lines => format!("; it may be one that is left out:{lines}"),
    }
}

/// The first errors of these skills, each on a line of its own, and who shows the rest.
fn why(catalog: &SkillCatalog, places: &SkillPlaces, skills: &[&SkillSummary]) -> String {
    let snapshot = catalog.snapshot();
    let mut lines: Vec<String> = Vec::new();
    for line in skills.iter().flat_map(|skill| errors_of(&snapshot, skill)) {
        // Skills that stand in each other's way have the same error.
        let line = format!("\n  {line}");
        if lines.len() < SHOWN && !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "{}\n`{}` shows the places",
        lines.concat(),
        places.check_command()
    )
}

fn standing(skill: &SkillSummary) -> &'static str {
    match skill.status {
        SkillStatus::Skipped => "rejected",
        _ => "broken (status error)",
    }
}

fn ticked(names: &[String], between: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(between)
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
