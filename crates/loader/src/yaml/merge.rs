//! Merge keys, as YAML 1.1 has them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Kind, Node};

/// Why a merge cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotMergeable;

impl Node<'_> {
    /// Whether it is the plain word `<<`, which as a key means a merge.
    pub(crate) fn is_merge_key(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if &**text == "<<")
    }

    /// The first merge key anywhere inside, aliases followed.
    pub(crate) fn first_merge_key(&self) -> Option<&Range<usize>> {
        match &self.kind {
            Kind::Scalar { .. } => None,
            Kind::List(items) => items.iter().find_map(Node::first_merge_key),
            Kind::Map(entries) => entries.iter().find_map(|(key, value)| {
                if key.is_merge_key() {
                    Some(&key.span)
                } else {
                    value.first_merge_key()
                }
            }),
        }
    }

    /// The value as JSON with every merge applied: keys of the mapping itself win, and of several
    /// merged mappings the earlier one. The place of the first merge key is noted.
    ///
    /// It is bounded by the limit on aliases, since a merge only takes what is written out already.
    pub(crate) fn merged_json(
        &self,
        first: &mut Option<Range<usize>>,
    ) -> Result<Value, NotMergeable> {
        match &self.kind {
            Kind::Scalar { .. } => Ok(self.to_json()),
            Kind::List(items) => {
                let mut merged = Vec::with_capacity(items.len());
                for item in &**items {
                    merged.push(item.merged_json(first)?);
                }
                Ok(Value::Array(merged))
            }
            Kind::Map(_) => self.merged_map(first).map(Value::Object),
        }
    }

    fn merged_map(
        &self,
        first: &mut Option<Range<usize>>,
    ) -> Result<Map<String, Value>, NotMergeable> {
        let entries = self.map().ok_or(NotMergeable)?;
        // A scan makes more of these than of anything else: none grows while it is filled.
        let mut merged = Map::with_capacity(entries.len());
        for (key, value) in entries {
            if !key.is_merge_key() {
                merged.insert(key.key_text(), value.merged_json(first)?);
                continue;
            }
            first.get_or_insert_with(|| key.span.clone());
            let single = std::slice::from_ref(value);
            for source in value.list().unwrap_or(single) {
                for (name, value) in source.merged_map(first)? {
                    merged.entry(name).or_insert(value);
                }
            }
        }
        Ok(merged)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::super::parse;
    use super::*;

    fn merged(text: &str) -> Result<Value, NotMergeable> {
        let root = parse(text, 0).unwrap().root.unwrap();
        root.get("it").unwrap().merged_json(&mut None)
    }

    #[test]
    fn own_keys_win_and_then_the_earlier_mapping() {
        let text = "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\n";
        let check = |it: &str, meaning| assert_eq!(merged(&format!("{text}it: {it}\n")), meaning);
        check("{<<: *one, b: 3}", Ok(json!({"a": 1, "b": 3})));
        check("{b: 3, <<: *one}", Ok(json!({"b": 3, "a": 1})));
        check("{<<: [*one, *two]}", Ok(json!({"a": 1, "b": 1, "c": 2})));
        check(
            "{x: {<<: {<<: *two, c: 4}}}",
            Ok(json!({"x": {"b": 2, "c": 4}})),
        );
        check("{<<: 5}", Err(NotMergeable));
        check("{<<: [*one, 5]}", Err(NotMergeable));
        check("{'<<': *one}", Ok(json!({"<<": {"a": 1, "b": 1}})));
    }

    #[test]
    fn a_merge_of_merges_is_bounded_by_the_limit_on_aliases() {
        let mut text = "a0: &a0 {k: 1}\n".to_owned();
        for level in 1..40 {
            let before = level - 1;
            writeln!(
                text,
                "a{level}: &a{level} {{<<: [*a{before}, *a{before}], k{level}: 1}}"
            )
            .unwrap();
        }
        assert!(parse(&text, 0).is_err());
    }
}
