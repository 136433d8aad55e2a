//! The seam between what runs and what serves.
//!
//! Whoever provides tools (a script runner, a host application, a Rust program) implements
//! [`ToolHandler`] or writes a typed function for [`ToolSpec::from_fn`]; whoever serves them gives a
//! [`CallContext`] and takes a [`ToolOutput`]. Neither needs to know the other, and this crate
//! depends on no runtime: time is a [`std::time::Duration`] in the context, cancellation a
//! [`Cancellation`] that the serving side fills.
//!
//! Around the seam stand the two things that every call needs: [`CompiledSchema`], which says what
//! is wrong with arguments in words a model can act on, and [`repair()`], which undoes the lossless
//! mistakes that models make (`"5"` for `5`).
//!
//! ```
//! use metier_tool::{CallContext, ToolError, ToolSpec};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Sphere {
//!     /// Radius in centimetres.
//!     radius: f64,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Volume {
//!     volume: f64,
//! }
//!
//! let spec = ToolSpec::from_fn("sphere_volume", |sphere: Sphere, _: CallContext| async move {
//!     Ok::<_, ToolError>(Volume { volume: 4.0 / 3.0 * std::f64::consts::PI * sphere.radius.powi(3) })
//! })
//! .description("The volume of a sphere");
//! assert_eq!(spec.input_schema["required"], serde_json::json!(["radius"]));
//! ```
//!
//! Limits: schemas are JSON Schema 2020-12; remote references are never fetched; `format` is
//! documentation.

mod content_members;
mod context;
mod derive;
mod error;
mod exact;
mod formats;
mod handler;
mod host;
mod name_patterns;
mod output;
mod pattern_budget;
mod portable;
mod repair;
mod repair_asked;
mod schema;
mod schema_fault;
mod schema_part;
mod schema_plain;
mod schema_shape;
mod schema_words;
mod schema_written;
mod script_answer;
mod slow_pattern;
mod spec;

pub use context::{
    CallContext, CallEvents, CancelSignal, Cancellation, LogLevel, LogLine, NoEvents, ProgramEnd,
    Progress,
};
pub use error::{ArgumentFault, ToolError};
pub use exact::{inexact, repeated_members};
pub use formats::FormatPlace;
pub use handler::{BoxFuture, ToolHandler};
pub use host::{HostExecutor, HostJob};
pub use output::{Content, NotContent, ToolOutput};
pub use pattern_budget::PatternBudget;
pub use repair::repair;
pub use schema::{CompiledSchema, SchemaError, SchemaNote};
pub use schema_plain::{SCHEMA_TYPES, SchemaPart, check_schema, is_plain_schema};
pub use spec::ToolSpec;
