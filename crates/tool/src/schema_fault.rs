//! A validator's finding in words that a model can act on.

use std::fmt::{self, Write as _};

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::ArgumentFault;
use crate::schema_words::{forms, none_fits, range, wanted};

/// The longest piece of a caller's value that is repeated to the caller.
const SHOWN: usize = 80;

/// More faults than this help nobody; an answer must not grow with what was sent.
pub(crate) const MOST_FAULTS: usize = 50;

/// Names longer than this are no slips of the hand, and comparing them costs.
const COMPARED: usize = 128;

/// One finding can name several arguments (every unknown one), hence a list.
///
/// `whole` is the value that was checked, of which the finding is about a part.
pub(crate) fn describe(
    error: &ValidationError<'_>,
    schema: &Value,
    whole: &Value,
) -> Vec<ArgumentFault> {
    let place = dotted(error.instance_path().as_str());
    let found = shown(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![fault(
                &join(&place, name),
                "required, but absent".to_owned(),
            )]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = known_names(schema, error);
            unexpected
                .iter()
                .take(MOST_FAULTS)
                .map(|name| {
                    let message = match nearest(name, &known) {
                        Some(near) => format!("unknown argument, did you mean `{near}`?"),
                        None if known.is_empty() => {
                            "unknown argument; none is accepted here".to_owned()
                        }
                        None => format!(
                            "unknown argument, expected one of {}",
                            clipped(&known.join(", "))
                        ),
                    };
                    fault(&join(&place, name), message)
                })
                .collect()
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(many) => {
                    let names: Vec<_> = many.iter().map(|one| one.to_string()).collect();
                    names.join(" or ")
                }
            };
            vec![fault(&place, format!("expected {wanted}, found {found}"))]
        }
        ValidationErrorKind::Enum { options } => {
            vec![fault(
                &place,
                format!("expected one of {}, found {found}", clipped(options)),
            )]
        }
        ValidationErrorKind::Constant { expected_value } => {
            let message = format!("expected {}, found {found}", clipped(expected_value));
            vec![fault(&place, message)]
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let branches = at_keyword(schema, error);
            let mut message = match none_fits(branches, schema, error.instance(), &found) {
                Some(message) => message,
                None => format!("expected {}, found {found}", forms(branches, schema)),
            };
            if let Some(nearest) = nearest_form(context, error, schema, whole) {
                message.push_str("; the nearest form wants ");
                message.push_str(&nearest);
            }
            vec![fault(&place, message)]
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            let message = format!(
                "expected exactly one of these forms, found {found}, which is several of them: {}",
                forms(at_keyword(schema, error), schema)
            );
            vec![fault(&place, message)]
        }
        ValidationErrorKind::Minimum { .. }
        | ValidationErrorKind::Maximum { .. }
        | ValidationErrorKind::ExclusiveMinimum { .. }
        | ValidationErrorKind::ExclusiveMaximum { .. } => {
            let asked = around(schema, error);
            let mut message = format!("expected {}, found {found}", range(asked));
            // What the author says of it often says more than the bound, the unit for one.
            if let Some(said) = asked.get("description").and_then(Value::as_str) {
                let _ = write!(message, " ({})", clipped(said.trim()));
            }
            vec![fault(&place, message)]
        }
        ValidationErrorKind::FalseSchema => nothing_allowed(error, &place, whole),
        ValidationErrorKind::PropertyNames { error: inner } => {
            let name = clipped(inner.instance());
            let message = match wanted(inner.kind(), at_keyword(schema, inner)) {
                Some(wanted) => format!("the name {name} is not as wanted: expected {wanted}"),
                None => clipped(&inner.masked_with(format!("the name {name}"))),
            };
            vec![fault(&place, message)]
        }
        // What is wanted is said first, and of a long value a piece: the validator's own words begin with all of it.
        kind => {
            let message = match wanted(kind, at_keyword(schema, error)) {
                Some(wanted) => format!("expected {wanted}, found {found}{}", size(kind, error)),
                None => clipped(&error.masked_with(found)),
            };
            vec![fault(&place, message)]
        }
    }
}

/// The schema `false`: of a property, or of all properties where none has a name.
fn nothing_allowed(error: &ValidationError<'_>, place: &str, whole: &Value) -> Vec<ArgumentFault> {
    let of_the_rest = ["/additionalProperties", "/unevaluatedProperties"];
    let keyword = error.schema_path().as_str();
    let here = whole.pointer(error.instance_path().as_str());
    match here.and_then(Value::as_object) {
        Some(object) if of_the_rest.iter().any(|rest| keyword.ends_with(rest)) => object
            .keys()
            .take(MOST_FAULTS)
            .map(|name| {
                fault(
                    &join(place, name),
                    "unknown argument; none is accepted here".to_owned(),
                )
            })
            .collect(),
        _ => vec![fault(
            place,
            "nothing is accepted here; leave it out".to_owned(),
        )],
    }
}

/// How much there is of a value that is refused for its size.
fn size(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    let value = error.instance();
    match (kind, value.as_str(), value.as_array(), value.as_object()) {
        (Kind::MinLength { .. } | Kind::MaxLength { .. }, Some(text), ..) => {
            format!(" ({} characters)", text.chars().count())
        }
        (Kind::MinItems { .. } | Kind::MaxItems { .. }, _, Some(items), _) => {
            format!(" ({} items)", items.len())
        }
        (Kind::MinProperties { .. } | Kind::MaxProperties { .. }, _, _, Some(members)) => {
            format!(" ({} members)", members.len())
        }
        _ => String::new(),
    }
}

/// The value of the keyword that failed.
fn at_keyword<'s>(schema: &'s Value, error: &ValidationError<'_>) -> &'s Value {
    let found = schema.pointer(error.schema_path().as_str());
    found.unwrap_or(&Value::Null)
}

/// The schema that holds the keyword.
fn around<'s>(schema: &'s Value, error: &ValidationError<'_>) -> &'s Value {
    let pointer = error.schema_path().as_str();
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    schema.pointer(parent).unwrap_or(&Value::Null)
}

/// What is wrong by the form that is nearest, or by two that are as near; `None` when none is of the value's kind.
fn nearest_form(
    branches: &[Vec<ValidationError<'static>>],
    error: &ValidationError<'_>,
    schema: &Value,
    whole: &Value,
) -> Option<String> {
    let here = error.instance_path().as_str();
    let is_deeper = |fault: &&ValidationError<'_>| {
        fault.instance_path().as_str() != here
            || matches!(
                fault.kind(),
                ValidationErrorKind::Required { .. }
                    | ValidationErrorKind::AdditionalProperties { .. }
            )
    };
    let mut inside: Vec<_> = branches
        .iter()
        .filter(|faults| !faults.is_empty() && faults.iter().all(|fault| is_deeper(&fault)))
        .collect();
    // A member with a fixed value says which form is meant.
    let names_another = |faults: &&Vec<ValidationError<'_>>| {
        let mut kinds = faults.iter().map(ValidationError::kind);
        kinds.any(|kind| matches!(kind, ValidationErrorKind::Constant { .. }))
    };
    if inside.iter().any(|faults| !names_another(faults)) {
        inside.retain(|faults| !names_another(faults));
    }
    let least = inside.iter().map(|faults| faults.len()).min()?;
    // What several forms require is told with the forms.
    let is_absence =
        |fault: &ValidationError<'_>| matches!(fault.kind(), ValidationErrorKind::Required { .. });
    if inside.len() > 1 && inside.iter().all(|faults| faults.iter().all(is_absence)) {
        return None;
    }
    let texts: Vec<String> = inside
        .iter()
        .filter(|faults| faults.len() == least)
        .take(2)
        .map(|faults| told(faults, schema, whole))
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| clipped(&texts.join("; or ")))
}

fn told(faults: &[ValidationError<'_>], schema: &Value, whole: &Value) -> String {
    let texts: Vec<String> = faults
        .iter()
        // A form inside a form is not told again: this must not grow with the schema.
        .filter(|fault| {
            !matches!(
                fault.kind(),
                ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. }
            )
        })
        .flat_map(|fault| describe(fault, schema, whole))
        .take(3)
        .map(|fault| format!("`{}`: {}", fault.path, fault.message))
        .collect();
    texts.join(", ")
}

fn fault(path: &str, message: String) -> ArgumentFault {
    let path = clipped(path);
    ArgumentFault { path, message }
}

/// `/names/2/x` as `names[2].x`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    // Keys of a value can be long, and what comes after that is not shown.
    let pointer = pointer.get(..SHOWN * 64).unwrap_or(pointer);
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty() && !path.is_empty() {
            path.push('[');
            path.push_str(&part);
            path.push(']');
        } else {
            path = join(&path, &part);
        }
    }
    path
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn shown(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    format!("the {kind} {}", clipped(value))
}

/// A text of which no more is made than is shown: values and lists of options can be megabytes.
pub(crate) fn clipped(text: &(impl fmt::Display + ?Sized)) -> String {
    struct Start(String);
    impl fmt::Write for Start {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            for character in piece.chars() {
                self.0.push(character);
                if self.0.len() > SHOWN * 16 {
                    return Err(fmt::Error);
                }
            }
            Ok(())
        }
    }
    let mut start = Start(String::new());
    // An error is the end of what is wanted.
    _ = write!(start, "{text}");
    let text = start.0;
    if text.chars().count() <= SHOWN * 4 {
        return text;
    }
    let mut short: String = text.chars().take(SHOWN).collect();
    short.push('…');
    short
}

/// The property names that the schema knows at the place of the error.
fn known_names(schema: &Value, error: &ValidationError<'_>) -> Vec<String> {
    let mut names: Vec<String> = around(schema, error)
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    names.sort();
    names
}

fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    if name.len() > COMPARED {
        return None;
    }
    known
        .iter()
        .filter(|candidate| candidate.len() <= COMPARED)
        .map(|candidate| {
            (
                strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
