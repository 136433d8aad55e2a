//! What a schema allows, in a few words.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::schema_fault::clipped;

/// More forms than this are counted, not named.
const MOST_FORMS: usize = 8;

/// `number or one of "low", "high"`: the forms of an `anyOf` or `oneOf`.
pub(crate) fn forms(branches: &Value, root: &Value) -> String {
    clipped(&words(branches, root).join(" or "))
}

/// What is said of a value whose kind is one of the forms in words: that an object was expected would tell nothing
/// of an object.
pub(crate) fn none_fits(
    branches: &Value,
    root: &Value,
    value: &Value,
    found: &str,
) -> Option<String> {
    let words = words(branches, root);
    let of_its_kind = |word: &String| word.split(" or ").any(|kind| is_kind(value, kind));
    words.iter().any(of_its_kind).then(|| {
        let count = branches.as_array().map_or(0, Vec::len);
        match words.as_slice() {
            [_] if count > 1 => {
                format!("expected one of {count} forms, found {found}, which fits none of them")
            }
            [one] => format!("expected {one} of a certain form, found {found}"),
            several => format!(
                "expected one of these forms, found {found}, which fits none of them: {}",
                clipped(&several.join(" or "))
            ),
        }
    })
}

/// Whether a value is of a kind that schemas name.
pub(crate) fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn words(branches: &Value, root: &Value) -> Vec<String> {
    let branches = branches.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    let mut rest = branches.iter();
    while words.len() < MOST_FORMS
        && let Some(branch) = rest.next()
    {
        let word = form(branch, root);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match rest.len() {
        0 => {}
        1 => words.push("one more form".to_owned()),
        more => words.push(format!("{more} more forms")),
    }
    words
}

fn form(branch: &Value, root: &Value) -> String {
    let schema = resolved(branch, root);
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return format!("one of {}", clipped(&values.join(", ")));
    }
    let mut word = match schema.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            let names: Vec<&str> = several.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => String::new(),
    };
    if let Some(Value::Array(names)) = schema.get("required") {
        let names: Vec<String> = names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| format!("`{name}`"))
            .collect();
        let with = format!("with {}", names.join(" and "));
        word = if word.is_empty() {
            with
        } else {
            format!("{word} {with}")
        };
    }
    let bounds = range(schema);
    if !bounds.is_empty() {
        word = format!("{word} ({bounds})");
    }
    if word.is_empty() {
        let title = schema.get("title").and_then(Value::as_str);
        return title.map_or_else(|| clipped(&schema.to_string()), ToOwned::to_owned);
    }
    word
}

/// One step: a chain of references is rare, and a circle of them must not hang this.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|target| root.pointer(target.strip_prefix('#')?))
        .unwrap_or(schema)
}

/// `1 to 100`, `at least 1`, `more than 0 and at most 1`; empty without bounds.
pub(crate) fn range(schema: &Value) -> String {
    let bound = |key: &str| schema.get(key).filter(|value| value.is_number());
    if let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) {
        return format!("{least} to {most}");
    }
    let words = [
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
    ];
    let parts: Vec<String> = words
        .iter()
        .filter_map(|(key, word)| Some(format!("{word} {}", bound(key)?)))
        .collect();
    parts.join(" and ")
}

/// What a keyword wants of a value, to stand behind "expected"; `None` where that takes more than the keyword.
pub(crate) fn wanted(kind: &ValidationErrorKind, keyword: &Value) -> Option<String> {
    use ValidationErrorKind as Kind;
    Some(match kind {
        Kind::MaxLength { limit } => format!("at most {}", counted(*limit, "character")),
        Kind::MinLength { limit } => format!("at least {}", counted(*limit, "character")),
        Kind::MaxItems { limit } => format!("at most {}", counted(*limit, "item")),
        Kind::MinItems { limit } => format!("at least {}", counted(*limit, "item")),
        Kind::MaxProperties { limit } => format!("at most {}", counted(*limit, "member")),
        Kind::MinProperties { limit } => format!("at least {}", counted(*limit, "member")),
        Kind::Pattern { pattern } => format!("a text that matches `{}`", clipped(pattern)),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            let pattern = keyword.as_str().unwrap_or("a pattern");
            format!(
                "a text that matches `{}`, which takes too many steps to tell",
                clipped(pattern)
            )
        }
        Kind::Format { format } => format!("a text in the format `{}`", clipped(format)),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::UniqueItems => "a list in which nothing stands twice".to_owned(),
        Kind::Contains => format!(
            "a list that contains an item of the form {}",
            clipped(keyword)
        ),
        Kind::Not { schema } => format!("anything but the form {}", clipped(schema)),
        _ => return None,
    })
}

fn counted(number: u64, what: &str) -> String {
    let more = if number == 1 { "" } else { "s" };
    format!("{number} {what}{more}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_told_together() {
        assert_eq!(range(&json!({"minimum": 1, "maximum": 100})), "1 to 100");
        assert_eq!(range(&json!({"minimum": 1})), "at least 1");
        assert_eq!(
            range(&json!({"exclusiveMinimum": 0, "maximum": 1})),
            "more than 0 and at most 1"
        );
        assert_eq!(range(&json!({"type": "integer"})), "");
    }

    #[test]
    fn many_forms_are_counted() {
        let branches: Vec<Value> = (0..20).map(|n| json!({"const": n})).collect();
        assert_eq!(
            forms(&Value::Array(branches), &Value::Null),
            "0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or 12 more forms"
        );
    }

    #[test]
    fn forms_name_types_values_and_members() {
        let root = json!({"$defs": {"p": {"type": "object", "required": ["x", "y"]}}});
        let branches = json!([
            {"type": "integer", "minimum": 0},
            {"enum": ["low", "high"]},
            {"const": null},
            {"$ref": "#/$defs/p"},
            {"required": ["a"]},
            {"type": "integer", "minimum": 0},
        ]);
        assert_eq!(
            forms(&branches, &root),
            "integer (at least 0) or one of \"low\", \"high\" or null or object with `x` and `y` or with `a`"
        );
    }
}
