//! A JSON object that is kept as text.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Deeper ones stay trees, because the reader of texts has a limit of its own, and so do those with
/// fractions, whose last digit may come back as another.
const DEEPEST: usize = 100;

/// A JSON object that is read rarely and held often, such as the schema of a tool that nobody has
/// loaded: its text takes a tenth of what the tree does.
///
/// ```
/// use metier_skill_model::JsonObject;
/// let tree = serde_json::json!({"type": "object", "minimum": 0.1}).as_object().cloned().unwrap();
/// assert_eq!(JsonObject::new(tree.clone()).map(), tree);
/// ```
#[derive(Clone, PartialEq)]
pub struct JsonObject(Kept);

#[derive(Clone, PartialEq)]
enum Kept {
    Text(Box<str>),
    Tree(Box<Map<String, Value>>),
}

impl JsonObject {
    /// Keeps this object.
    pub fn new(map: Map<String, Value>) -> Self {
        let comes_back = map.values().all(|value| comes_back(value, DEEPEST));
        match comes_back.then(|| written(&map)).flatten() {
            Some(text) => Self(Kept::Text(text)),
            None => Self(Kept::Tree(Box::new(map))),
        }
    }

    /// Keeps the JSON text of an object, which holds no fractions and is not deep: as [`new`](Self::new) would write it. A
    /// text that is none reads as the empty object.
    pub fn from_text(text: String) -> Self {
        Self(Kept::Text(text.into_boxed_str()))
    }

    /// Its JSON text, where it is kept as such.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Kept::Text(text) => Some(text),
            Kept::Tree(_) => None,
        }
    }

    /// The object again, with its keys in their order.
    pub fn map(&self) -> Map<String, Value> {
        match &self.0 {
            // It was written from an object, so that it can be read as one.
            Kept::Text(text) => serde_json::from_str(text).unwrap_or_default(),
            Kept::Tree(map) => Map::clone(map),
        }
    }
}

/// Room for the text of an ordinary schema, which then does not move while it grows.
const EXPECTED: usize = 512;

fn written(map: &Map<String, Value>) -> Option<Box<str>> {
    let mut text = Vec::with_capacity(EXPECTED);
    serde_json::to_writer(&mut text, map).ok()?;
    Some(String::from_utf8(text).ok()?.into_boxed_str())
}

/// Whether a value is the same after it was written and read.
fn comes_back(value: &Value, levels: usize) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Object(entries) => levels
            .checked_sub(1)
            .is_some_and(|left| entries.values().all(|value| comes_back(value, left))),
        Value::Array(items) => levels
            .checked_sub(1)
            .is_some_and(|left| items.iter().all(|item| comes_back(item, left))),
        _ => true,
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.map().fmt(f)
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.map().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_what_was_kept() {
        let text =
            r#"{"b":[1,-2.5,1e300,0.30000000000000004,18446744073709551615],"a":{"é\n":null}}"#;
        let map: Map<String, Value> = serde_json::from_str(text).unwrap();
        let kept = JsonObject::new(map.clone());
        assert_eq!(kept.map(), map);
        assert_eq!(
            serde_json::to_string(&kept).unwrap(),
            serde_json::to_string(&map).unwrap()
        );
    }

    #[test]
    fn depth_is_no_obstacle() {
        for depth in [1, 98, 99, 100, 101, 127, 128, 300] {
            let deep = (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
            let map = Map::from_iter([("a".to_owned(), deep)]);
            assert_eq!(JsonObject::new(map.clone()).map(), map, "{depth}");
        }
    }
}
