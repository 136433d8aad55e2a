//! Opening an `SQLite` database.

use std::path::{Path, PathBuf};
use std::time::Duration;

use metier_sqlite_file::{
    BESIDE, beside, fault, late_link, odd_file, open_to_look, reason_of_the_system,
};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, TransactionBehavior};

use crate::store::cure;

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// A newer build wrote it. It is left alone.
    #[error("{}: a newer metier wrote this database (version {found}, and this one knows {known}); use that one, or move the file away", .file.display())]
    Newer {
        /// The database.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that this build knows.
        known: u32,
    },
    /// Another program's tables are in it. It is left alone.
    #[error("{}: this is a database of another program: it has a table `{table}`; move it away", .file.display())]
    Foreign {
        /// The database.
        file: PathBuf,
        /// A table of it.
        table: String,
    },
    /// `SQLite` refuses.
    #[error("{}: {}; {}", .file.display(), fault(.source).reason, fault(.source).cure)]
    Sqlite {
        /// The database.
        file: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// The system refuses.
    #[error("{}: {source}; {}", .file.display(), cure(.source))]
    Io {
        /// The database.
        file: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
}

impl DatabaseError {
    /// Whether the file is no database, or a damaged one.
    fn is_damage(&self) -> bool {
        let Self::Sqlite { source, .. } = self else {
            return false;
        };
        matches!(
            source.sqlite_error_code(),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
        )
    }
}

/// How a database is opened.
pub(crate) struct Database {
    /// Each brings the version before it one further; the first makes version 1.
    pub(crate) migrations: &'static [&'static str],
    /// Whether tables of others may stand in it from the beginning.
    pub(crate) is_shared: bool,
    /// How long another process may hold it.
    pub(crate) wait: Duration,
}

impl Database {
    /// Opens a database and makes or renews its tables. A damaged one is kept aside as `.bak`, and
    /// an empty one takes its place.
    pub(crate) fn open(&self, file: &Path) -> Result<Connection, DatabaseError> {
        match self.try_open(file) {
            Err(error) if error.is_damage() => {
                tracing::warn!(%error, "a damaged database is kept aside as .bak, and a new one is begun");
                keep_aside(file).map_err(|source| DatabaseError::Io {
                    file: file.to_owned(),
                    source,
                })?;
                self.try_open(file)
            }
            opened => opened,
        }
    }

    /// Opens a database that is there, to look and nothing else: neither it nor its folder need be writable.
    pub(crate) fn open_to_read(&self, file: &Path) -> Result<Connection, DatabaseError> {
        let failed = |source| DatabaseError::Sqlite {
            file: file.to_owned(),
            source,
        };
        let refused = |source| DatabaseError::Io {
            file: file.to_owned(),
            source,
        };
        if let Some(late) = late_link(file) {
            return Err(refused(std::io::Error::other(late)));
        }
        std::fs::metadata(file).map_err(refused)?;
        plain_files(file).map_err(refused)?;
        let connection = open_to_look(file, self.wait).map_err(failed)?;
        let found = connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0));
        let found = found.map_err(failed)?;
        let known = u32::try_from(self.migrations.len()).unwrap_or(u32::MAX);
        if found > known {
            return Err(DatabaseError::Newer {
                file: file.to_owned(),
                found,
                known,
            });
        }
        // An empty file is what a disk without room leaves behind; it holds nothing, and is made a database by whoever writes.
        if found == 0 && first_table(&connection).map_err(failed)?.is_none() {
            let empty = Connection::open_in_memory().map_err(failed)?;
            for migration in self.migrations {
                empty.execute_batch(migration).map_err(failed)?;
            }
            return Ok(empty);
        }
        Ok(connection)
    }

    fn try_open(&self, file: &Path) -> Result<Connection, DatabaseError> {
        let failed = |source| match reason_of_the_system(file, &source) {
            Some(source) => DatabaseError::Io {
                file: file.to_owned(),
                source,
            },
            None => DatabaseError::Sqlite {
                file: file.to_owned(),
                source,
            },
        };
        let refused = |source| DatabaseError::Io {
            file: file.to_owned(),
            source,
        };
        if let Some(late) = late_link(file) {
            return Err(refused(std::io::Error::other(late)));
        }
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(refused)?;
        }
        plain_files(file).map_err(refused)?;
        let mut connection = Connection::open(file).map_err(failed)?;
        connection.busy_timeout(self.wait).map_err(failed)?;
        // What is forgotten is overwritten.
        connection
            .pragma_update(None, "secure_delete", "ON")
            .map_err(failed)?;
        self.migrate(&mut connection, file, &failed)?;
        // Readers and a writer do not wait for each other. Where the file system cannot do that, the
        // database stays in its usual mode.
        // Of two that ask for it at once one is told so without a wait; it finds what the other has asked for.
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match mode {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
            mode => mode.map_err(failed)?,
        }
        connection
            .execute_batch("PRAGMA synchronous = NORMAL")
            .map_err(failed)?;
        // With the first look its log and the index of that are there.
        connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
            .map_err(failed)?;
        Ok(connection)
    }

    fn migrate(
        &self,
        connection: &mut Connection,
        file: &Path,
        failed: &impl Fn(rusqlite::Error) -> DatabaseError,
    ) -> Result<(), DatabaseError> {
        let known = u32::try_from(self.migrations.len()).unwrap_or(u32::MAX);
        let version = |connection: &Connection| {
            connection
                .pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
                .map_err(failed)
        };
        if version(connection)? == known {
            return Ok(());
        }
        // Another process may be at it too; what it did is seen once it lets go.
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let found = version(&transaction)?;
        if found > known {
            return Err(DatabaseError::Newer {
                file: file.to_owned(),
                found,
                known,
            });
        }
        if found == 0
            && !self.is_shared
            && let Some(table) = first_table(&transaction).map_err(failed)?
        {
            return Err(DatabaseError::Foreign {
                file: file.to_owned(),
                table,
            });
        }
        let done = usize::try_from(found).unwrap_or(usize::MAX);
        for migration in self.migrations.iter().skip(done) {
            transaction.execute_batch(migration).map_err(failed)?;
        }
        transaction
            .pragma_update(None, "user_version", known)
            .map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}

/// Refuses what is there and no file, in the place of the database or of one beside it: opening a pipe would wait for its
/// other end.
fn plain_files(file: &Path) -> std::io::Result<()> {
    match odd_file(file) {
        None => Ok(()),
        Some(path) if path == file => Err(std::io::Error::other("this is no plain file")),
        Some(path) => Err(std::io::Error::other(format!(
            "{} beside it is no plain file; move that away",
            path.display()
        ))),
    }
}

fn first_table(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 1";
    let found = connection.query_row(found, [], |row| row.get(0));
    found.optional()
}

fn keep_aside(file: &Path) -> std::io::Result<()> {
    std::fs::rename(file, beside(file, ".bak"))?;
    // They belong to the file that is gone.
    for suffix in BESIDE {
        match std::fs::remove_file(beside(file, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
