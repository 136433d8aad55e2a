//! A clock that stands where a test puts it, and events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use metier_hooks::{HookContext, HookPayload};
use metier_memory::{AgentMemory, Clock, MemoryEntry, MemoryFilter, MemoryLayer, MemoryQuery};

pub(crate) const HOUR: u64 = 3_600;

#[derive(Debug, Default)]
pub(crate) struct Hands {
    pub(crate) unix_ms: AtomicU64,
    pub(crate) uptime_secs: AtomicU64,
}

impl Hands {
    pub(crate) fn set(&self, unix_ms: u64, uptime_secs: u64) {
        self.unix_ms.store(unix_ms, Ordering::Relaxed);
        self.uptime_secs.store(uptime_secs, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn unix_ms(&self) -> u64 {
        self.unix_ms.load(Ordering::Relaxed)
    }

    fn uptime(&self) -> Duration {
        Duration::from_secs(self.uptime_secs.load(Ordering::Relaxed))
    }
}

pub(crate) fn memory() -> (AgentMemory, Arc<Hands>) {
    let hands = Arc::new(Hands::default());
    let memory = AgentMemory::in_memory().with_clock(Arc::clone(&hands) as Arc<dyn Clock>);
    (memory, hands)
}

pub(crate) fn entry(layer: MemoryLayer, session: &str, key: &str) -> MemoryEntry {
    MemoryEntry::new(layer, key, session, "maya")
}

pub(crate) fn keys(memory: &AgentMemory, filter: MemoryFilter) -> Vec<String> {
    let found = memory.query(&MemoryQuery::all(filter)).unwrap();
    found.into_iter().map(|entry| entry.key).collect()
}

pub(crate) fn event(session: Option<&str>, payload: HookPayload) -> Arc<HookContext> {
    Arc::new(HookContext::new(
        "maya",
        session.map(ToOwned::to_owned),
        payload,
    ))
}

pub(crate) fn called(session: Option<&str>, tool: &str, outcome: &str) -> Arc<HookContext> {
    let payload = HookPayload::AfterToolCall {
        tool_name: tool.to_owned(),
        skill_name: Some("rig".to_owned()),
        ok: outcome == "ok",
        outcome: outcome.to_owned(),
        elapsed_ms: 1,
    };
    event(session, payload)
}

pub(crate) fn search(session: Option<&str>) -> Arc<HookContext> {
    let query = "a rig".to_owned();
    event(session, HookPayload::BeforeSearch { query })
}

pub(crate) fn ended(session: Option<&str>) -> Arc<HookContext> {
    let reason = "closed".to_owned();
    event(session, HookPayload::SessionEnd { reason })
}
