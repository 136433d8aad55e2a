//! A client's file, read and replaced as a whole.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How many older versions are kept.
const BACKUPS: usize = 99;

/// The text of a file; `None` when there is none.
pub(super) fn read(file: &Path) -> Result<Option<String>, String> {
    match std::fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| format!("it is not UTF-8 ({})", error.utf8_error())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// Puts the text in the file's place, at once: a reader sees the old file or the new one. Gives
/// where the old one is kept. A link stays a link, and rights stay as they were.
pub(super) fn replace(file: &Path, exists: bool, text: &str) -> Result<Option<PathBuf>, String> {
    let told = |error: std::io::Error| format!("it cannot be written: {error}");
    let target = if exists {
        std::fs::canonicalize(file).map_err(told)?
    } else {
        file.to_owned()
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(told)?;
    let backup = if exists { Some(keep(file)?) } else { None };
    let mut new = tempfile::Builder::new()
        .prefix(".metier-")
        .tempfile_in(folder)
        .map_err(told)?;
    new.write_all(text.as_bytes()).map_err(told)?;
    if exists {
        let rights = std::fs::metadata(&target).map_err(told)?.permissions();
        new.as_file().set_permissions(rights).map_err(told)?;
    }
    new.as_file().sync_all().map_err(told)?;
    new.persist(&target)
        .map_err(|error| format!("it cannot be written: {}", error.error))?;
    Ok(backup)
}

/// Copies the file beside itself under a name that is free.
fn keep(file: &Path) -> Result<PathBuf, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=BACKUPS {
        let number = if number == 1 {
            String::new()
        } else {
            number.to_string()
        };
        let backup = file.with_file_name(format!("{name}.bak{number}"));
        if backup.symlink_metadata().is_ok() {
            continue;
        }
        std::fs::copy(file, &backup)
            .map_err(|error| format!("the old file cannot be kept: {error}"))?;
        return Ok(backup);
    }
    Err(format!(
        "there are {BACKUPS} kept versions already; remove some"
    ))
}
