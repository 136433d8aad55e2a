//! What an activated skill asks for until the end of the turn.

use serde::Serialize;
use serde_json::Value;

use crate::book::SkillEntry;

/// What one activated skill asks of the host. Requests, no more: whoever runs the model decides about each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scope {
    /// The skill's id.
    pub id: String,
    /// Tools that it wants allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// The model that it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The effort that it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Hooks that it wants run, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Value>,
}

impl Scope {
    pub(super) fn of(entry: &SkillEntry) -> Self {
        let field = |key: &str| entry.front_matter.get(key);
        let text = |key: &str| field(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            id: entry.id.clone(),
            allowed_tools: field("allowed-tools")
                .or_else(|| field("allowed_tools"))
                .map(tools)
                .unwrap_or_default(),
            model: text("model"),
            effort: text("effort"),
            hooks: field("hooks").filter(|hooks| !hooks.is_null()).cloned(),
        }
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.allowed_tools.is_empty()
            && self.model.is_none()
            && self.effort.is_none()
            && self.hooks.is_none()
    }
}

/// A list, or one text in which commas part them, or blanks outside brackets ("Bash(git status) Read").
fn tools(value: &Value) -> Vec<String> {
    let text = match value {
        Value::Array(items) => {
            return items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
        }
        Value::String(text) => text,
        _ => return Vec::new(),
    };
    let mut depth = 0_usize;
    let mut tools = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            tools.push(String::new());
        } else if let Some(tool) = tools.last_mut() {
            tool.push(c);
        }
    }
    tools.retain(|tool| !tool.is_empty());
    tools
}

/// The open scopes of a turn. They close all at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkillScopes {
    open: Vec<Scope>,
}

impl SkillScopes {
    /// Opens one; a skill that is activated again has one all the same.
    pub fn open(&mut self, scope: Scope) {
        self.open.retain(|open| open.id != scope.id);
        self.open.push(scope);
    }

    /// Those that are open, the last one last.
    pub fn open_scopes(&self) -> &[Scope] {
        &self.open
    }

    /// The tools that they want allowed together, each once.
    pub fn allowed_tools(&self) -> Vec<&str> {
        let mut tools: Vec<&str> = Vec::new();
        for tool in self.open.iter().flat_map(|scope| &scope.allowed_tools) {
            if !tools.contains(&tool.as_str()) {
                tools.push(tool);
            }
        }
        tools
    }

    /// Ends the turn; what was open.
    pub fn close(&mut self) -> Vec<Scope> {
        std::mem::take(&mut self.open)
    }
}
