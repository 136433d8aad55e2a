//! What hooks tell of skills, as events that count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use metier_hooks::{HookContext, HookPayload};

use crate::quality::QualityEvent;

/// How many sessions are told apart; one more, and what the oldest one found counts as not found.
const SESSIONS: usize = 256;

/// How many skills are told apart in a session.
const SKILLS: usize = 1_024;

/// What each session has found and used of the skills, so that what happens to them is counted once.
#[derive(Debug, Default)]
pub struct Experience(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    known: BTreeMap<Option<String>, Session>,
    next: u64,
}

#[derive(Debug, Default)]
struct Session {
    seen: u64,
    found: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Experience {
    /// What an event of the life of skills and calls counts for, of which skill: a load after a search of the same
    /// session had found it, the first tool that runs in a session, and how a call ended. A call that was refused, given
    /// up or had wrong arguments says nothing of the skill.
    pub fn hear<'c>(&self, context: &'c HookContext) -> Vec<(&'c str, QualityEvent)> {
        use QualityEvent::{Applied, Completed, FellBack, Selected};
        match &context.payload {
            HookPayload::AfterSearch { hits, .. } => {
                let mut sessions = self.lock();
                let session = sessions.session(context.session_id.as_ref());
                let room = SKILLS.saturating_sub(session.found.len());
                session.found.extend(hits.iter().take(room).cloned());
            }
            HookPayload::AfterSkillLoad { skill_name, .. } => {
                let mut sessions = self.lock();
                let session = sessions.session(context.session_id.as_ref());
                if session.found.contains(skill_name) {
                    return vec![(skill_name, Selected)];
                }
            }
            HookPayload::AfterToolCall {
                skill_name: Some(skill),
                outcome,
                ..
            } => {
                let ended = match outcome.as_str() {
                    "ok" => Completed,
                    "error" | "panic" => FellBack,
                    _ => return Vec::new(),
                };
                let is_first = self.is_first_use(context.session_id.as_ref(), skill);
                let applied = is_first.then_some((skill.as_str(), Applied));
                return applied.into_iter().chain([(&**skill, ended)]).collect();
            }
            HookPayload::SessionEnd { .. } => {
                self.lock().known.remove(&context.session_id);
            }
            _ => {}
        }
        Vec::new()
    }

    /// A session uses a skill; whether it had not before.
    pub fn is_first_use(&self, session: Option<&String>, skill: &str) -> bool {
        let mut sessions = self.lock();
        let used = &mut sessions.session(session).used;
        !used.contains(skill) && used.len() < SKILLS && used.insert(skill.to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    fn session(&mut self, id: Option<&String>) -> &mut Session {
        let id = id.cloned();
        if self.known.len() >= SESSIONS && !self.known.contains_key(&id) {
            let oldest = self.known.iter().min_by_key(|(_, it)| it.seen);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.known.remove(&oldest);
            }
        }
        self.next += 1;
        let session = self.known.entry(id).or_default();
        session.seen = self.next;
        session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Counted {
        experience: Experience,
        counts: BTreeMap<(String, QualityEvent), u64>,
    }

    fn told(counted: &mut Counted, session: &str, payload: HookPayload) {
        let context = HookContext::new("maya", Some(session.to_owned()), payload);
        for (skill, counter) in counted.experience.hear(&context) {
            let count = counted.counts.entry((skill.to_owned(), counter));
            *count.or_default() += 1;
        }
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
        let counts = counted.counts.iter();
        counts
            .map(|((skill, counter), count)| format!("{skill} {} {count}", counter.counter()))
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
        let sessions = counted.experience.lock();
        assert_eq!(sessions.known.len(), SESSIONS);
        let one = &sessions.known[&Some("one".to_owned())];
        assert_eq!((one.used.len(), one.found.len()), (SKILLS, SKILLS));
    }
}
