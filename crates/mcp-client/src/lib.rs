//! Skills of other MCP servers, as a host has to treat them (SEP-2640).
//!
//! A [`Connection`] asks a [`SkillServer`] for its skills, prompts and resources, makes [`SkillCommand`]s of them and
//! follows its notices ([`ServerEvent`]). Nothing of a skill is read before somebody wants it; then its bytes are held
//! against the size and the digest that the list promised, and its front matter against the list field by field.
//! [`Approvals`] remember which files a person agreed to, and [`ActingWindow`] lets an approved skill act: from the
//! entry that was approved, with the files of that entry, and without any right that was not granted by name.
//!
//! ```
//! use std::sync::Arc;
//! use metier_mcp_client::{
//!     Answer, Connection, Declared, Flag, Map, Page, ServerFault, ServerLabel, Settings, SkillServer, Value,
//! };
//!
//! #[derive(Debug)]
//! struct Nothing;
//! fn refused<T: Send>() -> Answer<'static, T> {
//!     Box::pin(async { Err(ServerFault::Gone("it never was there".into())) })
//! }
//! impl SkillServer for Nothing {
//!     fn declared(&self) -> Declared { Declared::default() }
//!     fn skills(&self, _: Option<String>) -> Answer<'_, Page> { refused() }
//!     fn skill(&self, _: String) -> Answer<'_, Value> { refused() }
//!     fn resources(&self, _: Option<String>) -> Answer<'_, Page> { refused() }
//!     fn prompts(&self, _: Option<String>) -> Answer<'_, Page> { refused() }
//!     fn prompt(&self, _: String, _: Map<String, Value>) -> Answer<'_, Value> { refused() }
//!     fn read(&self, _: String) -> Answer<'_, Vec<u8>> { refused() }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let label = ServerLabel::new("assets").unwrap();
//! let connection = Connection::open(label, Arc::new(Nothing), Settings::new(Flag::On)).await;
//! // It declares nothing, so nothing was asked of it.
//! assert!(connection.offer().commands.is_empty());
//! # });
//! ```
//!
//! # Limits
//!
//! Skills whose files are `dynamic` are listed and not read: nothing about them can be verified. A skill is known by
//! the host's label for its server and its URI; the server's name for itself decides nothing. Remote skills are never
//! tools, and a URI is never resolved: bytes come from the server that named it, whatever the scheme.

mod acting;
mod approval;
mod bounds;
mod command;
mod connection;
mod difference;
mod disk_cache;
mod entry;
mod flag;
mod label;
mod legacy;
mod names;
mod offer;
mod origin;
mod pages;
mod prompt;
mod reading;
mod refresh;
#[cfg(feature = "sdk")]
mod sdk;
mod server;
mod servers;
mod uri;
mod verify;

pub use acting::{ActingFile, ActingWindow};
pub use approval::{Approvals, ApproveFault, Approved, Given};
pub use bounds::Bounds;
pub use command::{CommandKind, LoadedFrom, SkillCommand, skill_commands};
pub use connection::{Connection, Settings};
pub use difference::Difference;
pub use disk_cache::{CacheFault, DiskCache};
pub use entry::{EntryFault, FileSet, FoundBy, RemoteFile, RemoteSkill};
pub use flag::{FLAG_VARIABLES, Flag};
pub use label::{LabelFault, ServerLabel};
pub use names::{CommandNames, Meaning};
pub use offer::{ConnectionState, Finding, Offer, ResourceCard};
pub use origin::Origin;
pub use prompt::{PromptMessage, PromptRole};
pub use reading::{OpenedSkill, ReadFault};
pub use refresh::{Refresh, ServerEvent};
#[cfg(feature = "sdk")]
pub use sdk::{ConnectFault, Era, Remote, Target};
pub use serde_json::{Map, Value};
pub use server::{Answer, Declared, Page, ServerFault, SkillServer};
pub use servers::{Servers, TakenLabel};
pub use verify::{Mismatch, verify_bytes, verify_front_matter};
