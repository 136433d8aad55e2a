//! A tool that can be called.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use metier_skill_model::SkillName;
use metier_tool::{CompiledSchema, ToolHandler, ToolSpec};

use crate::RegisterError;
use crate::listed_tool::{ListedKind, ListedTool};

/// Everything the way of a call needs to know of a tool, made once.
pub(crate) struct RegisteredTool {
    /// What clients see, without the host's capabilities.
    pub(crate) listed: Arc<ListedTool>,
    /// The name before it was mapped for the wire.
    pub(crate) canonical: String,
    /// The name as declared, without the skill's.
    pub(crate) declared: String,
    pub(crate) skill: Option<SkillName>,
    /// Empty: always active.
    pub(crate) group: String,
    pub(crate) required: Vec<String>,
    pub(crate) input: Option<CompiledSchema>,
    pub(crate) output: Option<CompiledSchema>,
    /// Why every call is refused.
    pub(crate) refusal: Option<String>,
    /// How long a call may run; `None`: as the handler likes.
    pub(crate) deadline: Option<Duration>,
    pub(crate) handler: Arc<dyn ToolHandler>,
}

impl RegisteredTool {
    /// A tool written in code.
    pub(crate) fn of_spec(spec: ToolSpec, kind: ListedKind) -> Result<Self, RegisterError> {
        let compile = |schema: &serde_json::Map<String, serde_json::Value>, which: &'static str| {
            CompiledSchema::compile(schema)
                .map(|(compiled, _)| compiled)
                .map_err(|error| RegisterError::Schema {
                    tool: spec.name.clone(),
                    which,
                    error,
                })
        };
        let input = compile(&spec.input_schema, "input")?;
        let output = match &spec.output_schema {
            Some(schema) => Some(compile(schema, "output")?),
            None => None,
        };
        Ok(Self {
            listed: Arc::new(ListedTool::of_spec(&spec, kind)),
            canonical: spec.name.clone(),
            declared: spec.name,
            skill: None,
            group: String::new(),
            required: spec.required_capabilities,
            input: Some(input),
            output,
            refusal: None,
            deadline: None,
            handler: spec.handler,
        })
    }

    /// Whether the call goes through hooks and counters: the server's own tools fire their own
    /// events instead.
    pub(crate) fn is_own(&self) -> bool {
        matches!(
            self.listed.kind,
            ListedKind::Core | ListedKind::Group | ListedKind::Text
        )
    }

    /// Whether the tool gets the workspace in its arguments.
    pub(crate) fn takes_roots(&self) -> bool {
        self.required
            .iter()
            .any(|capability| capability.starts_with("filesystem."))
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.listed.name)
            .field("canonical", &self.canonical)
            .finish_non_exhaustive()
    }
}
