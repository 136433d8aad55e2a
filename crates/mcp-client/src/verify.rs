//! Bytes and front matter, held against what was promised.

use std::collections::BTreeSet;

use metier_loader::{digest, front_matter_of};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::entry::{RemoteFile, shown};

/// How bytes differ from the promise about them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Another length.
    #[error("`{path}` has {found} bytes, {promised} were promised")]
    Size {
        /// The file, below the skill.
        path: String,
        /// In the list.
        promised: u64,
        /// In the answer.
        found: u64,
    },
    /// Other bytes.
    #[error("`{path}` has the digest {found}, {promised} was promised")]
    Digest {
        /// The file, below the skill.
        path: String,
        /// In the list.
        promised: String,
        /// Of the answer.
        found: String,
    },
    /// SKILL.md has no front matter that could be read.
    #[error("the front matter of SKILL.md cannot be read: {0}")]
    FrontMatter(String),
    /// SKILL.md says other things than the list.
    #[error("SKILL.md and the list disagree about {}", fields(.0))]
    Fields(Vec<String>),
}

fn fields(names: &[String]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", shown(name)))
        .collect();
    quoted.join(", ")
}

/// Checks size first, so that a wrong length costs no hashing.
pub fn verify_bytes(file: &RemoteFile, bytes: &[u8]) -> Result<(), Mismatch> {
    let found = bytes.len() as u64;
    if found != file.size {
        return Err(Mismatch::Size {
            path: file.path.clone(),
            promised: file.size,
            found,
        });
    }
    let found = digest(bytes).to_string();
    if found != file.digest {
        return Err(Mismatch::Digest {
            path: file.path.clone(),
            promised: file.digest.clone(),
            found,
        });
    }
    Ok(())
}

/// Checks the front matter of SKILL.md field by field: each field in both, with the same value. Numbers are compared
/// by value, since one JSON writer says `1` where another says `1.0`.
pub fn verify_front_matter(
    promised: &Map<String, Value>,
    skill_file: &[u8],
) -> Result<(), Mismatch> {
    let found = front_matter_of(skill_file).map_err(|why| Mismatch::FrontMatter(shown(&why)))?;
    let names: BTreeSet<&String> = promised.keys().chain(found.keys()).collect();
    let different: Vec<String> = names
        .into_iter()
        .filter(|name| match (promised.get(*name), found.get(*name)) {
            (Some(one), Some(other)) => !is_same(one, other),
            _ => true,
        })
        .cloned()
        .collect();
    if different.is_empty() {
        Ok(())
    } else {
        Err(Mismatch::Fields(different))
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn bytes_are_held_against_size_and_digest() {
        let mut file = RemoteFile {
            uri: "skill://a/x".into(),
            path: "x".into(),
            digest: digest(b"abc").to_string(),
            size: 3,
        };
        assert_eq!(verify_bytes(&file, b"abc"), Ok(()));
        assert!(matches!(
            verify_bytes(&file, b"abd"),
            Err(Mismatch::Digest { .. })
        ));
        assert!(matches!(
            verify_bytes(&file, b"ab"),
            Err(Mismatch::Size { .. })
        ));
        file.size = 2;
        assert!(matches!(
            verify_bytes(&file, b"abc"),
            Err(Mismatch::Size { .. })
        ));
    }

    #[test]
    fn front_matter_is_compared_field_by_field() {
        let text = b"---\nname: a\ndescription: Does a.\nversion: 1.10\nmetadata:\n  level: 2\n  tags: [x, y]\n---\nBody\n";
        let same = json!({"description": "Does a.", "name": "a", "version": 1.1, "metadata": {"tags": ["x", "y"], "level": 2.0}});
        assert_eq!(verify_front_matter(&map(same.clone()), text), Ok(()));
        let cases = [
            ("description", json!("Does b.")),
            ("version", json!("1.10")),
            ("metadata", json!({"level": 2, "tags": ["y", "x"]})),
            ("allowed-tools", json!("Bash")),
        ];
        for (key, value) in cases {
            let mut other = map(same.clone());
            other.insert(key.to_owned(), value);
            assert_eq!(
                verify_front_matter(&other, text),
                Err(Mismatch::Fields(vec![key.to_owned()]))
            );
        }
        let mut less = map(same);
        less.remove("version");
        let fault = verify_front_matter(&less, text).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "SKILL.md and the list disagree about `version`"
        );
        let fault = verify_front_matter(&less, b"no front matter").unwrap_err();
        assert!(matches!(fault, Mismatch::FrontMatter(_)), "{fault}");
    }
}
