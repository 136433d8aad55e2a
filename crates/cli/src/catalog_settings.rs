//! What the settings come to for a catalog.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use metier::CatalogSettings;
use metier::catalog::RootSettings;
use metier::host::HostLink;
use metier::loader::{ParseMode, project_folders};
use metier::runner::{EnvironmentPolicy, Gate, ScriptKind, Watchdog};
use metier::workspace_roots::WorkspaceRoots;

use crate::config::{Config, Fault, Key, Origin};
use crate::options::{SkillPlaces, place};
use crate::{choosing, listing, program_hooks};

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
    settings.roots.agent_folders_of = agent_folders_of(config, &settings.roots);
    settings.roots.configured = config.folders(Key::Roots).to_vec();
    settings.declared_capabilities = config.texts(Key::Capabilities).to_vec();
    settings.skill_tools = listing::skill_tools(config);
    settings.workspace_roots = Arc::new(WorkspaceRoots::new(workspace_roots(config, faults)));

    choosing::apply(config, &mut settings, faults);

    let run = &mut settings.run;
    run.require_host = config.flag(Key::RequireHost);
    run.argv = config.flag(Key::Argv);
    if let Some(door) = config.file(Key::Attach) {
        run.host = Some(Arc::new(HostLink::new(door)));
    }
    run.interpreters.python = config.program(Key::Python).map(ToOwned::to_owned);
    run.interpreters.python_for_hosts = config
        .get(Key::Python)
        .is_some_and(|setting| matches!(setting.origin, Origin::Option(_)));
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

/// The folders of the project, where agent folders are read. PATHs on the command line replace them as all other places,
/// unless the command line itself asks for them.
fn agent_folders_of(config: &Config, roots: &RootSettings) -> Option<Vec<PathBuf>> {
    let setting = config.get(Key::AgentSkills)?;
    let is_asked = roots.with_defaults || matches!(setting.origin, Origin::Option(_));
    (config.flag(Key::AgentSkills) && is_asked).then(|| {
        let working = std::env::current_dir();
        working.map_or_else(
            |_| Vec::new(),
            |working| project_folders(&working, roots.home.as_deref()),
        )
    })
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
