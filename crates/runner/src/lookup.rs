//! A snapshot of the environment, and programs on its path.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::resolve_error::Fault;

/// A snapshot of environment variables and the current directory, so that what is resolved from it
/// depends on nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvLookup {
    vars: BTreeMap<OsString, OsString>,
    current_dir: Option<PathBuf>,
}

impl EnvLookup {
    /// A snapshot of these variables; a later one of the same name wins.
    pub fn new<N: Into<OsString>, V: Into<OsString>>(
        vars: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let vars = vars
            .into_iter()
            .map(|(name, value)| (key(&name.into()), value.into()))
            .collect();
        Self {
            vars,
            current_dir: None,
        }
    }

    /// A snapshot of this process.
    pub fn from_process() -> Self {
        let current_dir = std::env::current_dir().ok();
        Self {
            current_dir,
            ..Self::new(std::env::vars_os())
        }
    }

    /// Sets what relative paths start from; without it they are refused.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self {
            current_dir: Some(folder.into()),
            ..self
        }
    }

    /// The variables, sorted by name.
    pub fn vars(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.vars
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.vars
            .get(&key(name.as_ref()))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// The first executable file of this name in the folders of `PATH`.
    ///
    /// Entries that are empty or relative are passed over: they would let the folder that the
    /// server happens to stand in choose the interpreter.
    pub(crate) fn on_path(&self, name: &str) -> Option<PathBuf> {
        let folders = self.get("PATH")?;
        std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .flat_map(|folder| {
                self.file_names(name)
                    .into_iter()
                    .map(move |name| folder.join(name))
            })
            .find(|path| executable(path).is_ok() && !is_store_stub(path))
    }

    /// An executable that an operator named: a path, or a bare name on the path.
    pub(crate) fn named(&self, value: &Path) -> Result<PathBuf, Fault> {
        let bare = value
            .parent()
            .is_some_and(|parent| parent.as_os_str().is_empty());
        if bare {
            let name = value.to_str().ok_or(Fault::NotOnPath)?;
            return self.on_path(name).ok_or(Fault::NotOnPath);
        }
        let path = if value.is_absolute() {
            value.to_path_buf()
        } else {
            self.current_dir.as_ref().ok_or(Fault::Missing)?.join(value)
        };
        executable(&path).map(|()| path)
    }

    #[cfg(not(windows))]
    #[expect(
        clippy::unused_self,
        reason = "the names depend on the environment on Windows"
    )]
    fn file_names(&self, name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[cfg(windows)]
    fn file_names(&self, name: &str) -> Vec<String> {
        let endings = self
            .get("PATHEXT")
            .map(|endings| endings.to_string_lossy().into_owned());
        crate::windows::file_names(name, endings.as_deref())
    }
}

/// The name under which a variable is kept: names have no case on Windows.
fn key(name: &OsStr) -> OsString {
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    }
}

/// Whether this is a file that may be executed.
pub(crate) fn executable(path: &Path) -> Result<(), Fault> {
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => Fault::NotExecutable,
        _ => Fault::Missing,
    })?;
    if metadata.is_dir() {
        return Err(Fault::Folder);
    }
    #[cfg(unix)]
    let allowed = crate::unix::may_execute(&metadata);
    #[cfg(not(unix))]
    let allowed = true;
    if metadata.is_file() && allowed {
        Ok(())
    } else {
        Err(Fault::NotExecutable)
    }
}

/// Windows puts programs of this folder on the path that open a shop instead of an interpreter.
fn is_store_stub(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str().eq_ignore_ascii_case("WindowsApps"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shop_is_no_interpreter() {
        assert!(is_store_stub(Path::new(
            "/c/Users/a/AppData/Local/Microsoft/windowsapps/python.exe"
        )));
        assert!(!is_store_stub(Path::new("/c/Python312/python.exe")));
    }

    #[test]
    fn an_empty_variable_is_not_set() {
        let lookup = EnvLookup::new([("A", ""), ("B", "1"), ("B", "2")]);
        assert_eq!(lookup.get("A"), None);
        assert_eq!(lookup.get("B"), Some("2".as_ref()));
    }
}
