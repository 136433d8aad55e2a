//! What never gets into a memory, and how large the rest may be.

use serde_json::{Map, Value};

use crate::secrets::{
    folded, is_key_name, is_known_secret, is_password_name, is_secret, is_secret_name,
    looks_like_key, looks_like_password,
};

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

/// What the words before say of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// It may be a name: `"password"` in front of a colon. Without one, a blank may part it from its value.
    Name(Kind),
    /// The next word is the value.
    Value(Kind),
}

/// What a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is a secret.
    Secret,
    /// So it is, and one that people choose.
    Password,
    /// It is a key of some sort, and its look decides.
    Key,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        if is_password_name(name) {
            Some(Self::Password)
        } else if is_secret_name(name) {
            Some(Self::Secret)
        } else {
            is_key_name(name).then_some(Self::Key)
        }
    }

    /// Whether the value goes that stands behind the name and a sign.
    fn hides(self, value: &str) -> bool {
        self != Self::Key || looks_like_key(value)
    }

    /// Whether the word goes that stands behind the name without a sign, as any word of a sentence may.
    fn hides_beside(self, word: &str) -> bool {
        looks_like_key(word) || self == Self::Password && looks_like_password(word)
    }
}

/// A text as it came when nothing in it has to go; what is a secret only as the text is meant, in letters of full width or
/// in percent, goes from the text as it is meant.
fn redacted(text: &str, is_secret: fn(&str) -> bool) -> String {
    let kept = redacted_as_written(text, is_secret);
    let meant = folded(&kept);
    if *meant == kept {
        return kept;
    }
    let kept_of_meant = redacted_as_written(&meant, is_secret);
    if kept_of_meant == *meant {
        kept
    } else {
        kept_of_meant
    }
}

fn redacted_as_written(text: &str, is_secret: fn(&str) -> bool) -> String {
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
            if let Before::Name(kind) = before
                && rest == "："
            {
                before = Before::Value(kind);
            }
            continue;
        }
        let (shown, next) = match before {
            // What is gone already: the brackets of its mark part words.
            Before::Value(_) if kept.ends_with('[') && rest == "]" && bare == "redacted" => {
                (bare.to_owned(), Before::Nothing)
            }
            // `Authorization: Bearer x`: the secret is the one behind.
            Before::Value(kind) if is_scheme(bare) => (bare.to_owned(), Before::Value(kind)),
            Before::Value(kind) if kind.hides(bare) => (GONE.to_owned(), Before::Nothing),
            Before::Name(kind) if matches!(bare, ":" | "=" | "=>" | ":=") => {
                (bare.to_owned(), Before::Value(kind))
            }
            Before::Name(kind) if matches!(bare, "is" | "was") => {
                (bare.to_owned(), Before::Name(kind))
            }
            Before::Name(kind) if kind.hides_beside(bare) => (GONE.to_owned(), Before::Nothing),
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
    let is_signed = name.len() < bare.len();
    // A word that holds a name and its value says nothing of the next one.
    let name = name.rsplit([':', '=']).next().unwrap_or_default();
    if is_scheme(name) {
        return Before::Value(Kind::Secret);
    }
    let Some(kind) = Kind::of(name) else {
        return Before::Nothing;
    };
    // A name with its sign, or an option, whose value is the next word.
    if is_signed || bare.starts_with('-') || rest == "：" {
        Before::Value(kind)
    } else {
        Before::Name(kind)
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
    let parts = word.find(['=', ':']).map(|at| word.split_at(at));
    let parts = parts.filter(|(_, value)| value.len() > 1 && !value.starts_with("://"));
    let parts = parts.and_then(|(name, rest)| Some((name, rest.split_at_checked(1)?)));
    if let Some((name, (sign, value))) = parts
        && (Kind::of(name).is_some_and(|kind| kind.hides(value)) || is_secret(value))
    {
        return format!("{name}{sign}{GONE}");
    }
    if is_secret(word) {
        return GONE.to_owned();
    }
    // Parameters without an address in front of them.
    if let Some((first, others)) = word.split_once('&') {
        let [first, others] = [first, others].map(|part| word_without_secret(part, is_secret));
        return format!("{first}&{others}");
    }
    // `account:token=x`: what stands behind a sign may be a name itself.
    if let Some((name, (sign, value))) = parts {
        let value = word_without_secret(value, is_secret);
        return format!("{name}{sign}{value}");
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
