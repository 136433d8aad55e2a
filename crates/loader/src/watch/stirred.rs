//! Where something may be another file than before.

use std::collections::BTreeSet;
use std::ops::Bound::{Included, Unbounded};
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, EventKind};

/// With more paths than these it is as good as everywhere.
const MOST: usize = 4_096;

/// Where files may be others than before, or others there than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StirredPaths {
    everywhere: bool,
    paths: BTreeSet<PathBuf>,
}

impl StirredPaths {
    /// Nobody knows where.
    pub(super) const fn everywhere() -> Self {
        Self {
            everywhere: true,
            paths: BTreeSet::new(),
        }
    }

    /// Whether nothing has changed that could matter.
    pub fn is_empty(&self) -> bool {
        !self.everywhere && self.paths.is_empty()
    }

    /// Whether it may be a file of this folder, or the folder itself.
    pub fn touches(&self, folder: &Path) -> bool {
        // Paths are in the order of their parts, so that what lies below a folder follows it.
        let from_here = (Included(folder), Unbounded);
        self.everywhere
            || self
                .paths
                .range::<Path, _>(from_here)
                .next()
                .is_some_and(|path| path.starts_with(folder))
            || !self.paths.is_empty()
                && folder
                    .ancestors()
                    .skip(1)
                    .any(|above| self.paths.contains(above))
    }

    /// Looks at one more event; whether it may matter.
    pub(super) fn note(&mut self, event: &notify::Result<notify::Event>) -> bool {
        match event {
            // A fault in the stream of events may hide some of them: look at everything.
            Err(_) => self.everywhere = true,
            Ok(event) if event.need_rescan() => self.everywhere = true,
            Ok(event) if !may_matter(event) => return false,
            Ok(event) if event.paths.is_empty() => self.everywhere = true,
            Ok(event) => self.paths.extend(event.paths.iter().cloned()),
        }
        if self.everywhere || self.paths.len() > MOST {
            *self = Self::everywhere();
        }
        true
    }
}

/// Reading files is reported too, and a scan reads.
fn may_matter(event: &notify::Event) -> bool {
    let changes = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    };
    changes && (event.paths.is_empty() || !event.paths.iter().all(|path| is_litter(path)))
}

/// What editors and interpreters leave behind and no client ever sees. Anything else that changes
/// no skill is found out by a look.
fn is_litter(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let is_hidden = name.starts_with('.');
    path.iter().any(|part| part == "__pycache__")
        || name == ".DS_Store"
        || is_hidden
            && [".swp", ".swx", ".swo", ".tmp", ".lock", ".crswap", "~"]
                .iter()
                .any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn litter_is_told_by_its_name() {
        for name in [
            ".SKILL.md.swp",
            ".notes.md~",
            "scripts/__pycache__",
            "scripts/__pycache__/x.pyc",
        ] {
            assert!(is_litter(Path::new(name)), "{name}");
        }
        // What is not hidden is a file of the skill, whatever it is called.
        for name in [
            "SKILL.md",
            "SKILL.md~",
            "poetry.lock",
            "4913",
            "scripts/run.py",
            "notes",
            ".claude",
        ] {
            assert!(!is_litter(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_folder_is_touched_by_what_lies_below_it_and_by_what_holds_it() {
        let mut stirred = StirredPaths::default();
        let event = |paths: &[&str]| {
            let event = notify::Event::new(EventKind::Any);
            Ok(paths
                .iter()
                .fold(event, |event, path| event.add_path(PathBuf::from(path))))
        };
        assert!(!stirred.note(&event(&["/r/a/.x.swp"])));
        assert!(stirred.is_empty() && !stirred.touches(Path::new("/r/a")));
        assert!(stirred.note(&event(&["/r/a/deep/x.md"])));
        for (folder, touched) in [
            ("/r/a", true),
            ("/r/a/deep", true),
            ("/r", true),
            ("/r/a-b", false),
            ("/r/b", false),
            ("/r/a/other", false),
        ] {
            assert_eq!(stirred.touches(Path::new(folder)), touched, "{folder}");
        }
        assert!(stirred.note(&event(&["/r/b"])));
        assert!(stirred.touches(Path::new("/r/b/c")));
        assert!(!stirred.touches(Path::new("/r/c")));
        for number in 0..=MOST {
            stirred.note(&event(&[&format!("/r/many/{number}")]));
        }
        assert!(stirred.touches(Path::new("/r/c")));
    }
}
