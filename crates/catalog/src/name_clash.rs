//! Tools of two skills that would have one name on the wire.

use std::collections::BTreeMap;

use metier_diagnostics::{Diagnostic, Location};
use metier_loader::LoadedSkill;
use metier_skill_model::{SkillMetadata, canonical_name, wire_name};

use crate::codes;
use crate::tools_text::ToolsText;

/// A tool whose name an earlier skill's tool has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameClash {
    /// The number of its skill among those that were looked at.
    pub skill: usize,
    /// The tool as its author spells it.
    pub tool: String,
    /// What is wrong; the place is for the caller to know.
    message: String,
}

impl NameClash {
    /// The finding, at the tool's name.
    pub fn at(&self, place: Location) -> Diagnostic {
        Diagnostic::error(codes::TOOL_NAME_TAKEN, self.message.clone())
            .at(place, "")
            .help("rename the tool or the skill")
    }
}

/// Finds them, in the order of the skills. Names within one skill are the loader's business, and two skills of one
/// name are never loaded together.
pub fn name_clashes<'a>(skills: impl IntoIterator<Item = &'a SkillMetadata>) -> Vec<NameClash> {
    let skills: Vec<&SkillMetadata> = skills.into_iter().collect();
    let mut taken: BTreeMap<String, (&SkillMetadata, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (number, skill) in candidates(&skills) {
        for tool in &skill.tools {
            let canonical = canonical_name(&skill.name, &tool.name);
            let Some((other, spelled)) = taken.get(&canonical) else {
                taken.insert(canonical, (skill, tool.name.as_str()));
                continue;
            };
            if other.name == skill.name {
                continue;
            }
            let message = format!(
                "the tool `{}` of `{}` has the same name `{}` as `{spelled}` of `{}`; with both skills loaded the later \
                 one is refused",
                tool.name,
                skill.name,
                wire_name(&canonical),
                other.name
            );
            found.push(NameClash {
                skill: number,
                tool: tool.name.clone(),
                message,
            });
        }
    }
    found
}

/// The skills that can meet another one: those whose names are one name on the wire, those with a tool that is named
/// after another skill, and the skills that are meant by such a name. Nearly every skill is none of them.
fn candidates<'a>(skills: &[&'a SkillMetadata]) -> Vec<(usize, &'a SkillMetadata)> {
    let on_the_wire = |name: &str| name.replace('-', "_");
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for skill in skills {
        *named.entry(on_the_wire(&skill.name)).or_default() += 1;
        let full_names = skill.tools.iter().filter(|tool| tool.name.contains("__"));
        for (prefix, _) in full_names.filter_map(|tool| tool.name.split_once("__")) {
            // Twice: whoever is meant counts as met.
            *named.entry(prefix.to_owned()).or_default() += 2;
        }
    }
    let is_met = |skill: &SkillMetadata| {
        let meets = |name: &str| named.get(name).is_some_and(|count| *count > 1);
        meets(&on_the_wire(&skill.name)) || skill.tools.iter().any(|tool| tool.name.contains("__"))
    };
    let numbered = skills.iter().copied().enumerate();
    numbered.filter(|(_, skill)| is_met(skill)).collect()
}

/// Where a tool of a skill is named: in its tools file, or its skill's SKILL.md where it has none.
pub(crate) fn place_of_tool(skill: &LoadedSkill, tool: &str) -> Location {
    let text = ToolsText::of(skill);
    let places = text.places();
    let span = places.as_ref().and_then(|places| places.name(tool));
    text.located(places.as_ref(), span)
}

#[cfg(test)]
mod tests {
    use metier_skill_model::{SkillName, ToolDeclaration};

    use super::*;

    fn skill(name: &str, tools: &[&str]) -> SkillMetadata {
        let mut skill = SkillMetadata::new(SkillName::new(name).unwrap(), name.into());
        skill.tools = tools
            .iter()
            .map(|tool| ToolDeclaration::named(*tool))
            .collect();
        skill
    }

    #[test]
    fn each_way_to_meet_is_found() {
        for (one, other, meet) in [
            (("x-y", "run"), ("x_y", "run"), true),
            (("x-y", "run"), ("x_y", "go"), false),
            (("aa", "bb__t"), ("bb", "t"), true),
            (("bb", "t"), ("aa", "bb__t"), true),
            (("aa", "cc__t"), ("bb", "cc__t"), true),
            (("aa", "t"), ("bb", "t"), false),
            (("aa", "t"), ("aa", "t"), false),
            (("a-b", "my-tool"), ("zz", "a_b__my_tool"), true),
        ] {
            let skills = [skill(one.0, &[one.1]), skill(other.0, &[other.1])];
            let found = name_clashes(&skills);
            assert_eq!(found.len(), usize::from(meet), "{one:?} {other:?}");
            assert!(
                found
                    .iter()
                    .all(|clash| clash.skill == 1 && clash.tool == other.1)
            );
        }
    }
}
