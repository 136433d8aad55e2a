//! The patterns of `patternProperties`, held against the names of members.

use std::collections::BTreeMap;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::schema::patterns;

/// Longer names are not held against a pattern, in bytes.
const LONGEST: usize = 1_000;

/// Patterns that were compiled when they were first met.
#[derive(Default)]
pub(crate) struct NamePatterns<'a>(BTreeMap<&'a str, Option<Validator>>);

impl<'a> NamePatterns<'a> {
    /// A pattern that cannot be used, or a name that is too long for it, is taken to match.
    pub(crate) fn matches(&mut self, pattern: &'a str, name: &str) -> bool {
        if name.len() > LONGEST {
            return true;
        }
        let compiled = self.0.entry(pattern).or_insert_with(|| {
            let mut probe = Map::new();
            probe.insert("pattern".to_owned(), Value::from(pattern));
            jsonschema::options()
                .with_draft(Draft::Draft202012)
                .with_pattern_options(patterns())
                .build(&Value::Object(probe))
                .ok()
        });
        compiled
            .as_ref()
            .is_none_or(|compiled| compiled.is_valid(&Value::from(name)))
    }
}
