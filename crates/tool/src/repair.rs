//! Undoing the mistakes that models make, where nothing is lost.
//!
//! A value is changed only where the schema asks for another type and the change can be read in
//! one way alone. Enumerations, texts that look like numbers in a text field and everything the
//! schema accepts stay as they are.

use serde_json::{Map, Number, Value};

use crate::{CompiledSchema, inexact};

/// How deep references and nested schemas are followed; a schema that goes deeper is validated all
/// the same, only not repaired.
const DEPTH: usize = 32;

/// Significant digits that survive a binary floating point number.
const EXACT_DIGITS: usize = 15;

/// Changes arguments in place, as far as the schema asks for it.
///
/// - numeric text becomes a number, `3.0` an integer where one is wanted,
/// - `"true"` and `"false"` in any letter case become booleans,
/// - `null` is dropped for a property that is not required and accepts no null,
/// - JSON text becomes the list or object it holds, if that can be carried exactly ([`inexact`]).
pub fn repair(arguments: &mut Map<String, Value>, schema: &CompiledSchema) {
    repair_object(arguments, schema.schema(), schema.schema(), 0);
}

fn repair_object(object: &mut Map<String, Value>, schema: &Value, root: &Value, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let schema = resolve(schema, root, depth);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|required| required == name))
    };
    let mut dropped = Vec::new();
    for (name, value) in object.iter_mut() {
        let Some(wanted) = properties.get(name) else {
            continue;
        };
        let wanted = resolve(wanted, root, depth);
        if value.is_null() && !required(name) && !accepts(wanted, "null") {
            dropped.push(name.clone());
        } else {
            repair_value(value, wanted, root, depth + 1);
        }
    }
    for name in dropped {
        object.remove(&name);
    }
}

fn repair_value(value: &mut Value, schema: &Value, root: &Value, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let schema = only_branch(resolve(schema, root, depth), root, depth);
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return;
    }
    if let Some(better) = converted(value, schema) {
        *value = better;
    }
    match value {
        Value::Object(object) => repair_object(object, schema, root, depth + 1),
        Value::Array(items) => {
            if let Some(wanted) = schema.get("items") {
                for item in items {
                    repair_value(item, wanted, root, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn converted(value: &Value, schema: &Value) -> Option<Value> {
    match value {
        Value::Number(number) if wants(schema, "integer") && !wants(schema, "number") => {
            whole(number)
        }
        Value::String(text) if !accepts(schema, "string") => from_text(text, schema),
        _ => None,
    }
}

/// `3.0` as `3`.
fn whole(number: &Number) -> Option<Value> {
    if number.is_i64() || number.is_u64() {
        return None;
    }
    let float = number.as_f64()?;
    // Beyond 2^53 neighbouring integers share a float, and which one was meant is lost.
    let exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    exact
        .then(|| format!("{float:.0}").parse::<i64>().ok())
        .flatten()
        .map(Value::from)
}

fn from_text(text: &str, schema: &Value) -> Option<Value> {
    if (wants(schema, "integer") || wants(schema, "number"))
        && let Some(number) = number_of(text, wants(schema, "number"))
    {
        return Some(number);
    }
    if wants(schema, "boolean") {
        if text.eq_ignore_ascii_case("true") {
            return Some(Value::Bool(true));
        }
        if text.eq_ignore_ascii_case("false") {
            return Some(Value::Bool(false));
        }
    }
    let list = wants(schema, "array") && text.trim_start().starts_with('[');
    let object = wants(schema, "object") && text.trim_start().starts_with('{');
    if list || object {
        let read = serde_json::from_str(text).ok()?;
        // What would lose digits or settings on the way stays what the caller wrote.
        return inexact(text).is_empty().then_some(read);
    }
    None
}

fn number_of(text: &str, fractions: bool) -> Option<Value> {
    let number: Number = serde_json::from_str(text).ok()?;
    if number.is_i64() || number.is_u64() {
        return Some(Value::Number(number));
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if digits > EXACT_DIGITS {
        return None;
    }
    if fractions {
        Some(Value::Number(number))
    } else {
        whole(&number)
    }
}

/// Whether the schema names the type.
fn wants(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(many)) => many.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Whether a value of this type could pass; a schema without a type accepts all.
fn accepts(schema: &Value, kind: &str) -> bool {
    if let Some(options) = schema.get("enum").and_then(Value::as_array)
        && kind == "null"
    {
        return options.iter().any(Value::is_null);
    }
    let branches = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(*key)?.as_array());
    if let Some(branches) = branches {
        return branches.iter().any(|branch| accepts(branch, kind));
    }
    schema.get("type").is_none() || wants(schema, kind)
}

/// "This or null" is how optional values are usually written; the one other branch then says what is
/// wanted. Where several branches could be meant, nothing is repaired.
fn only_branch<'a>(schema: &'a Value, root: &'a Value, depth: usize) -> &'a Value {
    let Some(branches) = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(*key)?.as_array())
    else {
        return schema;
    };
    let mut others = branches
        .iter()
        .filter(|branch| branch.get("type") != Some(&Value::from("null")));
    match (others.next(), others.next()) {
        (Some(one), None) => resolve(one, root, depth),
        _ => schema,
    }
}

/// Follows `$ref` inside the schema.
fn resolve<'a>(schema: &'a Value, root: &'a Value, depth: usize) -> &'a Value {
    let mut at = schema;
    for _ in depth..DEPTH {
        let Some(target) = at.get("$ref").and_then(Value::as_str) else {
            return at;
        };
        let Some(next) = target
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer))
        else {
            return at;
        };
        at = next;
    }
    at
}
