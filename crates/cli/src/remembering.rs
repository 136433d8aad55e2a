//! What agents learned about tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use metier::memory::{
    Existing, InMemoryLongTerm, LongTermStore as _, MemoryEntry, MemoryLimits, SqliteLongTerm,
};
use metier::{AgentMemory, MemoryFilter, MemoryQuery, MemoryRecorder, SkillCatalog};

use crate::Failure;
use crate::config::{Config, Key, Origin, Sourced, Value};
use crate::given_path::absolute_text;
use crate::options::place;
use crate::printer::Printer;

/// Whether and where it is kept.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Remembering {
    /// Remember which tools went well and which failed, and tell it with search results. Names and
    /// counts alone, for this run; --memory-database keeps them.
    #[arg(long)]
    memory: bool,
    #[command(flatten)]
    database: MemoryDatabase,
}

/// The file of it.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct MemoryDatabase {
    /// The database file of what is remembered over a restart.
    #[arg(long, value_name = "FILE")]
    memory_database: Option<PathBuf>,
}

impl MemoryDatabase {
    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let file = self.memory_database.clone().map(Value::File);
        config.layer.option(Key::MemoryDatabase, file);
    }
}

impl Remembering {
    /// Puts the options on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        // Whoever names a file for it wants it, whatever the settings file says.
        let asked_by = [
            (self.memory, "--memory"),
            (self.database.memory_database.is_some(), "--memory-database"),
        ];
        if let Some((_, option)) = asked_by.into_iter().find(|(is_given, _)| *is_given) {
            let origin = Origin::Option(option);
            config
                .layer
                .set(Key::MemoryEnabled, Value::Flag(true), origin);
        }
        self.database.cover(config);
    }

    /// The same options as arguments for another process, paths absolute.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let on = self.memory.then(|| "--memory".to_owned());
        let mut arguments: Vec<String> = on.into_iter().collect();
        if let Some(file) = &self.database.memory_database {
            arguments.extend(["--memory-database".to_owned(), absolute_text(file)?]);
        }
        Ok(arguments)
    }
}

/// Remembers from now on, when that is wanted. Policies that read the memory are registered after this.
/// A file that cannot be used is a warning: the tools do not need it.
pub(crate) fn begin(
    printer: Printer,
    catalog: &SkillCatalog,
    config: &Config,
) -> Option<Arc<AgentMemory>> {
    if !is_wanted(config) {
        return None;
    }
    let memory = match config.file(Key::MemoryDatabase) {
        None => AgentMemory::in_memory(),
        Some(file) => match opened(file) {
            Ok(store) => AgentMemory::new(Arc::new(store)),
            Err(error) => {
                let origin = place(config, Key::MemoryDatabase);
                let (memory, told) = read_once(file);
                printer.say(&format!(
                    "warning: {origin}: {error}; {told}what is learned ends with this run"
                ));
                memory
            }
        },
    };
    let memory = Arc::new(memory);
    // What is told must be about tools that can be called at that moment.
    let is_known = catalog.registry().tool_lookup();
    MemoryRecorder::for_tools(Arc::clone(&memory), is_known).install(&catalog.hooks());
    Some(memory)
}

/// Tries once more to write what sessions learned while the file could not be written: no session follows.
pub(crate) async fn end(memory: Arc<AgentMemory>) {
    let write = move || {
        if let Err(error) = memory.write_waiting() {
            let patterns = memory.waiting();
            tracing::warn!(patterns, %error, "what was learned last could not be written and ends with this server");
        }
    };
    // It waits for the disk, and nothing is left to do when its thread cannot be waited for.
    let _ = tokio::task::spawn_blocking(write).await;
}

/// What a file holds that can be read and not written, in memory alone; and what there is to say about it.
fn read_once(file: &Path) -> (AgentMemory, &'static str) {
    let learned = file
        .is_file()
        .then(|| SqliteLongTerm::open_to_read(file))
        .and_then(Result::ok)
        .and_then(|store| store.query(&MemoryQuery::all(MemoryFilter::new())).ok());
    let Some(mut learned) = learned else {
        return (AgentMemory::in_memory(), "");
    };
    // The oldest first: what comes last is the newest.
    learned.reverse();
    let memory = InMemoryLongTerm::new();
    let most = MemoryLimits::default().long_term;
    match memory.put(learned, Existing::Replace, most) {
        Ok(()) => (
            AgentMemory::new(Arc::new(memory)),
            "what it holds is told, and ",
        ),
        Err(_) => (AgentMemory::in_memory(), ""),
    }
}

/// Whether it is on, and who says so: a file turns it on, unless it is said to be off; privacy counts before everything.
pub(crate) fn in_effect(config: &Config) -> Option<Sourced<Value>> {
    let as_said = |key, on: bool| {
        config.get(key).map(|said| Sourced {
            value: Value::Flag(on),
            origin: said.origin.clone(),
        })
    };
    let said = config.get(Key::MemoryEnabled);
    let found = match said {
        Some(said) if said.origin != Origin::BuiltIn => Some(said.clone()),
        _ => as_said(Key::MemoryDatabase, true).or_else(|| said.cloned()),
    };
    let is_on = |found: &Sourced<Value>| found.value == Value::Flag(true);
    if found.as_ref().is_some_and(is_on) && config.flag(Key::MemoryPrivacy) {
        return as_said(Key::MemoryPrivacy, false);
    }
    found
}

fn is_wanted(config: &Config) -> bool {
    in_effect(config).is_some_and(|found| found.value == Value::Flag(true))
}

/// The file, with its folder made where that is missing.
fn opened(file: &Path) -> Result<SqliteLongTerm, metier::memory::StoreError> {
    if let Some(folder) = file.parent() {
        // What is wrong with it is told by the opening.
        let _ = std::fs::create_dir_all(folder);
    }
    SqliteLongTerm::open(file)
}

/// How often a pattern came, well and badly, for a table.
pub(crate) fn counts(entry: &MemoryEntry) -> [String; 2] {
    ["ok_count", "fail_count"].map(|name| {
        let number = entry.facts.get(name).and_then(serde_json::Value::as_u64);
        number.unwrap_or(0).to_string()
    })
}
