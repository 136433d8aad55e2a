//! How skills come before a model: listing, discovery, activation.
//!
//! A host with a thousand skills cannot show a thousand bodies. It shows a [`listing()`] of names and one-line
//! descriptions within a hard budget; the model asks the [`Cascade`] for what is not there; and only what it asks
//! for by name is opened ([`find`], [`PermissionRules::decide`], [`open`]).
//!
//! All three faces look through one [`View`]: the skills of a snapshot ([`SkillBook`]), what is disabled or revoked
//! ([`Standing`]), what this conversation has seen ([`Conversation`]), and experience ([`QualityCounters`]).
//! Whatever is disabled is gone from all of them with the next call.
//!
//! ```
//! use metier_search::{FusedIndex, SkillDocument, SkillIndex};
//! use metier_skill_protocol::{
//!     Cascade, Conversation, DiscoverRequest, Discovery, ListingOptions, MemoryCounters, SkillBook, SkillEntry,
//!     Standing, View, listing,
//! };
//!
//! let book = SkillBook::new(1, vec![
//!     SkillEntry::new("user:maya-geometry", "maya-geometry", "Makes polygon spheres and cubes."),
//!     SkillEntry::new("user:render-queue", "render-queue", "Sends frames to the farm."),
//! ]);
//! let (standing, conversation, quality) = (Standing::default(), Conversation::default(), MemoryCounters::default());
//! let view = View::new(&book, &standing, &conversation, &quality);
//!
//! let first = listing(&view, None, &ListingOptions::default());
//! assert_eq!(first.text, "- maya-geometry: Makes polygon spheres and cubes.\n- render-queue: Sends frames to the farm.");
//! // Nothing is new since.
//! assert_eq!(listing(&view, Some(&first.token), &ListingOptions::default()).text, "");
//!
//! let mut index = FusedIndex::new();
//! index.index(book.entries().map(SkillEntry::document).collect());
//! let cascade = Cascade::new(view).with_hybrid(&index);
//! let Discovery::Answered(answer) = cascade.begin(&DiscoverRequest::new("render the shot on the farm")) else {
//!     unreachable!("no selector was wanted")
//! };
//! assert_eq!(answer.hits[0].name, "render-queue");
//! ```
//!
//! # Limits
//!
//! Nothing here reads a file, keeps time or talks to a model: a [`Selector`] does that for whoever brings one, and
//! [`PendingSelection`] can be put away and taken up again where the answer comes with another request. Text of
//! skills is untrusted: in a listing it is one line without control characters, in a prompt a JSON string of
//! bounded length.

mod activation;
mod book;
mod conversation;
mod discovery;
mod experience;
mod glob;
mod line;
mod listing;
mod quality;
mod selector;
mod view;

pub use activation::{
    Activation, ActivationRefusal, Arguments, Caller, Decision, Effect, MOST_CHARACTERS,
    PermissionOutcome, PermissionRules, RuleFault, Scope, SkillScopes, SkillText, argument_names,
    effects, fill, find, open,
};
pub use book::{SkillBook, SkillEntry, Source};
pub use conversation::{Conversation, TranscriptItem};
pub use discovery::{
    Cascade, DiscoverRequest, DiscoveredSkill, Discovery, DiscoveryAnswer, MatchedWord, Note,
    PendingSelection, Stage, Thresholds, discover,
};
pub use experience::Experience;
pub use glob::{Glob, matches_path};
pub use line::{line as one_line, visible};
pub use listing::{
    DEFAULT_BUDGET, Listing, ListingKind, ListingOptions, budget_of_window, listing,
};
pub use quality::{MemoryCounters, NoCounters, QualityCounters, QualityCounts, QualityEvent};
pub use selector::{
    Candidate, ParsedSelection, ScriptedSelector, SelectionPrompt, Selector, SelectorError,
    parse_selection, selection_prompt,
};
pub use view::{Absence, Standing, View};
