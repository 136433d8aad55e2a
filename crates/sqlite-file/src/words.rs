//! What `SQLite` says, for people.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

/// What is wrong with a database, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was found.
    pub reason: String,
    /// What to do.
    pub cure: &'static str,
}

const ANEW: &str = "move the file away, and a new one is made";

/// Whether the file is damaged: one whose pages or tables are not what they should be, or one that holds values of another
/// kind than were put in.
fn is_damage(error: &Error) -> bool {
    match error {
        // What is asked of a database is right; that it is not understood is because a table or a column is not there.
        Error::SqlInputError { .. }
        | Error::InvalidColumnType(..)
        | Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnIndex(_)
        | Error::InvalidColumnName(_) => true,
        error => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown)
        ),
    }
}

/// The words for what `SQLite` or its library says. Its own are for programmers: of a damaged table they are the text that
/// made it.
pub fn fault(error: &Error) -> Fault {
    if is_damage(error) {
        return Fault {
            reason: "it is damaged".to_owned(),
            cure: ANEW,
        };
    }
    let (reason, cure) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ("it is no database, or its beginning is damaged", ANEW),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            "another process holds it",
            "end that one, or wait until it is done",
        ),
        Some(ErrorCode::DiskFull) => ("the disk is full", "make room on it"),
        Some(ErrorCode::ReadOnly) => (
            "it cannot be written",
            "give this user the right to write it and its folder",
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (
            "it cannot be opened",
            "give this user the right to open it and to write its folder",
        ),
        _ => {
            return Fault {
                reason: error.to_string(),
                cure: "mend that, or name another place",
            };
        }
    };
    Fault {
        reason: reason.to_owned(),
        cure,
    }
}

/// Why the system refuses to have a file written, where `SQLite` says only that it does. The system is asked no sooner:
/// whoever opens a file beside `SQLite` and closes it takes the locks of all connections of this process on it away.
pub fn reason_of_the_system(file: &Path, error: &Error) -> Option<std::io::Error> {
    let refuses = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    );
    let mut writable = std::fs::OpenOptions::new();
    writable.append(true).create(true);
    refuses.then(|| writable.open(file).err()).flatten()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn what_a_table_is_made_of_is_told_to_nobody() {
        let connection = Connection::open_in_memory().unwrap();
        let no_table = connection.execute("DELETE FROM counters", []).unwrap_err();
        let null = connection
            .query_row("SELECT NULL", [], |row| row.get::<_, u32>(0))
            .unwrap_err();
        connection
            .execute_batch(
                "CREATE TABLE t (a); PRAGMA writable_schema = ON;
                 UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a' WHERE name = 't';",
            )
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("broken.sqlite3");
        let copied = connection.execute("VACUUM INTO ?1", [file.to_str().unwrap()]);
        let malformed = copied.unwrap_err();
        for error in [no_table, null, malformed] {
            let told = fault(&error);
            assert_eq!(told.reason, "it is damaged", "{error}");
            assert_eq!(told.cure, ANEW);
        }
    }
}
