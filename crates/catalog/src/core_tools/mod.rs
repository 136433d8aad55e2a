//! The server's own tools: five for discovery, two for tool groups, four for the skills' texts.
//!
//! Each stands in a file of its own and is a typed function, so that its schemas are derived and
//! its answers are checked like everybody's. A new one is added to [`own_tools`] and to the list of
//! reserved names in the skill model.

mod activate_tool_group;
mod discover_skills;
mod get_skill_info;
mod list_skills;
mod load_skill;
mod on_disk;
mod read_skill_file;
mod rows;
mod search_skills;
mod skill;
mod skills_listing;
mod unload_skill;

use std::sync::{Arc, Weak};

use metier_skill_model::ToolAnnotations;
use metier_tool::{ToolError, ToolOutput, ToolSpec};
use serde_json::{Map, Value};

pub use self::discover_skills::SELECTION;
pub(crate) use self::discover_skills::{Input as DiscoverInput, as_json as discovery_as_json};
use self::rows::Finding;
use crate::catalog::SkillCatalog;
use crate::listed_tool::ListedKind;
use crate::load::LoadError;
use crate::registered_tool::RegisteredTool;
use crate::settings::SkillTools;
use crate::snapshot::OwnTools;
use crate::state::Shared;

/// Makes the server's own tools for one state.
pub(crate) fn own_tools(shared: &Weak<Shared>, text_listed: SkillTools) -> OwnTools {
    let own = Own(Weak::clone(shared));
    OwnTools {
        core: registered(
            ListedKind::Core,
            vec![
                list_skills::tool(own.clone()),
                get_skill_info::tool(own.clone()),
                load_skill::tool(own.clone()),
                unload_skill::tool(own.clone()),
                search_skills::tool(own.clone()),
            ],
        ),
        group: registered(
            ListedKind::Group,
            vec![
                activate_tool_group::activate(own.clone()),
                activate_tool_group::deactivate(own.clone()),
            ],
        ),
        text: registered(
            ListedKind::Text,
            vec![
                read_skill_file::tool(own.clone()),
                skills_listing::tool(own.clone()),
                discover_skills::tool(own.clone()),
                skill::tool(own),
            ],
        ),
        text_listed,
    }
}

fn registered(kind: ListedKind, specs: Vec<ToolSpec>) -> Vec<Arc<RegisteredTool>> {
    specs
        .into_iter()
        .filter_map(|spec| match RegisteredTool::of_spec(spec, kind) {
            Ok(tool) => Some(Arc::new(tool)),
            // The schemas are derived from types of this crate, and a test registers all of them.
            Err(error) => {
                tracing::error!(%error, "one of the server's own tools cannot be registered");
                None
            }
        })
        .collect()
}

/// The state, held weakly, because the state owns the tools.
#[derive(Clone)]
struct Own(Weak<Shared>);

impl Own {
    fn catalog(&self) -> Result<SkillCatalog, ToolError> {
        self.0
            .upgrade()
            .map(SkillCatalog::of)
            .ok_or(ToolError::Cancelled)
    }
}

/// Waits until a change is kept, where it is to be; what there is to say when it is not.
async fn not_kept(catalog: &SkillCatalog) -> Vec<Finding> {
    catalog.kept().await.iter().map(Finding::from).collect()
}

/// Hints of a tool that only looks.
fn reads() -> ToolAnnotations {
    hints(true)
}

/// Hints of a tool that changes what the server lists, and nothing else.
fn changes() -> ToolAnnotations {
    hints(false)
}

fn hints(read_only: bool) -> ToolAnnotations {
    let mut hints = ToolAnnotations::default();
    hints.read_only_hint = Some(read_only);
    hints.destructive_hint = Some(false);
    hints.idempotent_hint = Some(true);
    hints.open_world_hint = Some(false);
    hints
}

/// That nothing is served under a name, in words and with a word for programs.
fn refuse_no_skill(error: &LoadError, mut facts: Map<String, Value>) -> ToolError {
    let code = match error {
        LoadError::LeftOut { why, .. } => why.code(),
        _ => "unknown_skill",
    };
    if let LoadError::Unknown { nearest, .. } = error {
        facts.insert("nearest".to_owned(), Value::from(nearest.clone()));
    }
    refuse(code, error, facts)
}

/// A failure with a word for programs.
fn refuse(code: &str, error: &dyn std::fmt::Display, mut facts: Map<String, Value>) -> ToolError {
    let text = error.to_string();
    facts.insert("code".to_owned(), Value::from(code));
    facts.insert("error".to_owned(), Value::from(text.as_str()));
    ToolError::Refused(Box::new(ToolOutput::error_with(text, facts)))
}
