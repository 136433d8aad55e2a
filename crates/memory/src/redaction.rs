//! What never gets into a memory, and how large the rest may be.

use serde_json::{Map, Value};

/// Members whose name holds one of these, in any spelling (`apiKey`, `API-KEY`), are dropped.
const SECRET_NAMES: [&str; 14] = [
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "prompt",
    "secret",
    "signature",
    "token",
];

/// Words of a text that begin so are secrets of well-known services.
const SECRET_BEGINNINGS: [&str; 16] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
];

/// Stands where something was.
const GONE: &str = "[redacted]";

const LONGEST_TEXT: usize = 512;
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
    let short: String = text.chars().take(LONGEST_TEXT).collect();
    // A block of a key file has its secret on lines of their own.
    if short.contains("-----BEGIN") {
        return GONE.to_owned();
    }
    let mut kept = String::with_capacity(short.len());
    let mut after_scheme = false;
    for word in short
        .split_inclusive(|letter: char| letter.is_whitespace() || "\"'`,;()[]{}<>".contains(letter))
    {
        let bare = word.trim_end_matches(|letter: char| {
            letter.is_whitespace() || "\"'`,;()[]{}<>".contains(letter)
        });
        let rest = word.get(bare.len()..).unwrap_or_default();
        kept.push_str(&if after_scheme && !bare.is_empty() {
            GONE.to_owned()
        } else {
            word_without_secret(bare)
        });
        kept.push_str(rest);
        if !bare.is_empty() {
            let scheme = bare.trim_end_matches(':').to_ascii_lowercase();
            after_scheme = matches!(scheme.as_str(), "bearer" | "basic");
        }
    }
    kept.chars().take(LONGEST_TEXT).collect()
}

fn word_without_secret(word: &str) -> String {
    // `password=x`, `token:x`: the name tells what the value is.
    if let Some(at) = word.find(['=', ':']) {
        let (name, value) = word.split_at(at);
        if value.len() > 1 && is_secret_name(name) {
            return format!("{name}{}{GONE}", value.get(..1).unwrap_or_default());
        }
        if let Some(value) = value.strip_prefix('=')
            && is_secret(value)
        {
            return format!("{name}={GONE}");
        }
    }
    if is_secret(word) {
        return GONE.to_owned();
    }
    without_user(word)
}

/// An address without the user and password in front of its host.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{GONE}@{host}{tail}"),
        None => word.to_owned(),
    }
}

fn is_secret(word: &str) -> bool {
    let long = word.len() >= 16;
    if long
        && SECRET_BEGINNINGS
            .iter()
            .any(|begin| word.starts_with(begin))
    {
        return true;
    }
    // A long run of letters and digits with many of each is a key or a digest, not a word.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    word.len() >= 32
        && word.bytes().all(plain)
        && digits >= 4
        && letters >= 4
        && !word.contains("//")
}

fn is_secret_name(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_NAMES.iter().any(|secret| plain.contains(secret))
}

fn object(facts: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    facts
        .iter()
        .filter(|(name, _)| !is_secret_name(name))
        .take(MOST_MEMBERS)
        .filter_map(|(name, fact)| Some((redact_text(name), value(fact, depth + 1)?)))
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
