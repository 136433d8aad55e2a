//! How much work a schema can be, told before anything is compiled or checked.
//!
//! Schemas come from strangers. References let a short schema stand for a huge one, or for one without
//! an end, and whoever explains why a value does not fit such a schema explains it once for each way
//! through it. So the ways are counted first: those of the schema alone when it is compiled
//! ([`Shape::of`]), those of a schema and a value before faults are collected ([`Shape::steps`]).

use std::collections::HashMap;

use serde_json::Value;

use crate::SchemaError;

/// The longest schema, as JSON text.
const MOST_BYTES: usize = 1 << 20;

/// The deepest nesting of a schema as it is written.
const MOST_NESTING: usize = 64;

/// The longest way through a schema, references followed, that does not come back on itself; and the
/// longest way through a schema and a value.
const MOST_DEPTH: usize = 256;

/// How many parts a schema may have, each counted as often as references lead to it.
const MOST_PARTS: u64 = 100_000;

/// How many patterns a schema may have: each costs memory for its automaton.
const MOST_PATTERNS: usize = 200;

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

/// Where in a value a part of a schema applies.
#[derive(Clone, Copy)]
enum Place<'a> {
    Here,
    Member(&'a str),
    EveryMember,
    Item(usize),
    EveryItem,
}

/// A part of a schema with the resource that its references start from.
#[derive(Clone, Copy)]
struct Part<'a> {
    schema: &'a Value,
    base: &'a Value,
}

impl<'a> Part<'a> {
    fn key(self) -> *const Value {
        self.schema
    }

    fn within(self, schema: &'a Value) -> Self {
        let has_id = schema.get("$id").and_then(Value::as_str);
        let is_resource = has_id.is_some_and(|id| !id.starts_with('#'));
        Self {
            schema,
            base: if is_resource { schema } else { self.base },
        }
    }

    /// The parts right below this one.
    fn below(self) -> Vec<(Place<'a>, Self)> {
        let mut below = Vec::new();
        let Some(members) = self.schema.as_object() else {
            return below;
        };
        for (key, value) in members {
            let mut one = |place| below.push((place, self.within(value)));
            match key.as_str() {
                "not" | "if" | "then" | "else" => one(Place::Here),
                "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                    one(Place::EveryMember);
                }
                "additionalItems" | "unevaluatedItems" | "contains" => one(Place::EveryItem),
                "items" if !value.is_array() => one(Place::EveryItem),
                "items" | "prefixItems" => {
                    let items = value.as_array().into_iter().flatten().enumerate();
                    below.extend(items.map(|(n, item)| (Place::Item(n), self.within(item))));
                }
                "allOf" | "anyOf" | "oneOf" => {
                    let items = value.as_array().into_iter().flatten();
                    below.extend(items.map(|item| (Place::Here, self.within(item))));
                }
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => {
                    let parts = value.as_object().into_iter().flatten();
                    below.extend(parts.map(|(name, part)| {
                        let place = match key.as_str() {
                            "properties" => Place::Member(name),
                            "patternProperties" => Place::EveryMember,
                            _ => Place::Here,
                        };
                        (place, self.within(part))
                    }));
                }
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let target = value.as_str().and_then(|target| self.target(target));
                    below.extend(target.map(|target| (Place::Here, target)));
                }
                _ => {}
            }
        }
        below
    }

    /// What a reference within the schema leads to.
    fn target(self, reference: &str) -> Option<Self> {
        let fragment = reference.strip_prefix('#')?;
        let fragment = decoded(fragment);
        let found = if fragment.is_empty() || fragment.starts_with('/') {
            self.base.pointer(&fragment)
        } else {
            anchored(self.base, &fragment)
        };
        found.map(|schema| self.within(schema))
    }
}

impl Shape {
    /// The shape of a schema.
    ///
    /// # Errors
    /// It is over one of the bounds, or a reference leads back to itself.
    pub(crate) fn of(schema: &Value) -> Result<Self, SchemaError> {
        Written::default().look(schema)?;
        let mut survey = Survey::default();
        let root = Part {
            schema,
            base: schema,
        };
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

    /// How many steps it takes to hold a value against the schema, up to a limit: one for each part of
    /// the schema at each place of the value where it applies, on every way that leads there.
    pub(crate) fn steps(self, schema: &Value, value: &Value, limit: usize) -> usize {
        let size = count(value, limit);
        let parts = usize::try_from(self.parts).unwrap_or(usize::MAX);
        let at_most = size.saturating_mul(parts);
        if !self.is_recursive && at_most <= limit {
            return at_most;
        }
        let root = Part {
            schema,
            base: schema,
        };
        let mut left = limit;
        walk(root, value, &mut left);
        limit - left
    }
}

/// The limit is reached when nothing is left.
fn walk(part: Part<'_>, value: &Value, left: &mut usize) {
    let Some(less) = left.checked_sub(1) else {
        return;
    };
    *left = less;
    for (place, below) in part.below() {
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

/// What a schema is as it is written.
#[derive(Default)]
struct Written {
    bytes: usize,
    patterns: usize,
}

impl Written {
    fn look(mut self, schema: &Value) -> Result<(), SchemaError> {
        // Not by recursion: how deep it is nested is what is to be found out.
        let mut open = vec![(schema, 0)];
        while let Some((value, depth)) = open.pop() {
            if depth > MOST_NESTING {
                return Err(SchemaError::TooDeep {
                    limit: MOST_NESTING,
                });
            }
            self.bytes += 1;
            match value {
                Value::Object(members) => {
                    self.patterns += usize::from(members.contains_key("pattern"));
                    let by_pattern = members.get("patternProperties").and_then(Value::as_object);
                    self.patterns += by_pattern.map_or(0, serde_json::Map::len);
                    self.bytes += members.keys().map(|key| key.len() + 3).sum::<usize>();
                    open.extend(members.values().map(|value| (value, depth + 1)));
                }
                Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
                Value::String(text) => self.bytes += text.len() + 2,
                _ => {}
            }
            if self.bytes > MOST_BYTES {
                return Err(SchemaError::TooLarge { limit: MOST_BYTES });
            }
            if self.patterns > MOST_PATTERNS {
                return Err(SchemaError::TooManyPatterns {
                    limit: MOST_PATTERNS,
                });
            }
        }
        Ok(())
    }
}

/// Follows every reference, each part once.
#[derive(Default)]
struct Survey {
    /// `None` while a part is being visited.
    seen: HashMap<*const Value, Option<Extent>>,
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
        self.seen.insert(part.key(), None);
        let mut extent = Extent {
            parts: 1,
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
        if self.is_recursive {
            circle(part)?;
        }
        self.reach = self.reach.max(extent.here + 1);
        self.seen.insert(part.key(), Some(extent));
        Ok(extent)
    }
}

/// Refuses a part that applies to a value only if it applies to that very value.
fn circle(start: Part<'_>) -> Result<(), SchemaError> {
    let mut seen = Vec::new();
    let mut open = vec![start];
    while let Some(part) = open.pop() {
        for (place, below) in part.below() {
            if !matches!(place, Place::Here) {
                continue;
            }
            if std::ptr::eq(below.schema, start.schema) {
                let reference = part.schema.get("$ref").and_then(Value::as_str);
                let reference = reference.unwrap_or("#").to_owned();
                return Err(SchemaError::CircularReference(reference));
            }
            if !seen.contains(&below.key()) {
                seen.push(below.key());
                open.push(below);
            }
        }
    }
    Ok(())
}

/// How many values a value is made of, up to a limit.
fn count(value: &Value, limit: usize) -> usize {
    let mut counted = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        counted += 1;
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

/// The part with this anchor.
fn anchored<'a>(base: &'a Value, name: &str) -> Option<&'a Value> {
    let mut open = vec![base];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let is_named = |key: &str| members.get(key).and_then(Value::as_str) == Some(name);
                if is_named("$anchor") || is_named("$dynamicAnchor") {
                    return Some(value);
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    None
}

/// A fragment without its percent escapes.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit = |byte: Option<u8>| (byte? as char).to_digit(16);
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each definition is two ways to the next.
    fn doubling(depth: usize) -> Value {
        let mut definitions = serde_json::Map::new();
        for n in 0..depth {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            definitions.insert(format!("d{n}"), json!({"anyOf": [next, next]}));
        }
        definitions.insert(format!("d{depth}"), json!({"type": "integer"}));
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    }

    #[test]
    fn references_are_counted_as_often_as_they_lead_somewhere() {
        // The root, the property, and 29 for `d0`: one for itself, twice one for a reference and 13 for `d1`.
        assert_eq!(Shape::of(&doubling(3)).unwrap().parts, 31);
        assert!(Shape::of(&doubling(14)).is_ok());
        let error = Shape::of(&doubling(60)).unwrap_err();
        assert_eq!(error, SchemaError::TooManyParts { limit: MOST_PARTS });
    }

    #[test]
    fn steps_follow_the_value() {
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        let shape = Shape::of(&tree).unwrap();
        assert!(shape.is_recursive);
        assert_eq!(shape.steps(&tree, &json!({}), 100), 1);
        assert_eq!(shape.steps(&tree, &json!({"left": {"right": {}}}), 100), 5);
        assert_eq!(shape.steps(&tree, &json!({"left": {"right": {}}}), 3), 3);

        let list = json!({"items": {"type": "integer"}});
        let shape = Shape::of(&list).unwrap();
        let long = Value::from(vec![1; 1_000]);
        assert_eq!(shape.steps(&list, &long, 10_000), 2_002);
        assert_eq!(shape.steps(&list, &long, 1_500), 1_001);
    }

    #[test]
    fn two_ways_down_at_each_level_are_counted_and_not_walked() {
        let schema = json!({"anyOf": [
            {"properties": {"a": {"$ref": "#"}}},
            {"properties": {"a": {"$ref": "#"}}},
        ]});
        let mut value = json!({});
        for _ in 0..100 {
            value = json!({ "a": value });
        }
        let shape = Shape::of(&schema).unwrap();
        assert_eq!(shape.steps(&schema, &value, 10_000), 10_000);
    }

    #[test]
    fn anchors_escapes_and_inner_resources_are_followed() {
        for schema in [
            json!({"properties": {"a": {"$ref": "#node"}}, "$defs": {"n": {"$anchor": "node", "properties": {"b": {"$ref": "#node"}}}}}),
            json!({"properties": {"a": {"$ref": "#/$defs/a%20b~1c"}}, "$defs": {"a b/c": {"items": {"$ref": "#"}}}}),
            json!({"properties": {"a": {"$id": "inner", "items": {"$ref": "#"}}}}),
            json!({"$dynamicAnchor": "x", "items": {"$dynamicRef": "#x"}}),
        ] {
            assert!(Shape::of(&schema).unwrap().is_recursive, "{schema}");
        }
    }

    #[test]
    fn what_leads_back_to_itself_is_refused() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"anyOf": [{"type": "object"}, {"$ref": "#"}]}),
            json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]},
                "b": {"not": {"$ref": "#/$defs/a"}},
            }}),
        ] {
            let error = Shape::of(&schema).unwrap_err();
            assert!(
                matches!(error, SchemaError::CircularReference(_)),
                "{schema}: {error}"
            );
        }
    }

    #[test]
    fn long_chains_and_deep_nesting_are_refused() {
        let mut chain = serde_json::Map::new();
        for n in 0..10_000 {
            let next = format!("#/$defs/d{}", n + 1);
            chain.insert(format!("d{n}"), json!({ "$ref": next }));
        }
        chain.insert("d10000".to_owned(), json!({}));
        for first in ["d0", "d9900"] {
            // The second is short when it is met first, and a part of a long way afterwards.
            let schema = json!({
                "properties": {"b": {"$ref": format!("#/$defs/{first}")}, "a": {"$ref": "#/$defs/d0"}},
                "$defs": chain,
            });
            let error = Shape::of(&schema).unwrap_err();
            assert_eq!(error, SchemaError::TooDeep { limit: MOST_DEPTH });
        }
        let mut deep = json!({});
        for _ in 0..40 {
            deep = json!({ "items": [deep] });
        }
        let error = Shape::of(&deep).unwrap_err();
        assert_eq!(
            error,
            SchemaError::TooDeep {
                limit: MOST_NESTING
            }
        );
    }
}
