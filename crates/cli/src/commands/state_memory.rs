//! `metier state memory`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use metier::memory::{LongTermStore as _, MemoryOverview, SqliteLongTerm, StoreError, export};
use metier::{MemoryFilter, MemoryQuery};
use serde_json::json;

use super::state::Shown;
use crate::Failure;
use crate::config::{Config, Key};
use crate::printer::{Printer, count};
use crate::remembering::{MemoryDatabase, counts};
use crate::utc::utc;

#[derive(Args)]
pub(crate) struct StateMemory {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show what is remembered, newest first.
    Show(Shown<Which>),
    /// Forget what matches everything that is said, or --all.
    Forget(Forget),
    /// Print what is remembered as JSON.
    Export(Export),
}

#[derive(Args)]
struct Export {
    /// Print JSON, which an export is with or without this.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Args)]
struct Forget {
    /// Everything in the file.
    #[arg(long, conflicts_with_all = ["app", "session", "key"])]
    all: bool,
    #[command(flatten)]
    shown: Shown<Which>,
}

/// Which entries.
#[derive(Args)]
struct Which {
    /// Only of this application.
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// Only from this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only keys that begin so, as `pattern:tool_call:rig__build`.
    #[arg(long, value_name = "BEGINNING")]
    key: Option<String>,
    #[command(flatten)]
    database: MemoryDatabase,
    #[command(flatten)]
    file: super::state::SettingsFile,
}

impl Which {
    fn filter(&self) -> MemoryFilter {
        let mut filter = MemoryFilter::new();
        filter.dcc_name.clone_from(&self.app);
        filter.session_id.clone_from(&self.session);
        filter.key_prefix.clone_from(&self.key);
        filter
    }

    /// The file in force, and its store where it is there: looking makes none, and needs no disk that can be written.
    fn store(
        &self,
        printer: Printer,
        open: impl FnOnce(&Path) -> Result<SqliteLongTerm, StoreError>,
    ) -> Result<(PathBuf, Option<SqliteLongTerm>), Failure> {
        let mut config: Config = self.file.config(None, printer)?;
        self.database.cover(&mut config);
        let Some(file) = config.file(Key::MemoryDatabase) else {
            return Err(Failure::Usage(
                "no file keeps a memory; name one with --memory-database or `database` below `[memory]` in metier.toml"
                    .to_owned(),
            ));
        };
        // A link to a drive that is late is told by the opening.
        let is_there = file.exists() || metier::persistence::late_link(file).is_some();
        let store = is_there.then(|| open(file));
        Ok((file.to_owned(), store.transpose().map_err(unusable)?))
    }
}

impl StateMemory {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        match self.action {
            Action::Show(show) => show.run(printer),
            Action::Forget(forget) => forget.run(printer),
            Action::Export(export) => export.run(printer),
        }
    }
}

impl Shown<Which> {
    fn run(&self, printer: Printer) -> Result<(), Failure> {
        let (file, store) = self.which.store(printer, to_read)?;
        let filter = self.which.filter();
        let (overview, entries) = match &store {
            Some(store) => (
                MemoryOverview::of(store, &filter).map_err(unusable)?,
                store.query(&MemoryQuery::all(filter)).map_err(unusable)?,
            ),
            None => Default::default(),
        };
        let shown = file.display().to_string();
        if self.json {
            printer.json(&json!({"file": shown, "overview": overview, "entries": entries}));
        } else if !entries.is_empty() {
            let header = ["KEY", "OK", "FAIL", "APP", "SESSION", "WRITTEN"];
            let rows = entries.iter().map(|entry| {
                let [ok, fail] = counts(entry);
                let (key, dcc, session) = (&entry.key, &entry.dcc_name, &entry.session_id);
                vec![
                    key.clone(),
                    ok,
                    fail,
                    dcc.clone(),
                    session.clone(),
                    utc(entry.created_ms),
                ]
            });
            let rows: Vec<Vec<String>> = std::iter::once(header.map(str::to_owned).to_vec())
                .chain(rows)
                .collect();
            printer.rows(&rows);
        }
        if let Some(store) = &store {
            tell_of_unreadable(printer, store, &self.which.filter(), entries.len())?;
        }
        let number = match overview.entries {
            1 => "1 entry".to_owned(),
            number => format!("{number} entries"),
        };
        printer.say(&match store {
            Some(_) => format!("{number} in {shown}"),
            None => absent(&file),
        });
        Ok(())
    }
}

/// Rows that another program wrote, or damaged, are in no answer: without a word the file would look empty.
fn tell_of_unreadable(
    printer: Printer,
    store: &SqliteLongTerm,
    filter: &MemoryFilter,
    read: usize,
) -> Result<(), Failure> {
    let there = store.len().map_err(unusable)?;
    if filter.is_everything() && there > read {
        printer.say(&format!(
            "warning: {} of the file cannot be read; `metier state memory forget --all` removes everything",
            count(there - read, "row"),
        ));
    }
    Ok(())
}

impl Export {
    fn run(&self, printer: Printer) -> Result<(), Failure> {
        let (file, store) = self.which.store(printer, to_read)?;
        let exported = if let Some(store) = &store {
            export(store, &self.which.filter()).map_err(unusable)?
        } else {
            printer.say(&absent(&file));
            json!({"schema_version": 1, "entries": []})
        };
        printer.json(&exported);
        Ok(())
    }
}

impl Forget {
    fn run(&self, printer: Printer) -> Result<(), Failure> {
        let filter = self.shown.which.filter();
        if filter.is_everything() && !self.all {
            return Err(Failure::Usage(
                "say what to forget: --session, --key or --app; --all forgets everything"
                    .to_owned(),
            ));
        }
        let (file, store) = self.shown.which.store(printer, to_write)?;
        let forgotten = match &store {
            Some(store) => store.forget(&filter).map_err(unusable)?,
            None => 0,
        };
        if self.shown.json {
            printer.json(&json!({"forgotten": forgotten}));
        } else {
            printer.data(&format!("forgotten: {}", count(forgotten, "pattern")));
        }
        printer.say(&match store {
            Some(_) => format!("the memory is {}", file.display()),
            None => absent(&file),
        });
        Ok(())
    }
}

fn to_read(file: &Path) -> Result<SqliteLongTerm, StoreError> {
    SqliteLongTerm::open_to_read(file)
}

fn to_write(file: &Path) -> Result<SqliteLongTerm, StoreError> {
    SqliteLongTerm::open(file)
}

/// A file that was never written and one that is misspelt look alike.
fn absent(file: &Path) -> String {
    format!("nothing is remembered: there is no file {}", file.display())
}

#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn unusable(error: StoreError) -> Failure {
    Failure::Usage(error.to_string())
}
