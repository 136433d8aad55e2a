//! What an agent learned about tools, in three bounded layers.
//!
//! | layer | scope | kept | at most |
//! |---|---|---|---|
//! | [`Ephemeral`](MemoryLayer::Ephemeral) | a session | a ring, never stored | 256 a session |
//! | [`Working`](MemoryLayer::Working) | a session | six hours, never stored | 1,024 a session |
//! | [`LongTerm`](MemoryLayer::LongTerm) | all sessions | until forgotten | 4,096 in all |
//!
//! [`MemoryRecorder`] writes on the events of [`metier_hooks`] and gives back what was learned, in
//! the extra values `memory_summary`, `memory_prefer_tools` and `memory_avoid_tools` of the context.
//! When a session ends, its working entries become long-term `pattern:*` summaries and the rest of
//! it is forgotten.
//!
//! ```
//! use std::sync::Arc;
//! use metier_hooks::{HookContext, HookPayload, LifecycleHooks};
//! use metier_memory::{AgentMemory, MemoryFilter, MemoryLayer, MemoryQuery, MemoryRecorder};
//!
//! let hooks = LifecycleHooks::new();
//! let memory = Arc::new(AgentMemory::in_memory());
//! let recorder = MemoryRecorder::new(Arc::clone(&memory));
//! recorder.install(&hooks);
//!
//! let fire = |payload| {
//!     let context = Arc::new(HookContext::new("maya", Some("s1".into()), payload));
//!     futures_util::FutureExt::now_or_never(hooks.dispatch(&context)).unwrap().unwrap();
//!     context
//! };
//! fire(HookPayload::AfterToolCall {
//!     tool_name: "rig__build".into(),
//!     skill_name: Some("rig".into()),
//!     ok: true,
//!     outcome: "ok".into(),
//!     elapsed_ms: 12,
//! });
//! fire(HookPayload::SessionEnd { reason: "closed".into() });
//!
//! let search = fire(HookPayload::BeforeSearch { query: "a rig for the hero".into() });
//! assert_eq!(search.extra("memory_prefer_tools"), Some(serde_json::json!(["rig__build"])));
//!
//! let long_term = MemoryFilter::new().layer(MemoryLayer::LongTerm);
//! assert_eq!(memory.query(&MemoryQuery::new(long_term.clone()))?[0].key, "pattern:tool_call:rig__build");
//! assert_eq!(memory.forget(&long_term)?, 1);
//! # Ok::<_, metier_memory::MemoryError>(())
//! ```
//!
//! Limits: a memory never holds a query, an argument or a result of a tool. What others put in is
//! redacted ([`redact`]) and cut to size. [`AgentMemory::forget`] needs at least one filter;
//! [`AgentMemory::clear`] empties. Age comes from a clock that does not jump ([`Clock::uptime`]);
//! the time of day is only written down. The crate does no input or output, but for the file of
//! the feature `sqlite`.

mod agent_memory;
mod clock;
mod compaction;
mod entry;
mod filter;
mod limits;
mod long_term;
mod overview;
mod recorder;
mod redaction;
mod secrets;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_file;
mod summary;
mod words;

pub use agent_memory::AgentMemory;
pub use clock::{Clock, SystemClock};
pub use entry::{MemoryEntry, MemoryError, MemoryLayer};
pub use filter::{MemoryFilter, MemoryQuery};
pub use limits::MemoryLimits;
pub use long_term::{Existing, InMemoryLongTerm, LongTermStore, StoreError};
pub use overview::{MemoryOverview, export};
pub use recorder::MemoryRecorder;
pub use redaction::redact;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLongTerm;
pub use summary::{MemorySummary, ToolRecord};
