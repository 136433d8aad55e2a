//! Every MCP method in both protocol eras, sessions and notices; no transport.
//!
//! A transport hands each message to [`McpServer::receive`] and gets a [`Reply`]: nothing to say,
//! an [`Answer`], or an [`Exchange`] that is polled for messages ahead of the answer (progress, log
//! lines, notices). The same methods serve the revisions with sessions (2025-03-26, 2025-06-18,
//! 2025-11-25) and the stateless one (2026-07-28): the [`Era`] of a request decides what its
//! result carries and which HTTP status goes with an error.
//!
//! ```
//! use metier_catalog::{SkillCatalog, ToolDispatcher, ToolRegistry};
//! use metier_mcp::{Incoming, McpConfig, McpServer, Reply};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
//! # let _inside = runtime.enter();
//! let registry = ToolRegistry::new();
//! let dispatcher = ToolDispatcher::new(registry.clone());
//! let server = McpServer::new(SkillCatalog::new(registry), dispatcher, McpConfig::default());
//!
//! let Reply::Answer(refused) = server.receive(Incoming::new("[]")) else { unreachable!() };
//! assert_eq!(refused.status, 400);
//! assert_eq!(
//!     refused.body,
//!     r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: batches are not supported; send one message at a time"}}"#
//! );
//! ```
//!
//! Limits: one message at a time (batches are refused in every revision); `resources/subscribe` is not
//! here, a call's own stream cannot be taken up again (a session's own can), and nothing is declared
//! that does not work.

mod admission;
mod background;
mod call;
mod client_requests;
mod config;
mod confirm;
mod cursor;
mod dispatch;
pub mod envelope;
mod envelope_start;
mod era;
pub mod error;
mod exchange;
mod headers;
mod history;
mod id;
mod in_flight;
mod incoming;
mod input;
mod listeners;
mod lists;
mod logging;
mod meta;
mod methods;
mod newest;
mod notices;
mod outbound;
mod pages;
mod peers;
mod result;
mod sealed;
mod selecting;
mod server;
mod session;
mod session_hooks;
mod session_roots;
mod shared;
mod slot;
mod stream;
mod table;
mod turns;
mod well_known;
mod workspace;

pub use config::{ClientSelector, Clock, ConfirmPolicy, McpConfig};
pub use era::{Era, LegacyVersion, ModernVersion, is_legacy_date};
pub use error::McpError;
pub use exchange::{Answer, Exchange, Frame, Reply};
pub use headers::{PROTOCOL_VERSION_HEADER, SESSION_HEADER};
pub use id::{IdKey, RawId};
pub use incoming::Incoming;
pub use outbound::Streaming;
pub use server::McpServer;
pub use stream::NoticeStream;
pub use well_known::{AGENT_SKILLS_PATH, SkillFile};
