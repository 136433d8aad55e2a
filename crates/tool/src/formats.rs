//! Where in a value a format of the schema applies.
//!
//! The validator takes a format for documentation. What a format stands for, a path in a workspace for
//! one, is somebody else's to do, who has to find every text it is said of, however the schema says it:
//! in lists and in objects below, by reference, and in any of several forms.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::name_patterns::NamePatterns;
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
            patterns: NamePatterns::default(),
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
    patterns: NamePatterns<'a>,
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
            Value::Array(items) => self.items(part, items)?,
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
        const SAYING: [&str; 4] = [
            "properties",
            "patternProperties",
            "additionalProperties",
            "unevaluatedProperties",
        ];
        if SAYING.iter().all(|key| !schema.contains_key(*key)) {
            return Ok(());
        }
        let others = schema.get("unevaluatedProperties");
        for (name, value) in members {
            // A pattern that cannot be used is taken to match: a format is better kept too often.
            let member = part.of_member(name, |pattern, name| self.patterns.matches(pattern, name));
            let others = others.filter(|_| !member.is_known);
            for said in member.parts {
                self.member(said, name, value)?;
            }
            if let Some(said) = others {
                self.member(part.within(said), name, value)?;
            }
        }
        Ok(())
    }

    fn items(&mut self, part: Part<'a>, items: &[Value]) -> Result<(), TooMuch> {
        for (n, item) in items.iter().enumerate() {
            if let Some(said) = part.of_item(n) {
                let (path, pointer) = (self.at.path.len(), self.at.pointer.len());
                let _ = write!(self.at.path, "[{n}]");
                let _ = write!(self.at.pointer, "/{n}");
                self.walk(said, item)?;
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
}
