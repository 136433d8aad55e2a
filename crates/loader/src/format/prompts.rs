//! A prompts file.

use schemars::JsonSchema;
use serde::Deserialize;

/// A prompts file: what a person can start with the skill, beside its instructions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PromptsFile {
    /// The prompts in the order in which they are offered; a skill has at most 100.
    pub prompts: Vec<PromptEntry>,
}

/// One prompt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(expecting = "a mapping with a `name` and a `template`")]
#[non_exhaustive]
pub struct PromptEntry {
    /// Unique in the skill.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// What it is filled with.
    #[serde(default)]
    pub arguments: Vec<PromptArgumentEntry>,
    /// The text, with `{{name}}` where an argument belongs.
    #[schemars(regex(pattern = r"\S"))]
    pub template: String,
}

/// One argument of a prompt: a mapping, or its bare name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an argument is a name, or a mapping with a `name`, a text `description` and `required`, which is true or false"
)]
#[non_exhaustive]
pub enum PromptArgumentEntry {
    /// The name alone.
    Name(#[schemars(regex(pattern = r"\S"))] String),
    /// An argument with its keys.
    Fields(PromptArgumentFields),
}

/// The keys of an argument.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PromptArgumentFields {
    /// As the template has it between braces.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// Whether the prompt makes no sense without it.
    #[serde(default)]
    pub required: bool,
}

impl PromptEntry {
    /// Which of its texts must not be blank and is.
    pub(crate) fn blank(&self) -> Option<&'static str> {
        let names = self.arguments.iter().map(PromptArgumentEntry::name);
        let is_blank = |text: &str| text.trim().is_empty();
        if is_blank(&self.name) {
            Some("its `name` is blank")
        } else if is_blank(&self.template) {
            Some("its `template` is blank")
        } else if names.into_iter().any(is_blank) {
            Some("the name of an argument is blank")
        } else {
            None
        }
    }
}

impl PromptArgumentEntry {
    fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::Fields(PromptArgumentFields { name, .. }) => name,
        }
    }
}
