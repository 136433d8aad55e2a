//! What stays of a session.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{MemoryEntry, MemoryLayer};

/// What long-term keys begin with.
pub(crate) const PATTERN: &str = "pattern:";
const OK: &str = ":ok";
const FAIL: &str = ":fail";

/// The facts of a working entry that a pattern keeps, from the latest entry that has them.
const KEPT: [&str; 3] = ["tool_name", "skill_name", "outcome"];

/// The working entries of a session, oldest first, as patterns: one for each subject and
/// application, with how often it came, how often well and how often badly.
pub(crate) fn patterns(working: &[MemoryEntry]) -> Vec<MemoryEntry> {
    let mut found: BTreeMap<(&str, &str, &str), MemoryEntry> = BTreeMap::new();
    for entry in working {
        let (subject, ok) = subject(&entry.key);
        let pattern = found
            .entry((&entry.session_id, &entry.dcc_name, subject))
            .or_insert_with(|| {
                MemoryEntry::new(
                    MemoryLayer::LongTerm,
                    pattern_key(subject),
                    entry.session_id.as_str(),
                    entry.dcc_name.as_str(),
                )
                .fact("count", 0)
                .fact("ok_count", 0)
                .fact("fail_count", 0)
            });
        pattern.score = pattern.score.saturating_add(entry.score);
        let counted = match ok {
            Some(true) => "ok_count",
            Some(false) => "fail_count",
            None => "",
        };
        for name in ["count", counted] {
            let number = pattern.number(name).saturating_add(1);
            if let Some(fact) = pattern.facts.get_mut(name) {
                *fact = Value::from(number);
            }
        }
        for name in KEPT {
            if let Some(fact) = entry.facts.get(name) {
                pattern.facts.insert(name.to_owned(), fact.clone());
            }
        }
        pattern.created_ms = entry.created_ms;
    }
    found.into_values().collect()
}

/// What an entry is about, and whether it went well.
fn subject(key: &str) -> (&str, Option<bool>) {
    if let Some(subject) = key.strip_suffix(OK) {
        (subject, Some(true))
    } else if let Some(subject) = key.strip_suffix(FAIL) {
        (subject, Some(false))
    } else {
        (key, None)
    }
}

/// The key of a pattern about this; cut, because a key may already be as long as any is.
fn pattern_key(subject: &str) -> String {
    let all = PATTERN.chars().chain(subject.chars());
    all.take(MemoryEntry::LONGEST_NAME).collect()
}

/// The key of the working entry of a call.
pub(crate) fn call_key(tool: &str, ok: bool) -> String {
    format!("{}{}", call_subject(tool), if ok { OK } else { FAIL })
}

/// What the calls of a tool are about.
pub(crate) fn call_subject(tool: &str) -> String {
    format!("tool_call:{tool}")
}
