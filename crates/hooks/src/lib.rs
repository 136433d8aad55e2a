//! Typed lifecycle events, ordered handlers, veto.
//!
//! A host or a policy subscribes to what happens to skills and tools without touching the
//! inside of a server. Handlers run in the order of their registration. On the three *policy*
//! events ([`HookEvent::is_policy`]) a handler may refuse with [`HookDeny`]; the refusal reaches
//! whoever asked, with its reason and hint. Any other failure of a handler is logged and means
//! "no decision", unless it was registered [`Registration::fail_closed`].
//!
//! The crate has no timer and no runtime: who dispatches brings a [`Guard`], which runs one handler
//! and may give up on it. [`LifecycleHooks::dispatch`] is for hosts that need none.
//!
//! ```
//! use std::sync::Arc;
//! use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
//!
//! let hooks = LifecycleHooks::new();
//! hooks.on(HookEvent::BeforeToolCall, |ctx: &HookContext| {
//!     if ctx.tool_name() == Some("scene__wipe") {
//!         return Err(HookDeny::new("scenes are read-only today").hint("ask the lead").into());
//!     }
//!     Ok(())
//! });
//!
//! let payload = HookPayload::BeforeToolCall {
//!     tool_name: "scene__wipe".into(),
//!     skill_name: Some("scene".into()),
//!     arguments: serde_json::Map::new(),
//! };
//! let context = Arc::new(HookContext::new("maya", None, payload));
//! let denied = futures_util::FutureExt::now_or_never(hooks.dispatch(&context)).unwrap().unwrap_err();
//! assert_eq!(denied.reason, "scenes are read-only today");
//! ```
//!
//! Limits: no lock is held while a handler runs, so a handler may register others or call back
//! into whatever dispatched it; handlers registered meanwhile count from the next event on.

mod context;
mod dispatch;
mod event;
mod pattern;
mod registry;

pub use context::{HookContext, HookPayload};
pub use dispatch::{BoxFuture, Guard, Inline, Verdict};
pub use event::{HookDeny, HookEvent, HookFailure, HookResult};
pub use pattern::NamePattern;
pub use registry::{Handler, HandlerId, HandlerKind, LifecycleHooks, Registration};
