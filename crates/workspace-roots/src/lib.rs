//! Paths of a client's workspace, resolved so that none escapes.
//!
//! A client tells which folders it works in; a tool is handed texts that mean files in there.
//! [`WorkspaceRoots::resolve`] turns such a text into a path:
//!
//! | text | becomes |
//! |---|---|
//! | `workspace://assets/hero.usd`, also `workspace:/…` and `workspace:///…`, any letter case | first root joined, decoded once |
//! | `assets/hero.usd` | first root joined, nothing decoded; unchanged when there is no root |
//! | `/abs`, `C:\x`, `C:/x`, `\\server\share`, `\\?\…` | unchanged on every platform |
//! | `file:///x`, `file:/x`, `file://localhost/x` | decoded, otherwise unchanged |
//! | anything that leaves the root | [`Escapes`](WorkspaceResolveError::Escapes) |
//! | empty, another scheme, a broken escape | an error that says what is accepted |
//!
//! # What counts as leaving
//!
//! A step above the root at any point, even one that comes back; written out, as an escape, or with
//! backslashes. A link on the way, also above a file that does not exist yet, whose target is
//! outside. A drive inside a path, an encoded separator, a NUL, and names of dots and blanks that
//! some systems read as `..`. A root that is itself a link is fine.
//!
//! # Limits
//!
//! [`resolve`](WorkspaceRoots::resolve) lets absolute paths through: it translates, and is no
//! safety check for them. [`resolve_strict`](WorkspaceRoots::resolve_strict) is one. Either looks at
//! the file system once; who can make links in the workspace afterwards can change what the path
//! means. Nothing is read or created, and existence is not required.
//!
//! # Example
//!
//! ```
//! use metier_workspace_roots::{WorkspaceResolveError, WorkspaceRoots};
//! use std::path::Path;
//!
//! let roots = WorkspaceRoots::new(["/projects/hero"]);
//! assert_eq!(
//!     roots.resolve("workspace://my%20shot/bob.usd").unwrap(),
//!     Path::new("/projects/hero/my shot/bob.usd"),
//! );
//! assert!(matches!(
//!     roots.resolve("workspace://../hero-private/bob.usd"),
//!     Err(WorkspaceResolveError::Escapes { .. }),
//! ));
//! assert_eq!(
//!     WorkspaceRoots::default().resolve("workspace://a").unwrap_err().to_string(),
//!     "no workspace roots",
//! );
//! ```

mod client_root;
mod error;
mod input;
mod links;
mod percent;
mod roots;
mod segments;

pub use client_root::{ClientRoot, UnusableRoot};
pub use error::{EscapeReason, WorkspaceResolveError};
pub use roots::WorkspaceRoots;
