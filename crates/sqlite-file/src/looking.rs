//! Looking at a database without a trace.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::beside;

/// Opens a database that is there without writing to it or its folder, so that it may be on a disk that cannot be written.
/// Where no log is beside it nothing is under way, and then `SQLite` need make none.
///
/// # Errors
/// It cannot be opened. That it is no database is told by the first question.
pub fn open_to_look(file: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let is_at_rest = std::fs::metadata(beside(file, "-wal")).map_or(true, |log| log.len() == 0);
    let name = file.to_string_lossy();
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let how = if is_at_rest { "immutable=1" } else { "mode=ro" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("file:{name}?{how}"), flags)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}
