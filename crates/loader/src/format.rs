//! The files of a skill as types, for their JSON Schemas.
//!
//! Nothing but an entry of a prompts file is read through these types: a reader that fails at the first fault could
//! not tell of the others. They state what strict mode lets pass, in the shapes that authors use, so that an
//! editor marks while one types what a check would refuse later. [`skill_schema`],
//! [`tools_schema`] and [`prompts_schema`] hand the schemas out; they are checked in below `docs/schemas`.
//!
//! What a schema cannot say: keys that are written twice, files that are missing, names that are
//! taken, other skills.

mod prompts;
mod skill;
mod tools;
mod values;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

pub use prompts::{PromptArgumentEntry, PromptArgumentFields, PromptEntry, PromptsFile};
pub use skill::{DccFields, DependencyEntry, Metadata, NamedDependency, SkillFrontMatter};
pub use tools::{
    Annotations, GroupEntry, GroupFields, NextTools, ToolEntry, ToolFields, ToolsFile,
};
pub use values::{
    AffinityWord, Blank, DescriptionText, ExecutionWord, Flag, Hint, ImplicitInvocation, Name,
    OrBlank, SchemaText, Seconds, SkillNameText, Text, TextList,
};

/// The JSON Schema (2020-12) of the front matter of SKILL.md.
pub fn skill_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<SkillFrontMatter>()
        .to_value();
    flat_keys(&mut schema);
    misplaced_keys(&mut schema);
    with_id(schema, "skill-frontmatter")
}

/// The JSON Schema (2020-12) of a tools file.
pub fn tools_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<ToolsFile>()
        .to_value();
    for (owner, camel) in [
        ("ToolFields", false),
        ("Annotations", true),
        ("GroupFields", false),
        ("NextTools", false),
    ] {
        if let Some(properties) = properties_of(&mut schema, Some(owner)) {
            other_spellings(properties, camel);
            if let Some(value) = properties.get("search_aliases").cloned() {
                properties.insert("aliases".to_owned(), value);
            }
        }
    }
    with_id(schema, "tools")
}

/// The JSON Schema (2020-12) of a prompts file.
pub fn prompts_schema() -> Value {
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<PromptsFile>()
        .to_value();
    with_id(schema, "prompts")
}

fn with_id(mut schema: Value, name: &str) -> Value {
    if let Some(root) = schema.as_object_mut() {
        root.insert("$id".to_owned(), format!("urn:metier:schema:{name}").into());
    }
    schema
}

fn properties_of<'s>(
    schema: &'s mut Value,
    owner: Option<&str>,
) -> Option<&'s mut Map<String, Value>> {
    let owner = match owner {
        Some(name) => schema.get_mut("$defs")?.get_mut(name)?,
        None => schema,
    };
    owner.get_mut("properties")?.as_object_mut()
}

/// Every key may be written with `-` for `_` and the other way round; some in camel case as well.
fn other_spellings(properties: &mut Map<String, Value>, camel: bool) {
    let known: Vec<(String, Value)> = properties
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in known {
        let mut spellings = vec![key.replace('_', "-"), key.replace('-', "_")];
        if camel || key.ends_with("_schema") || key == "required_capabilities" {
            spellings.push(camel_case(&key));
        }
        for spelling in spellings {
            properties.entry(spelling).or_insert_with(|| value.clone());
        }
    }
}

fn camel_case(key: &str) -> String {
    let mut words = key.split(['_', '-']);
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// `dcc-mcp.version` directly below `metadata` is the old spelling of the nested key.
fn flat_keys(schema: &mut Value) {
    if let Some(properties) = properties_of(schema, Some("DccFields")) {
        for (plain, other) in skill::OTHER_SPELLINGS {
            if let Some(value) = properties.get(plain).cloned() {
                properties.entry(other.to_owned()).or_insert(value);
            }
        }
        let nested: Vec<(String, Value)> = properties
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if let Some(properties) = properties_of(schema, Some("Metadata")) {
            for (key, value) in nested {
                properties.entry(format!("dcc-mcp.{key}")).or_insert(value);
            }
        }
    }
}

/// Our own keys at the top level are what strict mode refuses.
fn misplaced_keys(schema: &mut Value) {
    let Some(properties) = properties_of(schema, None) else {
        return;
    };
    for key in crate::skill_file::misplaced_spellings() {
        properties.insert(key, Value::Bool(false));
    }
    if let Some(root) = schema.as_object_mut() {
        let mut patterns = Map::new();
        patterns.insert(
            "^(metadata\\.dcc[-_]mcp(\\.|$)|dcc[-_]mcp\\.)".to_owned(),
            Value::Bool(false),
        );
        root.insert("patternProperties".to_owned(), Value::Object(patterns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_all_spellings() {
        assert_eq!(camel_case("read_only_hint"), "readOnlyHint");
        let schema = tools_schema();
        let tool = &schema["$defs"]["ToolFields"]["properties"];
        for key in [
            "input_schema",
            "input-schema",
            "inputSchema",
            "defer-loading",
            "next_tools",
            "aliases",
        ] {
            assert!(tool.get(key).is_some(), "{key}");
        }
        assert!(
            schema["$defs"]["Annotations"]["properties"]
                .get("readOnlyHint")
                .is_some()
        );
    }

    #[test]
    fn our_own_keys_are_refused_at_the_top() {
        let schema = skill_schema();
        assert_eq!(schema["properties"]["version"], false);
        assert_eq!(schema["properties"]["search_hint"], false);
        assert!(
            schema["$defs"]["Metadata"]["properties"]
                .get("dcc-mcp.version")
                .is_some()
        );
    }
}
