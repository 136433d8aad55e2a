//! What a server has loaded comes back after a restart.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use metier::StoredQuality;
use metier::persistence::{UnknownPolicy, system_clock};
use metier::skill_protocol::QualityCounters;
use metier::{
    AppName, LoadPersistence, LoadedStateStore, ReplayPolicy, SkillCatalog,
    enable_skill_load_persistence,
};

use crate::Failure;
use crate::config::{Config, Key, OFF, Value};
use crate::given_path::absolute_text;
use crate::options::place;
use crate::pasted;
use crate::printer::{Printer, count};

/// Whether and how the loaded skills are kept.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Persisting {
    /// Keep what is loaded over a restart; for skills of another version than the one that was
    /// loaded, POLICY is `skip_on_drift`, `require_exact_version` or `ignore_version`; `off` keeps nothing.
    #[arg(
        long,
        value_name = "POLICY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "skip_on_drift"
    )]
    persist: Option<Kept>,
    #[command(flatten)]
    place: StatePlace,
}

/// Under which policy, or not at all.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kept(Option<ReplayPolicy>);

impl FromStr for Kept {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            OFF => Ok(Self(None)),
            policy => policy.parse().map(|policy| Self(Some(policy))),
        }
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or(OFF, ReplayPolicy::name))
    }
}

/// Where it is kept.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct StatePlace {
    /// The folder of what is kept over a restart [default: ~/.dcc-mcp].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl StatePlace {
    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let folder = self.state_dir.clone().map(Value::File);
        config.layer.option(Key::StateDir, folder);
    }
}

impl Persisting {
    /// Puts the options on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let policy = self.persist.map(|it| Value::Text(it.to_string()));
        config.layer.option(Key::Persist, policy);
        self.place.cover(config);
    }

    /// The same options as arguments for another process, paths absolute.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let policy = self.persist.map(|policy| format!("--persist={policy}"));
        let mut arguments: Vec<String> = policy.into_iter().collect();
        if let Some(folder) = &self.place.state_dir {
            arguments.extend(["--state-dir".to_owned(), absolute_text(folder)?]);
        }
        Ok(arguments)
    }
}

/// Loads what was loaded before and follows what is loaded from now on, when that is wanted.
pub(crate) async fn begin(
    printer: Printer,
    catalog: &SkillCatalog,
    config: &Config,
) -> Result<Option<Persistence>, Failure> {
    let Some(policy) = config.text(Key::Persist).filter(|text| *text != OFF) else {
        return Ok(None);
    };
    let policy: ReplayPolicy = policy
        .parse()
        .map_err(|error| Failure::Usage(format!("{}: {error}", place(config, Key::Persist))))?;
    let store = store(config)?;
    let shown = store.file().display().to_string();
    let begun = enable_skill_load_persistence(catalog, store, policy).await;
    let (persistence, report) = begun.map_err(|error| {
            let names: Vec<&str> = error.0.iter().map(|drift| drift.skill.as_str()).collect();
            let them = if names.len() == 1 { "it" } else { "them" };
            Failure::Usage(format!(
                "{}: {error}; `--persist=skip_on_drift` restores the others, and `metier state forget {}{}` gives {them} up",
                place(config, Key::Persist),
                names.join(" "),
                which(config),
            ))
        })?;
    for note in report.notes_for(&which(config)) {
        printer.say(&format!("warning: {note}"));
    }
    if !report.restored.is_empty() {
        let number = count(report.restored.len(), "skill");
        printer.say(&format!("restored {number} from {shown}"));
    }
    Ok(Some(Persistence {
        loaded: persistence,
        catalog: catalog.clone(),
    }))
}

/// Keeps what is loaded, and how skills do, until it is closed.
pub(crate) struct Persistence {
    loaded: LoadPersistence,
    catalog: SkillCatalog,
}

impl Persistence {
    /// Saves what is not saved yet, and ends.
    pub(crate) async fn close(self) {
        self.loaded.close().await;
        let catalog = self.catalog;
        // It waits for the disk, and nothing is left to do when its thread cannot be waited for.
        let _ = tokio::task::spawn_blocking(move || catalog.flush_experience()).await;
    }
}

/// The experience with skills that is kept beside what is loaded; `None` where nothing is kept.
pub(crate) fn experience(config: &Config) -> Result<Option<Arc<dyn QualityCounters>>, Failure> {
    if config.text(Key::Persist).is_none_or(|text| text == OFF) {
        return Ok(None);
    }
    match StoredQuality::begin(quality_file(config)?, system_clock()) {
        Ok(stored) => Ok(Some(Arc::new(stored) as _)),
        Err(error) => {
            tracing::warn!(
                "how skills do is forgotten with this process, because the system gives no thread: {error}"
            );
            Ok(None)
        }
    }
}

/// The options that make another command look at the same store.
fn which(config: &Config) -> String {
    let app = config.text(Key::App).filter(|app| *app != "python");
    let app = app.map(|app| format!(" --app {}", pasted::word(app)));
    let folder = config.file(Key::StateDir);
    let folder = folder.map(|folder| format!(" --state-dir {}", pasted::path(folder)));
    [app, folder].into_iter().flatten().collect()
}

/// The store of the application in force.
pub(crate) fn store(config: &Config) -> Result<LoadedStateStore, Failure> {
    let app = app(config)?;
    let folder = state_folder(config)?;
    let mirror = metier::persistence::SqliteMirror::new(mirror_file(config)?);
    Ok(LoadedStateStore::new(folder, app).with_mirror(Arc::new(mirror)))
}

/// The database that shows it to dashboards.
pub(crate) fn mirror_file(config: &Config) -> Result<PathBuf, Failure> {
    Ok(state_folder(config)?.join("state.sqlite3"))
}

/// The file that counts how the application's skills do.
pub(crate) fn quality_file(config: &Config) -> Result<PathBuf, Failure> {
    let app = app(config)?;
    Ok(state_folder(config)?
        .join(app.as_str())
        .join("quality.sqlite3"))
}

fn app(config: &Config) -> Result<AppName, Failure> {
    let app = config.text(Key::App).unwrap_or("python");
    AppName::new(app)
        .map_err(|error| Failure::Usage(format!("{}: {error}", place(config, Key::App))))
}

/// The folder of what is kept.
pub(crate) fn state_folder(config: &Config) -> Result<PathBuf, Failure> {
    if let Some(folder) = config.file(Key::StateDir) {
        return Ok(folder.to_owned());
    }
    let home = etcetera::home_dir().ok();
    let home = home.as_deref().map(|home: &Path| home.join(".dcc-mcp"));
    home.ok_or_else(|| {
        Failure::Usage("there is no home folder; name a folder with --state-dir".to_owned())
    })
}
