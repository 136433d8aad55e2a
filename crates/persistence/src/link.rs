//! Where a file is whose name may be a link.

use std::io;
use std::path::{Path, PathBuf};

/// As many links as systems follow.
const MOST: usize = 40;

/// The file itself. It need not be there, but where a link is on the way to it, the folder that the
/// link leads to must be: a drive may be late, and what stands in the link's place would hide what
/// the drive holds.
pub(crate) fn followed(file: &Path) -> io::Result<PathBuf> {
    let mut place = file.to_owned();
    for _ in 0..MOST {
        let Ok(target) = std::fs::read_link(&place) else {
            return within_reach(place);
        };
        // A relative target begins at the folder of its link.
        place = place.parent().unwrap_or(Path::new(".")).join(target);
        if !place.parent().is_some_and(Path::is_dir) {
            return Err(absent(file, &place));
        }
    }
    Err(io::Error::other("its link leads in a circle"))
}

/// A folder that is not there yet will be made; one that a link stands for will not.
fn within_reach(file: PathBuf) -> io::Result<PathBuf> {
    for folder in file.ancestors().skip(1) {
        if folder.metadata().is_ok() {
            break;
        }
        if let Ok(target) = std::fs::read_link(folder) {
            return Err(absent(folder, &target));
        }
    }
    Ok(file)
}

fn absent(link: &Path, target: &Path) -> io::Error {
    let (link, target) = (link.display(), target.display());
    let what = format!("{link} is a link to {target}, which is not there; its drive may be late");
    io::Error::new(io::ErrorKind::NotFound, what)
}
