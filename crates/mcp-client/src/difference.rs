//! How a set of files differs from the one that was approved, for a person to read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use metier_skill_protocol::one_line;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::entry::RemoteFile;

/// The most lines of one kind that are printed; the rest is counted.
const MOST_LINES: usize = 20;

/// What is other than it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Files that are new, with their size.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub added: BTreeMap<String, u64>,
    /// Files that are gone, with the size they had.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub removed: BTreeMap<String, u64>,
    /// Files with other bytes: the size they had, and the one they have.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, (u64, u64)>,
    /// Fields of the front matter: what they said, and what they say.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, (Option<Value>, Option<Value>)>,
}

impl Difference {
    pub(crate) fn between(
        (was_files, was): (&[RemoteFile], &Map<String, Value>),
        (is_files, is): (&[RemoteFile], &Map<String, Value>),
    ) -> Self {
        let by_path = |files: &[RemoteFile]| -> BTreeMap<String, (String, u64)> {
            files
                .iter()
                .map(|file| (file.path.clone(), (file.digest.clone(), file.size)))
                .collect()
        };
        let (old, new) = (by_path(was_files), by_path(is_files));
        let mut difference = Self::default();
        for (path, (digest, size)) in &new {
            match old.get(path) {
                None => drop(difference.added.insert(path.clone(), *size)),
                Some((before, had)) if before != digest || had != size => {
                    difference.changed.insert(path.clone(), (*had, *size));
                }
                Some(_) => {}
            }
        }
        for (path, (_, size)) in old {
            if !new.contains_key(&path) {
                difference.removed.insert(path, size);
            }
        }
        let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        for name in names {
            let (before, now) = (was.get(name), is.get(name));
            if before != now {
                let both = (before.cloned(), now.cloned());
                difference.fields.insert(name.clone(), both);
            }
        }
        difference
    }

    /// Whether nothing is other.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// One line each, the way people read changes.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let path = |path: &String| one_line(path, 120);
        limited(
            &mut lines,
            "changed files",
            self.changed
                .iter()
                .map(|(file, (had, has))| format!("~ {} ({had} -> {has} bytes)", path(file))),
        );
        limited(
            &mut lines,
            "new files",
            self.added
                .iter()
                .map(|(file, size)| format!("+ {} ({size} bytes)", path(file))),
        );
        limited(
            &mut lines,
            "files that are gone",
            self.removed
                .iter()
                .map(|(file, size)| format!("- {} ({size} bytes)", path(file))),
        );
        limited(
            &mut lines,
            "fields",
            self.fields.iter().map(|(name, (before, now))| {
                format!(
                    "{}: {} -> {}",
                    one_line(name, 60),
                    value(before.as_ref()),
                    value(now.as_ref())
                )
            }),
        );
        lines
    }
}

fn limited(lines: &mut Vec<String>, what: &str, of: impl ExactSizeIterator<Item = String>) {
    let rest = of.len().saturating_sub(MOST_LINES);
    lines.extend(of.take(MOST_LINES));
    if rest > 0 {
        lines.push(format!("… {rest} more {what}"));
    }
}

fn value(value: Option<&Value>) -> String {
    value.map_or_else(
        || "not written".to_owned(),
        |value| one_line(&value.to_string(), 120),
    )
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}
