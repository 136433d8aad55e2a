//! A JSON Schema made ready once, used for every call.

use std::fmt;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};

use crate::error::ArgumentFault;
use crate::schema_fault::{MOST_FAULTS, clipped, describe};
use crate::schema_shape::{Effort, Shape};
use crate::slow_pattern::SlowPatterns;

/// A schema that arguments or results are held against.
#[derive(Clone)]
pub struct CompiledSchema {
    schema: Value,
    shape: Shape,
    slow_patterns: SlowPatterns,
    validator: std::sync::Arc<Validator>,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The root must describe an object.
    #[error("the root must be of type object, found {0}")]
    RootNotObject(String),
    /// A reference leaves the schema.
    #[error("the reference `{0}` leaves the schema; put the definition under `$defs`")]
    ExternalReference(String),
    /// A reference leads back to itself before any part of a value is looked at.
    #[error("the reference `{0}` leads back to itself and describes nothing")]
    CircularReference(String),
    /// It is larger than a schema may be.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The most bytes of a schema.
        limit: usize,
    },
    /// It is nested too deeply, or its references form too long a chain.
    #[error("it is nested deeper than {limit} levels, references followed")]
    TooDeep {
        /// The most levels.
        limit: usize,
    },
    /// References lead to the same parts again and again.
    #[error(
        "it has more than {limit} parts when its references are followed; let fewer lead to the same place"
    )]
    TooManyParts {
        /// The most parts.
        limit: u64,
    },
    /// It is large and refers to its parts by anchor.
    #[error("it is too large for references by anchor; refer to `#/$defs/NAME`")]
    TooLargeForAnchors,
    /// It has too many regular expressions.
    #[error("it has more than {limit} patterns")]
    TooManyPatterns {
        /// The most patterns.
        limit: usize,
    },
    /// It breaks the rules of JSON Schema.
    #[error("not a valid JSON Schema: {0}")]
    Invalid(String),
}

/// Something about a schema that its author should know; the rest of the schema counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaNote {
    /// `$schema` names a dialect that is not known; the schema is read as 2020-12.
    UnknownDialect(String),
    /// A `pattern` cannot be compiled and is left out.
    UnusablePattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for SchemaNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownDialect(dialect) => {
                write!(
                    f,
                    "`$schema` names the unknown dialect `{dialect}`; the schema is read as 2020-12"
                )
            }
            Self::UnusablePattern { pattern, reason } => {
                write!(
                    f,
                    "the pattern `{pattern}` cannot be used ({reason}); it is not checked"
                )
            }
        }
    }
}

/// How many steps back a pattern may take from one place of a text before the match is given up.
const BACKTRACK_LIMIT: usize = 10_000;

/// From about so many bytes on a value takes long to check; with patterns that go back, from so many.
const LARGE: usize = 64 << 10;
const LARGE_FOR_SLOW_PATTERNS: usize = 1 << 10;

/// How large the automaton of one pattern may become, in bytes.
pub(crate) const PATTERN_SIZE: usize = 512 << 10;

impl CompiledSchema {
    /// Compiles a schema whose root is an object.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub fn compile(schema: &Map<String, Value>) -> Result<(Self, Vec<SchemaNote>), SchemaError> {
        if let Some(kind) = schema.get("type")
            && kind != "object"
        {
            return Err(SchemaError::RootNotObject(kind.to_string()));
        }
        let mut schema = Value::Object(schema.clone());
        let shape = Shape::of(&schema)?;
        let mut notes = Vec::new();
        if let Some(outside) = external_reference(&schema) {
            return Err(SchemaError::ExternalReference(outside));
        }
        if let Some(dialect) = unknown_dialect(&schema) {
            notes.push(SchemaNote::UnknownDialect(dialect));
            if let Value::Object(root) = &mut schema {
                root.remove("$schema");
            }
        }
        drop_unusable_patterns(&mut schema, &mut notes);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(false)
            .with_pattern_options(patterns())
            .build(&schema)
            .map_err(|error| {
                let place = error.instance_path().as_str().to_owned();
                let error = unknown_type(&error).unwrap_or_else(|| clipped(&error));
                SchemaError::Invalid(if place.is_empty() {
                    error
                } else {
                    format!("at `{place}`: {error}")
                })
            })?;
        Ok((
            Self {
                slow_patterns: SlowPatterns::of(&schema),
                schema,
                shape,
                validator: std::sync::Arc::new(validator),
            },
            notes,
        ))
    }

    /// The schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether repair and validation of these arguments are no work for a thread that others wait for.
    pub fn takes_long(&self, arguments: &Map<String, Value>) -> bool {
        let limit = if self.slow_patterns.is_empty() {
            LARGE
        } else {
            LARGE_FOR_SLOW_PATTERNS
        };
        is_larger(arguments, limit) || self.shape.takes_long(&self.schema, arguments)
    }

    /// Everything that is wrong with a value, in the order of the schema, at most fifty faults.
    ///
    /// For a value and schema that allow for very many faults it is only told that there are some.
    ///
    /// # Errors
    /// At least one fault.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<ArgumentFault>> {
        let whole = |message: &str| {
            Err(vec![ArgumentFault {
                path: String::new(),
                message: message.to_owned(),
            }])
        };
        if self.shape.is_too_deep(value) {
            return whole("nested too deeply to be checked");
        }
        let effort = self.shape.effort(&self.schema, value);
        if effort != Effort::TooMuch
            && let Some(refusal) = self.slow_patterns.refusal(&self.schema, value)
        {
            return Err(vec![refusal]);
        }
        match effort {
            Effort::Full => {}
            Effort::Brief if self.validator.is_valid(value) => return Ok(()),
            Effort::Brief => {
                return whole(
                    "something does not match the schema; the value is too large to tell what",
                );
            }
            Effort::TooMuch => {
                return whole("too large to be checked against the schema; send less at once");
            }
        }
        let faults: Vec<_> = self
            .validator
            .iter_errors(value)
            .flat_map(|error| describe(&error, &self.schema, value))
            .take(MOST_FAULTS)
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }
}

/// Whether an object is larger than so many bytes, roughly; it looks no further than it must.
fn is_larger(object: &Map<String, Value>, limit: usize) -> bool {
    let mut size = 0;
    let mut objects = vec![object];
    let mut open = Vec::new();
    while size <= limit {
        if let Some(object) = objects.pop() {
            size += object.keys().map(String::len).sum::<usize>();
            open.extend(object.values());
        } else if let Some(value) = open.pop() {
            size += 8;
            match value {
                Value::String(text) => size += text.len(),
                Value::Array(items) => open.extend(items),
                Value::Object(object) => objects.push(object),
                _ => {}
            }
        } else {
            return false;
        }
    }
    true
}

/// How patterns are compiled: linear where they can be, with bounded steps back where they cannot.
pub(crate) fn patterns() -> PatternOptions<jsonschema::FancyRegex> {
    PatternOptions::fancy_regex()
        .backtrack_limit(BACKTRACK_LIMIT)
        .size_limit(PATTERN_SIZE)
        .dfa_size_limit(PATTERN_SIZE)
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CompiledSchema").field(&self.schema).finish()
    }
}

fn unknown_dialect(schema: &Value) -> Option<String> {
    let dialect = schema.get("$schema")?.as_str()?;
    let known = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];
    (!known.iter().any(|name| dialect.contains(name))).then(|| dialect.to_owned())
}

/// The words for a `type` that there is none of; the validator speaks of its own schema's forms.
fn unknown_type(error: &jsonschema::ValidationError<'_>) -> Option<String> {
    const TYPES: [&str; 7] = [
        "string", "number", "integer", "boolean", "array", "object", "null",
    ];
    let is_form = matches!(
        error.kind(),
        jsonschema::error::ValidationErrorKind::AnyOf { .. }
    );
    if !is_form || !error.instance_path().as_str().ends_with("/type") {
        return None;
    }
    let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let found = match error.instance().as_ref() {
        Value::Array(kinds) => kinds.iter().find(|kind| !is_known(kind))?,
        kind => kind,
    };
    let found = found.as_str().map_or_else(|| clipped(found), clipped);
    let expected = TYPES.join(", ");
    Some(format!("expected one of {expected}; found `{found}`"))
}

/// The first `$ref` that points outside of the schema. Nothing is ever fetched.
fn external_reference(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(key, value)| match value {
            Value::String(target) if is_reference(key) && !target.starts_with('#') => {
                Some(target.clone())
            }
            // Examples and fixed values are data, not schema.
            _ if is_data(key) => None,
            other => external_reference(other),
        }),
        Value::Array(items) => items.iter().find_map(external_reference),
        _ => None,
    }
}

fn is_reference(key: &str) -> bool {
    matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef")
}

fn is_data(key: &str) -> bool {
    matches!(key, "const" | "enum" | "default" | "examples")
}

/// A pattern that no engine of ours can compile would take the whole schema along.
fn drop_unusable_patterns(schema: &mut Value, notes: &mut Vec<SchemaNote>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(pattern)) = members.get("pattern")
                && let Some(reason) = unusable(pattern)
            {
                let pattern = pattern.clone();
                members.remove("pattern");
                notes.push(SchemaNote::UnusablePattern { pattern, reason });
            }
            for (key, value) in members.iter_mut() {
                if !is_data(key) {
                    drop_unusable_patterns(value, notes);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                drop_unusable_patterns(item, notes);
            }
        }
        _ => {}
    }
}

fn unusable(pattern: &str) -> Option<String> {
    let mut probe = Map::new();
    probe.insert("pattern".to_owned(), Value::from(pattern));
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns())
        .build(&Value::Object(probe))
        .err()
        .map(|_| "it is no regular expression, or a very large one".to_owned())
}
