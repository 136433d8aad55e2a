//! What a skill says of itself.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{SkillGroup, SkillName, ToolDeclaration};

/// Everything the front matter and its sibling files state: the seed's table and the further keys
/// under `metadata.dcc-mcp`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SkillMetadata {
    /// The name by which lists show it and `load_skill` finds it.
    pub name: SkillName,
    /// What it is for.
    pub description: String,
    /// Declared tools in file order, or one for each script where none is declared.
    pub tools: Vec<ToolDeclaration>,
    /// The application it is for; `python` when not written.
    pub dcc: String,
    /// Classification words.
    pub tags: Vec<String>,
    /// Script files in `scripts/`, relative to the folder, sorted.
    pub scripts: Vec<String>,
    /// The absolute path of the folder. For the operator; never sent to a client.
    #[serde(skip)]
    pub skill_path: PathBuf,
    /// The version as the author wrote it; `1.0.0` when not written.
    pub version: String,
    /// Names of the skills it needs, front matter first, then `metadata/depends.md`.
    pub depends: Vec<String>,
    /// The `.md` files in `metadata/`, relative to the folder, sorted.
    pub metadata_files: Vec<String>,
    /// The licence.
    pub license: String,
    /// What it works with.
    pub compatibility: String,
    /// Tools of the agent that it asks for.
    pub allowed_tools: Vec<String>,
    /// Groups of its tools.
    pub groups: Vec<SkillGroup>,
    /// Search words that spare reading the full schemas.
    pub search_hint: String,
    /// Synonyms for search; they never change a name, tag or argument.
    pub search_aliases: Vec<String>,
    /// `domain`, `infrastructure`, `example`, … ; empty when not written.
    pub layer: String,
    /// A stage of the pipeline; empty when not written.
    pub stage: String,
    /// Products of the application family it is for.
    pub products: Vec<String>,
    /// Whether listing and discovery may suggest it.
    pub allow_implicit_invocation: bool,
    /// Requests a user might make.
    pub example_prompts: Vec<String>,
    /// Keys under `metadata.dcc-mcp` that are kept as they are (`external-deps`, `links`, …).
    pub dcc_extra: Map<String, Value>,
    /// Fields that agent clients know.
    pub client: ClientFields,
    /// The whole front matter as JSON: the YAML 1.2 core reading of the same bytes, in the
    /// author's order.
    pub front_matter: Map<String, Value>,
}

impl SkillMetadata {
    /// A skill of which only the name and the folder are known; every other field has its default.
    pub fn new(name: SkillName, skill_path: PathBuf) -> Self {
        Self {
            name,
            description: String::new(),
            tools: Vec::new(),
            dcc: "python".to_owned(),
            tags: Vec::new(),
            scripts: Vec::new(),
            skill_path,
            version: "1.0.0".to_owned(),
            depends: Vec::new(),
            metadata_files: Vec::new(),
            license: String::new(),
            compatibility: String::new(),
            allowed_tools: Vec::new(),
            groups: Vec::new(),
            search_hint: String::new(),
            search_aliases: Vec::new(),
            layer: String::new(),
            stage: String::new(),
            products: Vec::new(),
            allow_implicit_invocation: true,
            example_prompts: Vec::new(),
            dcc_extra: Map::new(),
            client: ClientFields::default(),
            front_matter: Map::new(),
        }
    }

    /// What its tools need of the host: the union over all of them, sorted, each once.
    pub fn required_capabilities(&self) -> Vec<String> {
        self.tools
            .iter()
            .flat_map(|tool| tool.required_capabilities.iter().cloned())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

/// Front matter fields that agent clients define and Metier keeps for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClientFields {
    /// Only a person may invoke it.
    pub disable_model_invocation: bool,
    /// A person may invoke it; `None` when not written.
    pub user_invocable: Option<bool>,
    /// A hint for the arguments of the command.
    pub argument_hint: String,
    /// When a model should use it.
    pub when_to_use: String,
    /// Globs of files that make it relevant.
    pub paths: Vec<String>,
    /// The remaining client fields (`model`, `effort`, `context`, `agent`, `hooks`, `shell`,
    /// `arguments`), as written.
    pub other: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_a_sorted_union() {
        let mut skill = SkillMetadata::new(SkillName::new("x").unwrap(), PathBuf::from("x"));
        for needs in [&["usd", "scene.read"][..], &["usd"], &[]] {
            let mut tool = ToolDeclaration::named("t");
            tool.required_capabilities = needs.iter().map(|need| (*need).to_owned()).collect();
            skill.tools.push(tool);
        }
        assert_eq!(skill.required_capabilities(), ["scene.read", "usd"]);
    }
}
