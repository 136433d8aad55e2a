//! A tool as clients see it in a list.

use metier_skill_model::{Affinity, Execution, JsonObject, ToolAnnotations, ToolDeclaration};
use metier_skill_protocol::visible;
use metier_tool::ToolSpec;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::shown::{show_all, show_schema};

/// Which tier of the list a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListedKind {
    /// One of the five discovery tools.
    Core,
    /// Activating and deactivating tool groups.
    Group,
    /// Hands out the skills' texts.
    Text,
    /// Registered by the host.
    Host,
    /// A tool of a loaded skill.
    Skill,
    /// Stands for an unloaded skill.
    Stub,
}

/// An entry of `tools/list`. It serializes to MCP's `Tool` object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedTool {
    /// The wire name.
    pub name: String,
    /// Which tier it belongs to.
    #[serde(skip)]
    pub kind: ListedKind,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// JSON Schema of the arguments; the root is always an object.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of the structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// Hints in camelCase, `deferredHint` among them.
    pub annotations: Map<String, Value>,
    /// `{"dcc": …}` with what MCP has no field for, or empty.
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

impl ListedTool {
    /// A tool written in code.
    pub(crate) fn of_spec(spec: &ToolSpec, kind: ListedKind) -> Self {
        let mut meta = spec.meta.clone();
        if !spec.required_capabilities.is_empty() {
            let mut dcc = Map::new();
            dcc.insert(
                "required_capabilities".to_owned(),
                json!(spec.required_capabilities),
            );
            meta.insert("dcc".to_owned(), Value::Object(dcc));
        }
        Self {
            name: spec.name.clone(),
            kind,
            title: spec.title.clone(),
            description: spec.description.clone(),
            input_schema: spec.input_schema.clone(),
            output_schema: spec.output_schema.clone(),
            annotations: annotations(&spec.annotations, false),
            meta,
        }
    }

    /// A declared tool of a loaded skill. `usable_schema` is false when the declared schema cannot
    /// be used: clients then see the plain empty object schema instead of one that lies.
    pub(crate) fn of_declaration(
        tool: &ToolDeclaration,
        wire: &str,
        canonical: &str,
        skill_description: &str,
        usable_schema: bool,
    ) -> Self {
        let description = if tool.description.trim().is_empty() {
            skill_description
        } else {
            &tool.description
        };
        let mut input_schema = tool
            .input_schema
            .as_ref()
            .filter(|_| usable_schema)
            .map_or_else(empty_object_schema, |schema| with_object_root(schema.map()));
        show_schema(&mut input_schema);
        let output_schema = tool.output_schema.as_ref().filter(|_| usable_schema);
        let mut output_schema = output_schema.map(JsonObject::map);
        output_schema.as_mut().map(show_schema);
        let title = tool.annotations.title.as_ref();
        Self {
            name: wire.to_owned(),
            kind: ListedKind::Skill,
            title: title.map(|title| visible(title).into_owned()),
            description: visible(description).into_owned(),
            input_schema,
            output_schema,
            annotations: shown_members(annotations(&tool.annotations, false)),
            meta: shown_members(wrapped(dcc_facts(tool, wire, canonical))),
        }
    }

    /// The one-line entry that stands for an unloaded skill.
    pub(crate) fn stub(wire: String, skill: &str, description: &str) -> Self {
        // There are as many of them as skills, so that each is as small as it can be.
        let mut hints = Map::with_capacity(1);
        hints.insert("deferredHint".to_owned(), Value::Bool(true));
        let mut dcc = Map::with_capacity(2);
        dcc.insert("skill".to_owned(), Value::from(skill));
        dcc.insert("deferred_hint".to_owned(), Value::Bool(true));
        Self {
            name: wire,
            kind: ListedKind::Stub,
            title: None,
            description: description.to_owned(),
            input_schema: empty_object_schema(),
            output_schema: None,
            annotations: hints,
            meta: wrapped(dcc),
        }
    }

    /// The same entry with what the host lacks; only called when it lacks something.
    pub(crate) fn with_missing(&self, missing: &[String]) -> Self {
        let mut tool = self.clone();
        if let Some(Value::Object(dcc)) = tool.meta.get_mut("dcc") {
            dcc.insert("missing_capabilities".to_owned(), json!(missing));
        }
        tool
    }
}

fn shown_members(mut members: Map<String, Value>) -> Map<String, Value> {
    members.values_mut().for_each(show_all);
    members
}

fn wrapped(dcc: Map<String, Value>) -> Map<String, Value> {
    let mut meta = Map::with_capacity(1);
    if !dcc.is_empty() {
        meta.insert("dcc".to_owned(), Value::Object(dcc));
    }
    meta
}

/// What the author declared and MCP has no field for.
fn dcc_facts(tool: &ToolDeclaration, wire: &str, canonical: &str) -> Map<String, Value> {
    let mut dcc = Map::new();
    if wire != canonical {
        dcc.insert("name".to_owned(), Value::from(canonical));
    }
    if !tool.required_capabilities.is_empty() {
        dcc.insert(
            "required_capabilities".to_owned(),
            json!(tool.required_capabilities),
        );
    }
    if !tool.group.is_empty() {
        dcc.insert("group".to_owned(), Value::from(tool.group.as_str()));
    }
    if let Some(seconds) = tool.timeout_hint_secs {
        dcc.insert("timeout_hint_secs".to_owned(), Value::from(seconds));
    }
    if tool.execution == Execution::Async {
        dcc.insert("execution".to_owned(), json!(tool.execution));
    }
    if tool.affinity == Affinity::Main {
        dcc.insert("affinity".to_owned(), json!(tool.affinity));
    }
    if tool.requires_in_process {
        dcc.insert("requires_in_process".to_owned(), Value::Bool(true));
    }
    if !tool.next_tools.on_success.is_empty() || !tool.next_tools.on_failure.is_empty() {
        dcc.insert("next_tools".to_owned(), json!(tool.next_tools));
    }
    for (key, value) in &tool.extra {
        dcc.insert(key.clone(), value.clone());
    }
    dcc
}

fn annotations(written: &ToolAnnotations, deferred: bool) -> Map<String, Value> {
    let mut hints = match serde_json::to_value(written) {
        Ok(Value::Object(hints)) => hints,
        _ => Map::new(),
    };
    hints.insert("deferredHint".to_owned(), Value::Bool(deferred));
    hints
}

fn empty_object_schema() -> Map<String, Value> {
    let mut schema = Map::with_capacity(2);
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("properties".to_owned(), Value::Object(Map::new()));
    schema
}

/// A schema without a type at its root means an object here, and clients want it said.
fn with_object_root(mut schema: Map<String, Value>) -> Map<String, Value> {
    if schema.get("type").is_none() {
        schema.shift_insert(0, "type".to_owned(), Value::from("object"));
    }
    schema
}
