//! Counters of how well skills do.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metier_sqlite_file::Place;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::clock::Clock;
use crate::database::{Database, DatabaseError};

const DATABASE: Database = Database {
    migrations: &["
        CREATE TABLE quality_counters (
            skill_name TEXT NOT NULL,
            counter TEXT NOT NULL,
            value INTEGER NOT NULL,
            updated_at_ms INTEGER NOT NULL,
            PRIMARY KEY (skill_name, counter)
        ) WITHOUT ROWID;"],
    is_shared: false,
    wait: Duration::from_secs(5),
};

/// Counters by skill and name, kept in an `SQLite` database that several servers may use. It holds names and numbers, never what was asked or answered.
pub struct QualityStore {
    file: PathBuf,
    open: Mutex<Open>,
    /// How it is opened again where another file takes its place; not, where it was opened to look.
    again: Option<Database>,
    clock: Clock,
}

struct Open {
    connection: Connection,
    place: Place,
}

/// A skill's counters by name.
pub type Counters = BTreeMap<String, u64>;

impl QualityStore {
    /// Opens the database, or makes it. A damaged one is kept aside as `.bak`.
    ///
    /// # Errors
    /// It cannot be opened, or a newer build wrote it.
    pub fn open(file: impl Into<PathBuf>, clock: Clock) -> Result<Self, DatabaseError> {
        Self::open_within(file, clock, DATABASE.wait)
    }

    /// The same for whoever has less patience than five seconds with other processes, here and later.
    pub(crate) fn open_within(
        file: impl Into<PathBuf>,
        clock: Clock,
        wait: Duration,
    ) -> Result<Self, DatabaseError> {
        let file = file.into();
        let database = Database { wait, ..DATABASE };
        let connection = database.open(&file)?;
        Ok(Self::of(connection, file, Some(database), clock))
    }

    /// Opens a database that is there, to look at it alone: nothing is written, made or moved away, so that it may be on a
    /// disk that cannot be written.
    ///
    /// # Errors
    /// It cannot be opened or a newer build wrote it. What is damaged, or another program's, is told by what reads it.
    pub fn open_to_read(file: impl Into<PathBuf>, clock: Clock) -> Result<Self, DatabaseError> {
        let file = file.into();
        let connection = DATABASE.open_to_read(&file)?;
        Ok(Self::of(connection, file, None, clock))
    }

    fn of(connection: Connection, file: PathBuf, again: Option<Database>, clock: Clock) -> Self {
        let place = Place::of(&file);
        Self {
            file,
            open: Mutex::new(Open { connection, place }),
            again,
            clock,
        }
    }

    /// The database.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Adds to counters, all or none of them: skill, counter, how much. A counter ends at
    /// [`i64::MAX`].
    ///
    /// # Errors
    /// The database cannot be written within five seconds.
    pub fn add(&self, counts: &[(&str, &str, u64)]) -> Result<(), DatabaseError> {
        let now = i64::try_from((self.clock)()).unwrap_or(i64::MAX);
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for (skill, counter, more) in counts {
                let more = i64::try_from(*more).unwrap_or(i64::MAX);
                transaction.execute(
                    "INSERT INTO quality_counters VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT DO UPDATE SET
                        value = CASE WHEN value > ?5 - excluded.value THEN ?5 ELSE value + excluded.value END,
                        updated_at_ms = excluded.updated_at_ms",
                    params![skill, counter, more, now, i64::MAX],
                )?;
            }
            transaction.commit()
        })
    }

    /// All counters by skill.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn all(&self) -> Result<BTreeMap<String, Counters>, DatabaseError> {
        self.with(|connection| {
            let mut counters: BTreeMap<String, Counters> = BTreeMap::new();
            let mut rows =
                connection.prepare("SELECT skill_name, counter, value FROM quality_counters")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let value = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
                let of_skill = counters.entry(row.get(0)?).or_default();
                of_skill.insert(row.get(1)?, value);
            }
            Ok(counters)
        })
    }

    /// Forgets the counters of a skill; how many there were.
    ///
    /// # Errors
    /// The database cannot be written within five seconds.
    pub fn forget(&self, skill: &str) -> Result<usize, DatabaseError> {
        self.forget_all([skill])
    }

    /// Forgets the counters of several skills, of all of them or of none.
    ///
    /// # Errors
    /// The database cannot be written within five seconds.
    pub fn forget_all<'s>(
        &self,
        skills: impl IntoIterator<Item = &'s str>,
    ) -> Result<usize, DatabaseError> {
        self.with(|connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut gone = 0;
            for skill in skills {
                gone += change.execute(
                    "DELETE FROM quality_counters WHERE skill_name = ?1",
                    [skill],
                )?;
            }
            change.commit()?;
            // What was forgotten must not live on in the log beside the file; another process that reads just now keeps
            // that a little longer.
            let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            if let Err(error) = emptied {
                tracing::debug!(%error, "the log beside the counters is emptied later");
            }
            Ok(gone)
        })
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |source| DatabaseError::Sqlite {
            file: self.file.clone(),
            source,
        };
        if let Some(database) = self.again.as_ref().filter(|_| open.place.is_left()) {
            let Open { connection, place } = &mut *open;
            place.leave(connection).map_err(failed)?;
            open.connection = database.open(&self.file)?;
            open.place = Place::of(&self.file);
            tracing::warn!(
                file = %self.file.display(),
                "the counters of skills were another file by now, or none; they go on in that one"
            );
        }
        work(&mut open.connection).map_err(failed)
    }
}

impl Drop for QualityStore {
    fn drop(&mut self) {
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.again.is_some() && open.place.is_left() {
            // It is closed either way.
            let _ = open.place.leave(&mut open.connection);
        }
    }
}

impl fmt::Debug for QualityStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QualityStore")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
