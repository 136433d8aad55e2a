//! Schemas as authors write them: a mapping or JSON text.

use std::ops::Range;

use metier_skill_model::JsonObject;
use metier_tool::repeated_members;
use serde_json::{Map, Value};

use super::nearest;
use crate::findings::{Findings, brief};
use crate::yaml::{Node, NotMergeable};
use crate::{ParseMode, codes};

/// What is said of a schema that is of no object.
const OF_ANOTHER_TYPE: &str = "its type is ";
/// What is said of a schema that needs another file.
const REFERS_OUT: &str = "it refers to ";
/// The keys whose value leads to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// The keys whose value is data and no schema.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// A schema that was read.
pub(crate) enum Schema {
    /// It can be used, as a look has told.
    Checked(JsonObject),
    /// Whether it keeps the rules of JSON Schema is to be checked.
    Tree(Map<String, Value>),
}

/// Reads a schema; `Ok(None)` when there is none, an `Err` is the reason to refuse calls.
pub(crate) fn read_schema(
    findings: &mut Findings<'_>,
    tool: &str,
    key: &str,
    value: &Node<'_>,
) -> Result<Option<Schema>, String> {
    if let Some(text) = value.plain_schema() {
        return Ok(Some(Schema::Checked(JsonObject::from_text(text))));
    }
    let mut merged = None;
    let usable = usable(value, &mut merged);
    if let Some(place) = merged {
        let message = match findings.mode {
            ParseMode::Strict => "the merge key `<<` is not supported",
            ParseMode::Lenient => {
                "the merge key `<<` is applied as YAML 1.1 has it; others do not know it"
            }
        };
        findings
            .fault(codes::MERGE_KEY, &place, message)
            .help("write the keys out");
    }
    match usable {
        Ok(schema) => {
            if let Some(dialect) = schema.as_ref().and_then(|schema| schema.get("$schema"))
                && !is_known_dialect(dialect)
            {
                let message =
                    format!("`{tool}: {key}`: unknown `$schema` {dialect}; read as 2020-12");
                findings
                    .warning(codes::UNKNOWN_DIALECT, &value.span, message)
                    .help(
                        "remove `$schema`, or write `https://json-schema.org/draft/2020-12/schema`",
                    );
            }
            Ok(schema.map(Schema::Tree))
        }
        Err(fault) => {
            let reason = format!("its {key} cannot be used: {fault}");
            let kind = fault
                .starts_with(OF_ANOTHER_TYPE)
                .then(|| value.get("type"))
                .flatten();
            let refers_out = fault.starts_with(REFERS_OUT);
            let reference = refers_out.then(|| reference_place(value, findings.text()));
            let is_slip = kind.and_then(Node::text).is_some_and(|word| {
                word.eq_ignore_ascii_case("object") || nearest(word, &["object"]).is_some()
            });
            findings
                .error(
                    codes::UNUSABLE_SCHEMA,
                    &reference
                        .flatten()
                        .unwrap_or_else(|| kind.unwrap_or(value).span.clone()),
                    format!("`{tool}: {key}` cannot be used: {fault}; every call is refused"),
                )
                .help(if refers_out {
                    "copy what it refers to into `$defs` and refer to `#/$defs/NAME`"
                } else if is_slip {
                    "did you mean `object`?"
                } else {
                    "write a JSON Schema of `type: object`, as a mapping or as JSON text"
                });
            Err(reason)
        }
    }
}

/// Whether the value of a key is a schema, in every spelling of the key.
pub(crate) fn is_schema_key(key: &str) -> bool {
    matches!(
        key,
        "input_schema"
            | "input-schema"
            | "inputSchema"
            | "output_schema"
            | "output-schema"
            | "outputSchema"
    )
}

fn usable(
    value: &Node<'_>,
    merged: &mut Option<Range<usize>>,
) -> Result<Option<Map<String, Value>>, String> {
    if value.is_absent() {
        return Ok(None);
    }
    let schema = match value.text() {
        // A plain word or number is no JSON text, even where JSON would accept it.
        Some(text) if value.to_json().is_string() => {
            let schema = serde_json::from_str(text)
                .map_err(|error| format!("the JSON text is broken ({error})"))?;
            if let Some(place) = repeated_members(text).first() {
                return Err(format!(
                    "in its JSON text `{}` stands twice in the same object",
                    brief(place)
                ));
            }
            schema
        }
        _ => value.merged_json(merged).map_err(|NotMergeable| {
            "what `<<` merges is neither a mapping nor a list of mappings".to_owned()
        })?,
    };
    let schema = match schema {
        Value::Null => return Ok(None),
        // Any object, which is what no schema means.
        Value::Object(schema) if schema.is_empty() => return Ok(None),
        Value::Object(schema) => schema,
        Value::Array(_) => return Err("a list is no schema".to_owned()),
        Value::Bool(_) => return Err("true or false is no schema of an object".to_owned()),
        _ => return Err("it is neither a mapping nor JSON text of one".to_owned()),
    };
    let is_object = match schema.get("type") {
        None => true,
        Some(Value::Array(types)) => types.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    if !is_object {
        let found = schema.get("type").unwrap_or(&Value::Null).to_string();
        return Err(format!("{OF_ANOTHER_TYPE}{}, not object", brief(&found)));
    }
    if let Some(target) = reference_out_of(&schema) {
        return Err(format!("{REFERS_OUT}`{target}`, outside of itself"));
    }
    Ok(Some(schema))
}

fn is_known_dialect(dialect: &Value) -> bool {
    let Some(text) = dialect.as_str() else {
        return false;
    };
    let text = text.trim_end_matches('#');
    let text = text
        .strip_prefix("https")
        .or_else(|| text.strip_prefix("http"));
    matches!(
        text,
        Some(
            "://json-schema.org/draft-04/schema"
                | "://json-schema.org/draft-06/schema"
                | "://json-schema.org/draft-07/schema"
                | "://json-schema.org/draft/2019-09/schema"
                | "://json-schema.org/draft/2020-12/schema"
        )
    )
}

/// The first reference that leads out of the schema. Its depth is bounded by the file's.
fn reference_out_of(schema: &Map<String, Value>) -> Option<String> {
    schema
        .iter()
        .find_map(|(key, value)| match (key.as_str(), value) {
            (key, Value::String(target))
                if REFERENCES.contains(&key) && !target.starts_with('#') =>
            {
                Some(target.clone())
            }
            (key, _) if DATA.contains(&key) => None,
            _ => external_reference(value),
        })
}

fn external_reference(value: &Value) -> Option<String> {
    match value {
        Value::Object(entries) => reference_out_of(entries),
        Value::Array(items) => items.iter().find_map(external_reference),
        _ => None,
    }
}

/// Where the first reference out of a schema is written, in a file of this text: its target.
fn reference_place(schema: &Node<'_>, file: &str) -> Option<Range<usize>> {
    if let Some(written) = schema.text() {
        // A schema as JSON text. What escapes hide is not looked for: the whole text is marked then.
        let tree: Map<String, Value> = serde_json::from_str(written).ok()?;
        let target = Value::from(reference_out_of(&tree)?).to_string();
        let start = schema.span.start + file.get(schema.span.clone())?.find(&target)?;
        return Some(start..start + target.len());
    }
    if let Some(items) = schema.list() {
        return items
            .iter()
            .find_map(|item| reference_place_within(item, file));
    }
    let entries = schema.map()?;
    entries.iter().find_map(|(key, value)| {
        let key = key.text().unwrap_or_default();
        let target = value.text().filter(|target| !target.starts_with('#'));
        if REFERENCES.contains(&key) && target.is_some() {
            Some(value.span.clone())
        } else if DATA.contains(&key) {
            None
        } else {
            reference_place_within(value, file)
        }
    })
}

/// The same for a part, of which a text is no schema.
fn reference_place_within(part: &Node<'_>, file: &str) -> Option<Range<usize>> {
    match part.text() {
        Some(_) => None,
        None => reference_place(part, file),
    }
}
