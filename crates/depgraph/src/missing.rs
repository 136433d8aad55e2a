//! A dependency that nobody provides.

use std::fmt;

/// One dependency that names nothing in the graph, with the node that asks for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Missing {
    /// The node that has the dependency.
    pub node: String,
    /// The name it asks for.
    pub dependency: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, dependency } = self;
        write!(
            f,
            "'{node}' depends on '{dependency}', which does not exist; \
             add '{dependency}' or remove it from the dependencies of '{node}'"
        )
    }
}
