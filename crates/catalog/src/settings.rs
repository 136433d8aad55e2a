//! What a catalog is told once, when it is made.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use metier_diagnostics::Diagnostic;
use metier_hooks::LifecycleHooks;
use metier_loader::{ParseMode, Root, RootSources, resolve_roots};
use metier_runner::{EnvLookup, EnvironmentPolicy, Gate, Interpreters, Limits, ScriptKind};
use metier_search::FusedIndex;
use metier_skill_model::{Affinity, LONGEST_DEADLINE_SECS};
use metier_tool::HostExecutor;
use metier_workspace_roots::WorkspaceRoots;

use crate::AuditLog;
use crate::protocol::ProtocolSettings;

/// The settings of a catalog. The default is safe on a workstation and looks at nothing outside: no
/// environment, no home folder.
#[derive(Clone)]
#[non_exhaustive]
pub struct CatalogSettings {
    /// The application the server is for (`maya`); names variables and folders.
    pub app: String,
    /// Whether a skill with an error is rejected or loaded as far as it can be.
    pub parse_mode: ParseMode,
    /// Serve only skills for this application and for `python`; letter case does not count.
    pub only_dcc: Option<String>,
    /// Skills that are as if they were not there, on every surface, by name. A name that is asked for is told to be
    /// disabled. [`ProtocolSettings::standing`] hides skills from listing, discovery and activation alone.
    pub disabled: BTreeSet<String>,
    /// What the host can do; see [`metier_capability`].
    pub declared_capabilities: Vec<String>,
    /// Where skills come from beside the paths given to `discover`.
    pub roots: RootSettings,
    /// How scripts run.
    pub run: RunSettings,
    /// The hooks in use from the start.
    pub hooks: LifecycleHooks,
    /// How long a hook handler may take that has no limit of its own. One that blocks and does not end
    /// keeps its thread; once sixteen of its runs do, it is late from the beginning.
    pub hook_limit: Duration,
    /// The workspace of calls that bring none of their own.
    pub workspace_roots: Arc<WorkspaceRoots>,
    /// The empty index that the skills are put into. A host with a model adds it here.
    pub search: FusedIndex,
    /// When tools are listed that hand out the skills' texts.
    pub skill_tools: SkillTools,
    /// How skills come before a model.
    pub protocol: ProtocolSettings,
    /// The record of every call; none by default.
    pub audit: Option<Arc<AuditLog>>,
}

impl Default for CatalogSettings {
    fn default() -> Self {
        Self {
            app: "python".to_owned(),
            parse_mode: ParseMode::Lenient,
            only_dcc: None,
            disabled: BTreeSet::new(),
            declared_capabilities: Vec::new(),
            roots: RootSettings::default(),
            run: RunSettings::default(),
            hooks: LifecycleHooks::new(),
            hook_limit: Duration::from_secs(5),
            workspace_roots: Arc::new(WorkspaceRoots::default()),
            search: FusedIndex::new(),
            skill_tools: SkillTools::Auto,
            protocol: ProtocolSettings::default(),
            audit: None,
        }
    }
}

impl CatalogSettings {
    /// The settings of a server for `app` that takes part in this process's environment: skill
    /// paths from the variables, the home folder and the platform's data folder, interpreters from
    /// the path. The default, in contrast, looks at nothing outside.
    pub fn from_process(app: impl Into<String>) -> Self {
        let environment = EnvLookup::from_process();
        Self {
            app: app.into(),
            roots: RootSettings {
                with_defaults: true,
                environment: environment.clone(),
                home: etcetera::home_dir().ok(),
                platform_data: choose_native_strategy()
                    .ok()
                    .map(|places| places.data_dir().join("dcc-mcp")),
                configured: Vec::new(),
                agent_folders_of: None,
            },
            run: RunSettings {
                environment,
                ..RunSettings::default()
            },
            ..Self::default()
        }
    }
}

impl fmt::Debug for CatalogSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatalogSettings")
            .field("app", &self.app)
            .field("parse_mode", &self.parse_mode)
            .field("only_dcc", &self.only_dcc)
            .field("disabled", &self.disabled)
            .field("declared_capabilities", &self.declared_capabilities)
            .field("roots", &self.roots)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// When `read_skill_file`, `skills_listing`, `discover_skills` and `skill` are listed: the way to the skills' texts for a client that knows tools only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkillTools {
    /// While there is a skill without tools, which is nothing but its text.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Where skills come from beside the paths given to `discover`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RootSettings {
    /// Whether the environment, the home folder and the platform's data folder are looked at.
    pub with_defaults: bool,
    /// The environment they are taken from.
    pub environment: EnvLookup,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The platform's data folder.
    pub platform_data: Option<PathBuf>,
    /// Folders named in a configuration file.
    pub configured: Vec<PathBuf>,
    /// Folders whose agent folders are searched, with those of the home folder; see [`RootSources::agent_folders_of`].
    pub agent_folders_of: Option<Vec<PathBuf>>,
}

impl RootSettings {
    /// The folders to search, in order of precedence, and what was odd about their sources: `explicit` ones first, then the
    /// places of these settings for the application `app`.
    pub fn resolve(&self, explicit: &[PathBuf], app: &str) -> (Vec<Root>, Vec<Diagnostic>) {
        let environment = |name: &str| self.environment.get(name).map(ToOwned::to_owned);
        resolve_roots(&RootSources {
            explicit,
            app,
            environment: &environment,
            home: self.home.clone(),
            platform_data: self.platform_data.clone(),
            configured: &self.configured,
            agent_folders_of: self.agent_folders_of.as_deref(),
            with_defaults: self.with_defaults,
        })
    }
}

/// How scripts run.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunSettings {
    /// Named interpreters.
    pub interpreters: Interpreters,
    /// The environment of the server: where interpreters are looked up, and what scripts may see a
    /// part of.
    pub environment: EnvLookup,
    /// Which part of it they see.
    pub environment_policy: EnvironmentPolicy,
    /// The bounds of one run; `deadline` is the default for tools that name none.
    pub limits: Limits,
    /// The longest deadline that a tool can ask for.
    pub longest_deadline: Duration,
    /// How many scripts run at once.
    pub gate: Gate,
    /// Whether scripts get their arguments as `--key value` too, for those that read no standard
    /// input. Every process of the machine can see them then. Batch files never do: `cmd` would read
    /// the values as commands.
    pub argv: bool,
    /// The host application, when there is one.
    pub host: Option<Arc<dyn HostExecutor>>,
    /// Refuse calls of main-thread tools when there is no host, instead of running their script as
    /// a program of its own.
    pub require_host: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            interpreters: Interpreters::default(),
            environment: EnvLookup::default(),
            environment_policy: EnvironmentPolicy::default(),
            limits: Limits::default(),
            longest_deadline: Duration::from_secs(LONGEST_DEADLINE_SECS),
            gate: Gate::default(),
            argv: false,
            host: None,
            require_host: false,
        }
    }
}

impl RunSettings {
    /// Whether a tool runs in the host application: there is one, and the tool needs the main
    /// thread, the process, or a language that nothing but the application reads (`.mel`, `.ms`,
    /// `.hscript`).
    pub fn runs_in_host(
        &self,
        affinity: Affinity,
        requires_in_process: bool,
        script: &Path,
    ) -> bool {
        self.host.is_some()
            && (affinity == Affinity::Main
                || requires_in_process
                || ScriptKind::of(script) == Some(ScriptKind::HostScript))
    }
}

impl fmt::Debug for RunSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSettings")
            .field("interpreters", &self.interpreters)
            .field("limits", &self.limits)
            .field("longest_deadline", &self.longest_deadline)
            .field("argv", &self.argv)
            .field("require_host", &self.require_host)
            .field("host", &self.host.is_some())
            .finish_non_exhaustive()
    }
}
