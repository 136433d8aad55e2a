//! A folder that is gone after the test.

use std::path::{Path, PathBuf};

use metier_loader::{ParseMode, Root, RootLabel, ScanReport, scan};
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn skill(&self, path: &str) -> &Self {
        let name = path.rsplit('/').next().unwrap();
        self.write(
            &format!("{path}/SKILL.md"),
            format!("---\nname: {name}\ndescription: About {name}.\n---\nBody\n"),
        )
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
        self
    }

    pub(crate) fn scan(&self, roots: &[&str], mode: ParseMode) -> ScanReport {
        let roots: Vec<Root> = roots
            .iter()
            .map(|path| Root::new(RootLabel::Explicit, self.at(path)))
            .collect();
        scan(&roots, mode)
    }
}
