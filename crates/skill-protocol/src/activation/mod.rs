//! Activation: the one way by which the instructions of a skill come into a context.

mod arguments;
mod effects;
mod find;
mod open;
mod permission;
mod scope;

pub use arguments::{Arguments, MOST_CHARACTERS, argument_names, fill};
pub use effects::{Effect, effects};
pub use find::{ActivationRefusal, Caller, find};
pub use open::{Activation, SkillText, open};
pub use permission::{Decision, PermissionOutcome, PermissionRules, RuleFault};
pub use scope::{Scope, SkillScopes};
