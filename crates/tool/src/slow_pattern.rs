//! Patterns that take more than one pass over a text, and how much text they are held against.
//!
//! A pattern that looks ahead or back, or that refers to what it found, starts anew at every place of a
//! text and may look at the whole rest each time; the bound on its steps back counts for each start
//! alone. So the text is bounded: what such patterns have to read counts by the square of its length.

use std::collections::BTreeSet;

use jsonschema::{Draft, PatternOptions};
use serde_json::{Map, Value};

use crate::ArgumentFault;
use crate::schema::PATTERN_SIZE;
use crate::schema_fault::clipped;
use crate::schema_part::{Part, Place};

/// The longest text that is held against such a pattern, in bytes; several texts are held against them
/// as long as the squares of their lengths make no more than the square of this.
const LONGEST: u64 = 10_000;

/// A bound on the way through a schema and a value, which has been measured before.
const MOST_STEPS: usize = 4_000_000;

/// Signs of a repetition that gives nothing back, which the linear engine would read as another one.
const POSSESSIVE: [&str; 4] = ["++", "*+", "?+", "}+"];

/// The patterns of a schema that are not linear.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlowPatterns(BTreeSet<String>);

impl SlowPatterns {
    pub(crate) fn of(schema: &Value) -> Self {
        let mut found = BTreeSet::new();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(members) => {
                    let own = members.get("pattern").and_then(Value::as_str);
                    let names = members.get("patternProperties").and_then(Value::as_object);
                    let names = names.into_iter().flat_map(Map::keys).map(String::as_str);
                    found.extend(own.into_iter().chain(names).map(str::to_owned));
                    open.extend(members.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        found.retain(|pattern| !is_linear(pattern));
        Self(found)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text that is too much for them.
    pub(crate) fn refusal(&self, schema: &Value, value: &Value) -> Option<ArgumentFault> {
        if self.is_empty() {
            return None;
        }
        let mut reading = Reading {
            patterns: self,
            left: LONGEST * LONGEST,
            steps: MOST_STEPS,
            path: Vec::new(),
        };
        reading.walk(Part::root(schema), value).err()
    }
}

/// Whether the engine that never goes back can take it.
fn is_linear(pattern: &str) -> bool {
    let mut probe = Map::new();
    probe.insert("pattern".to_owned(), Value::from(pattern));
    !POSSESSIVE.iter().any(|sign| pattern.contains(sign))
        && jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(
                PatternOptions::regex()
                    .size_limit(PATTERN_SIZE)
                    .dfa_size_limit(PATTERN_SIZE),
            )
            .build(&Value::Object(probe))
            .is_ok()
}

enum Step<'a> {
    Member(&'a str),
    Item(usize),
}

struct Reading<'a> {
    patterns: &'a SlowPatterns,
    left: u64,
    steps: usize,
    path: Vec<Step<'a>>,
}

impl<'a> Reading<'a> {
    fn walk(&mut self, part: Part<'a>, value: &'a Value) -> Result<(), ArgumentFault> {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return Err(self.fault("too large to be checked against its patterns".to_owned()));
        }
        match value {
            Value::String(text) => self.text(part, text)?,
            Value::Object(members) => {
                let patterns = part.schema.get("patternProperties");
                for pattern in patterns.and_then(Value::as_object).into_iter().flatten() {
                    for name in members.keys() {
                        self.spend(pattern.0, name)?;
                    }
                }
            }
            _ => {}
        }
        let names = part.schema.get("propertyNames");
        for (place, below) in part.below() {
            match (place, value) {
                (Place::Here, value) => self.walk(below, value)?,
                (Place::Member(name), Value::Object(members)) => {
                    if let Some((name, member)) = members.get_key_value(name) {
                        self.into(Step::Member(name), below, member)?;
                    }
                }
                (Place::EveryMember, Value::Object(members)) => {
                    let is_of_names = names.is_some_and(|names| std::ptr::eq(names, below.schema));
                    for (name, member) in members {
                        if is_of_names {
                            self.name(below, name, 0)?;
                        } else {
                            self.into(Step::Member(name), below, member)?;
                        }
                    }
                }
                (Place::Item(n), Value::Array(items)) => {
                    if let Some(item) = items.get(n) {
                        self.into(Step::Item(n), below, item)?;
                    }
                }
                (Place::EveryItem, Value::Array(items)) => {
                    for (n, item) in items.iter().enumerate() {
                        self.into(Step::Item(n), below, item)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn into(
        &mut self,
        step: Step<'a>,
        below: Part<'a>,
        value: &'a Value,
    ) -> Result<(), ArgumentFault> {
        self.path.push(step);
        self.walk(below, value)?;
        self.path.pop();
        Ok(())
    }

    /// A member's name, with all that is said of it at that very place.
    fn name(&mut self, part: Part<'a>, name: &str, depth: usize) -> Result<(), ArgumentFault> {
        self.text(part, name)?;
        for (place, below) in part.below() {
            if matches!(place, Place::Here) && depth < 32 {
                self.name(below, name, depth + 1)?;
            }
        }
        Ok(())
    }

    fn text(&mut self, part: Part<'a>, text: &str) -> Result<(), ArgumentFault> {
        match part.schema.get("pattern").and_then(Value::as_str) {
            Some(pattern) => self.spend(pattern, text),
            None => Ok(()),
        }
    }

    fn spend(&mut self, pattern: &str, text: &str) -> Result<(), ArgumentFault> {
        if !self.patterns.0.contains(pattern) {
            return Ok(());
        }
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        match self.left.checked_sub(length.saturating_mul(length)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None if length > LONGEST => Err(self.fault(format!(
                "too long to be checked against the pattern `{}`: {length} bytes, and {LONGEST} is the most for a pattern that looks ahead or back",
                clipped(&pattern)
            ))),
            None => Err(self.fault(format!(
                "too much text to be checked against the pattern `{}`, which looks ahead or back; send less at once",
                clipped(&pattern)
            ))),
        }
    }

    fn fault(&self, message: String) -> ArgumentFault {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Member(name) if path.is_empty() => (*name).clone_into(&mut path),
                Step::Member(name) => path = format!("{path}.{name}"),
                Step::Item(n) => path = format!("{path}[{n}]"),
            }
        }
        ArgumentFault {
            path: clipped(&path),
            message,
        }
    }
}
