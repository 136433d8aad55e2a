//! Where every setting comes from: `metier.toml`, `METIER_…` variables, options of the command.
//!
//! Each source gives a [`Layer`] of values that know their [`Origin`]; a [`Config`] is the layers on
//! top of each other, options first, then variables, then the file, then what is built in. A value
//! of a higher layer replaces that of a lower one, lists as a whole; interpreters go by name. Hooks are in the
//! file alone.

mod fault;
mod file;
mod find;
mod help;
mod hook;
mod key;
mod kind;
mod layer;
mod nearest;
mod reading;
mod value;
mod variables;

pub(crate) use fault::Fault;
pub(crate) use find::Wanted;
pub(crate) use help::help;
pub(crate) use hook::HookSetting;
pub(crate) use key::{CONFIRM, Key, SELECTOR, STUBS};
pub(crate) use kind::OFF;
pub(crate) use layer::{Config, Layer, Origin, Sourced};
pub(crate) use nearest::nearest;
pub(crate) use value::{Value, word};
