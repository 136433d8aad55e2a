//! How much work a schema can be, told before anything is compiled or checked.
//!
//! Schemas come from strangers. References let a short schema stand for a huge one, or for one without
//! an end, and whoever explains why a value does not fit such a schema explains it once for each way
//! through it. So the ways are counted first: those of the schema alone when it is compiled
//! ([`Shape::of`]), those of a schema and a value before faults are collected ([`Shape::effort`]).

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::SchemaError;
use crate::schema_part::{AT_A_TIME, BYTES_AT_A_TIME, Part, Place};
use crate::schema_written::Written;

/// The longest way through a schema, references followed, that does not come back on itself; and the
/// longest way through a schema and a value.
const MOST_DEPTH: usize = 256;

/// How many parts a schema may have, each counted as often as references lead to it.
const MOST_PARTS: u64 = 100_000;

/// Up to so many steps every fault of a value is told. Each step can be a fault, and one that stands
/// below alternatives is remembered as often as ways lead to it: half a kilobyte each time.
const MOST_TOLD: usize = 10_000;

/// Up to so many steps it is told whether a value fits.
const MOST_CHECKED: usize = 2_000_000;

/// Checks of so many steps and more are left to a thread that nobody waits for: a few milliseconds, where each step is
/// looked at once to repair and a few times to explain.
const LONG: usize = 2_000;

/// How far a value can be held against a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Every fault can be told.
    Full,
    /// It can be told whether there are any.
    Brief,
    /// Not even that.
    TooMuch,
}

/// What is known of a schema that keeps within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How many parts it has with every reference followed, once where it leads back.
    pub(crate) parts: u64,
    /// The longest way through it before a value's members are looked at.
    pub(crate) reach: usize,
    /// It describes values of any depth.
    pub(crate) is_recursive: bool,
}

impl Shape {
    /// The shape of a schema.
    ///
    /// # Errors
    /// It is over one of the bounds, or a reference leads back to itself.
    pub(crate) fn of(schema: &Value) -> Result<Self, SchemaError> {
        Written::default().look(schema)?;
        let mut survey = Survey::default();
        let root = Part::root(schema);
        let extent = survey.visit(root, 0)?;
        if extent.parts > MOST_PARTS {
            return Err(SchemaError::TooManyParts { limit: MOST_PARTS });
        }
        Ok(Self {
            parts: extent.parts,
            reach: survey.reach,
            is_recursive: survey.is_recursive,
        })
    }

    /// Whether a value is nested too deeply to be held against a schema of this shape.
    pub(crate) fn is_too_deep(self, value: &Value) -> bool {
        self.is_recursive && self.reach.saturating_mul(depth(value)) > 4 * MOST_DEPTH
    }

    /// How far a value can be held against the schema.
    pub(crate) fn effort(self, schema: &Value, value: &Value) -> Effort {
        let steps = |limit| self.steps(schema, value, limit);
        if steps(MOST_TOLD) < MOST_TOLD {
            Effort::Full
        } else if steps(MOST_CHECKED) < MOST_CHECKED {
            Effort::Brief
        } else {
            Effort::TooMuch
        }
    }

    /// Whether holding these arguments against the schema is no work for a thread that others wait for, however
    /// short the arguments are: each alternative of a schema that refers to itself doubles the ways at every level.
    pub(crate) fn takes_long(self, schema: &Value, arguments: &Map<String, Value>) -> bool {
        let parts = usize::try_from(self.parts).unwrap_or(usize::MAX);
        let members = arguments
            .values()
            .map(|value| count(value, LONG))
            .sum::<usize>();
        if !self.is_recursive && members.saturating_add(1).saturating_mul(parts) < LONG {
            return false;
        }
        let value = Value::Object(arguments.clone());
        self.steps(schema, &value, LONG) >= LONG
    }

    /// How many steps it takes to hold a value against the schema, up to a limit: one for each part of
    /// the schema at each place of the value where it applies, on every way that leads there.
    fn steps(self, schema: &Value, value: &Value, limit: usize) -> usize {
        if !self.is_recursive {
            let parts = usize::try_from(self.parts).unwrap_or(usize::MAX);
            let at_most = count(value, limit).saturating_mul(parts);
            if at_most < limit {
                return at_most;
            }
        }
        let root = Part::root(schema);
        let mut left = limit;
        walk(root, value, &mut left);
        limit - left
    }
}

/// The limit is reached when nothing is left.
fn walk(part: Part<'_>, value: &Value, left: &mut usize) {
    let below = part.below();
    let width = below.len() / AT_A_TIME;
    *left = left.saturating_sub(1 + width + part.own_cost(text_length(value)));
    for (place, below) in below {
        if *left == 0 {
            return;
        }
        match (place, value) {
            (Place::Here, value) => walk(below, value, left),
            (Place::Member(name), Value::Object(members)) => {
                if let Some(member) = members.get(name) {
                    walk(below, member, left);
                }
            }
            (Place::EveryMember, Value::Object(members)) => {
                for member in members.values() {
                    walk(below, member, left);
                }
            }
            (Place::Item(n), Value::Array(items)) => {
                if let Some(item) = items.get(n) {
                    walk(below, item, left);
                }
            }
            (Place::EveryItem, Value::Array(items)) => {
                for item in items {
                    walk(below, item, left);
                }
            }
            _ => {}
        }
    }
}

/// Texts count by their length, all else counts as nothing.
fn text_length(value: &Value) -> usize {
    value.as_str().map_or(0, str::len)
}

/// Follows every reference, each part once.
#[derive(Default)]
struct Survey {
    /// `None` while a part is being visited.
    seen: HashMap<*const Value, Option<Extent>>,
    /// The same for ways that stay at one place of a value: `false` while one is being followed.
    followed: HashMap<*const Value, bool>,
    is_recursive: bool,
    reach: usize,
}

#[derive(Clone, Copy)]
struct Extent {
    parts: u64,
    height: usize,
    /// The height over parts that apply at the same place of a value.
    here: usize,
}

impl Survey {
    fn visit(&mut self, part: Part<'_>, depth: usize) -> Result<Extent, SchemaError> {
        let too_deep = || SchemaError::TooDeep { limit: MOST_DEPTH };
        match self.seen.get(&part.key()) {
            Some(Some(extent)) => return Ok(*extent),
            Some(None) => {
                self.is_recursive = true;
                return Ok(Extent {
                    parts: 1,
                    height: 0,
                    here: 0,
                });
            }
            None => {}
        }
        if depth > MOST_DEPTH {
            return Err(too_deep());
        }
        self.follow(part, depth)?;
        self.seen.insert(part.key(), None);
        let mut extent = Extent {
            parts: 1 + part.own_cost(0) as u64,
            height: 0,
            here: 0,
        };
        for (place, below) in part.below() {
            let found = self.visit(below, depth + 1)?;
            extent.parts = extent.parts.saturating_add(found.parts);
            extent.height = extent.height.max(found.height + 1);
            if matches!(place, Place::Here) {
                extent.here = extent.here.max(found.here + 1);
            }
        }
        if extent.height > MOST_DEPTH {
            return Err(too_deep());
        }
        self.reach = self.reach.max(extent.here + 1);
        self.seen.insert(part.key(), Some(extent));
        Ok(extent)
    }

    /// Refuses a part that applies to a value only if it applies to that very value.
    fn follow(&mut self, part: Part<'_>, depth: usize) -> Result<(), SchemaError> {
        if self.followed.get(&part.key()) == Some(&true) {
            return Ok(());
        }
        if depth > MOST_DEPTH {
            return Err(SchemaError::TooDeep { limit: MOST_DEPTH });
        }
        self.followed.insert(part.key(), false);
        for (place, below) in part.below() {
            if !matches!(place, Place::Here) {
                continue;
            }
            if self.followed.get(&below.key()) == Some(&false) {
                let reference = part.schema.get("$ref").and_then(Value::as_str);
                let reference = reference.unwrap_or("#").to_owned();
                return Err(SchemaError::CircularReference(reference));
            }
            self.follow(below, depth + 1)?;
        }
        self.followed.insert(part.key(), true);
        Ok(())
    }
}

/// How many values a value is made of, up to a limit.
fn count(value: &Value, limit: usize) -> usize {
    let mut counted = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        counted += 1 + text_length(value) / BYTES_AT_A_TIME;
        if counted >= limit {
            break;
        }
        match value {
            Value::Object(members) => open.extend(members.values().take(limit)),
            Value::Array(items) => open.extend(items.iter().take(limit)),
            _ => {}
        }
    }
    counted
}

fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Object(members) => open.extend(members.values().map(|v| (v, depth + 1))),
            Value::Array(items) => open.extend(items.iter().map(|v| (v, depth + 1))),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
#[path = "schema_shape_tests.rs"]
mod tests;
