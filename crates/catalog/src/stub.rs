//! The words that lead from an unloaded skill to a loaded one.
//!
//! They stand in one place, because a list, a call and a search hit must all say the same.

use metier_skill_model::{SkillMetadata, stub_name};
use metier_skill_protocol::one_line;
use metier_tool::ToolOutput;
use serde_json::{Map, Value, json};

use crate::listed_tool::ListedTool;

/// The most characters of a description that a stub repeats.
const STUB_DESCRIPTION: usize = 160;

/// The exact call that loads a skill.
pub(crate) fn load_call(skill: &str) -> String {
    format!("load_skill(skill_name=\"{skill}\")")
}

/// The same as data: tool and arguments.
pub(crate) fn load_call_json(skill: &str) -> Value {
    json!({"tool": "load_skill", "arguments": {"skill_name": skill}})
}

/// The list entry of an unloaded skill: what it does, how many tools it has, how to load it.
pub(crate) fn entry(metadata: &SkillMetadata) -> ListedTool {
    let name = metadata.name.as_str();
    let count = metadata.tools.len();
    let tools = match count {
        0 => "no tools, instructions only".to_owned(),
        1 => "1 tool".to_owned(),
        _ => format!("{count} tools"),
    };
    let about = clipped(&metadata.description, STUB_DESCRIPTION);
    let separator = if about.is_empty() { "" } else { " " };
    let description = format!(
        "{about}{separator}({tools}; call {} to use them)",
        load_call(name)
    );
    ListedTool::stub(stub_name(name), name, &description)
}

/// The answer to a call of a stub, or of a tool whose skill is not loaded.
pub(crate) fn not_loaded(skill: &str) -> ToolOutput {
    let error = format!(
        "Skill '{skill}' is not loaded. Call {} to register its tools.",
        load_call(skill)
    );
    let mut facts = Map::new();
    facts.insert("error".to_owned(), Value::from(error.as_str()));
    facts.insert("code".to_owned(), Value::from("skill_not_loaded"));
    facts.insert("skill_name".to_owned(), Value::from(skill));
    facts.insert("load".to_owned(), load_call_json(skill));
    ToolOutput::error_with(error, facts)
}

/// The answer to a call of a tool whose group is not active.
pub(crate) fn group_inactive(skill: &str, group: &str, tool: &str) -> ToolOutput {
    let error = format!(
        "Tool '{tool}' belongs to the group '{group}' of skill '{skill}', which is not active. \
         Call activate_tool_group(skill_name=\"{skill}\", group=\"{group}\") to use it."
    );
    let mut facts = Map::new();
    facts.insert("error".to_owned(), Value::from(error.as_str()));
    facts.insert("code".to_owned(), Value::from("group_not_active"));
    facts.insert("skill_name".to_owned(), Value::from(skill));
    facts.insert("group".to_owned(), Value::from(group));
    facts.insert(
        "activate".to_owned(),
        json!({"tool": "activate_tool_group", "arguments": {"skill_name": skill, "group": group}}),
    );
    ToolOutput::error_with(error, facts)
}

/// At most so many characters of the text on one line, with a mark where it was cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    one_line(text, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_characters() {
        assert_eq!(clipped("灯光 \n 检查", 10), "灯光 检查");
        assert_eq!(clipped("灯光检查灯光检查", 5), "灯光检查…");
    }

    #[test]
    fn the_seeds_sentence() {
        let output = not_loaded("maya-geometry");
        assert!(output.is_error);
        assert_eq!(
            output.joined_text(),
            "Skill 'maya-geometry' is not loaded. Call load_skill(skill_name=\"maya-geometry\") to register its tools."
        );
    }
}
