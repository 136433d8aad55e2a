//! The parts of a schema, and where in a value each applies.

use serde_json::Value;

/// So many options, or parts right below one part, are a step to look through.
pub(crate) const AT_A_TIME: usize = 16;

/// So many bytes of text are a step to hold against a pattern.
pub(crate) const BYTES_AT_A_TIME: usize = 256;

/// A pattern that looks ahead or back may go back often on one text.
const BACKTRACKING: usize = 500;

/// Where in a value a part of a schema applies.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Here,
    Member(&'a str),
    EveryMember,
    Item(usize),
    EveryItem,
}

/// A part of a schema with the resource that its references start from.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) schema: &'a Value,
    base: &'a Value,
}

/// What a part says of one member.
pub(crate) struct Member<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    /// `properties` has it.
    pub(crate) is_named: bool,
    /// `properties` has it, or a pattern matches its name.
    pub(crate) is_known: bool,
}

impl<'a> Part<'a> {
    /// The whole schema.
    pub(crate) fn root(schema: &'a Value) -> Self {
        Self {
            schema,
            base: schema,
        }
    }

    /// Tells parts from each other.
    pub(crate) fn key(self) -> *const Value {
        self.schema
    }

    /// A part that stands in this one.
    pub(crate) fn within(self, schema: &'a Value) -> Self {
        let has_id = schema.get("$id").and_then(Value::as_str);
        let is_resource = has_id.is_some_and(|id| !id.starts_with('#'));
        Self {
            schema,
            base: if is_resource { schema } else { self.base },
        }
    }

    /// The parts right below this one.
    pub(crate) fn below(self) -> Vec<(Place<'a>, Self)> {
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

    /// What is said of an item of a list.
    pub(crate) fn of_item(self, n: usize) -> Option<Self> {
        let own = ["prefixItems", "items"]
            .iter()
            .find_map(|key| self.schema.get(*key)?.as_array())
            .and_then(|first| first.get(n));
        let rest = || {
            ["items", "additionalItems", "unevaluatedItems"]
                .iter()
                .find_map(|key| self.schema.get(*key).filter(|said| !said.is_array()))
        };
        own.or_else(rest).map(|said| self.within(said))
    }

    /// What is said of a member of an object.
    pub(crate) fn of_member(
        self,
        name: &str,
        mut is_match: impl FnMut(&'a str, &str) -> bool,
    ) -> Member<'a> {
        let mut parts = Vec::new();
        let named = self
            .schema
            .get("properties")
            .and_then(|named| named.get(name));
        parts.extend(named.map(|said| self.within(said)));
        let patterns = self
            .schema
            .get("patternProperties")
            .and_then(Value::as_object);
        for (pattern, said) in patterns.into_iter().flatten() {
            if is_match(pattern, name) {
                parts.push(self.within(said));
            }
        }
        let is_known = !parts.is_empty();
        if !is_known && let Some(said) = self.schema.get("additionalProperties") {
            parts.push(self.within(said));
        }
        Member {
            parts,
            is_named: named.is_some(),
            is_known,
        }
    }

    /// What it costs beside its parts, on a text of this length.
    pub(crate) fn own_cost(self, length: usize) -> usize {
        let options = self.schema.get("enum").and_then(Value::as_array);
        let options = options.map_or(0, Vec::len) / AT_A_TIME;
        let pattern = self.schema.get("pattern").and_then(Value::as_str);
        let pattern = pattern.map_or(0, |pattern| {
            let looks_around = ["(?=", "(?!", "(?<"]
                .iter()
                .any(|ahead| pattern.contains(ahead));
            let refers_back = pattern
                .as_bytes()
                .windows(2)
                .any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k']));
            let steps = if looks_around || refers_back {
                BACKTRACKING
            } else {
                0
            };
            steps + length / BYTES_AT_A_TIME
        });
        options + pattern
    }

    /// What a reference within the schema leads to.
    pub(crate) fn target(self, reference: &str) -> Option<Self> {
        let fragment = reference.strip_prefix('#')?;
        let fragment = decoded(fragment);
        // A search is short: a schema with anchors is small, and one without has none to find.
        let found = if fragment.is_empty() || fragment.starts_with('/') {
            self.base.pointer(&fragment)
        } else {
            anchored(self.base, &fragment)
        };
        found.map(|schema| self.within(schema))
    }
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
