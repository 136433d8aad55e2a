//! What a server is told about itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

/// Settings of an [`McpServer`](crate::McpServer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpConfig {
    /// The name in `serverInfo`.
    pub server_name: String,
    /// The version in `serverInfo`.
    pub server_version: String,
    /// A name for people, in `serverInfo`.
    pub server_title: Option<String>,
    /// What a model is told about the server; `None`: nothing.
    pub instructions: Option<String>,
    /// Whether `tools/list` shows a stub for each skill that is not loaded.
    pub stubs: bool,
    /// How many tools a page of `tools/list` holds at most.
    pub page_size: usize,
    /// How many sessions may exist at once. One more ends the session that has been idle longest;
    /// when every session is at work, it is refused.
    pub session_cap: usize,
    /// How long a session without a running call and without an open stream lives.
    pub session_idle: Duration,
    /// Which calls the person at the client is asked about first.
    pub confirm: ConfirmPolicy,
    /// Whether the client's own model is asked to choose where discovery is not sure.
    pub selector: ClientSelector,
    /// Whether the instructions end with the listing of the skills, while tools for their texts are listed.
    pub listing: bool,
}

/// Whether `discover_skills` asks the client's model (`sampling/createMessage`) where the search alone is not sure. The
/// model that calls the tool can always choose among its answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientSelector {
    /// It does not.
    #[default]
    Never,
    /// It does, where the client declares sampling; where it does not, the answer says so.
    Sampling,
}

/// Which calls the person at the client is asked about before they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfirmPolicy {
    /// None.
    #[default]
    Never,
    /// Those of tools that say of themselves that they destroy something. A client that cannot ask
    /// is refused.
    Destructive,
}

/// What is told of stubs, where there are some.
pub(crate) const OF_STUBS: &str = "A tool named __skill__NAME stands for a skill that is not loaded; calling it only says how to load it. ";

/// The way in, told to every model that connects.
const INSTRUCTIONS: &str = "This server offers skills: folders of tools that are loaded when they are needed. \
Describe the task to search_skills, load the best hit with load_skill, then list the tools again and call the new ones. \
A tool named __skill__NAME stands for a skill that is not loaded; calling it only says how to load it. \
list_skills shows every skill, get_skill_info one in detail, and unload_skill removes what is no longer needed. \
The instructions of a skill are the resource skill://NAME/SKILL.md, and skill://index.json names them all; read them before its tools.";

impl Default for McpConfig {
    fn default() -> Self {
        Self {
            server_name: "metier".to_owned(),
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            server_title: None,
            instructions: Some(INSTRUCTIONS.to_owned()),
            stubs: true,
            page_size: 100,
            session_cap: 1_000,
            session_idle: Duration::from_mins(30),
            confirm: ConfirmPolicy::Never,
            selector: ClientSelector::Never,
            listing: true,
        }
    }
}

/// Tells how much time has passed since some fixed moment. Tests bring their own.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock that never goes back.
pub(crate) fn steady_clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || start.elapsed())
}
