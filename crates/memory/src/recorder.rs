//! Writes on hooks, and gives back what was learned.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use metier_hooks::{HandlerId, HookContext, HookEvent, HookPayload, LifecycleHooks, Registration};
use serde_json::Value;

use crate::compaction::call_key;
use crate::redaction::redact_name;
use crate::{AgentMemory, MemoryEntry, MemoryError, MemoryLayer, MemorySummary};

/// The session of events that have none.
const NO_SESSION: &str = "default";

/// Writes what happens into a memory, and puts what was learned into the context of searches and
/// calls. Cloning gives another handle on the same recorder.
///
/// It takes names of tools and skills, outcomes and counts from an event, and nothing else: no
/// query, no argument, no result, no name of a client.
#[derive(Clone, Debug)]
pub struct MemoryRecorder {
    inner: Arc<Inner>,
}

/// Whether a tool of this name can be called or loaded.
type IsKnown = dyn Fn(&str) -> bool + Send + Sync;

struct Inner {
    memory: Arc<AgentMemory>,
    is_known: Box<IsKnown>,
    enabled: AtomicBool,
    /// Whether somebody was told that the store refuses.
    is_told: AtomicBool,
    installed: Mutex<Vec<HandlerId>>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner")
            .field("memory", &self.memory)
            .field("enabled", &self.enabled)
            .finish_non_exhaustive()
    }
}

impl MemoryRecorder {
    /// The events it listens to.
    pub const EVENTS: [HookEvent; 6] = [
        HookEvent::SessionStart,
        HookEvent::BeforeSearch,
        HookEvent::AfterSkillLoad,
        HookEvent::BeforeToolCall,
        HookEvent::AfterToolCall,
        HookEvent::SessionEnd,
    ];

    /// A recorder of this memory, enabled and not yet installed. It tells of every tool that is remembered.
    pub fn new(memory: Arc<AgentMemory>) -> Self {
        Self::for_tools(memory, |_| true)
    }

    /// One that tells of the tools alone that a server has: others may share the file, and skills go. Everything is
    /// remembered all the same.
    pub fn for_tools(
        memory: Arc<AgentMemory>,
        is_known: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                memory,
                is_known: Box::new(is_known),
                enabled: AtomicBool::new(true),
                is_told: AtomicBool::new(false),
                installed: Mutex::default(),
            }),
        }
    }

    /// The memory it writes into.
    pub fn memory(&self) -> &Arc<AgentMemory> {
        &self.inner.memory
    }

    /// Registers its handlers. Policies that want to read what the memory says are registered after
    /// this.
    pub fn install(&self, hooks: &LifecycleHooks) {
        let ids = Self::EVENTS.map(|event| {
            let recorder = self.clone();
            hooks.register(
                Registration::blocking(event, move |context| {
                    recorder.observe(context);
                    Ok(())
                })
                .name("memory")
                .before_others(),
            )
        });
        self.installed().extend(ids);
    }

    /// Takes its handlers back.
    pub fn uninstall(&self, hooks: &LifecycleHooks) {
        for id in std::mem::take(&mut *self.installed()) {
            hooks.off(id);
        }
    }

    fn installed(&self) -> std::sync::MutexGuard<'_, Vec<HandlerId>> {
        self.inner
            .installed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The privacy switch: a recorder that is not enabled neither writes nor tells, and a session
    /// that ends meanwhile leaves nothing.
    pub fn set_enabled(&self, enabled: bool) {
        self.inner.enabled.store(enabled, Ordering::Release);
    }

    /// Whether it writes and tells.
    pub fn is_enabled(&self) -> bool {
        self.inner.enabled.load(Ordering::Acquire)
    }

    /// Takes an event in. What goes wrong is logged and changes nothing for whoever dispatched.
    pub fn observe(&self, context: &HookContext) {
        match self.take_in(context) {
            // Once, until it works again: a full disk is full for every session.
            Err(error @ MemoryError::Store(_))
                if self.inner.is_told.swap(true, Ordering::AcqRel) =>
            {
                tracing::debug!(event = %context.event, %error, "the memory still could not follow");
            }
            Err(error) => {
                tracing::warn!(event = %context.event, %error, "the memory could not follow");
            }
            Ok(())
                if context.event == HookEvent::SessionEnd && self.inner.memory.waiting() == 0 =>
            {
                self.inner.is_told.store(false, Ordering::Release);
            }
            Ok(()) => {}
        }
    }

    fn take_in(&self, context: &HookContext) -> Result<(), MemoryError> {
        let memory = &self.inner.memory;
        let dcc = context.dcc_name.as_str();
        let session = context.session_id.as_deref().unwrap_or(NO_SESSION);
        // A client without a session is known by a name that it gives itself.
        let session = &redact_name(session);
        if !self.is_enabled() {
            if context.event == HookEvent::SessionEnd {
                memory.drop_session(session);
            }
            return Ok(());
        }
        match &context.payload {
            HookPayload::SessionStart { .. } => memory.put(MemoryEntry::new(
                MemoryLayer::Ephemeral,
                "session_start",
                session,
                dcc,
            )),
            HookPayload::BeforeSearch { .. } => {
                let is_known = &self.inner.is_known;
                tell(
                    context,
                    &memory.summary_among(dcc, Some(session), is_known)?,
                );
                Ok(())
            }
            HookPayload::AfterSkillLoad { skill_name, .. } => memory.put(
                MemoryEntry::new(
                    MemoryLayer::Ephemeral,
                    format!("skill_loaded:{skill_name}"),
                    session,
                    dcc,
                )
                .fact("skill_name", skill_name.as_str()),
            ),
            HookPayload::BeforeToolCall { tool_name, .. } => {
                let summary = memory.summary_of_tool(dcc, Some(session), tool_name)?;
                tell(context, &summary);
                Ok(())
            }
            HookPayload::AfterToolCall {
                tool_name,
                skill_name,
                ok,
                outcome,
                ..
            } => {
                let outcome = Outcome::of(outcome, *ok);
                let (layer, score) = outcome.teaches();
                let key = call_key(tool_name, *ok);
                let mut entry = MemoryEntry::new(layer, key, session, dcc)
                    .score(score)
                    .fact("tool_name", tool_name.as_str())
                    .fact("outcome", outcome.0);
                if let Some(skill) = skill_name {
                    entry = entry.fact("skill_name", skill.as_str());
                }
                memory.put(entry)
            }
            HookPayload::SessionEnd { .. } => memory.end_session(session),
            _ => Ok(()),
        }
    }
}

/// The words an outcome can be.
pub(crate) const OUTCOMES: [&str; 7] = [
    "ok",
    "error",
    "panic",
    "denied",
    "capability",
    "invalid",
    "cancelled",
];

/// One of the words an outcome can be. Others are not kept: who fires an event may say anything.
struct Outcome(&'static str);

impl Outcome {
    fn of(word: &str, ok: bool) -> Self {
        let other = if ok { "ok" } else { "error" };
        Self(
            OUTCOMES
                .into_iter()
                .find(|known| *known == word)
                .unwrap_or(other),
        )
    }

    /// Where it is kept, and its score. Wrong arguments and a call that was given up say nothing
    /// about the tool.
    fn teaches(&self) -> (MemoryLayer, i64) {
        match self.0 {
            "ok" => (MemoryLayer::Working, 1),
            "invalid" | "cancelled" => (MemoryLayer::Ephemeral, 0),
            _ => (MemoryLayer::Working, -1),
        }
    }
}

/// Leaves a summary in the context, where nobody has left one before.
fn tell(context: &HookContext, summary: &MemorySummary) {
    let Ok(Value::Object(parts)) = serde_json::to_value(summary) else {
        return;
    };
    for (name, part) in parts {
        if context.extra(&name).is_none() {
            context.set_extra(name, part);
        }
    }
}
