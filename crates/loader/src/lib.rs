//! Finds skill folders, reads them in two parse modes, and says what is wrong with them.
//!
//! A *skill* is a folder with a `SKILL.md`, an optional `tools.yaml` and scripts. [`resolve_roots`]
//! tells where to look, [`scan`] finds and reads everything there, [`parse_skill_dir`] and
//! [`parse_skill_md`] read one folder. Nothing vanishes: what cannot be used is in the report with
//! its reasons, and one bad item never takes its neighbours along.
//!
//! [`ParseMode`] says what a fault costs. *Strict* rejects a skill over any error; *lenient* uses
//! what can be understood and warns. What strict accepts, lenient accepts as well.
//!
//! [`SkillFiles`] is the only way to read a file of a skill. It works through a directory handle,
//! so that no path and no link leads out of the folder.
//!
//! ```
//! use metier_loader::{ParseMode, Root, RootLabel, scan};
//!
//! let folder = tempfile::tempdir()?;
//! let skill = folder.path().join("bake-ao");
//! std::fs::create_dir(&skill)?;
//! std::fs::write(
//!     skill.join("SKILL.md"),
//!     "---\nname: bake-ao\ndescription: Bakes a scene: ambient occlusion\n---\nBody\n",
//! )?;
//! let report = scan(&[Root::new(RootLabel::Explicit, folder.path())], ParseMode::Lenient);
//! let found = &report.skills[0];
//! assert_eq!(found.metadata.description, "Bakes a scene: ambient occlusion");
//! assert_eq!(found.diagnostics[0].help.as_deref(), Some("quote the value"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`ScanCache`] scans again and reads only what has changed; `SkillWatcher` (feature `watch`) does so
//! whenever the file system reports a change. [`ManifestCache`] tells every file of a skill with its
//! digest.
//!
//! Limits: 256 KiB of front matter, 1 MiB of tools.yaml, 32 KiB of a body at a scan; six levels of
//! folders below a root. Everything is blocking. Nothing here knows a registry or MCP.

mod around_front_matter;
mod candidate;
pub mod codes;
mod cut_text;
mod effort;
mod file_list;
mod file_start;
mod findings;
pub mod format;
mod large_numbers;
mod low_level;
mod manifest;
mod manifest_limits;
mod mode;
mod parallel;
mod parse;
mod places;
mod prompts_file;
mod report;
mod roots;
mod safety;
mod scan;
mod scan_cache;
mod scan_delta;
mod scanner;
mod script;
mod siblings;
mod skill_file;
mod skill_files;
mod stamp;
mod tools_file;
mod utc;
mod values;
mod walk;
#[cfg(feature = "watch")]
mod watch;
mod yaml;

pub use file_list::{FileList, is_hidden_or_compiled, not_for_readers_at};
pub use file_start::FileStart;
pub use findings::{MOST_FINDINGS, findings_left_out, within_limit};
pub use low_level::{
    DependencyError, LoadedAndSkipped, expand_transitive_dependencies, resolve_dependencies,
    scan_and_load, scan_and_load_lenient, validate_dependencies,
};
pub use manifest::{
    FileDigest, FileManifest, MANIFEST_BYTES, MANIFEST_FILES, ManifestCache, ManifestError,
    ManifestFile, digest,
};
pub use mode::ParseMode;
pub use parse::{parse_skill_dir, parse_skill_md, read_despite_errors};
pub use places::{ToolPlaces, place_in_front_matter};
pub use prompts_file::{PromptArgument, ReadPrompts, SkillPrompt, prompt_files, read_prompts};
pub use report::{LoadedSkill, RejectedSkill, RootFinding, ScanReport, ShadowedSkill, SkillId};
pub use roots::{Root, RootLabel, RootSources, everybody_writes, project_folders, resolve_roots};
pub use safety::{blocking, is_safety_code};
pub use scan::scan;
pub use scan_cache::ScanCache;
pub use scan_delta::ScanDelta;
pub use scanner::{SkillScanner, scan_skill_paths};
pub use skill_file::{body_of, front_matter_of};
pub use skill_files::{ReadFileError, SkillFiles};
pub use utc::utc;
#[cfg(feature = "watch")]
pub use watch::{SkillWatcher, StirredPaths, WatchError, WatchNotice, WatchSettings};
