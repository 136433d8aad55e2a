//! The front matter of SKILL.md.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::values::{
    DescriptionText, Hint, ImplicitInvocation, OrBlank, SkillNameText, Text, TextList,
};

/// Keys below `metadata.dcc-mcp` with a second spelling.
pub(super) const OTHER_SPELLINGS: [(&str, &str); 6] = [
    ("search-hint", "search_hint"),
    ("search-aliases", "search_aliases"),
    ("search-aliases", "aliases"),
    ("example-prompts", "example_prompts"),
    ("allow-implicit-invocation", "allow_implicit_invocation"),
    ("external-deps", "external_deps"),
];

/// The front matter of SKILL.md: what a skill is called, what it is for, and where its tools are.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct SkillFrontMatter {
    /// The name by which the skill is found: lower-case letters, digits and single hyphens.
    pub name: SkillNameText,
    /// What the skill does and when to use it, in a sentence or two.
    pub description: DescriptionText,
    /// The licence.
    pub license: Option<Text>,
    /// What the skill works with, in at most 500 characters.
    pub compatibility: Option<Text>,
    /// Tools of the agent that the skill asks for, as a list or as text with blanks or commas.
    #[schemars(rename = "allowed-tools")]
    pub allowed_tools: Option<TextList>,
    /// The same, in another spelling.
    #[schemars(rename = "allowed_tools")]
    pub allowed_tools_underscore: Option<TextList>,
    /// Data of this format and of others.
    pub metadata: Option<OrBlank<Metadata>>,
    /// A hint for the arguments when the skill is used as a command.
    #[schemars(rename = "argument-hint")]
    pub argument_hint: Option<Hint>,
    /// When a model should use the skill.
    pub when_to_use: Option<Text>,
    /// The same, in another spelling.
    #[schemars(rename = "when-to-use")]
    pub when_to_use_hyphens: Option<Text>,
    /// Globs of files that make the skill relevant.
    pub paths: Option<TextList>,
}

/// The value of `metadata`. Mappings of other formats are kept as they are.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct Metadata {
    /// What Metier and its relatives read.
    #[schemars(rename = "dcc-mcp")]
    pub dcc_mcp: Option<OrBlank<DccFields>>,
    /// Anything of others.
    #[schemars(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// The keys below `metadata.dcc-mcp`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct DccFields {
    /// The application the skill is for; `python` when not written.
    pub dcc: Option<Text>,
    /// The version, as it is to be shown; `1.0.0` when not written.
    pub version: Option<Text>,
    /// Words to sort by.
    pub tags: Option<TextList>,
    /// Words for search that spare reading the full text.
    pub search_hint: Option<TextList>,
    /// Synonyms for search, at most 24 with those of a tool.
    pub search_aliases: Option<TextList>,
    /// Names of the skills that this one needs.
    pub depends: Option<DependencyEntry>,
    /// The path of the tools file beside SKILL.md, usually `tools.yaml`.
    pub tools: Option<String>,
    /// The path of a file with tool groups, if they are not in the tools file.
    pub groups: Option<String>,
    /// `domain`, `infrastructure`, `example`, or a word of your own.
    pub layer: Option<Text>,
    /// A stage of the pipeline.
    pub stage: Option<Text>,
    /// Products of the application family the skill is for.
    pub products: Option<TextList>,
    /// Whether listings may suggest the skill unasked; true when not written.
    pub allow_implicit_invocation: Option<ImplicitInvocation>,
    /// Requests a user might make.
    pub example_prompts: Option<TextList>,
}

/// Dependencies: a list of names, or text with commas.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
#[non_exhaustive]
pub enum DependencyEntry {
    /// Names as text or as a list of texts.
    Names(TextList),
    /// Some of them with further words, which are not checked.
    Entries(Vec<NamedDependency>),
}

/// One dependency of a list.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
#[non_exhaustive]
pub enum NamedDependency {
    /// The name alone.
    Name(Text),
    /// The name with a version that is not checked.
    Named {
        /// The name.
        name: Text,
    },
}
