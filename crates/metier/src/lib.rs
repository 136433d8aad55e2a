//! Metier as a library: its crates under one name, and a skill server in one call.
//!
//! A *skill* is a folder with a `SKILL.md`, an optional `tools.yaml` and scripts. Metier finds
//! skills, orders them, searches them and serves their tools over the Model Context Protocol.
//!
//! ```
//! use metier::{McpHttpConfig, create_skill_server};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let mut config = McpHttpConfig::default();
//! config.port = 0;
//! let server = create_skill_server("maya", config, &["fixtures/skills".into()], None);
//! let handle = server.start().await?;
//! assert!(handle.mcp_url().ends_with("/mcp"));
//! handle.shutdown().await;
//! # Ok::<_, metier::StartError>(())
//! # }).unwrap();
//! ```
//!
//! Each module is a crate of its own, versioned and usable alone; depend on the single crates where
//! the whole is too much. This crate adds [`create_skill_server`] and its relatives, and
//! [`enable_skill_load_persistence`], which wires a catalog to the file of what it has loaded.
//!
//! Limits: a server found this way loads nothing by itself; clients load what they need.

#[cfg(doctest)]
mod guide;
#[cfg(feature = "http-selector")]
mod http_selector;
mod load_persistence;
mod skill_server;
mod state_disk;
#[cfg(feature = "sqlite")]
mod stored_quality;

pub use metier_capability as capability;
pub use metier_catalog as catalog;
pub use metier_check as check;
pub use metier_depgraph as depgraph;
pub use metier_diagnostics as diagnostics;
pub use metier_embed as embed;
pub use metier_hooks as hooks;
pub use metier_host as host;
pub use metier_loader as loader;
pub use metier_mcp as mcp;
#[cfg(feature = "mcp-client")]
pub use metier_mcp_client as mcp_client;
pub use metier_mcp_http as mcp_http;
pub use metier_mcp_stdio as mcp_stdio;
#[cfg(feature = "memory")]
pub use metier_memory as memory;
pub use metier_persistence as persistence;
pub use metier_runner as runner;
pub use metier_search as search;
pub use metier_skill_model as skill_model;
pub use metier_skill_protocol as skill_protocol;
pub use metier_tool as tool;
pub use metier_workspace_roots as workspace_roots;

#[cfg(feature = "http-selector")]
pub use http_selector::{HttpSelector, SelectorAddressError};
pub use load_persistence::{LoadPersistence, enable_skill_load_persistence};
pub use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
pub use metier_hooks::{HookDeny, HookEvent, LifecycleHooks};
pub use metier_loader::{
    ParseMode, ScanCache, SkillScanner, expand_transitive_dependencies, parse_skill_md,
    resolve_dependencies, scan_and_load, scan_and_load_lenient, scan_skill_paths,
    validate_dependencies,
};
#[cfg(feature = "watch")]
pub use metier_loader::{SkillWatcher, WatchSettings};
pub use metier_mcp::{McpConfig, McpServer};
pub use metier_mcp_http::{McpHttpConfig, McpHttpHandle, McpHttpServer, StartError};
pub use metier_mcp_stdio::{StdioConfig, StdioEnd, StdioError, serve_stdio};
#[cfg(feature = "memory")]
pub use metier_memory::{AgentMemory, MemoryFilter, MemoryLayer, MemoryQuery, MemoryRecorder};
pub use metier_persistence::{AppName, LoadedStateStore, ReplayPolicy, ReplayReport};
pub use metier_tool::{CallContext, ToolError, ToolHandler, ToolOutput, ToolSpec};
pub use skill_server::{create_skill_server, message_server, skill_server};
#[cfg(feature = "sqlite")]
pub use stored_quality::StoredQuality;
