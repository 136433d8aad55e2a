//! Dependencies between skills: order, closure, what is missing, isolated cycles.
//!
//! A [`DependencyGraph`] is built once from names and the names each of them needs. It then answers
//! in which order to load ([`order`](DependencyGraph::order)), what one name needs in all
//! ([`closure`](DependencyGraph::closure)), what is not there ([`missing`](DependencyGraph::missing)),
//! which names wait for each other ([`cycles`](DependencyGraph::cycles)) and who would be left
//! without ground if a name went away ([`transitive_dependents`](DependencyGraph::transitive_dependents)).
//!
//! # Rules
//!
//! - One broken corner never spoils the rest. A cycle marks its members and holds up those who need
//!   them; every other name keeps its place.
//! - A name that needs itself is a slip, not a cycle: it is reported by
//!   [`self_dependencies`](DependencyGraph::self_dependencies) and the edge is dropped.
//! - [`resolve`](DependencyGraph::resolve) is for packaging and CI: the first fault of any kind is an error.
//! - Answers depend on the names and edges alone, never on the order in which they were given. Where
//!   several answers are right, the one that is first by name is chosen.
//! - Nothing recurses, so neither a long chain nor a ladder of diamonds can exhaust the stack or the clock.
//!
//! # Limits
//!
//! Names are compared byte by byte. Versions are not known here. The graph does not change: after a
//! change of the skills, build a new one.
//!
//! # Example
//!
//! ```
//! use metier_depgraph::DependencyGraph;
//!
//! let graph = DependencyGraph::new([
//!     ("rig", vec!["mesh", "math"]),
//!     ("mesh", vec!["math"]),
//!     ("math", vec![]),
//!     ("shade", vec!["ocio"]),
//! ]);
//!
//! assert_eq!(graph.order(), ["math", "mesh", "rig", "shade"]);
//! assert_eq!(graph.closure("rig").unwrap().dependencies, ["math", "mesh"]);
//! assert_eq!(graph.missing_of("shade"), ["ocio"]);
//! assert_eq!(
//!     graph.resolve().unwrap_err().to_string(),
//!     "'shade' depends on 'ocio', which does not exist; add 'ocio' or remove it from the dependencies of 'shade'",
//! );
//! ```

mod closure;
mod cycle;
mod graph;
mod missing;
mod resolve;
mod standing;
mod walk;

pub use closure::{Closure, ClosureError, MissingPath};
pub use cycle::Cycle;
pub use graph::DependencyGraph;
pub use missing::Missing;
pub use resolve::ResolveError;
