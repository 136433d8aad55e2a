//! The tools file.

use schemars::JsonSchema;
use serde_json::Value;

use super::values::{
    AffinityWord, ExecutionWord, Flag, Name, OrBlank, SchemaText, Seconds, Text, TextList,
};

/// A tools file: the tools of a skill and, if wanted, their groups.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct ToolsFile {
    /// The tools in the order in which they are listed.
    pub tools: Vec<ToolEntry>,
    /// Groups of tools that can be shown or hidden together.
    pub groups: Option<OrBlank<Vec<GroupEntry>>>,
}

/// One tool: a mapping, or its bare name.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
#[non_exhaustive]
pub enum ToolEntry {
    /// The name alone; the script is looked up by it.
    Name(#[schemars(regex(pattern = r"\S"))] String),
    /// A tool with its keys.
    Fields(Box<ToolFields>),
}

/// The keys of a tool. Each may be written with `-` for `_`.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct ToolFields {
    /// Unique in the skill.
    pub name: Name,
    /// What the tool does; the skill's description stands in when it is not written.
    pub description: Option<Text>,
    /// JSON Schema of the arguments, as a mapping or as JSON text; not written: any object.
    pub input_schema: Option<SchemaText>,
    /// JSON Schema of the structured result.
    pub output_schema: Option<SchemaText>,
    /// The tool changes nothing.
    pub read_only: Option<Flag>,
    /// The tool may destroy something.
    pub destructive: Option<Flag>,
    /// The same arguments twice have the same effect as once.
    pub idempotent: Option<Flag>,
    /// Show the schema only after the skill is loaded.
    pub defer_loading: Option<Flag>,
    /// The script, below the skill folder; not written: looked up by the tool's name in `scripts/`.
    pub source_file: Option<Text>,
    /// Further words for search.
    pub search_aliases: Option<TextList>,
    /// What the tool needs of the host; letter case counts.
    pub required_capabilities: Option<TextList>,
    /// The group it belongs to; not written: always active.
    pub group: Option<Text>,
    /// Hints for clients, over the flags above.
    pub annotations: Option<OrBlank<Annotations>>,
    /// `sync`, or `async` for work that takes long.
    pub execution: Option<ExecutionWord>,
    /// A longer deadline for this tool, in seconds.
    pub timeout_hint_secs: Option<Seconds>,
    /// `main` if the tool needs the host's main thread, otherwise `any`.
    pub affinity: Option<AffinityWord>,
    /// The same, in another spelling.
    pub thread_affinity: Option<AffinityWord>,
    /// The tool runs only inside the host's process.
    pub requires_in_process: Option<Flag>,
    /// What to do next.
    pub next_tools: Option<OrBlank<NextTools>>,
    /// A name for people.
    pub title: Option<Text>,
    /// As in `annotations`, which win: changes nothing.
    pub read_only_hint: Option<Flag>,
    /// As in `annotations`: may destroy something.
    pub destructive_hint: Option<Flag>,
    /// As in `annotations`: may be repeated without further effect.
    pub idempotent_hint: Option<Flag>,
    /// As in `annotations`: reaches beyond the host.
    pub open_world_hint: Option<Flag>,
    /// As in `annotations`: show the schema only after loading.
    pub deferred_hint: Option<Flag>,
    /// For hosts that read it; kept as it is, like the keys that follow.
    pub enforce_thread_affinity: Option<Value>,
    /// How a host runs it as a job.
    pub job_strategy: Option<Value>,
    /// What it is meant for.
    pub intent: Option<Value>,
    /// Its part in a pipeline.
    pub tool_role: Option<Value>,
    /// What may go wrong.
    pub risk: Option<Value>,
    /// What it changes beside its result.
    pub side_effects: Option<Value>,
    /// What it makes.
    pub produces: Option<Value>,
    /// What has to be there before.
    pub requires: Option<Value>,
    /// Calls as examples.
    pub call_examples: Option<Value>,
}

/// Hints for clients; camel and kebab case count too.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct Annotations {
    /// A name for people.
    pub title: Option<Text>,
    /// Changes nothing.
    pub read_only_hint: Option<Flag>,
    /// May destroy something.
    pub destructive_hint: Option<Flag>,
    /// May be repeated without further effect.
    pub idempotent_hint: Option<Flag>,
    /// Reaches beyond the host.
    pub open_world_hint: Option<Flag>,
    /// Show the schema only after loading.
    pub deferred_hint: Option<Flag>,
}

/// Tools to suggest after a call.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct NextTools {
    /// After a success.
    pub on_success: Option<TextList>,
    /// After a failure.
    pub on_failure: Option<TextList>,
}

/// One group: a mapping, or its bare name.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
#[non_exhaustive]
pub enum GroupEntry {
    /// The name alone.
    Name(#[schemars(regex(pattern = r"\S"))] String),
    /// A group with its keys.
    Fields(GroupFields),
}

/// The keys of a group.
#[derive(Clone, Debug, JsonSchema)]
#[non_exhaustive]
pub struct GroupFields {
    /// Unique in the skill.
    pub name: Name,
    /// What the tools of the group are for.
    pub description: Option<Text>,
    /// The names of its tools.
    pub tools: Option<TextList>,
    /// Whether the group is active when a skill is loaded without activating all.
    pub default_active: Option<Flag>,
}
