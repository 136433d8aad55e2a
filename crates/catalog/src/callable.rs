//! What a transport must know of a tool before it is called.

use std::sync::Arc;

use metier_workspace_roots::WorkspaceRoots;

use crate::arguments::WORKSPACE_URI;
use crate::catalog::SkillCatalog;
use crate::listed_tool::ListedTool;
use crate::snapshot::CatalogSnapshot;
use crate::tool_names::Located;

/// A tool that a call of the name would reach.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallableTool {
    /// Its entry of the list.
    pub listed: Arc<ListedTool>,
    /// Whether the workspace decides what the call means: the tool works with files of the host, or
    /// an argument of it is a place in the workspace.
    pub takes_roots: bool,
}

impl CatalogSnapshot {
    /// The tool behind any of the names that a call may use; `None` when the call would be refused
    /// ahead of its arguments: no such tool, not loaded, a capability missing.
    pub fn callable(&self, name: &str) -> Option<CallableTool> {
        let Located::Tool(tool) = self.locate(name) else {
            return None;
        };
        let gate = self.parts.declared.gate(&tool.listed.name, &tool.required);
        if gate.is_err() || tool.refusal.is_some() {
            return None;
        }
        Some(CallableTool {
            takes_roots: tool.takes_roots()
                || tool
                    .input
                    .as_ref()
                    .is_some_and(|schema| schema.has_format(WORKSPACE_URI)),
            listed: Arc::clone(&tool.listed),
        })
    }
}

impl SkillCatalog {
    /// The workspace that calls get which bring none of their own.
    pub fn workspace_roots(&self) -> Arc<WorkspaceRoots> {
        Arc::clone(&self.shared.settings.workspace_roots)
    }
}
