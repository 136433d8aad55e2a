//! A tree as a schema: looked at and written as JSON without a second tree.

use metier_tool::{SchemaPart, is_plain_schema};
use serde::ser::{Error as _, SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use super::node::{Core, core_scalar};
use super::{Kind, Node};

/// Room for the text of an ordinary schema, which then does not move while it grows.
const EXPECTED: usize = 512;

impl Node<'_> {
    /// The JSON text of a schema that can be used as it is, where that is easy to see: no merges, no fractions, and
    /// keywords whose values have plain shapes. A scan reads more schemas than anything else.
    pub(crate) fn plain_schema(&self) -> Option<String> {
        if self.map()?.is_empty() || !is_plain_schema(self) {
            return None;
        }
        let mut text = Vec::with_capacity(EXPECTED);
        serde_json::to_writer(&mut text, &Json(self)).ok()?;
        text.shrink_to_fit();
        String::from_utf8(text).ok()
    }

    fn core(&self) -> Option<Core<'_>> {
        match &self.kind {
            Kind::Scalar { text, plain } => Some(core_scalar(text, *plain)),
            _ => None,
        }
    }
}

impl SchemaPart for Node<'_> {
    fn text(&self) -> Option<&str> {
        match self.core()? {
            Core::Text(text) => Some(text),
            _ => None,
        }
    }

    fn is_boolean(&self) -> bool {
        matches!(self.core(), Some(Core::Bool(_)))
    }

    fn is_number(&self) -> bool {
        matches!(self.core(), Some(Core::Number(_)))
    }

    fn is_count(&self) -> bool {
        matches!(self.core(), Some(Core::Number(number)) if number.is_u64())
    }

    fn items(&self) -> Option<&[Self]> {
        self.list()
    }

    fn each_member(&self, mut take: impl FnMut(&str, &Self) -> Option<()>) -> Option<()> {
        self.map()?.iter().try_for_each(|(key, value)| {
            if key.is_merge_key() {
                return None;
            }
            take(key.scalar_text()?, value)
        })
    }
}

/// A tree as [`Node::to_json`] reads it; an error where JSON would not come back as it was written.
struct Json<'n, 'a>(&'n Node<'a>);

impl Serialize for Json<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            Kind::Scalar { text, plain } => match core_scalar(text, *plain) {
                Core::Null => serializer.serialize_unit(),
                Core::Bool(flag) => serializer.serialize_bool(flag),
                Core::Number(number) if number.is_f64() => Err(S::Error::custom("a fraction")),
                Core::Number(number) => number.serialize(serializer),
                Core::Text(text) => serializer.serialize_str(text),
            },
            Kind::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    list.serialize_element(&Json(item))?;
                }
                list.end()
            }
            Kind::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    map.serialize_entry(&*key.key_str(), &Json(value))?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn text(schema: &str) -> Option<String> {
        let source = format!("it: {schema}\n");
        let root = parse(&source, 0).unwrap().root.unwrap();
        let it = root.get("it").unwrap();
        let text = it.plain_schema();
        if let Some(text) = &text {
            let read: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(read, it.to_json());
            assert_eq!(*text, it.to_json().to_string(), "the order is the author's");
        }
        text
    }

    #[test]
    fn a_plain_schema_is_written_as_it_is_read() {
        let schema = "{type: object, required: [b], properties: {b: {type: [string, 'null'], default: 'a \"é'}, \
                      a: {enum: [1, -2, yes, true, ~, '3']}}}";
        let written = text(schema).unwrap();
        assert!(
            written.contains(r#""enum":[1,-2,"yes",true,null,"3"]"#),
            "{written}"
        );
    }

    #[test]
    fn what_is_not_easy_to_see_is_left() {
        for schema in [
            "{}",
            "text",
            "[a]",
            "{type: string}",
            "{type: [object]}",
            "{type: objct}",
            "{$ref: x}",
            "{properties: {a: {minimum: 0.5}}}",
            "{properties: {a: {minimum: x}}}",
            "{properties: {a: {<<: {type: string}}}}",
            "{properties: {[a]: {type: string}}}",
            "{properties: {a: {default: [1]}}}",
        ] {
            assert_eq!(text(schema), None, "{schema}");
        }
    }
}
