//! A request's id, exactly as the client wrote it.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The JSON text of a request's id: a string or an integer of any size.
///
/// It is echoed byte for byte, so `"1"` never turns into `1` and no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawId(Arc<str>);

impl RawId {
    /// The id when the JSON text is a string or an integer, `None` for anything else.
    pub fn new(json: &str) -> Option<Self> {
        let fine = is_integer(json) || is_string(json);
        fine.then(|| Self(json.into()))
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// What two spellings of one id share.
    pub fn key(&self) -> IdKey {
        if let Ok(text) = serde_json::from_str::<String>(&self.0) {
            return IdKey(Spelling::Text(text));
        }
        if &*self.0 == "-0" {
            return IdKey(Spelling::Other("0".into()));
        }
        IdKey(Spelling::Other(Arc::clone(&self.0)))
    }
}

impl fmt::Display for RawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RawId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// An id for comparison: `"a"` and `"\u0061"` are one id, `"1"` and `1` are two.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdKey(Spelling);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Spelling {
    Text(String),
    Other(Arc<str>),
}

fn is_integer(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_string(json: &str) -> bool {
    json.len() >= 2 && json.starts_with('"') && json.ends_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_integers_of_any_size_are_ids() {
        for json in [
            "\"\"",
            "\"é\"",
            "0",
            "-1",
            "9007199254740993",
            "123456789012345678901234567890",
        ] {
            assert_eq!(RawId::new(json).unwrap().as_json(), json);
        }
        for json in ["null", "1.5", "1e3", "{}", "[]", "true", "-", ""] {
            assert_eq!(RawId::new(json), None, "{json}");
        }
    }

    #[test]
    fn spellings_of_one_id_share_a_key_and_types_do_not() {
        let key = |json: &str| RawId::new(json).unwrap().key();
        assert_eq!(key("\"a\""), key("\"\\u0061\""));
        assert_ne!(key("\"1\""), key("1"));
        assert_eq!(key("-0"), key("0"));
    }
}
