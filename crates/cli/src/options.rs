//! Options that several commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use metier::catalog::{AuditLog, DiscoverReport};
use metier::loader::WatchSettings;
use metier::runner::EnvLookup;
use metier::{CatalogSettings, SkillCatalog, ToolRegistry};

use crate::Failure;
use crate::catalog_settings::settings;
use crate::config::{Config, Fault, Key, Layer, Value, Wanted};
use crate::given_path::{absolute_text, readable_folder};
use crate::interpreter_faults;
use crate::printer::Printer;
use crate::{program_hooks, progress, searched};

/// Where skills come from.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct SkillPlaces {
    /// The application the skills are for; names variables and folders [default: python].
    #[arg(long, value_name = "NAME")]
    pub(crate) app: Option<String>,
    /// Reject a skill over any error instead of loading it as far as it can be.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Serve only skills for this application and for python.
    #[arg(long, value_name = "NAME")]
    pub(crate) dcc: Option<String>,
    /// Leave this skill out, as if it were not there; may be given several times.
    #[arg(long = "disable", value_name = "NAME")]
    pub(crate) disabled: Vec<String>,
    /// Look in the usual places as well as in PATH.
    #[arg(long)]
    pub(crate) with_defaults: bool,
    /// Read the skills of agents too: those in `.claude/skills`, `.agents/skills` and `.openspace/skills` of the folders
    /// from the working directory up to the root of its project, and of the home folder.
    #[arg(long)]
    pub(crate) agent_skills: bool,
    /// Read the settings from this file; otherwise from metier.toml in the working directory or the
    /// nearest folder above.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no settings from a file.
    #[arg(long)]
    pub(crate) no_config: bool,
    /// Folders with skills; without any, the usual places are searched.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// How tools run.
#[derive(Args, Clone, Default, PartialEq, Eq)]
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
    /// Seconds a tool may run unless it asks for more [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,
    /// Refuse calls of main-thread tools instead of running their scripts as programs.
    #[arg(long)]
    pub(crate) require_host: bool,
    /// Run main-thread tools in the application whose adapter writes this file; `metier
    /// host-adapter` prints the adapter.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Option<PathBuf>,
    /// Write a line for every call to this file: who, what, how it ended; never the arguments.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log: Option<PathBuf>,
}

impl SkillPlaces {
    /// The settings of a catalog over these places, for a command that runs nothing.
    pub(crate) fn settings(&self) -> Result<CatalogSettings, Failure> {
        let read = Running::default().config(self);
        Running::checked(read, self, false).map(|(settings, _)| settings)
    }

    /// A catalog over these places, discovered.
    pub(crate) fn catalog(&self, settings: CatalogSettings) -> (SkillCatalog, DiscoverReport) {
        let only_dcc = settings.only_dcc.clone();
        let catalog = SkillCatalog::new(ToolRegistry::with_settings(settings));
        let report = progress::around("looking for skills", || {
            catalog.discover(&self.paths, only_dcc.as_deref())
        });
        (catalog, report)
    }

    /// Says where was looked, when nothing was found there.
    pub(crate) fn tell_if_empty(
        &self,
        printer: Printer,
        catalog: &SkillCatalog,
    ) -> Result<(), Failure> {
        searched::tell_if_empty(printer, catalog, &self.paths)
    }

    /// The command that checks the skills of these places.
    pub(crate) fn check_command(&self) -> String {
        let mut words = vec!["metier check".to_owned()];
        if self.with_defaults || self.paths.is_empty() {
            words.push("--with-defaults".to_owned());
        }
        if self.agent_skills {
            words.push("--agent-skills".to_owned());
        }
        if let Some(app) = &self.app {
            words.push(format!("--app {app}"));
        }
        words.extend(self.paths.iter().map(|path| path.display().to_string()));
        words.join(" ")
    }

    /// Refuses a PATH that is no folder, or none that can be read.
    pub(crate) fn check_paths(&self) -> Result<(), Failure> {
        self.paths.iter().try_for_each(|path| readable_folder(path))
    }

    /// The same choice as arguments for another process, which may stand elsewhere: paths absolute,
    /// and the settings file that is in force here named.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: &str| {
            arguments.extend([name.to_owned(), value.to_owned()]);
        };
        if let Some(app) = &self.app {
            option("--app", app);
        }
        if let Some(dcc) = &self.dcc {
            option("--dcc", dcc);
        }
        for name in &self.disabled {
            option("--disable", name);
        }
        let (config, _) = Running::default().config(self);
        if let Some((_, file)) = &config.file {
            option("--config", &absolute_text(file)?);
        }
        for (set, name) in [
            (self.strict, "--strict"),
            (self.with_defaults, "--with-defaults"),
            (self.agent_skills, "--agent-skills"),
            (self.no_config, "--no-config"),
        ] {
            if set {
                arguments.push(name.to_owned());
            }
        }
        for path in &self.paths {
            arguments.push(absolute_text(path)?);
        }
        Ok(arguments)
    }

    fn wanted(&self) -> Wanted {
        match &self.config {
            Some(file) => Wanted::Named(file.clone()),
            None if self.no_config => Wanted::None,
            None => Wanted::Usual,
        }
    }

    fn layer(&self) -> Layer {
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        let mut layer = Layer::default();
        layer.option(Key::App, text(&self.app));
        layer.option(Key::Dcc, text(&self.dcc));
        let agents = self.agent_skills.then_some(Value::Flag(true));
        layer.option(Key::AgentSkills, agents);
        layer.option(Key::Strict, self.strict.then_some(Value::Flag(true)));
        let disabled = (!self.disabled.is_empty()).then(|| self.disabled.clone());
        layer.option(Key::Disabled, disabled.map(Value::Texts));
        layer
    }
}

impl Running {
    /// The settings of a catalog over these places whose tools are run with these options, with where each
    /// comes from.
    pub(crate) fn settings_of_server(
        &self,
        places: &SkillPlaces,
    ) -> Result<(CatalogSettings, Config), Failure> {
        Self::settings_of(self.config(places), places)
    }

    /// The same of settings that were read, and what is wrong with them.
    pub(crate) fn settings_of(
        read: (Config, Vec<Fault>),
        places: &SkillPlaces,
    ) -> Result<(CatalogSettings, Config), Failure> {
        let (mut settings, config) = Self::checked(read, places, true)?;
        if let Some(file) = config.file(Key::AuditFile) {
            let most = config.number(Key::AuditSize).unwrap_or(usize::MAX);
            let log = AuditLog::open(file, most as u64).map_err(|error| {
                let place = place(&config, Key::AuditFile);
                Failure::Usage(format!("{place}: {}: {error}", file.display()))
            })?;
            settings.audit = Some(Arc::new(log));
        }
        Ok((settings, config))
    }

    /// The same without the audit log; what scripts could not be run with is told only when some may be run.
    fn checked(
        (config, mut faults): (Config, Vec<Fault>),
        places: &SkillPlaces,
        runs: bool,
    ) -> Result<(CatalogSettings, Config), Failure> {
        places.check_paths()?;
        for note in &config.notes {
            Printer.say(&format!("warning: {note}"));
        }
        let settings = settings(&config, places, &mut faults);
        let (of_option, others): (Vec<Fault>, Vec<Fault>) =
            interpreter_faults::faults(&config, &settings)
                .into_iter()
                .partition(interpreter_faults::is_of_option);
        faults.extend(of_option);
        let mut others = others;
        if runs {
            for (hook, found) in program_hooks::found(&config, &settings) {
                // A policy that must not be skipped and cannot be asked would refuse everything.
                match found {
                    Err(fault) if hook.value.fail_closed => faults.push(fault),
                    Err(fault) => others.push(fault),
                    Ok(_) => {}
                }
            }
        }
        if faults.is_empty() {
            // What the machine lacks is no reason not to start: other tools may not need it.
            for fault in others.iter().filter(|_| runs) {
                Printer.say(&format!("warning: {fault}"));
            }
            return Ok((settings, config));
        }
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Err(Failure::Usage(faults.join("\nerror: ")))
    }

    /// The same options as arguments for another process, paths absolute.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        for capability in &self.capabilities {
            option("--capability", capability.clone());
        }
        for root in &self.roots {
            option("--root", absolute_text(root)?);
        }
        if let Some(python) = &self.python {
            let bare = python
                .parent()
                .is_some_and(|parent| parent.as_os_str().is_empty());
            let python = if bare {
                python.to_string_lossy().into_owned()
            } else {
                absolute_text(python)?
            };
            option("--python", python);
        }
        for pattern in &self.environment {
            option("--env", pattern.clone());
        }
        if let Some(seconds) = self.timeout {
            option("--timeout", seconds.to_string());
        }
        if let Some(file) = &self.audit_log {
            option("--audit-log", absolute_text(file)?);
        }
        if self.require_host {
            arguments.push("--require-host".to_owned());
        }
        if let Some(door) = &self.attach {
            arguments.extend(["--attach".to_owned(), absolute_text(door)?]);
        }
        Ok(arguments)
    }

    /// Every setting with its origin, and what is wrong with those that cannot be used.
    pub(crate) fn config(&self, places: &SkillPlaces) -> (Config, Vec<Fault>) {
        let mut options = places.layer();
        let texts = |texts: &Vec<String>| (!texts.is_empty()).then(|| Value::Texts(texts.clone()));
        options.option(Key::Capabilities, texts(&self.capabilities));
        options.option(Key::Environment, texts(&self.environment));
        let roots = (!self.roots.is_empty()).then(|| Value::Folders(self.roots.clone()));
        options.option(Key::WorkspaceRoots, roots);
        options.option(Key::Python, self.python.clone().map(Value::Program));
        options.option(Key::Deadline, self.timeout.map(Value::Seconds));
        let host = self.require_host.then_some(Value::Flag(true));
        options.option(Key::RequireHost, host);
        options.option(Key::Attach, self.attach.clone().map(Value::File));
        options.option(Key::AuditFile, self.audit_log.clone().map(Value::File));
        let environment = EnvLookup::from_process();
        Config::read(
            places.wanted(),
            &environment,
            etcetera::home_dir().ok().as_deref(),
            options,
        )
    }
}

/// Where a setting was made, for a message: `--root`, or `metier.toml:3:1: workspace_roots`.
pub(crate) fn place(config: &Config, key: Key) -> String {
    use crate::config::Origin;
    match config.get(key).map(|found| &found.origin) {
        Some(Origin::File(place)) => format!("{place}: {}", key.path()),
        Some(Origin::BuiltIn) | None => key.path().to_owned(),
        Some(origin) => origin.to_string(),
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
