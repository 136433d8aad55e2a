//! The life of every skill: found, listed, searched, loaded, called, unloaded.
//!
//! A catalog holds one immutable [`CatalogSnapshot`]. Everything that can be seen of skills and
//! tools is read from it: lists, search, calls, the MCP server's pages, the command line. A change
//! builds the next snapshot, publishes it with one atomic store and sends one [`CatalogEvent`], so
//! readers never wait and surfaces never contradict each other.
//!
//! [`SkillCatalog`], [`ToolRegistry`] and [`ToolDispatcher`] are handles on the same state:
//!
//! ```
//! use metier_catalog::{CallRequest, CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let registry = ToolRegistry::with_settings(CatalogSettings::default());
//! let dispatcher = ToolDispatcher::new(registry.clone());
//! let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher.clone());
//! # let folder = tempfile::tempdir().unwrap();
//! # let skill = folder.path().join("hello");
//! # std::fs::create_dir(&skill).unwrap();
//! std::fs::write(skill.join("SKILL.md"), "---\nname: hello\ndescription: Says hello.\n---\n").unwrap();
//!
//! catalog.discover(&[folder.path().to_owned()], None);
//! assert_eq!(catalog.list_skills(None).len(), 1);
//! catalog.load_skill("hello").await.unwrap();
//! assert!(catalog.is_loaded("hello"));
//!
//! // The five discovery tools are always there.
//! let answer = dispatcher.call(CallRequest::new("list_skills", None)).await.unwrap();
//! assert!(!answer.is_error);
//! # });
//! ```
//!
//! With the feature `watch`, `SkillCatalog::watch` and `attach` follow the folders as they change.
//!
//! Limits: the loaded set is the catalog's, not a session's. `discover` reads the disk and blocks;
//! call it on a thread that may. Calls need a tokio runtime with its timer enabled.

mod arguments;
mod audit;
mod audit_key;
mod blocking;
mod call;
mod callable;
mod catalog;
pub mod codes;
mod core_tools;
mod denial;
mod departed;
mod dependency_findings;
mod dispatcher;
mod event;
mod found;
mod groups;
mod hook_driver;
mod host_events;
mod keeping;
mod kept;
mod kept_back;
mod left_out;
mod listed_tool;
mod load;
mod load_plan;
mod loaded_skill;
mod long_checks;
mod name_clash;
mod nearest;
mod nested_skill;
mod others;
mod protocol;
mod registered_tool;
mod registry;
mod returning;
mod script_handler;
mod script_result;
mod search;
mod settings;
mod shelf;
mod shown;
mod skill_info;
mod skill_set;
mod snapshot;
mod state;
mod stub;
mod tool_names;
mod tools_text;
mod unload;
#[cfg(feature = "watch")]
mod watching;
mod ways;

pub use arguments::WORKSPACE_URI;
pub use audit::AuditLog;
pub use call::{CallError, CallRequest};
pub use callable::CallableTool;
pub use catalog::{DiscoverReport, SkillCatalog};
pub use core_tools::SELECTION;
pub use dependency_findings::{DependencyFindings, Dependent};
pub use dispatcher::ToolDispatcher;
pub use event::{CatalogEvent, CatalogEventKind};
pub use groups::GroupError;
pub use keeping::LoadedSetKeeper;
pub use kept::LoadedSkillState;
pub use left_out::LeftOut;
pub use listed_tool::{ListedKind, ListedTool};
pub use load::{LoadError, LoadReport, LoadRequest};
pub use name_clash::{NameClash, name_clashes};
pub use nested_skill::nested_skill_files;
pub use protocol::{
    ActivateError, Activated, ActivationRequest, Discover, Discovered, ListingRequest,
    ProtocolSettings,
};
pub use registry::{RegisterError, ToolRegistry};
pub use search::{SearchReport, SearchRequest, SearchSkillsError, SkillHit};
pub use settings::{CatalogSettings, RootSettings, RunSettings, SkillTools};
pub use shelf::{
    FileBody, FileChange, FileContents, FileFault, Manifest, PlaceObstacle, SKILL_FILE, ServedFile,
    ServedSkill, ShadowedPlace, SkillPage, SkillPlace, SkillReader, SkillShelf, SkillText,
    TextState, encode_skill_path, mime_of, parse_skill_uri, shadowed_places,
};
pub use skill_info::SkillInfo;
pub use snapshot::CatalogSnapshot;
pub use unload::{UnloadError, UnloadReport};
