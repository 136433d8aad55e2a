//! Many short texts as one, so that they are looked at together, and where each comes from.

use metier_skill_model::{JsonObject, SkillMetadata};
use serde_json::{Map, Value};

use crate::glance::is_clean;

/// How deep a JSON value is looked into.
const DEEPEST: usize = 64;

/// Texts, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) text: String,
    /// The offset that is looked for.
    wanted: Option<usize>,
    /// What leads to the text that is added next; kept only where something is looked for.
    path: Vec<String>,
    /// What leads to the text at the offset.
    pub(crate) found: Option<Vec<String>>,
}

impl Texts {
    /// Finds out which of the texts, which are to be added again, an offset is in.
    pub(crate) fn looking_for(at: usize) -> Self {
        Self {
            wanted: Some(at),
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, text: &str) {
        // A blank line ends what belongs together, and a full stop what can be one match.
        self.text.push_str("\n\n.\n\n");
        let start = self.text.len();
        self.text.push_str(text);
        if let Some(at) = self.wanted
            && (start..=self.text.len()).contains(&at)
            && self.found.is_none()
        {
            self.found = Some(self.path.clone());
        }
    }

    /// What `add` adds is at this step.
    fn at(&mut self, step: &str, add: impl FnOnce(&mut Self)) {
        let is_kept = self.wanted.is_some();
        if is_kept {
            self.path.push(step.to_owned());
        }
        add(self);
        if is_kept {
            self.path.pop();
        }
    }

    /// Every text of a JSON value, keys included.
    pub(crate) fn json(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) if depth < DEEPEST => {
                for (number, item) in items.iter().enumerate() {
                    // A number is written only for somebody who looks for it.
                    let step = self.wanted.map_or_else(String::new, |_| number.to_string());
                    self.at(&step, |texts| texts.json(item, depth + 1));
                }
            }
            Value::Object(entries) if depth < DEEPEST => self.below(entries, depth + 1),
            _ => {}
        }
    }

    /// The same of the members of an object.
    pub(crate) fn members(&mut self, entries: &Map<String, Value>) {
        self.below(entries, 0);
    }

    fn below(&mut self, entries: &Map<String, Value>, depth: usize) {
        for (key, value) in entries {
            self.at(key, |texts| {
                texts.add(key);
                texts.json(value, depth);
            });
        }
    }

    /// Every text of tools and groups that stands in an answer.
    pub(crate) fn tools(&mut self, metadata: &SkillMetadata) {
        self.at("tools", |texts| {
            for tool in &metadata.tools {
                texts.at(&tool.name, |texts| texts.tool(tool));
            }
        });
        self.at("groups", |texts| {
            for group in &metadata.groups {
                texts.at(&group.name, |texts| {
                    texts.add(&group.name);
                    texts.add(&group.description);
                });
            }
        });
    }

    fn tool(&mut self, tool: &metier_skill_model::ToolDeclaration) {
        self.at("name", |texts| texts.add(&tool.name));
        self.at("description", |texts| texts.add(&tool.description));
        for (key, list) in [
            ("search_aliases", &tool.search_aliases),
            ("required_capabilities", &tool.required_capabilities),
        ] {
            self.at(key, |texts| list.iter().for_each(|text| texts.add(text)));
        }
        self.at("next_tools", |texts| {
            let next = &tool.next_tools;
            let names = next.on_success.iter().chain(&next.on_failure);
            names.for_each(|text| texts.add(text));
        });
        self.at("annotations", |texts| {
            let title = tool.annotations.title.iter();
            title.for_each(|text| texts.at("title", |texts| texts.add(text)));
        });
        for (key, value) in &tool.extra {
            self.at(key, |texts| {
                texts.add(key);
                texts.json(value, 0);
            });
        }
        for (key, schema) in [
            ("input_schema", &tool.input_schema),
            ("output_schema", &tool.output_schema),
        ] {
            if let Some(schema) = schema
                && !is_clean_json(schema)
            {
                self.at(key, |texts| texts.members(&schema.map()));
            }
        }
    }
}

/// One without escapes holds every text of it as it is.
fn is_clean_json(schema: &JsonObject) -> bool {
    let text = schema.as_text();
    text.is_some_and(|text| !text.contains('\\') && is_clean(text))
}
