//! How the file of the long-term layer is opened.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::sqlite::PATIENCE;

/// What `PRAGMA user_version` says of a file that this crate writes; the number of migrations.
pub(crate) const VERSION: i64 = 1;

/// From each version to the next. Never edited, only added to.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE agent_memory (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        layer TEXT NOT NULL,
        key TEXT NOT NULL,
        session_id TEXT NOT NULL,
        dcc_name TEXT NOT NULL,
        score INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        facts TEXT NOT NULL,
        UNIQUE (dcc_name, session_id, key)
    );
    CREATE INDEX agent_memory_key ON agent_memory (dcc_name, key);
"];

/// Files of before know an application by its name in the case that was given.
const BY_APPLICATION: &str = "CREATE INDEX IF NOT EXISTS agent_memory_application
    ON agent_memory (dcc_name COLLATE NOCASE, key);";

/// Opens the file to write, and makes or renews its tables.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > VERSION {
        return Ok(connection);
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    // Nobody waits for another writer where there is nothing to change.
    if version == VERSION && has_index(&connection)? {
        return Ok(connection);
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the lock: another process may have been at it.
    let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        change.execute_batch(migration)?;
    }
    if version < VERSION {
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.execute_batch(BY_APPLICATION)?;
    change.commit()?;
    Ok(connection)
}

fn has_index(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare("SELECT 1 FROM sqlite_schema WHERE name = 'agent_memory_application'")?
        .exists([])
}

/// Opens a file that is there to see whose it is, before anything about it is changed.
pub(crate) fn connect_beside(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// The tables without a file, for whoever reads what holds nothing yet.
pub(crate) fn connect_to_nothing() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    for migration in MIGRATIONS {
        connection.execute_batch(migration)?;
    }
    Ok(connection)
}

/// Whether a file is one that nothing was ever written to.
pub(crate) fn is_without_tables(connection: &Connection) -> rusqlite::Result<bool> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(version == 0 && tables == 0)
}

/// A table of somebody else, in a file that is no memory: nothing is put into another program's database, whose version
/// and journal are its own.
pub(crate) fn foreign_table(connection: &Connection) -> rusqlite::Result<Option<String>> {
    connection
        .query_row(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'agent_memory') ORDER BY name LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()
}

/// Makes the file, for its owner alone; one that is there becomes so. `SQLite` gives the same rights to the files
/// beside it. One that is there is not opened: closing it would take the locks of other connections of this process away.
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        // A link that leads to nothing yet is there, and what it leads to is made.
        made => drop(made?),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const OTHERS: u32 = 0o077;
        let mode = match std::fs::metadata(path) {
            Ok(found) => found.permissions().mode(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return made_behind(path),
            Err(error) => return Err(error),
        };
        // Whose file it is may not be ours to change; it is told by whoever writes to it then.
        if mode & OTHERS != 0 {
            let rights = std::fs::Permissions::from_mode(mode & 0o7777 & !OTHERS);
            let _ = std::fs::set_permissions(path, rights);
        }
    }
    Ok(())
}

/// Makes what a link leads to.
#[cfg(unix)]
fn made_behind(link: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    let made = options.append(true).create(true).mode(0o600).open(link);
    made.map(drop)
}
