//! A report as text, with nothing that differs from machine to machine.

use std::fmt::Write as _;

use metier_loader::{LoadedSkill, ScanReport};
use serde_json::Value;

pub(crate) fn report(report: &ScanReport) -> String {
    let mut text = String::new();
    for found in &report.skills {
        skill(&mut text, found);
    }
    for found in &report.rejected {
        writeln!(text, "rejected {} `{}`", found.id, found.name).unwrap();
        for finding in &found.diagnostics {
            writeln!(text, "  {finding}").unwrap();
        }
    }
    for found in &report.shadowed {
        writeln!(text, "shadowed {} by {}", found.skill.id, found.by).unwrap();
        writeln!(text, "  {}", found.diagnostic).unwrap();
    }
    for finding in &report.root_findings {
        writeln!(text, "{}", finding.diagnostic).unwrap();
    }
    text
}

pub(crate) fn skill(text: &mut String, found: &LoadedSkill) {
    writeln!(text, "skill {}", found.id).unwrap();
    let mut metadata = serde_json::to_value(&*found.metadata).unwrap();
    let tools = metadata["tools"].take();
    for key in ["tools", "skill_path"] {
        metadata.as_object_mut().unwrap().remove(key);
    }
    for (key, value) in metadata.as_object().unwrap() {
        if !is_default(key, value) {
            writeln!(text, "  {key}: {value}").unwrap();
        }
    }
    for tool in tools.as_array().unwrap() {
        let tool: serde_json::Map<String, Value> = tool
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, value)| !is_default(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        writeln!(text, "  tool {}", Value::Object(tool)).unwrap();
    }
    if let Some(reason) = &found.unusable {
        writeln!(text, "  unusable: {reason}").unwrap();
    }
    if let Some(reason) = &found.not_served {
        writeln!(text, "  not served: {reason}").unwrap();
    }
    for finding in &found.diagnostics {
        writeln!(text, "  {finding}").unwrap();
    }
}

fn is_default(key: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => *flag == (key == "allow_implicit_invocation"),
        Value::String(text) => {
            matches!(
                (key, text.as_str()),
                (_, "")
                    | ("dcc", "python")
                    | ("version", "1.0.0")
                    | ("execution", "sync")
                    | ("affinity", "any")
            )
        }
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.values().all(|value| is_default("", value)),
        Value::Number(_) => false,
    }
}
