//! A client's file, read and replaced as a whole.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// No client's settings are larger, and what has no end is none.
const LARGEST: u64 = 16 << 20;

/// How many links are followed to a file that is not there yet.
const MOST_LINKS: usize = 40;

/// The text of a file; `None` when there is none.
pub(super) fn read(file: &Path) -> Result<Option<String>, String> {
    let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
    // Asked before it is opened: opening a pipe waits for somebody who writes.
    let length = match std::fs::metadata(file) {
        Ok(found) if found.is_file() => found.len(),
        Ok(_) => return Err("it is no plain file; nothing was changed".to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let too_large = || {
        format!(
            "it is larger than {} MiB; nothing was changed",
            LARGEST >> 20
        )
    };
    if length > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(unreadable)?;
    let read = opened.take(LARGEST + 1).read_to_end(&mut bytes);
    if read.map_err(unreadable)? as u64 > LARGEST {
        return Err(too_large());
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| format!("it is not UTF-8 ({})", error.utf8_error()))
}

/// Puts the text in the file's place, at once: a reader sees the old file or the new one. Gives
/// where the old one is kept. A link stays a link, also one that leads to nothing yet, and rights stay
/// as they were. A new file that is `shared` can be read by whom the user's mask lets.
pub(super) fn replace(
    file: &Path,
    exists: bool,
    shared: bool,
    text: &str,
) -> Result<Option<PathBuf>, String> {
    let told = |error: std::io::Error| {
        let reason = nameless(&error);
        format!("it cannot be written: {reason}; nothing was changed")
    };
    let target = if exists {
        std::fs::canonicalize(file).map_err(told)?
    } else {
        led_to(file).ok_or_else(|| "its link leads in a circle".to_owned())?
    };
    let folder = folder_of(&target);
    std::fs::create_dir_all(folder).map_err(told)?;
    // Replacing a file asks for no right to it, so that its protection has to be asked for.
    let is_protected = exists
        && std::fs::metadata(&target)
            .map_err(told)?
            .permissions()
            .readonly();
    if is_protected {
        return Err(
            "it is write-protected; make it writable (or check it out), then run this again; nothing was changed".to_owned(),
        );
    }
    let backup = if exists { Some(keep(file)?) } else { None };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".metier-");
    #[cfg(unix)]
    if shared {
        use std::os::unix::fs::PermissionsExt as _;
        // The user's mask takes from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = shared;
    let mut new = builder.tempfile_in(folder).map_err(told)?;
    new.write_all(text.as_bytes()).map_err(told)?;
    if exists {
        let rights = std::fs::metadata(&target).map_err(told)?.permissions();
        new.as_file().set_permissions(rights).map_err(told)?;
    }
    new.as_file().sync_all().map_err(told)?;
    new.persist(&target).map_err(|error| told(error.error))?;
    Ok(backup)
}

/// The reason alone: an error of a file that is made for the moment names it, which means nothing to anybody.
fn nameless(error: &std::io::Error) -> std::io::Error {
    std::io::Error::from(error.kind())
}

/// Where a link to nothing leads; the path itself where there is no link.
fn led_to(file: &Path) -> Option<PathBuf> {
    let mut target = file.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Some(target),
        }
    }
    None
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Copies the file beside itself, in the place of the copy before.
fn keep(file: &Path) -> Result<PathBuf, String> {
    let told = |error: std::io::Error| {
        let (folder, reason) = (folder_of(file).display(), nameless(&error));
        format!("the old file cannot be kept in the folder {folder}: {reason}; nothing was changed")
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let backup = file.with_file_name(format!("{name}.bak"));
    let copy = tempfile::Builder::new()
        .prefix(".metier-")
        .tempfile_in(folder_of(file))
        .map_err(told)?;
    std::fs::copy(file, copy.path()).map_err(told)?;
    copy.persist(&backup).map_err(|error| told(error.error))?;
    Ok(backup)
}
