//! A group of nodes that wait for each other.

use std::fmt;

use crate::walk::arrows;

/// Nodes of which each one needs, directly or through others, every other one.
///
/// [`Display`](fmt::Display) prints the path and closes it: `a → b → c → a`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// Every node of the group, by name. Always two or more.
    pub members: Vec<String>,
    /// One shortest way round, each node needing the next and the last one needing the first. It
    /// starts at the member that is first by name; a tangled group may have members it does not visit.
    pub path: Vec<String>,
}

impl Cycle {
    /// Whether `name` is one of the members.
    pub fn contains(&self, name: &str) -> bool {
        self.members
            .binary_search_by(|member| member.as_str().cmp(name))
            .is_ok()
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&arrows(self.path.iter().chain(self.path.first())))
    }
}
