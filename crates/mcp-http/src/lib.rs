//! MCP's Streamable HTTP on axum: one path, `/mcp`, for every revision and both eras.
//!
//! ```
//! use metier_catalog::{SkillCatalog, ToolDispatcher, ToolRegistry};
//! use metier_mcp_http::{McpHttpConfig, McpHttpServer};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let registry = ToolRegistry::new();
//! let dispatcher = ToolDispatcher::new(registry.clone());
//!
//! let catalog = SkillCatalog::new(registry);
//! let handle = McpHttpServer::new(catalog, dispatcher, McpHttpConfig::new(0)).start().await?;
//! assert!(handle.mcp_url().starts_with("http://127.0.0.1:"));
//! handle.shutdown().await;
//! # Ok::<_, metier_mcp_http::StartError>(())
//! # }).unwrap();
//! ```
//!
//! An answer is one JSON object; it becomes an event stream only when the method speaks before it
//! answers, or takes long, and the client takes streams. `Host` and `Origin` are checked before
//! anything of a body is read. `/healthz` answers while the server runs, and
//! `/.well-known/agent-skills/index.json` leads installers to the skills.
//!
//! Limits: HTTP/1.1 without TLS and without authentication, so it listens on loopback unless told
//! otherwise. A session's own stream goes on after `Last-Event-ID`; that of a call does not, so its
//! events carry no ids.

mod body;
mod carried;
mod config;
mod connection;
mod endpoint;
mod events;
mod guard;
mod handle;
mod negotiate;
mod server;
mod skill_files;
mod stall;
mod state;

pub use config::McpHttpConfig;
pub use handle::McpHttpHandle;
pub use metier_mcp::ConfirmPolicy;
pub use metier_workspace_roots::{WorkspaceResolveError, WorkspaceRoots};
pub use server::{McpHttpServer, StartError};
