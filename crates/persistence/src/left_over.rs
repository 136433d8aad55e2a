//! Files of saves that never came to an end.

use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::clock::millis;

/// No save takes an hour, so nobody is writing to a file of this age.
const AGE_MS: u64 = 60 * 60 * 1_000;

/// Removes `NAME.*.tmp` beside a file when they are older than an hour; how many there were. A file
/// from the future, as a clock that jumped back makes it, is young.
pub(crate) fn remove(file: &Path, now_ms: u64) -> usize {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return 0;
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let prefix = format!("{}.", name.to_string_lossy());
    let mut removed = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with(&prefix) && name.ends_with(".tmp")) {
            continue;
        }
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let written = metadata.modified().ok();
        let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let age = now_ms.saturating_sub(written.map_or(0, millis));
        if metadata.is_file() && age > AGE_MS && std::fs::remove_file(entry.path()).is_ok() {
            removed += 1;
        }
    }
    removed
}
