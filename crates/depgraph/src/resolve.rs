//! The order, or the first fault: for packaging and CI.

use thiserror::Error;

use crate::cycle::Cycle;
use crate::graph::DependencyGraph;
use crate::missing::Missing;

/// The first fault that keeps the whole graph from being in order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// A node lists itself among its dependencies.
    #[error("'{node}' depends on itself; remove it from its own dependencies")]
    SelfDependency {
        /// The node.
        node: String,
    },
    /// A dependency does not exist.
    #[error("{0}")]
    Missing(Missing),
    /// Nodes wait for each other.
    #[error("dependency cycle: {0}; remove one of these dependencies")]
    Cycle(Cycle),
}

impl DependencyGraph {
    /// The load order of a graph without any fault.
    ///
    /// # Errors
    ///
    /// The first fault by name: a node that depends on itself, else a missing dependency, else a
    /// cycle.
    pub fn resolve(&self) -> Result<Vec<&str>, ResolveError> {
        if let Some(&node) = self.self_dependencies().first() {
            return Err(ResolveError::SelfDependency {
                node: node.to_owned(),
            });
        }
        if let Some(missing) = self.missing().into_iter().next() {
            return Err(ResolveError::Missing(missing));
        }
        if let Some(cycle) = self.cycles().first() {
            return Err(ResolveError::Cycle(cycle.clone()));
        }
        Ok(self.order())
    }
}
