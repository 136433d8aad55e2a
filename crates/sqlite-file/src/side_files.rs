//! What lies beside a database.

use std::path::{Path, PathBuf};

/// What the names of the files end in that `SQLite` makes beside a database.
pub const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The name of a file beside a database.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The first of the database and the files beside it that is there and no plain file: a pipe, whose opening would wait for
/// its other end, a folder, a device. To be asked before every opening.
pub fn odd_file(file: &Path) -> Option<PathBuf> {
    let names = std::iter::once("").chain(BESIDE);
    let mut names = names.map(|suffix| beside(file, suffix));
    names.find(|name| std::fs::metadata(name).is_ok_and(|found| !found.is_file()))
}
