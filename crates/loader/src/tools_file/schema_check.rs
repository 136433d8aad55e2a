//! Whether a schema can be compiled, with the place of what keeps it from that.

use std::ops::Range;

use metier_diagnostics::Severity;
use metier_tool::{PatternBudget, SCHEMA_TYPES, SchemaError, SchemaNote, check_schema};
use serde_json::{Map, Value};

use super::nearest;
use crate::codes;
use crate::findings::{Findings, brief};
use crate::places::place_in_schema;
use crate::yaml::Node;

/// Words of other languages for a type.
const TYPE_WORDS: [(&str, &str); 12] = [
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("numeric", "number"),
    ("str", "string"),
    ("text", "string"),
    ("bool", "boolean"),
    ("list", "array"),
    ("dict", "object"),
    ("map", "object"),
    ("none", "null"),
];

/// Checks a schema that was written as the value of a key; the answer is the reason to refuse calls.
pub(super) fn check_written(
    findings: &mut Findings<'_>,
    tool: &str,
    (key, value): (&Node<'_>, &Node<'_>),
    schema: &Map<String, Value>,
    patterns: &mut PatternBudget,
) -> Option<String> {
    let name = key.key_text();
    match check_schema(schema, patterns) {
        Ok(notes) => {
            for note in notes {
                // Told where the schema was read.
                if matches!(note, SchemaNote::UnknownDialect(_)) {
                    continue;
                }
                if !findings.has_room(Severity::Warning) {
                    findings.left_out_at(Severity::Warning, &key.span);
                    continue;
                }
                let message = format!("`{name}` of the tool `{tool}`: {note}");
                findings
                    .warning(codes::SCHEMA_NOTE, &key.span, message)
                    .help("write a pattern that can be used, or remove it; until then the value is not held against it");
            }
            None
        }
        Err(error) => {
            let place = place_of(findings.text(), key, value, &error);
            let message = format!("`{name}` of the tool `{tool}` cannot be used: {error}");
            findings
                .error(codes::INVALID_SCHEMA, &place, message)
                .help(cure(schema, &error));
            Some(format!("its {name} cannot be used: {error}"))
        }
    }
}

/// The part that breaks a rule; the key where the schema does so as a whole.
fn place_of(text: &str, key: &Node<'_>, value: &Node<'_>, error: &SchemaError) -> Range<usize> {
    match error {
        SchemaError::Invalid { at, .. } if !at.is_empty() => {
            let path: Vec<String> = steps(at).collect();
            place_in_schema(text, value, &path).unwrap_or_else(|| key.span.clone())
        }
        _ => key.span.clone(),
    }
}

/// The steps of a JSON pointer.
fn steps(pointer: &str) -> impl Iterator<Item = String> {
    let steps = pointer.split('/').skip(1);
    steps.map(|step| step.replace("~1", "/").replace("~0", "~"))
}

fn cure(schema: &Map<String, Value>, error: &SchemaError) -> String {
    specific_cure(schema, error)
        .unwrap_or_else(|| "mend the schema; until then the tool refuses calls".to_owned())
}

fn specific_cure(schema: &Map<String, Value>, error: &SchemaError) -> Option<String> {
    let SchemaError::Invalid { at, .. } = error else {
        return None;
    };
    let mut steps = steps(at);
    let first = schema.get(&steps.next()?)?;
    let found = steps.try_fold(first, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(&step),
    })?;
    if at.ends_with("/type") {
        let wrong = match found {
            Value::Array(kinds) => kinds.iter().find_map(|kind| {
                let kind = kind.as_str()?;
                (!SCHEMA_TYPES.contains(&kind)).then_some(kind)
            })?,
            kind => kind.as_str()?,
        };
        let word = wrong.to_lowercase();
        let meant = TYPE_WORDS.iter().find(|(other, _)| *other == word);
        let near = meant
            .map(|(_, kind)| *kind)
            .or_else(|| nearest(&word, &SCHEMA_TYPES))?;
        return Some(format!("did you mean `{near}`?"));
    }
    if at.ends_with("/required") {
        return match found {
            Value::String(name) => Some(format!("write `[{}]`", brief(name))),
            // A flag of a property, as draft 3 had it.
            Value::Bool(_) => Some(
                "list the names of required properties beside `properties`: `required: [name]`"
                    .to_owned(),
            ),
            _ => None,
        };
    }
    None
}
