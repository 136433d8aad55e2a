//! Where in a value a format of the schema applies.
//!
//! The validator takes a format for documentation. What a format stands for, a path in a workspace for
//! one, is somebody else's to do, who has to find every text it is said of, however the schema says it:
//! in lists and in objects below, by reference, and in any of several forms.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::schema::patterns;
use crate::schema_part::Part;
use crate::{ArgumentFault, CompiledSchema};

/// How many steps through a schema and a value are taken.
const MOST_STEPS: usize = 2_000_000;

/// The longest way through both.
const MOST_DEPTH: usize = 1_024;

/// How many texts a format may be said of.
const MOST_PLACES: usize = 10_000;

/// A text that a format is said of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatPlace {
    /// For people: `paths[2]`, `scene.file`.
    pub path: String,
    /// For [`Value::pointer`].
    pub pointer: String,
}

impl CompiledSchema {
    /// Whether some part of the schema names the format.
    pub fn has_format(&self, format: &str) -> bool {
        let mut open = vec![self.schema()];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(members) => {
                    if members.get("format").and_then(Value::as_str) == Some(format) {
                        return true;
                    }
                    open.extend(members.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        false
    }

    /// The texts in a value that the schema says the format of. Of alternatives each one counts, for the
    /// format of one is no less meant because another form fits as well.
    ///
    /// ```
    /// # use metier_tool::CompiledSchema;
    /// # use serde_json::json;
    /// let schema = json!({"properties": {"files": {"items": {"anyOf": [{"format": "file"}, {"type": "null"}]}}}});
    /// let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
    /// let places = schema.places_of_format("file", &json!({"files": [null, "a.txt"]})).unwrap();
    /// assert_eq!(places[0].path, "files[1]");
    /// assert_eq!(places[0].pointer, "/files/1");
    /// ```
    ///
    /// # Errors
    /// There are too many, or the value is too large to look through.
    pub fn places_of_format(
        &self,
        format: &str,
        value: &Value,
    ) -> Result<Vec<FormatPlace>, ArgumentFault> {
        if !self.has_format(format) {
            return Ok(Vec::new());
        }
        let mut search = Search {
            format,
            steps: MOST_STEPS,
            depth: 0,
            at: FormatPlace {
                path: String::new(),
                pointer: String::new(),
            },
            found: BTreeMap::new(),
            patterns: BTreeMap::new(),
        };
        search
            .walk(Part::root(self.schema()), value)
            .map_err(|TooMuch| ArgumentFault {
                path: String::new(),
                message: format!(
                    "too large: at most {MOST_PLACES} texts of the format {format} are taken at once; send less"
                ),
            })?;
        Ok(search
            .found
            .into_iter()
            .map(|(pointer, path)| FormatPlace { path, pointer })
            .collect())
    }
}

struct TooMuch;

struct Search<'a> {
    format: &'a str,
    steps: usize,
    depth: usize,
    at: FormatPlace,
    /// Paths by pointers.
    found: BTreeMap<String, String>,
    patterns: BTreeMap<&'a str, Option<Validator>>,
}

impl<'a> Search<'a> {
    fn walk(&mut self, part: Part<'a>, value: &Value) -> Result<(), TooMuch> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMuch)?;
        let Value::Object(schema) = part.schema else {
            return Ok(());
        };
        if self.depth > MOST_DEPTH {
            return Err(TooMuch);
        }
        self.depth += 1;
        self.here(part, schema, value)?;
        match value {
            Value::String(_)
                if schema.get("format").and_then(Value::as_str) == Some(self.format) =>
            {
                self.found
                    .insert(self.at.pointer.clone(), self.at.path.clone());
                if self.found.len() > MOST_PLACES {
                    return Err(TooMuch);
                }
            }
            Value::Object(members) => self.members(part, schema, members)?,
            Value::Array(items) => self.items(part, schema, items)?,
            _ => {}
        }
        self.depth -= 1;
        Ok(())
    }

    /// What else is said of the same value.
    fn here(
        &mut self,
        part: Part<'a>,
        schema: &'a Map<String, Value>,
        value: &Value,
    ) -> Result<(), TooMuch> {
        for (key, said) in schema {
            match (key.as_str(), said) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(target)) => {
                    if let Some(target) = part.target(target) {
                        self.walk(target, value)?;
                    }
                }
                ("if" | "then" | "else", said) => self.walk(part.within(said), value)?,
                ("allOf" | "anyOf" | "oneOf", Value::Array(said)) => {
                    for said in said {
                        self.walk(part.within(said), value)?;
                    }
                }
                ("dependentSchemas" | "dependencies", Value::Object(said)) => {
                    for said in said.values() {
                        self.walk(part.within(said), value)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn members(
        &mut self,
        part: Part<'a>,
        schema: &'a Map<String, Value>,
        members: &Map<String, Value>,
    ) -> Result<(), TooMuch> {
        let named = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let others = ["additionalProperties", "unevaluatedProperties"].map(|key| schema.get(key));
        if named.is_none() && patterns.is_none() && others.iter().all(Option::is_none) {
            return Ok(());
        }
        for (name, member) in members {
            let mut is_known = false;
            if let Some(said) = named.and_then(|named| named.get(name)) {
                is_known = true;
                self.member(part.within(said), name, member)?;
            }
            for (pattern, said) in patterns.into_iter().flatten() {
                if self.is_match(pattern, name) {
                    is_known = true;
                    self.member(part.within(said), name, member)?;
                }
            }
            if !is_known {
                for said in others.into_iter().flatten() {
                    self.member(part.within(said), name, member)?;
                }
            }
        }
        Ok(())
    }

    fn items(
        &mut self,
        part: Part<'a>,
        schema: &'a Map<String, Value>,
        items: &[Value],
    ) -> Result<(), TooMuch> {
        let first = ["prefixItems", "items"]
            .iter()
            .find_map(|key| schema.get(*key)?.as_array());
        let rest = ["items", "additionalItems", "unevaluatedItems"]
            .iter()
            .find_map(|key| schema.get(*key).filter(|said| !said.is_array()));
        for (n, item) in items.iter().enumerate() {
            let own = first.and_then(|first| first.get(n));
            if let Some(said) = own.or(rest) {
                let (path, pointer) = (self.at.path.len(), self.at.pointer.len());
                let _ = write!(self.at.path, "[{n}]");
                let _ = write!(self.at.pointer, "/{n}");
                self.walk(part.within(said), item)?;
                self.at.path.truncate(path);
                self.at.pointer.truncate(pointer);
            }
        }
        Ok(())
    }

    fn member(&mut self, part: Part<'a>, name: &str, value: &Value) -> Result<(), TooMuch> {
        let (path, pointer) = (self.at.path.len(), self.at.pointer.len());
        if path > 0 {
            self.at.path.push('.');
        }
        self.at.path.push_str(name);
        self.at.pointer.push('/');
        self.at
            .pointer
            .push_str(&name.replace('~', "~0").replace('/', "~1"));
        self.walk(part, value)?;
        self.at.path.truncate(path);
        self.at.pointer.truncate(pointer);
        Ok(())
    }

    /// A pattern that cannot be used is taken to match: a format is better kept too often.
    fn is_match(&mut self, pattern: &'a str, name: &str) -> bool {
        let compiled = self.patterns.entry(pattern).or_insert_with(|| {
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
