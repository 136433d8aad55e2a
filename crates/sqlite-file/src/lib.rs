//! The file under an `SQLite` database, as far as `SQLite` does not care for it.
//!
//! Opening a pipe waits for its other end, looking at a database makes files beside it, and a database whose file is
//! deleted or replaced is written on without a name. This crate knows of these three and of the words for what goes wrong, and nothing of what is in a database.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! let file = folder.path().join("memory.sqlite3");
//! let mut connection = rusqlite::Connection::open(&file)?;
//! connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n)")?;
//! let mut place = metier_sqlite_file::Place::of(&file);
//! assert!(!place.is_left());
//! std::fs::remove_file(&file).unwrap();
//! if place.is_left() {
//!     place.leave(&mut connection)?;
//! }
//! # Ok::<(), rusqlite::Error>(())
//! ```

mod looking;
mod place;
mod side_files;
mod words;

pub use looking::open_to_look;
pub use place::Place;
pub use side_files::{BESIDE, beside, late_link, odd_file};
pub use words::{Fault, fault, reason_of_the_system};
