//! Undoing the mistakes that models make, where nothing is lost.
//!
//! A value is changed only where the schema asks for another type and the change can be read in
//! one way alone. What a schema asks of a value is gathered in `repair_asked.rs`. Enumerations, texts that look like numbers in a text field and everything the
//! schema accepts stay as they are.

use serde_json::{Map, Number, Value};

use crate::name_patterns::NamePatterns;
use crate::repair_asked::Asked;
use crate::schema_part::Part;
use crate::schema_words::is_kind;
use crate::{CompiledSchema, inexact};

/// How deep nested schemas are followed; a schema that goes deeper is validated all the same, only not
/// repaired.
const DEPTH: usize = 32;

/// So many parts of a schema are looked at; behind that nothing is repaired.
const MOST_STEPS: usize = 2_000_000;

/// Significant digits that survive a binary floating point number.
const EXACT_DIGITS: usize = 15;

/// Changes arguments in place, as far as the schema asks for it.
///
/// - numeric text becomes a number, `3.0` an integer where one is wanted,
/// - `"true"` and `"false"` in any letter case become booleans,
/// - `null` is dropped for a property that is not required and accepts no null,
/// - JSON text becomes the list or object it holds, if that can be carried exactly ([`inexact`]).
pub fn repair(arguments: &mut Map<String, Value>, schema: &CompiledSchema) {
    let mut value = Value::Object(std::mem::take(arguments));
    let mut repair = Repair {
        patterns: NamePatterns::default(),
        steps: MOST_STEPS,
    };
    repair.value(&mut value, &[Part::root(schema.schema())], 0);
    if let Value::Object(repaired) = value {
        *arguments = repaired;
    }
}

struct Repair<'a> {
    patterns: NamePatterns<'a>,
    steps: usize,
}

impl<'a> Repair<'a> {
    fn value(&mut self, value: &mut Value, parts: &[Part<'a>], depth: usize) {
        if depth > DEPTH {
            return;
        }
        let mut asked = self.asked(parts, value);
        if asked.names_values() || self.steps == 0 {
            return;
        }
        if let Some(better) = converted(value, &asked) {
            *value = better;
            asked = self.asked(parts, value);
        }
        match value {
            Value::Object(object) => self.object(object, &asked, depth + 1),
            Value::Array(items) => {
                for (n, item) in items.iter_mut().enumerate() {
                    let wanted: Vec<_> = asked
                        .parts()
                        .iter()
                        .filter_map(|part| part.of_item(n))
                        .collect();
                    if !wanted.is_empty() {
                        self.value(item, &wanted, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, object: &mut Map<String, Value>, asked: &Asked<'a>, depth: usize) {
        let mut dropped = Vec::new();
        for (name, value) in object.iter_mut() {
            if self.steps == 0 {
                break;
            }
            let mut wanted = Vec::new();
            let mut is_named = false;
            for part in asked.parts() {
                self.steps = self.steps.saturating_sub(1);
                let member = part.of_member(name, |pattern, name| {
                    self.steps = self.steps.saturating_sub(10);
                    self.patterns.matches(pattern, name)
                });
                is_named |= member.is_named;
                wanted.extend(member.parts);
            }
            if wanted.is_empty() {
                continue;
            }
            let can_go = value.is_null() && is_named && !asked.requires(name);
            if can_go && !self.asked(&wanted, value).accepts("null") {
                dropped.push(name.clone());
            } else {
                self.value(value, &wanted, depth + 1);
            }
        }
        for name in dropped {
            object.remove(&name);
        }
    }

    fn asked(&mut self, parts: &[Part<'a>], value: &Value) -> Asked<'a> {
        let asked = Asked::of(parts, value);
        self.steps = self.steps.saturating_sub(asked.parts().len());
        asked
    }
}

fn converted(value: &Value, asked: &Asked<'_>) -> Option<Value> {
    match value {
        Value::Number(number) if asked.wants("integer") && !asked.wants("number") => whole(number),
        Value::String(text) if !asked.accepts_text(text) => from_text(text, asked),
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

fn from_text(text: &str, asked: &Asked<'_>) -> Option<Value> {
    if (asked.names("integer") || asked.names("number"))
        && let Some(number) = number_of(text, asked.takes("number"))
    {
        let kind = if is_kind(&number, "integer") {
            "integer"
        } else {
            "number"
        };
        return asked.takes(kind).then_some(number);
    }
    if asked.wants("boolean") {
        if text.eq_ignore_ascii_case("true") {
            return Some(Value::Bool(true));
        }
        if text.eq_ignore_ascii_case("false") {
            return Some(Value::Bool(false));
        }
    }
    let list = asked.wants("array") && text.trim_start().starts_with('[');
    let object = asked.wants("object") && text.trim_start().starts_with('{');
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
