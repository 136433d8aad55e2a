//! The roots of a workspace and what they make of a text.

use std::path::{Component, Path, PathBuf};

use crate::client_root::{ClientRoot, UnusableRoot};
use crate::error::{EscapeReason, WorkspaceResolveError};
use crate::input::{Input, Platform, parse, root_path};
use crate::links::real_path;
use crate::segments::{Below, below_root};

/// The folders a client works in. The first one is the one that paths are joined to.
///
/// A value like any other: each session has its own, and a changed list is a new value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceRoots {
    roots: Vec<PathBuf>,
    unusable: Vec<UnusableRoot>,
}

impl WorkspaceRoots {
    /// Roots given as absolute paths, the first one first. A slash at the end makes no difference;
    /// empty paths are ignored, and so is a path that was given before.
    pub fn new<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Self {
        let mut made = Self::default();
        for root in roots {
            made.add(root.as_ref().components().collect());
        }
        made
    }

    fn add(&mut self, root: PathBuf) {
        if !root.as_os_str().is_empty() && !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }

    /// Roots as a client sends them.
    ///
    /// Those count that are `file:` URIs (`file:/x` too) without a host or with `localhost`; the rest
    /// is kept in [`unusable`](Self::unusable).
    pub fn from_client_roots(roots: &[ClientRoot]) -> Self {
        let mut paths = Vec::new();
        let mut unusable = Vec::new();
        for root in roots {
            match root_path(&root.uri, Platform::HERE) {
                Ok(path) => paths.push(path),
                Err(reason) => unusable.push(UnusableRoot {
                    root: root.clone(),
                    reason,
                }),
            }
        }
        Self {
            unusable,
            ..Self::new(paths)
        }
    }

    /// These roots, and after them `more`, such as those of the command line after the client's own.
    #[must_use]
    pub fn followed_by(mut self, more: Self) -> Self {
        for root in more.roots {
            self.add(root);
        }
        self.unusable.extend(more.unusable);
        self
    }

    /// The roots that count, in the order given.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The roots that a client sent but that do not count, in the order sent.
    pub fn unusable(&self) -> &[UnusableRoot] {
        &self.unusable
    }

    /// Whether no root counts.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The path that a text means; the crate's documentation has the table.
    ///
    /// The root stands in the result as it was given, links in it unresolved. The path need not exist.
    /// Absolute paths and `file:` URIs come back wherever they lead: this is no safety check for them.
    ///
    /// # Errors
    ///
    /// [`WorkspaceResolveError`] when there is no root to join to, when the path would leave it, or
    /// when the text is none of the accepted forms.
    pub fn resolve(&self, input: &str) -> Result<PathBuf, WorkspaceResolveError> {
        match parse(input, Platform::HERE)? {
            Input::Absolute(path) => Ok(PathBuf::from(path)),
            Input::Workspace(path) => {
                let root = self.roots.first().ok_or(WorkspaceResolveError::NoRoots)?;
                if path.trim_matches(['/', '\\']).is_empty() {
                    return Err(WorkspaceResolveError::Empty);
                }
                join(root, &below_root(path, true, input)?, input)
            }
            Input::Relative(path) => match self.roots.first() {
                Some(root) => join(root, &below_root(path, false, input)?, input),
                None => Ok(PathBuf::from(path)),
            },
        }
    }

    /// As [`resolve`](Self::resolve), but the result is in one of the roots: an absolute path or a
    /// `file:` URI outside every root is refused, and so is a relative path when there is no root.
    ///
    /// # Errors
    ///
    /// As for `resolve`; [`Escapes`](WorkspaceResolveError::Escapes) for a path outside every root,
    /// [`NoRoots`](WorkspaceResolveError::NoRoots) for a relative path without a root.
    pub fn resolve_strict(&self, input: &str) -> Result<PathBuf, WorkspaceResolveError> {
        match parse(input, Platform::HERE)? {
            Input::Relative(_) if self.is_empty() => Err(WorkspaceResolveError::NoRoots),
            Input::Workspace(_) | Input::Relative(_) => self.resolve(input),
            Input::Absolute(path) => {
                let path = PathBuf::from(path);
                self.admit(&path, input)?;
                Ok(path)
            }
        }
    }

    /// Refuses an absolute path that is in none of the roots.
    fn admit(&self, path: &Path, input: &str) -> Result<(), WorkspaceResolveError> {
        let mut reason = EscapeReason::OutsideRoots;
        // A path in the other platform's writing is absolute by its letters but means nothing here.
        if path.is_absolute() && !self.is_empty() {
            let real = locate(path, input)?;
            for root in &self.roots {
                let below = path.strip_prefix(root).ok();
                if below.is_some_and(climbs) {
                    reason = EscapeReason::Climbs;
                } else if real_path(root).is_ok_and(|root| real.starts_with(root)) {
                    if below.is_some() || !goes_back_from_nothing(path) {
                        return Ok(());
                    }
                    // It would lie elsewhere as soon as somebody puts a link there.
                    reason = EscapeReason::Climbs;
                } else if below.is_some() {
                    reason = EscapeReason::Link;
                }
            }
        }
        Err(WorkspaceResolveError::Escapes {
            input: input.to_owned(),
            reason,
        })
    }
}

/// The root with the names below it, once it is certain that no link among them leads out, and none on the way there.
fn join(root: &Path, below: &Below, input: &str) -> Result<PathBuf, WorkspaceResolveError> {
    let real_root = locate(root, input)?;
    let joined = |names: &[String]| -> PathBuf {
        let names = names.iter();
        names.fold(root.to_owned(), |path, name| path.join(name))
    };
    for names in below.left.iter().chain([&below.names]) {
        if !locate(&joined(names), input)?.starts_with(&real_root) {
            return Err(WorkspaceResolveError::Escapes {
                input: input.to_owned(),
                reason: EscapeReason::Link,
            });
        }
    }
    Ok(joined(&below.names))
}

fn locate(path: &Path, input: &str) -> Result<PathBuf, WorkspaceResolveError> {
    real_path(path).map_err(|error| WorkspaceResolveError::Unresolvable {
        input: input.to_owned(),
        reason: error.to_string(),
    })
}

/// Whether a `..` follows something that is not there, so that only the letters tell where the path leads.
fn goes_back_from_nothing(path: &Path) -> bool {
    let mut so_far = PathBuf::new();
    path.components().any(|component| {
        let is_step_back = component == Component::ParentDir;
        let is_nothing = is_step_back && so_far.symlink_metadata().is_err();
        so_far.push(component);
        is_nothing
    })
}

/// Whether some step of a path below a root leads above the root.
fn climbs(below: &Path) -> bool {
    let mut depth = 0_usize;
    for component in below.components() {
        match component {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    false
}
