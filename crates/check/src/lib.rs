//! Checks skill folders: what the loader finds, what skills find of each other, and rules of its own.
//!
//! [`check`] reads every skill below the given folders and returns a [`CheckReport`]: all findings,
//! each with its root, and a [`Verdict`] on every skill. The loader itself reads the skills, in the
//! mode that was asked for; what passes here is what a server in that mode loads. A skill that is
//! rejected is read once more leniently for the rules of this crate, so that one error never hides
//! the others.
//!
//! ```
//! use metier_check::{CheckOptions, Verdict, check};
//!
//! let folder = tempfile::tempdir()?;
//! let skill = folder.path().join("bake-ao");
//! std::fs::create_dir(&skill)?;
//! std::fs::write(
//!     skill.join("SKILL.md"),
//!     "---\nname: bake-ao\ndescription: Bakes ambient occlusion.\nmetadata:\n  dcc-mcp:\n    depends: [render-farm]\n---\nBody\n",
//! )?;
//! let report = check(&[folder.path().to_owned()], &CheckOptions::default());
//! assert_eq!(report.skills[0].verdict, Verdict::Pending);
//! assert_eq!(
//!     report.findings[0].diagnostic.to_string(),
//!     "bake-ao/SKILL.md:6:15: error[MT501]: `bake-ao` depends on `render-farm`, which has not been found \
//!      (add a skill named `render-farm` to one of the roots)"
//! );
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Limits: at most 5,000 files of a skill are looked at, and no file over 1 MiB. Nothing is run.

pub mod codes;
mod engine;
mod places;
mod report;
mod rules;
mod subject;

pub use codes::every_code;
pub use engine::{CheckOptions, check, check_roots};
pub use report::{CheckReport, CheckedSkill, Finding, Verdict};
pub use rules::{RequiredAndForbidden, required_and_forbidden};
