//! Which file an open database is.

use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

#[cfg(unix)]
use crate::beside;

/// Which file an open database is: the one of its name may become another one, when a backup takes its place, or none.
#[derive(Debug)]
pub struct Place {
    #[cfg(unix)]
    file: PathBuf,
    /// Of the database, its log and the index of that.
    #[cfg(unix)]
    found: [Option<(u64, u64)>; 3],
    /// It was left, and the system may give its numbers to another file.
    was_left: bool,
}

impl Place {
    /// Of a database that was opened just now and read.
    #[cfg_attr(
        not(unix),
        expect(unused_variables, reason = "nobody can take an open file away there")
    )]
    pub fn of(file: &Path) -> Self {
        Self {
            #[cfg(unix)]
            file: file.to_owned(),
            #[cfg(unix)]
            found: names(file).map(|name| id_of(&name)),
            was_left: false,
        }
    }

    /// Whether another file, or none, has the name by now. Elsewhere than on a Unix nobody can take an open file away.
    pub fn is_left(&self) -> bool {
        #[cfg(unix)]
        {
            let [found, ..] = self.found;
            self.was_left || found.is_some() && id_of(&self.file) != found
        }
        #[cfg(not(unix))]
        self.was_left
    }

    /// Closes a database that has lost its name, and opens an empty one instead. What its log holds goes into its own file;
    /// left beside the other one, `SQLite` would take it for the log of that.
    ///
    /// # Errors
    /// No empty database can be opened; the old one stays.
    pub fn leave(&mut self, connection: &mut Connection) -> rusqlite::Result<()> {
        const PATIENCE: Duration = Duration::from_millis(250);
        let emptied = connection
            .busy_timeout(PATIENCE)
            .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        if let Err(error) = emptied {
            tracing::debug!(%error, "the log of a database that has gone could not be emptied");
        }
        // Asked while they are open: afterwards another file may have their numbers.
        #[cfg(unix)]
        let left_over = {
            let names = names(&self.file).into_iter().zip(self.found).skip(1);
            names.filter(|(name, found)| found.is_some() && id_of(name) == *found)
        };
        #[cfg(unix)]
        let left_over: Vec<PathBuf> = left_over.map(|(name, _)| name).collect();
        drop(std::mem::replace(connection, Connection::open_in_memory()?));
        self.was_left = true;
        #[cfg(unix)]
        {
            self.found = [None; 3];
            for name in left_over {
                // Whoever put another file there may have been faster.
                let _ = std::fs::remove_file(name);
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn names(file: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| beside(file, suffix))
}

#[cfg(unix)]
fn id_of(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(file).ok()?;
    Some((found.dev(), found.ino()))
}
