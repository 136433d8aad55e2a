//! MCP over standard input and output: one JSON-RPC message a line, both protocol eras.
//!
//! ```
//! use metier_catalog::{SkillCatalog, ToolDispatcher, ToolRegistry};
//! use metier_mcp::{McpConfig, McpServer};
//! use metier_mcp_stdio::{StdioConfig, StdioEnd, serve_streams};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let registry = ToolRegistry::new();
//! let dispatcher = ToolDispatcher::new(registry.clone());
//! let server = McpServer::new(SkillCatalog::new(registry), dispatcher, McpConfig::default());
//!
//! let (answers, mut answered) = tokio::io::duplex(1024);
//! let end = serve_streams(&server, &b"nonsense\n"[..], answers, StdioConfig::default()).await?;
//! assert_eq!(end, StdioEnd::InputClosed);
//!
//! let mut text = String::new();
//! tokio::io::AsyncReadExt::read_to_string(&mut answered, &mut text).await.unwrap();
//! assert!(text.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32700,"#));
//! # Ok::<_, metier_mcp_stdio::StdioError>(())
//! # }).unwrap();
//! ```
//!
//! Calls run side by side and are answered as they end. The first `initialize` begins the one
//! session, which needs no id; a later one begins it anew. Nothing but messages is written, each on
//! a line of its own. When the input ends, or nobody reads the answers any more, running calls are
//! cancelled, and serving ends when all that they started has ended.
//!
//! Limits: what a client sends right before it closes the input is cancelled with everything else;
//! a client that wants the answer keeps the input open until it has it.

mod config;
mod connection;
mod end;
mod in_flight;
mod lines;
mod pace;
mod serve;
mod writer;

pub use config::StdioConfig;
pub use end::{StdioEnd, StdioError};
pub use serve::{serve_stdio, serve_streams};
