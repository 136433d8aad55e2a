//! Every setting there is: its name, its variable, its option, its meaning.

use metier::CatalogSettings;

use super::kind::{Kind, OFF};
use super::value::Value;
use crate::listing::When;

/// Which skills have a stub.
pub(crate) const STUBS: [&str; 2] = ["all", "none"];
/// Which calls are confirmed.
pub(crate) const CONFIRM: [&str; 2] = ["never", "destructive"];
/// Who chooses among the skills that a discovery found.
pub(crate) const SELECTOR: [&str; 4] = ["caller", "client", "http", "scripted"];

/// A setting. The order is the order in which settings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    App,
    Dcc,
    Roots,
    AgentSkills,
    Disabled,
    Strict,
    WorkspaceRoots,
    Capabilities,
    Environment,
    RequireHost,
    Attach,
    Load,
    Watch,
    Persist,
    StateDir,
    Stubs,
    SkillTools,
    Confirm,
    Python,
    Argv,
    Deadline,
    Longest,
    Output,
    Processes,
    AuditFile,
    AuditSize,
    MemoryEnabled,
    MemoryDatabase,
    MemoryPrivacy,
    Host,
    Port,
    AllowedHosts,
    AllowedOrigins,
    Window,
    Selector,
    SelectorUrl,
    SelectorModel,
    SelectorKeyVariable,
    SelectorTimeout,
    SelectorAnswers,
    PermissionsDeny,
    PermissionsAllow,
    PermissionsAsk,
}

impl Key {
    pub(crate) const ALL: [Self; 43] = [
        Self::App,
        Self::Dcc,
        Self::Roots,
        Self::AgentSkills,
        Self::Disabled,
        Self::Strict,
        Self::WorkspaceRoots,
        Self::Capabilities,
        Self::Environment,
        Self::RequireHost,
        Self::Attach,
        Self::Load,
        Self::Watch,
        Self::Persist,
        Self::StateDir,
        Self::Stubs,
        Self::SkillTools,
        Self::Confirm,
        Self::Python,
        Self::Argv,
        Self::Deadline,
        Self::Longest,
        Self::Output,
        Self::Processes,
        Self::AuditFile,
        Self::AuditSize,
        Self::MemoryEnabled,
        Self::MemoryDatabase,
        Self::MemoryPrivacy,
        Self::Host,
        Self::Port,
        Self::AllowedHosts,
        Self::AllowedOrigins,
        Self::Window,
        Self::Selector,
        Self::SelectorUrl,
        Self::SelectorModel,
        Self::SelectorKeyVariable,
        Self::SelectorTimeout,
        Self::SelectorAnswers,
        Self::PermissionsDeny,
        Self::PermissionsAllow,
        Self::PermissionsAsk,
    ];

    /// The key in the file, with the table it stands in.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Dcc => "dcc",
            Self::Roots => "roots",
            Self::AgentSkills => "agent_skills",
            Self::Disabled => "disabled",
            Self::Strict => "strict",
            Self::WorkspaceRoots => "workspace_roots",
            Self::Capabilities => "capabilities",
            Self::Environment => "environment",
            Self::RequireHost => "require_host",
            Self::Attach => "attach",
            Self::Load => "load",
            Self::Watch => "watch",
            Self::Stubs => "stubs",
            Self::Confirm => "confirm",
            Self::Host => "http.host",
            Self::Port => "http.port",
            Self::AllowedHosts => "http.allowed_hosts",
            Self::AllowedOrigins => "http.allowed_origins",
            Self::Persist => "persist",
            Self::StateDir => "state_dir",
            Self::SkillTools => "skill_tools",
            Self::Python => "python",
            Self::Argv => "argv",
            Self::Deadline => "limits.deadline",
            Self::Longest => "limits.longest",
            Self::Output => "limits.output",
            Self::Processes => "limits.processes",
            Self::AuditFile => "audit.file",
            Self::AuditSize => "audit.size",
            Self::MemoryEnabled => "memory.enabled",
            Self::MemoryDatabase => "memory.database",
            Self::MemoryPrivacy => "memory.privacy",
            Self::Window => "window",
            Self::Selector => "selector.use",
            Self::SelectorUrl => "selector.url",
            Self::SelectorModel => "selector.model",
            Self::SelectorKeyVariable => "selector.key_variable",
            Self::SelectorTimeout => "selector.timeout",
            Self::SelectorAnswers => "selector.answers",
            Self::PermissionsDeny => "permissions.deny",
            Self::PermissionsAllow => "permissions.allow",
            Self::PermissionsAsk => "permissions.ask",
        }
    }

    /// The environment variable of the same meaning.
    pub(crate) fn variable(self) -> String {
        format!("METIER_{}", self.path().to_uppercase().replace('.', "_"))
    }

    /// The option of the same meaning.
    pub(crate) const fn option(self) -> Option<&'static str> {
        match self {
            Self::App => Some("--app"),
            Self::Dcc => Some("--dcc"),
            Self::AgentSkills => Some("--agent-skills"),
            Self::Strict => Some("--strict"),
            Self::WorkspaceRoots => Some("--root"),
            Self::Capabilities => Some("--capability"),
            Self::Environment => Some("--env"),
            Self::RequireHost => Some("--require-host"),
            Self::Attach => Some("--attach"),
            Self::Load => Some("--load"),
            Self::Watch => Some("--watch"),
            Self::Stubs => Some("--stubs"),
            Self::Confirm => Some("--confirm"),
            Self::Host => Some("--host"),
            Self::Port => Some("--port"),
            Self::AllowedHosts => Some("--allowed-host"),
            Self::AllowedOrigins => Some("--allowed-origin"),
            Self::Persist => Some("--persist"),
            Self::StateDir => Some("--state-dir"),
            Self::SkillTools => Some("--skill-tools"),
            Self::Python => Some("--python"),
            Self::Deadline => Some("--timeout"),
            Self::AuditFile => Some("--audit-log"),
            Self::MemoryEnabled => Some("--memory"),
            Self::MemoryDatabase => Some("--memory-database"),
            Self::Disabled => Some("--disable"),
            Self::Window => Some("--window"),
            Self::Selector => Some("--selector"),
            Self::SelectorUrl
            | Self::SelectorModel
            | Self::SelectorKeyVariable
            | Self::SelectorTimeout
            | Self::SelectorAnswers
            | Self::PermissionsDeny
            | Self::PermissionsAllow
            | Self::PermissionsAsk
            | Self::Roots
            | Self::Argv
            | Self::Longest
            | Self::Output
            | Self::Processes
            | Self::AuditSize
            | Self::MemoryPrivacy => None,
        }
    }

    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::App
            | Self::Dcc
            | Self::Host
            | Self::SelectorUrl
            | Self::SelectorModel
            | Self::SelectorKeyVariable => Kind::Text,
            Self::Stubs => Kind::OneOf(&STUBS),
            Self::Confirm => Kind::OneOf(&CONFIRM),
            Self::Selector => Kind::OneOf(&SELECTOR),
            Self::Window => Kind::Tokens,
            Self::PermissionsDeny | Self::PermissionsAllow | Self::PermissionsAsk => Kind::Rules,
            Self::Port => Kind::Port,
            Self::Roots | Self::WorkspaceRoots => Kind::Folders,
            Self::AgentSkills
            | Self::Strict
            | Self::RequireHost
            | Self::Argv
            | Self::Watch
            | Self::MemoryEnabled
            | Self::MemoryPrivacy => Kind::Flag,
            Self::Capabilities
            | Self::Disabled
            | Self::Load
            | Self::AllowedHosts
            | Self::AllowedOrigins => Kind::Texts,
            Self::Environment => Kind::Patterns,
            Self::Python => Kind::Program,
            Self::Deadline | Self::Longest | Self::SelectorTimeout => Kind::Seconds,
            Self::Persist => Kind::Policy,
            Self::SkillTools => Kind::When,
            Self::AuditFile
            | Self::Attach
            | Self::StateDir
            | Self::MemoryDatabase
            | Self::SelectorAnswers => Kind::File,
            Self::Output | Self::AuditSize => Kind::Bytes,
            Self::Processes => Kind::Count,
        }
    }

    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::App => "the application the skills are for",
            Self::Dcc => "serve only skills for this application and for python",
            Self::Roots => "folders with skills, searched with the usual places",
            Self::AgentSkills => {
                "read the skills of agents too: .claude/skills, .agents/skills and .openspace/skills of the project and of the home folder"
            }
            Self::Strict => "reject a skill over any error",
            Self::WorkspaceRoots => "folders of the workspace",
            Self::Capabilities => "what the host can do",
            Self::Environment => {
                "variables that scripts may see: names, patterns like MAYA_*, or all"
            }
            Self::RequireHost => "refuse main-thread tools instead of running them as programs",
            Self::Attach => {
                "the file of an application that runs main-thread tools (metier host-adapter)"
            }
            Self::Load => "skills that a server loads at its start; all for every one",
            Self::Watch => "serve what changes in the folders without a restart",
            Self::Stubs => {
                "which skills that are not loaded have a stub in tools/list: all or none"
            }
            Self::Confirm => "which calls the person at the client confirms: never or destructive",
            Self::Host => "the address that metier serve listens on",
            Self::Port => "its port; 0 takes any free one",
            Self::AllowedHosts => "further names under which clients may call it",
            Self::AllowedOrigins => "origins of web pages that may call it; others are refused",
            Self::Persist => "keep what a server has loaded over a restart: a policy, or off",
            Self::StateDir => "the folder of what is kept; ~/.dcc-mcp without one",
            Self::SkillTools => {
                "when tools/list shows the tools for skills as texts: auto (while a skill has no tools), on or off"
            }
            Self::Python => "the Python that runs .py scripts",
            Self::Argv => "give scripts their arguments as --key value too, seen by every process",
            Self::Deadline => "seconds a tool may run unless it asks for more",
            Self::Longest => "seconds a tool can ask for",
            Self::Output => "what a script may print, in bytes or like \"4 MiB\"",
            Self::Processes => "how many scripts run at once",
            Self::AuditFile => "a file that every call is written to, without its arguments",
            Self::MemoryEnabled => {
                "remember which tools went well, and tell it with search results"
            }
            Self::MemoryDatabase => "a file that keeps what is remembered; turns memory on",
            Self::MemoryPrivacy => "remember and tell nothing, whatever else is set",
            Self::Disabled => "skills that are as if they were not there, by name",
            Self::Window => {
                "the context window of the models in tokens; a listing takes a hundredth of it"
            }
            Self::Selector => {
                "who chooses where a discovery is not sure: caller (the model that calls), client (its model, asked by sampling), http or scripted"
            }
            Self::SelectorUrl => {
                "of http: an interface like OpenAI's, as http://127.0.0.1:11434/v1"
            }
            Self::SelectorModel => "of http: the model",
            Self::SelectorKeyVariable => {
                "of http: the variable that holds the key, where one is needed"
            }
            Self::SelectorTimeout => "seconds that a selector of http may take",
            Self::SelectorAnswers => "of scripted: a file with an answer on each line, for trying",
            Self::PermissionsDeny => "skills that nobody may activate: NAME, PREFIX:* or *",
            Self::PermissionsAllow => {
                "skills that are activated without a question, whatever they ask for"
            }
            Self::PermissionsAsk => "skills that a person has to agree to",
            Self::AuditSize => "how large that file becomes before a new one is begun",
        }
    }

    /// What counts when nobody says anything.
    pub(crate) fn built_in(self) -> Option<Value> {
        let settings = CatalogSettings::default();
        let run = &settings.run;
        Some(match self {
            Self::App => Value::Text(settings.app),
            Self::Dcc
            | Self::Python
            | Self::AuditFile
            | Self::Attach
            | Self::StateDir
            | Self::MemoryDatabase
            | Self::Window
            | Self::SelectorUrl
            | Self::SelectorModel
            | Self::SelectorKeyVariable
            | Self::SelectorAnswers => return None,
            Self::Selector => Value::Text(SELECTOR[0].to_owned()),
            Self::SelectorTimeout => Value::Seconds(settings.protocol.selector_limit.as_secs()),
            Self::Persist => Value::Text(OFF.to_owned()),
            Self::SkillTools => Value::Text(When::Auto.as_str().to_owned()),
            Self::Roots | Self::WorkspaceRoots => Value::Folders(Vec::new()),
            Self::AgentSkills
            | Self::Strict
            | Self::RequireHost
            | Self::Argv
            | Self::Watch
            | Self::MemoryEnabled
            | Self::MemoryPrivacy => Value::Flag(false),
            Self::Capabilities
            | Self::Disabled
            | Self::PermissionsDeny
            | Self::PermissionsAllow
            | Self::PermissionsAsk
            | Self::Environment
            | Self::Load
            | Self::AllowedHosts
            | Self::AllowedOrigins => Value::Texts(Vec::new()),
            Self::Stubs => Value::Text(STUBS[0].to_owned()),
            Self::Confirm => Value::Text(CONFIRM[0].to_owned()),
            Self::Host => Value::Text("127.0.0.1".to_owned()),
            Self::Port => Value::Count(8765),
            Self::Deadline => Value::Seconds(run.limits.deadline.as_secs()),
            Self::Longest => Value::Seconds(run.longest_deadline.as_secs()),
            Self::Output => Value::Bytes(run.limits.output_bytes),
            Self::Processes => Value::Count(run.gate.free()),
            Self::AuditSize => Value::Bytes(10 << 20),
        })
    }
}
