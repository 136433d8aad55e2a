//! Options that several commands share, and the settings that follow from them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use metier::catalog::{AuditLog, DiscoverReport};
use metier::host::HostLink;
use metier::loader::{ParseMode, WatchSettings};
use metier::runner::{EnvLookup, EnvironmentPolicy, Gate, ScriptKind, Watchdog};
use metier::workspace_roots::WorkspaceRoots;
use metier::{CatalogSettings, SkillCatalog, ToolRegistry};

use crate::Failure;
use crate::config::{Config, Fault, Key, Layer, Value, Wanted};
use crate::given_path::{absolute_text, readable_folder};
use crate::interpreter_faults;
use crate::printer::Printer;
use crate::{listing, program_hooks, progress, searched};

/// Where skills come from.
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
    /// Look in the usual places as well as in PATH.
    #[arg(long)]
    pub(crate) with_defaults: bool,
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
        Running::default()
            .read(self, false)
            .map(|(settings, _)| settings)
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
    pub(crate) fn tell_if_empty(&self, printer: Printer, catalog: &SkillCatalog) {
        searched::tell_if_empty(printer, catalog, &self.paths);
    }

    /// The command that checks the skills of these places.
    pub(crate) fn check_command(&self) -> String {
        let mut words = vec!["metier check".to_owned()];
        if self.with_defaults || self.paths.is_empty() {
            words.push("--with-defaults".to_owned());
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
        let (config, _) = Running::default().config(self);
        if let Some((_, file)) = &config.file {
            option("--config", &absolute_text(file)?);
        }
        for (set, name) in [
            (self.strict, "--strict"),
            (self.with_defaults, "--with-defaults"),
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
        layer.option(Key::Strict, self.strict.then_some(Value::Flag(true)));
        layer
    }
}

impl Running {
    /// The settings of a catalog over these places whose tools are run with these options.
    pub(crate) fn settings(&self, places: &SkillPlaces) -> Result<CatalogSettings, Failure> {
        Ok(self.settings_of_server(places)?.0)
    }

    /// The same with where each setting comes from, read once.
    pub(crate) fn settings_of_server(
        &self,
        places: &SkillPlaces,
    ) -> Result<(CatalogSettings, Config), Failure> {
        let (mut settings, config) = self.read(places, true)?;
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
    fn read(&self, places: &SkillPlaces, runs: bool) -> Result<(CatalogSettings, Config), Failure> {
        places.check_paths()?;
        let (config, mut faults) = self.config(places);
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

/// What a catalog is told. A setting that cannot be used is left out and told.
pub(crate) fn settings(
    config: &Config,
    places: &SkillPlaces,
    faults: &mut Vec<Fault>,
) -> CatalogSettings {
    let app = config.text(Key::App).unwrap_or("python");
    let mut settings = CatalogSettings::from_process(app);
    settings.parse_mode = if config.flag(Key::Strict) {
        ParseMode::Strict
    } else {
        ParseMode::Lenient
    };
    settings.only_dcc = config.text(Key::Dcc).map(ToOwned::to_owned);
    settings.roots.with_defaults = places.with_defaults || places.paths.is_empty();
    settings.roots.configured = config.folders(Key::Roots).to_vec();
    settings.declared_capabilities = config.texts(Key::Capabilities).to_vec();
    settings.skill_tools = listing::skill_tools(config);
    settings.workspace_roots = Arc::new(WorkspaceRoots::new(workspace_roots(config, faults)));

    let run = &mut settings.run;
    run.require_host = config.flag(Key::RequireHost);
    run.argv = config.flag(Key::Argv);
    if let Some(door) = config.file(Key::Attach) {
        run.host = Some(Arc::new(HostLink::new(door)));
    }
    run.interpreters.python = config.program(Key::Python).map(ToOwned::to_owned);
    for (name, interpreter) in &config.layer.interpreters {
        let is_extension = ScriptKind::of(Path::new(&format!("x.{name}"))).is_some();
        let map = if is_extension {
            &mut run.interpreters.by_extension
        } else {
            &mut run.interpreters.by_host
        };
        map.insert(name.clone(), interpreter.value.clone());
    }
    let mut policy = EnvironmentPolicy::default();
    for pattern in config.texts(Key::Environment) {
        match policy.clone().allow(pattern) {
            Ok(wider) => policy = wider,
            Err(error) => faults.push(Fault::new(
                format!("{} {pattern}", place(config, Key::Environment)),
                error.to_string(),
                "correct it or leave it out",
            )),
        }
    }
    run.environment_policy = policy;
    if let Some(seconds) = config.seconds(Key::Deadline) {
        run.limits.deadline = Duration::from_secs(seconds);
    }
    if let Some(seconds) = config.seconds(Key::Longest) {
        run.longest_deadline = Duration::from_secs(seconds);
    }
    if let Some(bytes) = config.number(Key::Output) {
        run.limits.output_bytes = bytes;
    }
    if let Some(processes) = config.number(Key::Processes) {
        run.gate = Gate::new(processes);
    }
    let watchdog = Watchdog::this_program([crate::WATCHDOG]);
    run.gate = run.gate.clone().with_watchdog(watchdog);
    program_hooks::register(config, &settings);
    crate::embedder::add_model(&mut settings);
    settings
}

/// The folders of the workspace that are there, absolute.
fn workspace_roots(config: &Config, faults: &mut Vec<Fault>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for (index, root) in config.folders(Key::WorkspaceRoots).iter().enumerate() {
        let key = Key::WorkspaceRoots;
        let place = || match config.entry(key, index) {
            Some(entry) => format!("{entry}: {} {}", key.path(), root.display()),
            None => format!("{} {}", place(config, key), root.display()),
        };
        match std::path::absolute(root) {
            Ok(absolute) if absolute.is_dir() => roots.push(absolute),
            Ok(_) => faults.push(Fault::new(
                place(),
                "there is no such folder",
                "make it or name another one",
            )),
            Err(error) => faults.push(Fault::new(place(), error.to_string(), "name another one")),
        }
    }
    roots
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
