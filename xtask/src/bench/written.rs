//! Folders of generated skills, written once.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{capture, root};

/// The folder with so many skills, each with further files of so many bytes. It is written once: files that are older
/// than a moment need no second look.
pub(super) fn written(place: &Path, count: usize, bytes: Option<usize>) -> Result<PathBuf, String> {
    let folder = place.join(count.to_string());
    if !folder.is_dir() {
        let part = place.join(format!("{count}.part"));
        let python = if cfg!(windows) { "python" } else { "python3" };
        let script = root().join("xtask/bench/write_skills.py");
        capture(
            Command::new(python)
                .arg(script)
                .arg(&part)
                .arg(count.to_string())
                .args(bytes.map(|bytes| bytes.to_string())),
        )?;
        std::fs::rename(&part, &folder).map_err(|error| error.to_string())?;
    }
    Ok(folder)
}
