//! The shapes in which authors write a value.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident => $schema:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }

            fn inline_schema() -> bool {
                true
            }
        })*
    };
}

shapes! {
    /// Text. A number, a date, true or false is taken as it is spelled.
    Text => json_schema!({"type": ["string", "number", "boolean", "null"]});
    /// The name of a skill, as it is spelled: lower-case letters, digits and single hyphens.
    SkillNameText => json_schema!({
        "type": ["string", "integer", "boolean"],
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
        "minLength": 1,
        "maxLength": 64,
        "minimum": 0,
    });
    /// A description, as it is spelled.
    DescriptionText => json_schema!({
        "type": ["string", "number", "boolean"],
        "pattern": "\\S",
        "minLength": 1,
        "maxLength": 1024,
    });
    /// Text or a list of anything.
    Hint => json_schema!({"type": ["array", "string", "number", "boolean", "null"]});
    /// A flag that may also be written as 1 or 0.
    ImplicitInvocation => json_schema!({
        "anyOf": [
            {"type": ["boolean", "null"]},
            {"type": "number", "enum": [0, 1]},
            {"type": "string", "pattern": "^\\s*(([Tt][Rr][Uu]|[Ff][Aa][Ll][Ss])[Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[01](\\.0)?)?\\s*$"},
        ],
    });
    /// Blank text, which counts as nothing.
    Blank => json_schema!({"type": "string", "pattern": "^\\s*$"});
    /// A list of texts, or one text with commas.
    TextList => json_schema!({
        "type": ["array", "string", "number", "boolean", "null"],
        "items": {"type": ["string", "number", "boolean", "null"]},
    });
    /// true or false; yes, no, on and off in any letter case count too.
    Flag => json_schema!({
        "anyOf": [
            {"type": ["boolean", "null"]},
            {"type": "string", "pattern": "^\\s*(([Tt][Rr][Uu]|[Ff][Aa][Ll][Ss])[Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff])?\\s*$"},
        ],
    });
    /// A whole number of seconds.
    Seconds => json_schema!({
        "anyOf": [
            {"type": ["integer", "null"], "minimum": 0, "maximum": u64::MAX},
            {"type": "string", "pattern": "^\\s*([0-9]{1,19}(\\.0)?)?\\s*$"},
        ],
    });
    /// A name: any scalar that is not blank; names that begin with `__skill__` are kept for stubs.
    Name => json_schema!({
        "type": ["string", "number", "boolean"],
        "pattern": "\\S",
        "not": {"type": "string", "pattern": "^\\s*__skill__"},
    });
    /// `sync` or `async`.
    ExecutionWord => json_schema!({"type": ["string", "null"], "pattern": "^\\s*(([Aa]?)[Ss][Yy][Nn][Cc])?\\s*$"});
    /// `any` or `main`.
    AffinityWord => json_schema!({"type": ["string", "null"], "pattern": "^\\s*([Aa][Nn][Yy]|[Mm][Aa][Ii][Nn])?\\s*$"});
    /// A JSON Schema whose root is an object, as a mapping or as JSON text.
    SchemaText => json_schema!({
        "anyOf": [
            {"type": ["string", "null"], "pattern": "^\\s*(\\{|null\\s*$|$)"},
            {
                "type": "object",
                "properties": {
                    "type": {"anyOf": [{"const": "object"}, {"type": "array", "contains": {"const": "object"}}]},
                },
            },
        ],
    });
}

/// A value, or blank text in its place.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged, inline)]
#[non_exhaustive]
pub enum OrBlank<T> {
    /// The value.
    Value(T),
    /// Nothing.
    Blank(Blank),
}
