//! Where a path leads on the file system.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows before it gives up.
const MOST_LINKS: usize = 40;

/// One step of a way still to go.
enum Step {
    /// A drive or the top of the file system: the way starts anew.
    Top(OsString),
    Up,
    Into(OsString),
}

/// The path without links and dots.
///
/// Unlike `canonicalize`, this also answers for a path that does not exist: from the first name that
/// is not there the rest is taken as written, since nothing there can be a link. A link whose target
/// does not exist is followed all the same, because writing to it would create the target.
///
/// # Errors
///
/// When the file system refuses to look at a name, or after too many links.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    let mut way = Vec::new();
    add_steps(&mut way, &std::path::absolute(path)?);
    let mut links = 0;
    while let Some(step) = way.pop() {
        let name = match step {
            Step::Top(top) => {
                real.push(top);
                continue;
            }
            Step::Up => {
                real.pop();
                continue;
            }
            Step::Into(name) => name,
        };
        let next = real.join(name);
        match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                add_steps(&mut way, &next.read_link()?);
            }
            Ok(_) => real = next,
            Err(error) if absent(&error) => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Puts the steps of a path before those still to go; the next one is last.
fn add_steps(way: &mut Vec<Step>, path: &Path) {
    let steps = path
        .components()
        .rev()
        .filter_map(|component| match component {
            Component::Prefix(_) | Component::RootDir => {
                Some(Step::Top(component.as_os_str().to_owned()))
            }
            Component::CurDir => None,
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Into(name.to_owned())),
        });
    way.extend(steps);
}
