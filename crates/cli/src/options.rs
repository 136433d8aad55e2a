//! Options that several commands share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use metier::catalog::{CatalogSnapshot, DiscoverReport};
use metier::diagnostics::Severity;
use metier::loader::{ParseMode, WatchSettings};
use metier::runner::EnvironmentPolicy;
use metier::workspace_roots::WorkspaceRoots;
use metier::{CatalogSettings, SkillCatalog, ToolRegistry};

use crate::Failure;
use crate::printer::Printer;

/// Where skills come from.
#[derive(Args, Clone)]
pub(crate) struct SkillPlaces {
    /// The application the skills are for; names variables and folders.
    #[arg(long, value_name = "NAME", default_value = "python")]
    pub(crate) app: String,
    /// Reject a skill over any error instead of loading it as far as it can be.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Serve only skills for this application and for python.
    #[arg(long, value_name = "NAME")]
    pub(crate) dcc: Option<String>,
    /// Look in the usual places as well as in PATH.
    #[arg(long)]
    pub(crate) with_defaults: bool,
    /// Folders with skills; without any, the usual places are searched.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// How tools run.
#[derive(Args, Clone)]
pub(crate) struct Running {
    /// What the host can do; may be given several times.
    #[arg(long = "capability", value_name = "NAME")]
    pub(crate) capabilities: Vec<String>,
    /// A folder of the workspace; may be given several times.
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// The Python that runs .py scripts.
    #[arg(long, value_name = "EXE")]
    pub(crate) python: Option<PathBuf>,
    /// Environment variables that scripts may see: a name, a pattern that ends in *, or `all`; may
    /// be given several times.
    #[arg(long = "env", value_name = "NAME|PATTERN*")]
    pub(crate) environment: Vec<String>,
    /// Seconds a tool may run unless it asks for more.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Refuse calls of main-thread tools instead of running their scripts as programs.
    #[arg(long)]
    pub(crate) require_host: bool,
}

/// What `tools/list` shows.
#[derive(Args, Clone)]
pub(crate) struct Listing {
    /// Whether tools/list shows a stub for each skill that is not loaded.
    #[arg(long, value_enum, default_value_t = Stubs::All)]
    stubs: Stubs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stubs {
    /// One for each.
    All,
    /// None; clients find skills with `search_skills`.
    None,
}

impl Listing {
    pub(crate) fn shows_stubs(&self) -> bool {
        self.stubs == Stubs::All
    }
}

impl SkillPlaces {
    /// The settings of a catalog over these places.
    pub(crate) fn settings(&self) -> Result<CatalogSettings, Failure> {
        for path in &self.paths {
            if !path.exists() {
                return Err(Failure::Usage(format!(
                    "{}: there is no such folder",
                    path.display()
                )));
            }
            if !path.is_dir() {
                return Err(Failure::Usage(format!(
                    "{}: this is a file; name the folder that holds the skills",
                    path.display()
                )));
            }
        }
        let mut settings = CatalogSettings::from_process(self.app.as_str());
        settings.parse_mode = if self.strict {
            ParseMode::Strict
        } else {
            ParseMode::Lenient
        };
        settings.only_dcc.clone_from(&self.dcc);
        settings.roots.with_defaults = self.with_defaults || self.paths.is_empty();
        Ok(settings)
    }

    /// A catalog over these places, discovered.
    pub(crate) fn catalog(&self, settings: CatalogSettings) -> (SkillCatalog, DiscoverReport) {
        let catalog = SkillCatalog::new(ToolRegistry::with_settings(settings));
        let report = catalog.discover(&self.paths, self.dcc.as_deref());
        (catalog, report)
    }
}

impl Running {
    /// Adds these options to the settings.
    pub(crate) fn apply(&self, settings: &mut CatalogSettings) -> Result<(), Failure> {
        settings
            .declared_capabilities
            .clone_from(&self.capabilities);
        settings.run.interpreters.python.clone_from(&self.python);
        settings.run.require_host = self.require_host;
        settings.run.limits.deadline = Duration::from_secs(self.timeout);
        let mut policy = EnvironmentPolicy::default();
        for pattern in &self.environment {
            policy = policy
                .allow(pattern)
                .map_err(|error| Failure::Usage(format!("--env {pattern}: {error}")))?;
        }
        settings.run.environment_policy = policy;
        let roots: Result<Vec<PathBuf>, Failure> =
            self.roots.iter().map(|root| absolute(root)).collect();
        settings.workspace_roots = Arc::new(WorkspaceRoots::new(roots?));
        Ok(())
    }
}

fn absolute(root: &Path) -> Result<PathBuf, Failure> {
    if !root.is_dir() {
        return Err(Failure::Usage(format!(
            "--root {}: there is no such folder",
            root.display()
        )));
    }
    std::path::absolute(root)
        .map_err(|error| Failure::Usage(format!("--root {}: {error}", root.display())))
}

/// Tells the operator of everything that was not used as written.
pub(crate) fn tell_findings(printer: Printer, snapshot: &CatalogSnapshot) {
    for (root, finding) in snapshot.operator_findings() {
        if finding.severity >= Severity::Warning {
            let prefix = root.to_string_lossy();
            let shown = if prefix.is_empty() {
                finding.clone()
            } else {
                finding.clone().below(&prefix)
            };
            printer.say(shown.to_string().replace(['\n', '\r'], " ").as_str());
        }
    }
}

/// Follows the folders of a catalog from now on.
pub(crate) fn follow(catalog: &SkillCatalog) -> Result<(), Failure> {
    catalog
        .watch(WatchSettings::default())
        .map_err(|error| Failure::Usage(format!("--watch: {error}")))
}

/// A runtime for a command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("the system gives no threads: {error}")))
}
