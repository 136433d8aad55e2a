//! State that a stateless client carries for us from one request to the next.
//!
//! The client can read it and must not be able to change it, to keep it for ever, to use it for
//! another request, or to take another client's. It is signed with a key that is made at the
//! start and leaves the process never; after a restart an old state is asked for anew.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::Clock;
use crate::error::McpError;

/// How long a person may take to answer.
const LIFE: Duration = Duration::from_mins(10);
/// The most bytes of a state, before they are encoded.
const MOST_BYTES: usize = 64 * 1024;
const TAG_BYTES: usize = 32;

/// Seals and opens.
pub(crate) struct Sealer {
    /// `None` when the system had no randomness: nothing can be sealed then.
    key: Option<[u8; 32]>,
    clock: Clock,
}

/// What a state belongs to. Everything of it must be the same when it comes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose<'a> {
    /// Who was asked.
    pub(crate) principal: &'a str,
    /// The method that was called.
    pub(crate) method: &'a str,
    /// The digest of what it was called with.
    pub(crate) digest: &'a str,
}

#[derive(Serialize, Deserialize)]
struct Body {
    principal: String,
    method: String,
    digest: String,
    expires_ms: u64,
    answers: Map<String, Value>,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").finish_non_exhaustive()
    }
}

impl Sealer {
    pub(crate) fn new(clock: Clock) -> Self {
        let mut key = [0_u8; 32];
        let made = getrandom::fill(&mut key);
        if let Err(error) = &made {
            tracing::error!(%error, "no randomness; nothing can be asked of stateless clients");
        }
        Self {
            key: made.is_ok().then_some(key),
            clock,
        }
    }

    /// A state that holds the answers so far.
    pub(crate) fn seal(
        &self,
        purpose: Purpose<'_>,
        answers: Map<String, Value>,
    ) -> Result<String, McpError> {
        let mut mac = self.mac().ok_or_else(McpError::internal)?;
        let body = Body {
            principal: purpose.principal.to_owned(),
            method: purpose.method.to_owned(),
            digest: purpose.digest.to_owned(),
            expires_ms: self.now_ms().saturating_add(millis(LIFE)),
            answers,
        };
        let body = serde_json::to_vec(&body).map_err(|_| McpError::internal())?;
        if body.len() > MOST_BYTES {
            return Err(McpError::invalid_params(format!(
                "invalid params: the answers in inputResponses are larger than {MOST_BYTES} bytes"
            )));
        }
        mac.update(&body);
        let mut sealed = mac.finalize().into_bytes().to_vec();
        sealed.extend_from_slice(&body);
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// The answers in a state that came back.
    pub(crate) fn open(
        &self,
        purpose: Purpose<'_>,
        state: &str,
    ) -> Result<Map<String, Value>, McpError> {
        let forged = || refused("is none that this server gave, or was changed");
        if state.len() > MOST_BYTES.saturating_mul(2) {
            return Err(forged());
        }
        let sealed = URL_SAFE_NO_PAD.decode(state).map_err(|_| forged())?;
        let (tag, body) = sealed.split_first_chunk::<TAG_BYTES>().ok_or_else(forged)?;
        let mut mac = self.mac().ok_or_else(McpError::internal)?;
        mac.update(body);
        // Compares in constant time.
        mac.verify_slice(tag).map_err(|_| forged())?;
        let body: Body = serde_json::from_slice(body).map_err(|_| forged())?;
        if body.principal != purpose.principal {
            return Err(refused("was given to another client"));
        }
        if body.method != purpose.method || body.digest != purpose.digest {
            return Err(refused(
                "belongs to another request; repeat the one that it was given for",
            ));
        }
        if self.now_ms() >= body.expires_ms {
            return Err(refused("has expired; call again without it"));
        }
        Ok(body.answers)
    }

    fn mac(&self) -> Option<Hmac<Sha256>> {
        Hmac::new_from_slice(self.key.as_ref()?).ok()
    }

    fn now_ms(&self) -> u64 {
        millis((self.clock)())
    }
}

/// The digest of a request's parameters: what it is called with, and nothing that a retry adds. The
/// order of members makes no difference.
pub(crate) fn digest_of(params: &Map<String, Value>) -> String {
    let mut hasher = Sha256::new();
    hash_object(&mut hasher, params, true);
    URL_SAFE_NO_PAD.encode(hasher.finalize())
}

fn hash_object(hasher: &mut Sha256, object: &Map<String, Value>, is_params: bool) {
    const ADDED: [&str; 3] = ["_meta", "inputResponses", "requestState"];
    let mut members: Vec<_> = object
        .iter()
        .filter(|(key, _)| !is_params || !ADDED.contains(&key.as_str()))
        .collect();
    members.sort_by_key(|(key, _)| key.as_str());
    hasher.update(b"{");
    for (key, value) in members {
        hasher.update(Value::from(key.as_str()).to_string());
        hasher.update(b":");
        hash(hasher, value);
    }
    hasher.update(b"}");
}

fn hash(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Object(object) => hash_object(hasher, object, false),
        Value::Array(items) => {
            hasher.update(b"[");
            for item in items {
                hash(hasher, item);
                hasher.update(b",");
            }
            hasher.update(b"]");
        }
        plain => hasher.update(plain.to_string()),
    }
}

fn refused(what: &str) -> McpError {
    McpError::invalid_params(format!("invalid params: requestState {what}"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    const PURPOSE: Purpose<'_> = Purpose {
        principal: "client:a",
        method: "tools/call",
        digest: "d",
    };

    fn answers() -> Map<String, Value> {
        json!({"roots": {"roots": []}}).as_object().unwrap().clone()
    }

    #[test]
    fn a_state_comes_back_as_it_was_and_only_for_its_purpose() {
        let time = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&time);
        let sealer = Sealer::new(Arc::new(move || {
            Duration::from_secs(read.load(Ordering::SeqCst))
        }));
        let state = sealer.seal(PURPOSE, answers()).unwrap();
        assert_eq!(sealer.open(PURPOSE, &state).unwrap(), answers());
        let says = |purpose: Purpose<'_>, state: &str| {
            let error = sealer.open(purpose, state).unwrap_err();
            assert_eq!(error.code, -32602);
            error.message
        };
        let other = |change: fn(&mut Purpose<'_>)| {
            let mut purpose = PURPOSE;
            change(&mut purpose);
            purpose
        };
        assert!(says(other(|p| p.principal = "client:b"), &state).contains("another client"));
        assert!(says(other(|p| p.method = "prompts/get"), &state).contains("another request"));
        assert!(says(other(|p| p.digest = "e"), &state).contains("another request"));
        for broken in ["", "x", "!!", &state[1..], &format!("{state}A")] {
            assert!(
                says(PURPOSE, broken).contains("none that this server gave"),
                "{broken}"
            );
        }
        let foreign = Sealer::new(Arc::new(|| Duration::ZERO));
        assert!(
            foreign.open(PURPOSE, &state).is_err(),
            "another server's key"
        );
        time.store(600, Ordering::SeqCst);
        assert!(says(PURPOSE, &state).contains("expired"));
    }

    #[test]
    fn every_changed_byte_is_seen() {
        let sealer = Sealer::new(Arc::new(|| Duration::ZERO));
        let state = sealer.seal(PURPOSE, answers()).unwrap();
        for at in 0..state.len() {
            let mut bytes = state.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            // The last letter may have bits that mean nothing; then it does not decode.
            assert!(sealer.open(PURPOSE, &changed).is_err(), "{at}");
        }
    }

    #[test]
    fn the_digest_looks_at_what_is_asked_and_at_nothing_else() {
        let digest = |value: Value| digest_of(value.as_object().unwrap());
        let plain = digest(json!({"name": "t", "arguments": {"a": 1, "b": [1, "2"]}}));
        let retried = json!({"requestState": "s", "inputResponses": {}, "_meta": {"x": 1},
            "arguments": {"b": [1, "2"], "a": 1}, "name": "t"});
        assert_eq!(plain, digest(retried));
        for other in [
            json!({"name": "t", "arguments": {"a": 1, "b": ["1", 2]}}),
            json!({"name": "t", "arguments": {"a": 1, "b": [[1], "2"]}}),
            json!({"name": "t", "arguments": {"a": 1, "b": [1, "2"], "_meta": {}}}),
            json!({"name": "u", "arguments": {"a": 1, "b": [1, "2"]}}),
        ] {
            assert_ne!(plain, digest(other));
        }
    }
}
