//! Counts how well skills do, from what the hooks tell.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use metier_hooks::{
    HandlerId, HookContext, HookEvent, HookPayload, HookResult, LifecycleHooks, Registration,
};

use crate::clock::Clock;
use crate::database::DatabaseError;
use crate::quality_store::QualityStore;

/// How many sessions are told apart; one more, and what the oldest one found counts as not found.
const SESSIONS: usize = 256;

/// How many skills are told apart in a session.
const SKILLS: usize = 1_024;

/// How many counts wait for a database that cannot be written.
const WAITING: usize = 4_096;

/// How often the last counts are tried to be written before they are given up.
const LAST_TRIES: usize = 3;

/// What is counted of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum QualityCounter {
    /// It was loaded after a search of the same session had found it.
    Selections,
    /// Sessions in which one of its tools ran.
    Applied,
    /// Calls that came to a good end.
    Completions,
    /// Calls whose tool failed. A call that was refused, given up or had wrong arguments is none.
    Fallbacks,
}

impl QualityCounter {
    /// Every counter.
    pub const ALL: [Self; 4] = [
        Self::Selections,
        Self::Applied,
        Self::Completions,
        Self::Fallbacks,
    ];

    /// The name under which the store has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Selections => "selections",
            Self::Applied => "applied",
            Self::Completions => "completions",
            Self::Fallbacks => "fallbacks",
        }
    }
}

/// Counts what hooks tell, and writes it to a [`QualityStore`] on a thread of its own until it is
/// dropped.
///
/// A handler takes a lock for the time of an addition, and nothing waits for the disk. The database
/// is made with the first count. When it cannot be written the log says so once; what was counted
/// meanwhile is written when it can be. Dropping writes what is left, and takes the handlers back.
pub struct QualityRecorder {
    shared: Arc<Shared>,
    hooks: LifecycleHooks,
    handlers: Vec<HandlerId>,
    writer: Option<JoinHandle<()>>,
}

impl QualityRecorder {
    /// Counts from now on what these hooks tell.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn begin(
        file: impl Into<PathBuf>,
        clock: Clock,
        hooks: &LifecycleHooks,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let writer = {
            let (shared, file): (_, PathBuf) = (Arc::clone(&shared), file.into());
            let thread = std::thread::Builder::new().name("metier-quality".to_owned());
            thread.spawn(move || write_behind(&shared, &file, &clock))?
        };
        let events = [
            HookEvent::AfterSearch,
            HookEvent::AfterSkillLoad,
            HookEvent::AfterToolCall,
            HookEvent::SessionEnd,
        ];
        let handlers = events.map(|event| {
            let shared = Arc::clone(&shared);
            // It blocks for nothing, so it needs no thread of its own.
            let count = move |context: Arc<HookContext>| {
                shared.hear(&context);
                std::future::ready(HookResult::Ok(()))
            };
            hooks.register(Registration::future(event, count).name("quality counters"))
        });
        Ok(Self {
            shared,
            hooks: hooks.clone(),
            handlers: handlers.to_vec(),
            writer: Some(writer),
        })
    }
}

impl Drop for QualityRecorder {
    fn drop(&mut self) {
        for handler in &self.handlers {
            self.hooks.off(*handler);
        }
        self.shared.lock().is_closing = true;
        self.shared.news.notify_all();
        if let Some(writer) = self.writer.take() {
            // It panics for nobody; and if it did, there would be nothing left to write.
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for QualityRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QualityRecorder").finish_non_exhaustive()
    }
}

type Counts = BTreeMap<(String, QualityCounter), u64>;

#[derive(Default)]
struct Shared {
    counted: Mutex<Counted>,
    news: Condvar,
}

#[derive(Default)]
struct Counted {
    waiting: Counts,
    /// Whether something was counted since the writer looked last.
    is_fresh: bool,
    is_closing: bool,
    sessions: BTreeMap<Option<String>, Session>,
    next: u64,
}

#[derive(Default)]
struct Session {
    seen: u64,
    found: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, context: &HookContext) {
        let mut counted = self.lock();
        counted.hear(context);
        if counted.is_fresh {
            self.news.notify_one();
        }
    }

    /// What is to be written, once there is something; and whether it is the last.
    fn wait(&self) -> (Counts, bool) {
        let mut counted = self.lock();
        while !counted.is_fresh && !counted.is_closing {
            counted = self
                .news
                .wait(counted)
                .unwrap_or_else(PoisonError::into_inner);
        }
        counted.is_fresh = false;
        (std::mem::take(&mut counted.waiting), counted.is_closing)
    }
}

impl Counted {
    fn hear(&mut self, context: &HookContext) {
        use QualityCounter::{Applied, Completions, Fallbacks, Selections};
        match &context.payload {
            HookPayload::AfterSearch { hits, .. } => {
                let session = self.session(context.session_id.as_ref());
                let room = SKILLS.saturating_sub(session.found.len());
                session.found.extend(hits.iter().take(room).cloned());
            }
            HookPayload::AfterSkillLoad { skill_name, .. } => {
                let session = self.session(context.session_id.as_ref());
                if session.found.contains(skill_name) {
                    self.add(skill_name, Selections);
                }
            }
            HookPayload::AfterToolCall {
                skill_name: Some(skill),
                outcome,
                ..
            } => {
                let ended = match outcome.as_str() {
                    "ok" => Completions,
                    "error" | "panic" => Fallbacks,
                    _ => return,
                };
                let used = &mut self.session(context.session_id.as_ref()).used;
                if !used.contains(skill) && used.len() < SKILLS {
                    used.insert(skill.clone());
                    self.add(skill, Applied);
                }
                self.add(skill, ended);
            }
            HookPayload::SessionEnd { .. } => {
                self.sessions.remove(&context.session_id);
            }
            _ => {}
        }
    }

    fn session(&mut self, id: Option<&String>) -> &mut Session {
        let id = id.cloned();
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(&id) {
            let oldest = self.sessions.iter().min_by_key(|(_, it)| it.seen);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.sessions.remove(&oldest);
            }
        }
        self.next += 1;
        let session = self.sessions.entry(id).or_default();
        session.seen = self.next;
        session
    }

    fn add(&mut self, skill: &str, counter: QualityCounter) {
        self.put((skill.to_owned(), counter), 1);
        self.is_fresh = true;
    }

    fn put(&mut self, key: (String, QualityCounter), more: u64) {
        if self.waiting.len() < WAITING || self.waiting.contains_key(&key) {
            let count = self.waiting.entry(key).or_default();
            *count = count.saturating_add(more);
        }
    }
}

fn write_behind(shared: &Shared, file: &Path, clock: &Clock) {
    let mut store = None;
    let mut is_told = false;
    loop {
        let (counts, is_last) = shared.wait();
        if !counts.is_empty() {
            let tries = if is_last { LAST_TRIES } else { 1 };
            let fault = (0..tries).find_map(|number| {
                let done = write(&mut store, file, clock, &counts);
                (done.is_ok() || number + 1 == tries).then(|| done.err())
            });
            if let Some(Some(error)) = fault {
                if !is_told {
                    tracing::warn!("how skills do is counted and not kept: {error}");
                }
                is_told = true;
                store = None;
                let mut counted = shared.lock();
                for (key, more) in counts {
                    counted.put(key, more);
                }
            } else {
                is_told = false;
            }
        }
        if is_last {
            return;
        }
    }
}

fn write(
    store: &mut Option<QualityStore>,
    file: &Path,
    clock: &Clock,
    counts: &Counts,
) -> Result<(), DatabaseError> {
    let store = match store {
        Some(store) => store,
        None => store.insert(QualityStore::open(file, Arc::clone(clock))?),
    };
    let counts: Vec<(&str, &str, u64)> = counts
        .iter()
        .map(|((skill, counter), more)| (skill.as_str(), counter.as_str(), *more))
        .collect();
    store.add(&counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(counted: &mut Counted, session: &str, payload: HookPayload) {
        counted.hear(&HookContext::new("maya", Some(session.to_owned()), payload));
    }

    fn call(skill: &str, outcome: &str) -> HookPayload {
        HookPayload::AfterToolCall {
            tool_name: format!("{skill}__t"),
            skill_name: Some(skill.to_owned()),
            ok: outcome == "ok",
            outcome: outcome.to_owned(),
            elapsed_ms: 1,
        }
    }

    fn loaded(skill: &str) -> HookPayload {
        HookPayload::AfterSkillLoad {
            skill_name: skill.to_owned(),
            tools: Vec::new(),
        }
    }

    fn found(hits: impl IntoIterator<Item = String>) -> HookPayload {
        HookPayload::AfterSearch {
            query: "q".to_owned(),
            hits: hits.into_iter().collect(),
        }
    }

    fn shown(counted: &Counted) -> Vec<String> {
        let counts = counted.waiting.iter();
        counts
            .map(|((skill, counter), count)| format!("{skill} {} {count}", counter.as_str()))
            .collect()
    }

    #[test]
    fn each_counter_counts_its_own() {
        let mut counted = Counted::default();
        told(&mut counted, "a", loaded("plain"));
        told(&mut counted, "b", found(["rig".to_owned()]));
        told(&mut counted, "a", loaded("rig"));
        assert_eq!(shown(&counted), [""; 0], "nobody who loaded had searched");
        told(&mut counted, "b", loaded("rig"));
        for outcome in ["ok", "ok", "error", "panic"] {
            told(&mut counted, "b", call("rig", outcome));
        }
        // Neither validation, nor a gate, nor a veto, nor whoever gave up says anything of the skill.
        for outcome in ["invalid", "capability", "denied", "cancelled"] {
            told(&mut counted, "c", call("rig", outcome));
        }
        let end = HookPayload::SessionEnd {
            reason: "closed".to_owned(),
        };
        told(&mut counted, "b", end);
        told(&mut counted, "b", call("rig", "ok"));
        assert_eq!(
            shown(&counted),
            [
                "rig selections 1",
                "rig applied 2",
                "rig completions 3",
                "rig fallbacks 2"
            ]
        );
    }

    #[test]
    fn memory_is_bounded() {
        let mut counted = Counted::default();
        for number in 0..10_000 {
            let session = format!("s{number}");
            told(&mut counted, &session, call(&format!("k{number}"), "ok"));
            told(&mut counted, "one", call(&format!("k{number}"), "ok"));
        }
        told(
            &mut counted,
            "one",
            found((0..10_000).map(|it| format!("k{it}"))),
        );
        assert_eq!(counted.sessions.len(), SESSIONS);
        assert_eq!(counted.waiting.len(), WAITING);
        let one = &counted.sessions[&Some("one".to_owned())];
        assert_eq!((one.used.len(), one.found.len()), (SKILLS, SKILLS));
    }
}
