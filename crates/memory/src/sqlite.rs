//! The long-term layer in an `SQLite` file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metier_sqlite_file::{
    Place, fault as said_by, late_link, odd_file, open_to_look, reason_of_the_system,
};
use rusqlite::types::Value as Sql;
use rusqlite::{
    Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params,
    params_from_iter,
};

use crate::long_term::combined;
use crate::sqlite_file::{
    VERSION, connect, connect_beside, connect_to_nothing, foreign_table, is_without_tables,
    make_private,
};
use crate::{
    Existing, LongTermStore, MemoryEntry, MemoryFilter, MemoryLayer, MemoryQuery, StoreError,
};

/// How long another process may hold the file before an operation gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// The same for what is kept in memory and tried again when it cannot be written: a client waits meanwhile.
const SHORT_PATIENCE: Duration = Duration::from_millis(250);

const COLUMNS: &str = "key, session_id, dcc_name, score, created_ms, facts";

/// The long-term layer in an `SQLite` file, which several processes may share.
///
/// The file is in WAL mode, readable for its owner alone, and overwrites what is forgotten. One of a
/// newer version is refused and left as it is.
pub struct SqliteLongTerm {
    path: PathBuf,
    open: Mutex<Open>,
    /// Whether it was opened to look alone.
    is_reader: bool,
}

struct Open {
    connection: Connection,
    place: Place,
    /// How often another file has taken its place.
    renewed: u64,
}

impl fmt::Debug for SqliteLongTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLongTerm")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SqliteLongTerm {
    /// Opens the file, or makes it; its folder must be there.
    ///
    /// # Errors
    /// The file cannot be opened, is no database, or is of a newer version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        plain_file(&path)?;
        if path.exists() {
            let looking = connect_beside(&path).map_err(|error| unwritable(&path, &error))?;
            nobody_elses(&path, &looking)?;
        }
        make_private(&path).map_err(|error| refused(&path, &error))?;
        let opened = connect(&path).map_err(|error| unwritable(&path, &error))?;
        Self::known(path, opened, false)
    }

    /// Opens a file that is there, to look at it alone: nothing is written or made, so that it may be on a disk that cannot
    /// be written. What would change it fails.
    ///
    /// # Errors
    /// The file cannot be opened, is damaged, is of a newer version or another program's.
    pub fn open_to_read(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        plain_file(&path)?;
        // What the system says is plainer than what becomes of it.
        if let Err(error) = std::fs::File::open(&path) {
            let cure = "make it readable for this user, or name another file";
            return Err(StoreError::new(shown(&path), error.to_string(), cure));
        }
        let opened = open_to_look(&path, PATIENCE).map_err(|error| fault(&path, &error))?;
        nobody_elses(&path, &opened)?;
        // What holds no table is new to whoever writes it, and holds nothing for whoever reads it.
        let is_new = is_without_tables(&opened).map_err(|error| fault(&path, &error))?;
        let opened = if is_new {
            connect_to_nothing().map_err(|error| fault(&path, &error))?
        } else {
            opened
        };
        Self::known(path, opened, true)
    }

    /// A store over an open file, when the file is one of ours and whole.
    fn known(path: PathBuf, opened: Connection, is_reader: bool) -> Result<Self, StoreError> {
        let version: i64 = opened
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| fault(&path, &error))?;
        if version > VERSION {
            return Err(StoreError::new(
                shown(&path),
                format!("it is of version {version}, and this program knows {VERSION}"),
                "use the newer program, or another file",
            ));
        }
        let whole: String = opened
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| fault(&path, &error))?;
        if whole != "ok" {
            // A heading of stars stands before what is wrong.
            let is_told = |line: &&str| !line.starts_with("***");
            let first = whole.lines().find(is_told).unwrap_or_default();
            return Err(StoreError::new(
                shown(&path),
                format!("it is damaged: {first}"),
                ANEW,
            ));
        }
        let open = Open {
            connection: opened,
            place: Place::of(&path),
            renewed: 0,
        };
        Ok(Self {
            path,
            open: Mutex::new(open),
            is_reader,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Open) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.renew(&mut open)?;
        work(&mut open).map_err(|error| fault(&self.path, &error))
    }

    /// Opens the file anew where another one, or none, has its name by now.
    fn renew(&self, open: &mut Open) -> Result<(), StoreError> {
        if self.is_reader || !open.place.is_left() {
            return Ok(());
        }
        let left = open.place.leave(&mut open.connection);
        left.map_err(|error| fault(&self.path, &error))?;
        if let Some(folder) = self.path.parent() {
            // What is wrong with it is told by the opening.
            let _ = std::fs::create_dir_all(folder);
        }
        let mut other = Self::open(&self.path)?;
        let other = other.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut open.connection, &mut other.connection);
        std::mem::swap(&mut open.place, &mut other.place);
        open.renewed += 1;
        tracing::warn!(
            file = %self.path.display(),
            "the long-term memory was another file by now, or none; it goes on in that one"
        );
        Ok(())
    }
}

impl Drop for SqliteLongTerm {
    fn drop(&mut self) {
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !self.is_reader && open.place.is_left() {
            // It is closed either way.
            let _ = open.place.leave(&mut open.connection);
        }
    }
}

impl LongTermStore for SqliteLongTerm {
    fn put(
        &self,
        entries: Vec<MemoryEntry>,
        existing: Existing,
        most: usize,
    ) -> Result<(), StoreError> {
        self.with(|open| {
            let connection = &mut open.connection;
            connection.busy_timeout(SHORT_PATIENCE)?;
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for entry in entries {
                put_one(&change, entry, existing)?;
            }
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            change.execute(
                "DELETE FROM agent_memory WHERE id <= (SELECT id FROM agent_memory ORDER BY id DESC LIMIT 1 OFFSET ?1)",
                [most],
            )?;
            change.commit()
        })
    }

    fn query(&self, query: &MemoryQuery) -> Result<Vec<MemoryEntry>, StoreError> {
        let (matching, mut values) = condition(&query.filter);
        values.push(Sql::from(i64::try_from(query.limit).unwrap_or(i64::MAX)));
        let text =
            format!("SELECT {COLUMNS} FROM agent_memory WHERE {matching} ORDER BY id DESC LIMIT ?");
        self.with(|open| {
            let connection = &open.connection;
            let mut statement = connection.prepare_cached(&text)?;
            let rows = statement.query_map(params_from_iter(values), entry)?;
            rows.filter_map(|row| readable(row).transpose()).collect()
        })
    }

    fn forget(&self, filter: &MemoryFilter) -> Result<usize, StoreError> {
        let (matching, values) = condition(filter);
        self.with(|open| {
            let connection = &mut open.connection;
            connection.busy_timeout(PATIENCE)?;
            let gone = connection.execute(
                &format!("DELETE FROM agent_memory WHERE {matching}"),
                params_from_iter(values),
            )?;
            // What was forgotten must not live on in the log beside the file. Another process that
            // reads just now keeps the log a little longer; that is no failure.
            let _: Option<i64> = connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
                .optional()
                .unwrap_or_default();
            Ok(gone)
        })
    }

    fn revision(&self) -> Option<u64> {
        let revision = self.with(|open| {
            let connection = &open.connection;
            // Of the others, and of this connection.
            let others: u64 = connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
            let all = others.rotate_left(32) ^ connection.total_changes();
            Ok(all ^ open.renewed.rotate_right(16))
        });
        revision.ok()
    }

    fn len(&self) -> Result<usize, StoreError> {
        self.with(|open| {
            let connection = &open.connection;
            let number: i64 =
                connection.query_row("SELECT count(*) FROM agent_memory", [], |row| row.get(0))?;
            Ok(usize::try_from(number).unwrap_or(0))
        })
    }
}

fn put_one(change: &Transaction<'_>, new: MemoryEntry, existing: Existing) -> rusqlite::Result<()> {
    let same = "dcc_name = ?1 AND session_id = ?2 AND key = ?3";
    let old = change
        .prepare_cached(&format!("SELECT {COLUMNS} FROM agent_memory WHERE {same}"))?
        .query_row(params![new.dcc_name, new.session_id, new.key], |row| {
            readable(entry(row))
        })
        .optional()?;
    if old.is_some() {
        // Not an update: the order of the ids is the order of the entries.
        change.execute(
            &format!("DELETE FROM agent_memory WHERE {same}"),
            params![new.dcc_name, new.session_id, new.key],
        )?;
    }
    let new = match old.flatten() {
        Some(old) => combined(&old, new, existing),
        None => new,
    };
    let facts = serde_json::to_string(&new.facts).unwrap_or_else(|_| "{}".to_owned());
    change
        .prepare_cached(
            "INSERT INTO agent_memory (layer, key, session_id, dcc_name, score, created_ms, facts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            MemoryLayer::LongTerm.as_str(),
            new.key,
            new.session_id,
            new.dcc_name,
            new.score,
            i64::try_from(new.created_ms).unwrap_or(i64::MAX),
            facts
        ])?;
    Ok(())
}

fn entry(row: &Row<'_>) -> rusqlite::Result<MemoryEntry> {
    let (key, session, dcc): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let mut entry = MemoryEntry::new(MemoryLayer::LongTerm, key, session, dcc);
    entry.score = row.get(3)?;
    entry.created_ms = u64::try_from(row.get::<_, i64>(4)?).unwrap_or(0);
    // Facts that somebody has damaged cost the facts, not the entry.
    entry.facts = serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default();
    Ok(entry)
}

/// A row that somebody has damaged costs that row.
fn readable(entry: rusqlite::Result<MemoryEntry>) -> rusqlite::Result<Option<MemoryEntry>> {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    match entry {
        Err(
            error @ (InvalidColumnType(..)
            | FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)),
        ) => {
            tracing::debug!(%error, "an entry of the memory that cannot be read is passed over");
            Ok(None)
        }
        entry => entry.map(Some),
    }
}

/// The filter as a condition and its values.
fn condition(filter: &MemoryFilter) -> (String, Vec<Sql>) {
    let mut parts = Vec::new();
    let mut values = Vec::new();
    if !filter.wants(MemoryLayer::LongTerm) {
        parts.push("0");
    }
    if let Some(session) = &filter.session_id {
        parts.push("session_id = ?");
        values.push(Sql::from(session.clone()));
    }
    if let Some(dcc) = &filter.dcc_name {
        parts.push("dcc_name = ? COLLATE NOCASE");
        values.push(Sql::from(dcc.clone()));
    }
    if let Some(prefix) = filter
        .key_prefix
        .as_ref()
        .filter(|prefix| !prefix.is_empty())
    {
        // The range is for the index; the second part is the exact one.
        parts.push("key >= ? AND substr(key, 1, length(?)) = ?");
        for _ in 0..3 {
            values.push(Sql::from(prefix.clone()));
        }
    }
    let matching = if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join(" AND ")
    };
    (matching, values)
}

const ANEW: &str = "move the file away, and a new one is made";

/// What the system says of a file that cannot be had to write, and what helps.
fn refused(path: &Path, error: &std::io::Error) -> StoreError {
    use std::io::ErrorKind::{
        NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    let cure = match error.kind() {
        NotFound => "make its folder and make it writable, or name another file",
        PermissionDenied => {
            "give this user the right to write the file and its folder, or name another file"
        }
        ReadOnlyFilesystem => "name a file on a disk that can be written",
        StorageFull | QuotaExceeded => "make room on the disk, or name another file",
        _ => "name another file",
    };
    StoreError::new(shown(path), error.to_string(), cure)
}

/// The same, with what the system says where `SQLite` says only that a file cannot be written.
fn unwritable(path: &Path, error: &rusqlite::Error) -> StoreError {
    match reason_of_the_system(path, error) {
        Some(reason) => refused(path, &reason),
        None => fault(path, error),
    }
}

fn fault(path: &Path, error: &rusqlite::Error) -> StoreError {
    let said = said_by(error);
    StoreError::new(shown(path), said.reason, said.cure)
}

/// Refuses a link to a drive that is late, and what is there and no file, in the place of the database or of one beside it.
fn plain_file(path: &Path) -> Result<(), StoreError> {
    if let Some(late) = late_link(path) {
        return Err(StoreError::new(
            shown(path),
            late,
            "wait for it, or name another file",
        ));
    }
    let (text, cure) = match odd_file(path) {
        None => return Ok(()),
        Some(odd) if odd == path => ("it is no plain file".to_owned(), "name another file"),
        Some(odd) => (
            format!("{} beside it is no plain file", odd.display()),
            "move that away, or name another file",
        ),
    };
    Err(StoreError::new(shown(path), text, cure))
}

/// Refuses a database in which another program has tables: its version and its journal are its own.
fn nobody_elses(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    match foreign_table(connection).map_err(|error| fault(path, &error))? {
        Some(table) => Err(StoreError::new(
            shown(path),
            format!("it is a database of another program: it has a table `{table}`"),
            "name another file",
        )),
        None => Ok(()),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
