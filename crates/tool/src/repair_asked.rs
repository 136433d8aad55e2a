//! All that a schema asks of one value: by itself, by reference, by `allOf`, and by the one form that is meant.

use serde_json::{Map, Value};

use crate::schema_part::Part;
use crate::schema_words::is_kind;

/// More parts than this about one value are not looked at; then nothing is repaired by them.
const MOST_PARTS: usize = 64;

/// The parts of a schema that one value has to satisfy.
pub(crate) struct Asked<'a> {
    parts: Vec<Part<'a>>,
    /// Choices of which it is open what is meant.
    open: Vec<Choice<'a>>,
}

/// An `anyOf` or `oneOf`.
struct Choice<'a> {
    /// Without `null`.
    forms: Vec<Vec<Part<'a>>>,
    /// One form alone may fit.
    is_exclusive: bool,
}

impl Choice<'_> {
    fn takes(&self, kind: &str) -> bool {
        let accepting = self.forms.iter().filter(|form| all_accept(form, kind));
        match accepting.count() {
            0 => false,
            1 => true,
            // Forms of one kind differ in something else, of which the validator judges.
            _ => !self.is_exclusive || self.forms.iter().all(|form| one_names(form, kind)),
        }
    }
}

impl<'a> Asked<'a> {
    pub(crate) fn of(parts: &[Part<'a>], value: &Value) -> Self {
        let mut asked = Self {
            parts: Vec::new(),
            open: Vec::new(),
        };
        for part in parts {
            asked.gather(*part, value);
        }
        asked
    }

    pub(crate) fn parts(&self) -> &[Part<'a>] {
        &self.parts
    }

    /// Whether values are named one by one: these are never made of something else.
    pub(crate) fn names_values(&self) -> bool {
        self.parts
            .iter()
            .any(|part| part.schema.get("enum").is_some() || part.schema.get("const").is_some())
    }

    /// Whether a value of this type could pass, as far as types go.
    pub(crate) fn accepts(&self, kind: &str) -> bool {
        let some_accepts = |choice: &Choice<'_>| {
            let mut forms = choice.forms.iter();
            forms.any(|form| all_accept(form, kind))
        };
        all_accept(&self.parts, kind) && self.open.iter().all(some_accepts)
    }

    /// Whether a text could pass as it stands, as far as types and named values go.
    pub(crate) fn accepts_text(&self, text: &str) -> bool {
        let some_lists = |choice: &Choice<'_>| {
            let mut forms = choice.forms.iter();
            forms.any(|form| {
                all_accept(form, "string") && form.iter().all(|part| lists(*part, text))
            })
        };
        all_accept(&self.parts, "string") && self.open.iter().all(some_lists)
    }

    /// Whether the type is asked for by name.
    pub(crate) fn names(&self, kind: &str) -> bool {
        let in_choice = |choice: &Choice<'_>| choice.forms.iter().any(|form| one_names(form, kind));
        one_names(&self.parts, kind) || self.open.iter().any(in_choice)
    }

    /// Whether nothing speaks against making a value of this type: of a choice in which one form alone may fit, no
    /// second one takes it.
    pub(crate) fn takes(&self, kind: &str) -> bool {
        all_accept(&self.parts, kind) && self.open.iter().all(|choice| choice.takes(kind))
    }

    /// Whether the type is asked for by name, and nothing speaks against it.
    pub(crate) fn wants(&self, kind: &str) -> bool {
        self.names(kind) && self.takes(kind)
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        self.parts
            .iter()
            .any(|part| required(part.schema).any(|required| required == name))
    }

    fn gather(&mut self, part: Part<'a>, value: &Value) {
        if !add(&mut self.parts, part) {
            return;
        }
        for same in same_value(part) {
            self.gather(same, value);
        }
        for choice in ["anyOf", "oneOf"] {
            let Some(branches) = part.schema.get(choice).and_then(Value::as_array) else {
                continue;
            };
            let is_null = |branch: &&Value| branch.get("type") == Some(&Value::from("null"));
            if value.is_null() && branches.iter().any(|branch| is_null(&branch)) {
                continue;
            }
            // "This or null" is how optional values are usually written.
            let forms: Vec<Part<'a>> = branches
                .iter()
                .filter(|branch| !is_null(branch))
                .map(|branch| part.within(branch))
                .collect();
            let meant = match forms.as_slice() {
                [one] => Some(*one),
                several => the_one_that_fits(several, value),
            };
            match meant {
                Some(form) => self.gather(form, value),
                None if forms.is_empty() => {}
                None => self.open.push(Choice {
                    forms: forms.into_iter().map(plain).collect(),
                    is_exclusive: choice == "oneOf",
                }),
            }
        }
    }
}

/// Of forms for lists and objects the one that is meant; a single word or number may be several.
fn the_one_that_fits<'a>(forms: &[Part<'a>], value: &Value) -> Option<Part<'a>> {
    let mut fitting = forms.iter().filter(|form| {
        let parts = plain(**form);
        match value {
            Value::Object(object) => all_accept(&parts, "object") && fits(&parts, object),
            Value::Array(_) => all_accept(&parts, "array"),
            _ => false,
        }
    });
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Some(*one),
        _ => None,
    }
}

/// Whether the names, and the values that a form names, are this object's.
fn fits(form: &[Part<'_>], object: &Map<String, Value>) -> bool {
    form.iter().all(|part| {
        let properties = part.schema.get("properties").and_then(Value::as_object);
        let is_right = |(name, said): (&String, &Value)| {
            let Some(value) = object.get(name) else {
                return true;
            };
            let options = said.get("enum").and_then(Value::as_array);
            said.get("const").is_none_or(|one| one == value)
                && options.is_none_or(|options| options.contains(value))
        };
        let is_closed = part.schema.get("additionalProperties") == Some(&Value::Bool(false))
            && part.schema.get("patternProperties").is_none();
        properties.into_iter().flatten().all(is_right)
            && required(part.schema).all(|name| object.contains_key(name))
            && (!is_closed
                || object
                    .keys()
                    .all(|name| properties.is_some_and(|known| known.contains_key(name))))
    })
}

/// A part and what is said of the same value by reference and `allOf`.
fn plain(part: Part<'_>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut waiting = vec![part];
    while let Some(part) = waiting.pop() {
        if add(&mut parts, part) {
            waiting.extend(same_value(part));
        }
    }
    parts
}

/// Adds a part once; false if it is there already, or if there are too many.
fn add<'a>(parts: &mut Vec<Part<'a>>, part: Part<'a>) -> bool {
    let is_new = parts.len() < MOST_PARTS && parts.iter().all(|known| known.key() != part.key());
    if is_new {
        parts.push(part);
    }
    is_new
}

fn same_value(part: Part<'_>) -> impl Iterator<Item = Part<'_>> {
    let reference = part.schema.get("$ref").and_then(Value::as_str);
    let all = part.schema.get("allOf").and_then(Value::as_array);
    reference
        .and_then(|target| part.target(target))
        .into_iter()
        .chain(all.into_iter().flatten().map(move |said| part.within(said)))
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn all_accept(parts: &[Part<'_>], kind: &str) -> bool {
    parts.iter().all(|part| {
        let listed = named_values(*part);
        (listed.is_none_or(|values| values.iter().any(|value| is_kind(value, kind))))
            && (part.schema.get("type").is_none()
                || names(part.schema, kind)
                || (kind == "integer" && names(part.schema, "number")))
    })
}

/// The values that a schema names one by one.
fn named_values(part: Part<'_>) -> Option<&[Value]> {
    match (part.schema.get("enum"), part.schema.get("const")) {
        (Some(Value::Array(options)), _) => Some(options),
        (_, Some(one)) => Some(std::slice::from_ref(one)),
        _ => None,
    }
}

/// Whether a text is among the values that are named, if any are.
fn lists(part: Part<'_>, text: &str) -> bool {
    named_values(part).is_none_or(|values| values.iter().any(|value| value == text))
}

fn one_names(parts: &[Part<'_>], kind: &str) -> bool {
    parts.iter().any(|part| names(part.schema, kind))
}

/// Whether a schema names the type.
fn names(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(many)) => many.iter().any(|one| one == kind),
        _ => false,
    }
}
