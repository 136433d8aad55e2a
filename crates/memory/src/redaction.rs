//! What never gets into a memory, and how large the rest may be.

use serde_json::{Map, Value};

/// Members whose name holds one of these, in any spelling (`apiKey`, `API-KEY`), are dropped.
const SECRET_NAMES: [&str; 24] = [
    "sshkey",
    "masterkey",
    "signingkey",
    "sessionkey",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "パスワード",
    "비밀번호",
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

/// So are members of just this name: as a part, it is part of plain words.
const SECRET_WORDS: [&str; 5] = ["auth", "pass", "pwd", "pw", "sid"];

/// Words of a text that begin so are secrets of well-known services.
const SECRET_BEGINNINGS: [&str; 20] = [
    "hf_",
    "npm_",
    "shpat_",
    "dckr_pat_",
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

/// Begins the session of a client that has none but its name.
const CLIENT: &str = "client:";

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
    redacted(text, is_secret)
}

/// The same for what tells one thing from another and is often a long number, as a session does.
pub(crate) fn redact_name(name: &str) -> String {
    // What stands behind it is the client's own word, from its beginning.
    match name.strip_prefix(CLIENT) {
        Some(own) => format!("{CLIENT}{}", redacted(own, is_known_secret)),
        None => redacted(name, is_known_secret),
    }
}

/// What stands between words. A colon of full width separates as the plain one does.
fn separates(letter: char) -> bool {
    letter.is_whitespace() || "\"'`,;()[]{}<>：".contains(letter)
}

/// What the word before says of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// It may be a name: `"password"` in front of a colon.
    Name,
    /// The next word is the secret.
    Secret,
}

fn redacted(text: &str, is_secret: fn(&str) -> bool) -> String {
    let short: String = text.chars().take(LONGEST_TEXT).collect();
    // A block of a key file has its secret on lines of their own.
    if short.contains("-----BEGIN") {
        return GONE.to_owned();
    }
    let mut kept = String::with_capacity(short.len());
    let mut before = Before::Nothing;
    for word in short.split_inclusive(separates) {
        let bare = word.trim_end_matches(separates);
        let rest = word.get(bare.len()..).unwrap_or_default();
        if bare.is_empty() {
            kept.push_str(rest);
            if before == Before::Name && rest == "：" {
                before = Before::Secret;
            }
            continue;
        }
        let (shown, next) = match before {
            // `Authorization: Bearer x`: the secret is the one behind.
            Before::Secret if is_scheme(bare) => (bare.to_owned(), Before::Secret),
            Before::Secret => (GONE.to_owned(), Before::Nothing),
            Before::Name if matches!(bare, ":" | "=" | "=>" | ":=") => {
                (bare.to_owned(), Before::Secret)
            }
            _ => (word_without_secret(bare, is_secret), announces(bare, rest)),
        };
        kept.push_str(&shown);
        kept.push_str(rest);
        before = next;
    }
    kept.chars().take(LONGEST_TEXT).collect()
}

/// What a word says of the one behind it.
fn announces(bare: &str, rest: &str) -> Before {
    let name = bare.trim_end_matches([':', '=']);
    if is_scheme(name) {
        return Before::Secret;
    }
    if !is_secret_name(name) {
        return Before::Nothing;
    }
    // A name with its sign, or an option, whose value is the next word.
    if name.len() < bare.len() || bare.starts_with('-') || rest == "：" {
        Before::Secret
    } else {
        Before::Name
    }
}

/// How HTTP says that a secret follows.
fn is_scheme(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "bearer" | "basic")
}

fn word_without_secret(word: &str, is_secret: fn(&str) -> bool) -> String {
    // Each parameter of an address is a name with a value.
    if let Some((address, parameters)) = word.split_once('?') {
        let parameters = parameters
            .split('&')
            .map(|parameter| word_without_secret(parameter, is_secret));
        let parameters: Vec<String> = parameters.collect();
        return format!("{}?{}", without_user(address), parameters.join("&"));
    }
    // `password=x`, `token:x`: the name tells what the value is.
    if let Some(at) = word.find(['=', ':']) {
        let (name, value) = word.split_at(at);
        if value.len() > 1 && !value.starts_with("://") && is_secret_name(name) {
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

/// A secret of a well-known service.
fn is_known_secret(word: &str) -> bool {
    word.len() >= 16
        && SECRET_BEGINNINGS
            .iter()
            .any(|begin| word.starts_with(begin))
}

fn is_secret(word: &str) -> bool {
    if is_known_secret(word) {
        return true;
    }
    // A long run of letters and digits with many of each is a key or a digest, not a word; one of forty in both cases is
    // what a cloud gives as the secret half of a key, and a path begins otherwise.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let count = |of: fn(&u8) -> bool| word.bytes().filter(of).count();
    let digits = count(u8::is_ascii_digit);
    let [upper, lower] = [count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase)];
    let is_long = word.len() >= 32 && digits >= 4 && upper + lower >= 4;
    let is_forty =
        word.len() == 40 && digits >= 1 && upper >= 4 && lower >= 4 && !word.starts_with('/');
    (is_long || is_forty) && word.bytes().all(plain) && !word.contains("//")
}

fn is_secret_name(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_WORDS.contains(&plain.as_str())
        || SECRET_NAMES.iter().any(|secret| plain.contains(secret))
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
