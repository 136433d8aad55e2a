//! Slips in a schema that is valid all the same: JSON Schema takes every word for a keyword.

use std::borrow::Cow;

use metier_catalog::WORKSPACE_URI;
use metier_diagnostics::Diagnostic;
use metier_skill_model::JsonObject;
use serde_json::{Map, Value};

use super::nearest;
use crate::codes::SCHEMA_SLIP;
use crate::places::Places;
use crate::subject::Subject;

/// How many slips of one schema are told.
const MOST: usize = 10;
/// Longer words are no slips of the pen.
const LONGEST: usize = 40;

/// Keywords whose value is a schema, or a list of them.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value has a schema by each name.
const NAMED_SCHEMAS: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];
/// The other keywords of the known dialects, and those that descriptions of web services add.
const OTHERS: [&str; 44] = [
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "discriminator",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "id",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// The formats of JSON Schema 2020-12, and ours.
const FORMATS: [&str; 20] = [
    WORKSPACE_URI,
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let places = Places::new(subject);
    for tool in &subject.metadata().tools {
        let schemas = [
            ("input_schema", &tool.input_schema),
            ("output_schema", &tool.output_schema),
        ];
        for (key, schema) in schemas {
            let schema = schema.as_ref().map(JsonObject::map);
            let mut slips = Slips::default();
            if let Some(schema) = &schema {
                slips.look(schema);
            }
            for slip in slips.found {
                let message = format!("`{key}` of the tool `{}`: {}", tool.name, slip.message);
                let mut path = vec![key];
                path.extend(slip.path.iter().map(String::as_str));
                let place = places.key(&tool.name, &path);
                let about = Diagnostic::warning(SCHEMA_SLIP, message).at(place, "");
                found.push(about.help(slip.help));
            }
        }
    }
    found
}

struct Slip {
    /// The way from the schema to the word.
    path: Vec<String>,
    message: String,
    help: String,
}

/// The slips of one schema.
#[derive(Default)]
struct Slips<'v> {
    found: Vec<Slip>,
    /// The way to what is being looked at.
    path: Vec<Cow<'v, str>>,
}

impl<'v> Slips<'v> {
    /// Its depth is bounded by that of the file.
    fn look(&mut self, schema: &'v Map<String, Value>) {
        let mut is_spelt = true;
        for (key, value) in schema {
            if self.found.len() >= MOST {
                return;
            }
            self.path.push(key.into());
            if SCHEMAS.contains(&key.as_str()) {
                self.look_at(value);
            } else if NAMED_SCHEMAS.contains(&key.as_str()) {
                for (name, value) in value.as_object().into_iter().flatten() {
                    self.below(name.into(), value);
                }
            } else if key == "format" {
                if let Some((format, known)) = value.as_str().and_then(meant_format) {
                    self.add(
                        format!("`format: {format}` is no format that is known, and nothing is checked by it"),
                        format!("did you mean `{known}`?"),
                    );
                }
            } else if let Some(keyword) = meant(key) {
                is_spelt = false;
                self.add(
                    format!("`{key}` is no keyword of JSON Schema and changes nothing"),
                    format!("did you mean `{keyword}`?"),
                );
            }
            self.path.pop();
        }
        // Behind a misspelt `properties` nothing can be said of what is required.
        if is_spelt {
            self.path.push("required".into());
            self.forbidden(schema);
            self.path.pop();
        }
    }

    fn look_at(&mut self, value: &'v Value) {
        match value {
            Value::Object(schema) => self.look(schema),
            Value::Array(schemas) => {
                for (number, value) in schemas.iter().enumerate() {
                    if value.is_object() {
                        self.below(number.to_string().into(), value);
                    }
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: Cow<'v, str>, value: &'v Value) {
        self.path.push(step);
        self.look_at(value);
        self.path.pop();
    }

    fn add(&mut self, message: String, help: String) {
        let path = self.path.iter().map(|step| step.clone().into_owned());
        self.found.push(Slip {
            path: path.collect(),
            message,
            help,
        });
    }

    fn forbidden(&mut self, schema: &Map<String, Value>) {
        for slip in required_and_forbidden(schema) {
            if self.found.len() >= MOST {
                return;
            }
            self.path.push(slip.place.to_string().into());
            self.add(slip.message, slip.help);
            self.path.pop();
        }
    }
}

/// A name that a value of a schema must have and must not have, so that no value fits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequiredAndForbidden {
    /// Its place in `required`, from 0.
    pub place: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// The names that a value of this schema must have and must not have.
pub fn required_and_forbidden(schema: &Map<String, Value>) -> Vec<RequiredAndForbidden> {
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || schema.contains_key("patternProperties") {
        return Vec::new();
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let names = || known.into_iter().flat_map(|known| known.keys());
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().enumerate();
    required
        .filter_map(|(place, name)| Some((place, name.as_str()?)))
        .filter(|(_, name)| name.len() <= LONGEST && !names().any(|known| known == name))
        .take(MOST)
        .map(|(place, name)| {
            let help = match nearest(name, names().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "add it to `properties`, or take it out of `required`".to_owned(),
            };
            RequiredAndForbidden {
                place,
                message: format!(
                    "`required` names `{name}`, which is not in `properties` and which `additionalProperties: false` forbids, so that no value fits"
                ),
                help,
            }
        })
        .collect()
}

/// The text with its letters alone, in lower case.
fn folded(text: &str) -> String {
    let letters = text.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// The format that an unknown one is meant to be. Formats are free words, so that only another spelling counts; but behind one
/// that is nearly [`WORKSPACE_URI`] a path would not be held in the workspace.
fn meant_format(word: &str) -> Option<(&str, &'static str)> {
    if word.len() > LONGEST || FORMATS.contains(&word) {
        return None;
    }
    let plain = folded(word);
    let known = FORMATS.into_iter().find(|known| folded(known) == plain);
    let known = known.or_else(|| {
        let ours = folded(WORKSPACE_URI);
        nearest(&plain, std::iter::once(ours.as_str())).map(|_| WORKSPACE_URI)
    });
    Some((word, known?))
}

/// The keyword that an unknown word is meant to be.
fn meant(word: &str) -> Option<&'static str> {
    let known = || SCHEMAS.into_iter().chain(NAMED_SCHEMAS).chain(OTHERS);
    if word.len() > LONGEST || word.starts_with("x-") || known().any(|known| known == word) {
        return None;
    }
    let plain = folded(word);
    known()
        .find(|known| folded(known) == plain)
        .or_else(|| nearest(word, known()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slips(schema: &Value) -> Vec<(String, String)> {
        let mut slips = Slips::default();
        slips.look_at(schema);
        slips
            .found
            .into_iter()
            .map(|slip| (slip.path.join("/"), slip.help))
            .collect()
    }

    #[test]
    fn a_format_in_another_spelling_is_told() {
        for (word, known) in [
            ("workspace_uri", "workspace-uri"),
            ("workspaceuri", "workspace-uri"),
            ("workspace-url", "workspace-uri"),
            ("Workspace-URI", "workspace-uri"),
            ("worksapce-uri", "workspace-uri"),
            ("DateTime", "date-time"),
            ("date_time", "date-time"),
        ] {
            assert_eq!(meant_format(word), Some((word, known)));
        }
        for word in [
            "workspace-uri",
            "date-time",
            "uri",
            "url",
            "int32",
            "password",
            "binary",
            "path",
            "color",
            "file",
        ] {
            assert_eq!(meant_format(word), None, "{word}");
        }
        assert_eq!(
            slips(
                &json!({"properties": {"file": {"format": "workspace_uri"}, "format": {"type": "string"}}})
            ),
            [(
                "properties/file/format".to_owned(),
                "did you mean `workspace-uri`?".to_owned()
            )]
        );
    }

    #[test]
    fn a_misspelt_keyword_has_a_nearest() {
        for (word, keyword) in [
            ("propertis", "properties"),
            ("requird", "required"),
            ("additionalProperites", "additionalProperties"),
            ("additional_properties", "additionalProperties"),
            ("minlength", "minLength"),
            ("any_of", "anyOf"),
            ("tpye", "type"),
            ("desciption", "description"),
        ] {
            assert_eq!(meant(word), Some(keyword), "{word}");
        }
        for word in [
            "properties",
            "unit",
            "units",
            "label",
            "widget",
            "x-typ",
            "name",
            "min",
            "options",
            "ui:order",
            "step",
            "hint",
            "group",
            "order",
            "placeholder",
        ] {
            assert_eq!(meant(word), None, "{word}");
        }
    }

    #[test]
    fn names_of_properties_and_data_are_no_keywords() {
        let schema = json!({"type": "object", "properties": {
            "propertis": {"type": "array", "itmes": {"type": "string"}},
            "tpye": {"enum": [{"requird": 1}], "default": {"tilte": 1}},
        }});
        let expected = [(
            "properties/propertis/itmes".to_owned(),
            "did you mean `items`?".to_owned(),
        )];
        assert_eq!(slips(&schema), expected);
    }

    #[test]
    fn what_is_required_and_forbidden_is_told() {
        let schema = |additional: bool, required: &str| {
            json!({"properties": {"size": {}}, "required": [required],
                   "additionalProperties": additional})
        };
        assert_eq!(slips(&schema(true, "siez")), []);
        assert_eq!(slips(&schema(false, "size")), []);
        let expected = ("required/0".to_owned(), "did you mean `size`?".to_owned());
        assert_eq!(slips(&schema(false, "siez")), [expected]);
        let help = &slips(&schema(false, "colour"))[0].1;
        assert!(help.starts_with("add it to `properties`"), "{help}");
    }
}
