//! The bounds of a schema as it is written, before any reference is followed.

use serde_json::Value;

use crate::SchemaError;

/// The longest schema, as JSON text.
const MOST_BYTES: usize = 1 << 20;

/// The deepest nesting of a schema as it is written.
pub(crate) const MOST_NESTING: usize = 64;

/// How many patterns a schema may have: each costs memory for its automaton.
const MOST_PATTERNS: usize = 200;

/// How large a schema may be that refers to parts by anchor: each such reference is a search.
const MOST_WITH_ANCHORS: usize = 2_000;

/// What a schema is as it is written.
#[derive(Default)]
pub(crate) struct Written {
    bytes: usize,
    nodes: usize,
    patterns: usize,
    has_anchors: bool,
}

impl Written {
    /// Refuses a schema over one of the bounds.
    pub(crate) fn look(mut self, schema: &Value) -> Result<(), SchemaError> {
        // Not by recursion: how deep it is nested is what is to be found out.
        let mut open = vec![(schema, 0)];
        while let Some((value, depth)) = open.pop() {
            if depth > MOST_NESTING {
                return Err(SchemaError::TooDeep {
                    limit: MOST_NESTING,
                });
            }
            self.bytes += 1;
            self.nodes += 1;
            match value {
                Value::Object(members) => {
                    self.has_anchors |= members.contains_key("$anchor")
                        || members.contains_key("$dynamicAnchor")
                        || ["$ref", "$dynamicRef"].iter().any(|key| {
                            let target = members.get(*key).and_then(Value::as_str);
                            target
                                .is_some_and(|target| target.len() > 1 && !target.starts_with("#/"))
                        });
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
            if self.has_anchors && self.nodes > MOST_WITH_ANCHORS {
                return Err(SchemaError::TooLargeForAnchors);
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
