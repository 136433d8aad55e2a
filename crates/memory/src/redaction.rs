//! What never gets into a memory, and how large the rest may be.

use serde_json::{Map, Value};

use crate::secrets::{
    folded, is_key_name, is_known_secret, is_secret, is_secret_name, looks_like_key,
};
use crate::words::{GONE, is_plain_name, redacted};

/// Begins the session of a client that has none but its name.
const CLIENT: &str = "client:";

const MOST_ITEMS: usize = 16;
const MOST_MEMBERS: usize = 32;
const DEEPEST: usize = 4;
/// Most characters of all facts of an entry, as JSON.
const LARGEST: usize = 4_096;

/// The facts without secrets and prompts, cut to size.
///
/// Members whose name speaks of a secret or a prompt are dropped, at any depth; words that look like
/// a secret are replaced; texts are cut at 512 characters, lists at 16 items, objects at 32 members,
/// depth at 4, and the whole at 4,096 characters.
///
/// ```
/// let facts = serde_json::json!({"tool": "render", "apiKey": "x", "note": "Bearer abcdef0123456789"});
/// let kept = metier_memory::redact(facts.as_object().unwrap());
/// assert_eq!(serde_json::to_string(&kept).unwrap(), r#"{"tool":"render","note":"Bearer [redacted]"}"#);
/// ```
pub fn redact(facts: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = object(facts, 0);
    // Counting is dear and nearly always idle: even escaped, these texts fit.
    if kept
        .values()
        .all(|fact| !fact.is_array() && !fact.is_object())
        && kept
            .iter()
            .map(|(name, fact)| 40 + 6 * (name.len() + fact.as_str().map_or(0, str::len)))
            .sum::<usize>()
            < LARGEST
    {
        return kept;
    }
    while size(&kept) > LARGEST {
        let Some(last) = kept.keys().next_back().cloned() else {
            break;
        };
        kept.shift_remove(&last);
    }
    kept
}

/// A name or a text without what looks like a secret.
pub(crate) fn redact_text(text: &str) -> String {
    redacted(text, is_secret)
}

/// The same for what tells one thing from another and is often a long number, as a session does.
pub(crate) fn redact_name(name: &str) -> String {
    match name.strip_prefix(CLIENT) {
        // It is the client's own word, and nothing is lost where two with odd names are one.
        Some(own) if !is_plain_name(own) => format!("{CLIENT}{GONE}"),
        Some(_) => name.to_owned(),
        None => redacted(name, is_known_secret),
    }
}

fn object(facts: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    facts
        .iter()
        .filter(|(name, _)| !is_secret_name(name))
        .take(MOST_MEMBERS)
        .filter_map(|(name, fact)| {
            let fact = match fact {
                Value::String(text) if is_key_name(name) && looks_like_key(&folded(text)) => {
                    Value::String(GONE.to_owned())
                }
                _ => value(fact, depth + 1)?,
            };
            Some((redact_text(name), fact))
        })
        .collect()
}

fn value(fact: &Value, depth: usize) -> Option<Value> {
    match fact {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(fact.clone()),
        Value::String(text) => Some(Value::String(redact_text(text))),
        _ if depth >= DEEPEST => None,
        Value::Array(items) => Some(
            items
                .iter()
                .take(MOST_ITEMS)
                .filter_map(|item| value(item, depth + 1))
                .collect(),
        ),
        Value::Object(members) => Some(Value::Object(object(members, depth))),
    }
}

fn size(facts: &Map<String, Value>) -> usize {
    serde_json::to_string(facts).map_or(0, |text| text.chars().count())
}
