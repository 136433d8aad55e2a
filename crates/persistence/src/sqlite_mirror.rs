//! The state in two tables, for a dashboard.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{TransactionBehavior, params};

use crate::app_name::AppName;
use crate::database::{Database, DatabaseError};
use crate::mirror::StateMirror;
use crate::state::LoadedState;

/// A dashboard that holds the database longer than this misses a change; saving does not wait.
const DATABASE: Database = Database {
    migrations: &["
        CREATE TABLE IF NOT EXISTS skill_loaded_state (
            dcc_type TEXT NOT NULL,
            skill_name TEXT NOT NULL,
            skill_version TEXT,
            skill_path TEXT,
            loaded_at_ms INTEGER,
            PRIMARY KEY (dcc_type, skill_name)
        );
        CREATE TABLE IF NOT EXISTS skill_active_groups (
            dcc_type TEXT NOT NULL,
            group_name TEXT NOT NULL,
            activated_at_ms INTEGER,
            PRIMARY KEY (dcc_type, group_name)
        );"],
    is_shared: true,
    wait: Duration::from_millis(200),
};

/// Shows the state of every application in `skill_loaded_state` and `skill_active_groups`.
///
/// The database is opened for each state anew: nothing is held while nothing changes, and a
/// database that somebody deleted is made again.
#[derive(Clone, Debug)]
pub struct SqliteMirror {
    file: PathBuf,
}

impl SqliteMirror {
    /// A mirror in this file. Nothing is opened yet.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// The database.
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn write(&self, app: &AppName, read: &dyn Fn() -> LoadedState) -> Result<(), DatabaseError> {
        let mut connection = DATABASE.open(&self.file)?;
        let app = app.as_str();
        let shown = (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let state = read();
            transaction.execute("DELETE FROM skill_loaded_state WHERE dcc_type = ?1", [app])?;
            for skill in &state.skills {
                transaction.execute(
                    "INSERT INTO skill_loaded_state VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![
                        app,
                        skill.name,
                        skill.version,
                        skill.skill_path,
                        skill.loaded_at_ms.and_then(|at| i64::try_from(at).ok()),
                    ],
                )?;
            }
            // A group that stays active keeps its time.
            let groups: Vec<String> = {
                let mut known = transaction
                    .prepare("SELECT group_name FROM skill_active_groups WHERE dcc_type = ?1")?;
                let names = known.query_map([app], |row| row.get(0))?;
                names.collect::<Result<_, _>>()?
            };
            for group in groups
                .iter()
                .filter(|it| !state.active_groups.contains(*it))
            {
                transaction.execute(
                    "DELETE FROM skill_active_groups WHERE dcc_type = ?1 AND group_name = ?2",
                    [app, group],
                )?;
            }
            for group in &state.active_groups {
                transaction.execute(
                    "INSERT OR IGNORE INTO skill_active_groups VALUES (?1, ?2, ?3)",
                    params![
                        app,
                        group,
                        state.saved_at_ms.and_then(|at| i64::try_from(at).ok())
                    ],
                )?;
            }
            transaction.commit()
        })();
        shown.map_err(|source| DatabaseError::Sqlite {
            file: self.file.clone(),
            source,
        })
    }
}

impl StateMirror for SqliteMirror {
    fn show(&self, app: &AppName, read: &dyn Fn() -> LoadedState) -> Result<(), String> {
        self.write(app, read).map_err(|error| error.to_string())
    }
}
