//! Tools that the host registers itself.

use std::sync::Arc;

use metier_skill_model::{is_reserved, is_wire_safe};
use metier_tool::{SchemaError, ToolSpec};

use crate::event::CatalogEventKind;
use crate::listed_tool::ListedKind;
use crate::registered_tool::RegisteredTool;
use crate::settings::CatalogSettings;
use crate::snapshot::CatalogSnapshot;
use crate::state::Shared;

/// The table of tools: a handle on the state that [`crate::SkillCatalog`] and
/// [`crate::ToolDispatcher`] share. Cloning gives another handle on the same table.
#[derive(Clone, Debug)]
pub struct ToolRegistry {
    pub(crate) shared: Arc<Shared>,
}

/// Why a host's tool was not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Clients would refuse the name.
    #[error("the tool name `{0}` cannot be used; expected 1 to 64 of A-Z a-z 0-9 _ -")]
    Name(String),
    /// The name belongs to one of the server's own tools.
    #[error("the tool name `{0}` is the server's own; choose another one")]
    Reserved(String),
    /// Another tool has the name.
    #[error("a tool named `{0}` is registered already; deregister it first")]
    Taken(String),
    /// A schema cannot be used.
    #[error("the {which} schema of `{tool}` cannot be used: {error}")]
    Schema {
        /// The tool.
        tool: String,
        /// `input` or `output`.
        which: &'static str,
        /// Why.
        error: SchemaError,
    },
}

impl ToolRegistry {
    /// A table that takes part in this process's environment; see
    /// [`CatalogSettings::from_process`].
    pub fn new() -> Self {
        Self::with_settings(CatalogSettings::from_process("python"))
    }

    /// A table with settings of its own.
    pub fn with_settings(settings: CatalogSettings) -> Self {
        Self {
            shared: Shared::new(settings),
        }
    }

    /// Adds a tool of the host. It is listed at once.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub fn register(&self, spec: ToolSpec) -> Result<(), RegisterError> {
        if !is_wire_safe(&spec.name) {
            return Err(RegisterError::Name(spec.name));
        }
        if is_reserved(&spec.name) {
            return Err(RegisterError::Reserved(spec.name));
        }
        let tool = RegisteredTool::of_spec(spec, ListedKind::Host)?;
        let name = tool.listed.name.clone();
        let writer = self.shared.write();
        let mut parts = writer.current().parts.clone();
        let taken = parts.host.contains_key(&name)
            || parts
                .loaded
                .values()
                .any(|loaded| loaded.tools.iter().any(|tool| tool.listed.name == name));
        if taken {
            return Err(RegisterError::Taken(name));
        }
        Arc::make_mut(&mut parts.host).insert(name, Arc::new(tool));
        writer.publish(parts, CatalogEventKind::HostToolsChanged);
        Ok(())
    }

    /// Takes a tool of the host back; `false` when there was none of that name.
    pub fn deregister(&self, name: &str) -> bool {
        let writer = self.shared.write();
        let mut parts = writer.current().parts.clone();
        if Arc::make_mut(&mut parts.host).shift_remove(name).is_none() {
            return false;
        }
        writer.publish(parts, CatalogEventKind::HostToolsChanged);
        true
    }

    /// The present state.
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        self.shared.snapshot()
    }

    /// Whether there is a tool of a name, for what the catalog itself holds, as a hook of it: it keeps nothing alive, and
    /// knows no tool of a catalog that is gone.
    pub fn tool_lookup(&self) -> impl Fn(&str) -> bool + Send + Sync + use<> {
        let shared = Arc::downgrade(&self.shared);
        move |tool| {
            let shared = shared.upgrade();
            shared.is_some_and(|shared| shared.snapshot().knows_tool(tool))
        }
    }

    /// What the registry was made with.
    pub fn settings(&self) -> &CatalogSettings {
        &self.shared.settings
    }
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self::new()
    }
}
