//! Keeps what a skill server has loaded across restarts, and never half of it.
//!
//! [`LoadedStateStore`] holds the loaded skills and active groups of one application in
//! `STATE/APP/loaded.json`. The file is replaced whole (write, flush, rename, flush the folder), so
//! whatever ends the process leaves the old state or the new one. Several servers may share a file:
//! each makes its own change in what the others saved. [`plan_replay`] says what to load again under
//! a [`ReplayPolicy`].
//!
//! ```
//! use metier_persistence::{AppName, CurrentSkill, LoadedStateStore, ReplayPolicy, SavedSkill, StateChange, plan_replay};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let store = LoadedStateStore::new(folder.path(), AppName::new("maya")?);
//! let geometry = SavedSkill::new("maya-geometry").with_version("1.0.0");
//! store.save(&StateChange::default().with_loaded(geometry, ["modeling"]))?;
//!
//! // After a restart.
//! let saved = store.load().state;
//! let current = [("maya-geometry".to_owned(), CurrentSkill::new("1.0.0"))].into();
//! let plan = plan_replay(&saved, &current, ReplayPolicy::SkipOnDrift)?;
//! assert_eq!(plan.load[0].skill, "maya-geometry");
//! assert!(plan.load[0].groups.contains("modeling"));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `sqlite` there are a mirror of the state for dashboards, `SqliteMirror`, and
//! the counters of skills, `QualityStore`, written behind by a `QualityLedger`.
//!
//! [`SharedFile`] is the same for a small file of any other content.
//!
//! Limits: everything blocks. It knows no catalog; who loads and unloads says so. What an
//! application did between its last save and its end is not kept.

mod app_name;
mod atomic;
mod clock;
#[cfg(feature = "sqlite")]
mod database;
mod format;
mod keep_aside;
mod left_over;
mod link;
mod lock;
mod mirror;
#[cfg(feature = "sqlite")]
mod quality_ledger;
#[cfg(feature = "sqlite")]
mod quality_store;
mod replay;
mod replay_policy;
mod shared_file;
#[cfg(feature = "sqlite")]
mod sqlite_mirror;
mod state;
mod store;

pub use app_name::{AppName, AppNameError};
pub use atomic::{SaveStep, StepProbe};
pub use clock::{Clock, system_clock};
#[cfg(feature = "sqlite")]
pub use database::DatabaseError;
pub use format::{ParsedState, parse_state, state_text};
#[cfg(feature = "sqlite")]
pub use metier_sqlite_file::late_link;
pub use mirror::StateMirror;
#[cfg(feature = "sqlite")]
pub use quality_ledger::QualityLedger;
#[cfg(feature = "sqlite")]
pub use quality_store::{Counters, QualityStore};
pub use replay::{
    CurrentSkill, DriftError, HeldUp, ReplayLoad, ReplayPlan, ReplayReport, VersionDrift,
    plan_replay,
};
pub use replay_policy::{ReplayPolicy, UnknownPolicy};
pub use shared_file::SharedFile;
#[cfg(feature = "sqlite")]
pub use sqlite_mirror::SqliteMirror;
pub use state::{LoadedState, SCHEMA_VERSION, SavedSkill, StateChange};
pub use store::{LoadedStateStore, Patience, SaveError, Saved, StateReading};
