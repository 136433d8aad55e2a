//! Paths as they are given on the command line.

use std::path::{Component, Path, PathBuf};

use crate::Failure;

/// Refuses what is no folder, or none that can be read, and says which it is.
pub(crate) fn readable_folder(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    let fault = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let is_policy = shown.to_string().parse::<metier::ReplayPolicy>().is_ok();
            let cure = if is_policy {
                format!("; write `--persist={shown}`")
            } else if shown.to_string().trim_start().starts_with('{') {
                "; a tool's arguments stand behind `--args`".to_owned()
            } else {
                String::new()
            };
            format!("{shown}: there is no such folder{cure}")
        }
        Ok(found) if !found.is_dir() => {
            format!("{shown}: this is a file; name the folder that holds the skills")
        }
        Ok(_) => match std::fs::read_dir(path) {
            Ok(_) => return Ok(()),
            Err(error) => unreadable(path, &error),
        },
        Err(error) => unreadable(path, &error),
    };
    Err(Failure::Usage(fault))
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let cure = match error.kind() {
        std::io::ErrorKind::PermissionDenied => "ask for the right to read it, or name another one",
        _ => "name another one",
    };
    format!(
        "{}: the folder cannot be read: {error}; {cure}",
        path.display()
    )
}

/// A path that means the same in every folder.
pub(crate) fn absolute_text(path: &Path) -> Result<String, Failure> {
    std::path::absolute(path)
        .map(|path| without_climbs(&path).to_string_lossy().into_owned())
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// A way up is taken now: the folder that it begins in may be gone later. What it leads to need not be
/// there yet.
fn without_climbs(path: &Path) -> PathBuf {
    let mut taken = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            // Behind a link, up is where the link leads.
            if let Ok(real) = std::fs::canonicalize(&taken) {
                taken = real;
            }
            taken.pop();
        } else {
            taken.push(part);
        }
    }
    taken
}
