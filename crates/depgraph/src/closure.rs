//! Everything one node needs.

use std::collections::BTreeSet;
use std::fmt;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use thiserror::Error;

use crate::cycle::Cycle;
use crate::graph::DependencyGraph;
use crate::walk::{Walk, arrows, round_trip};

/// Everything one node needs, directly or through others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Closure {
    /// Each name once, dependencies first, without the node itself.
    pub dependencies: Vec<String>,
}

/// A missing dependency and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPath {
    /// The name that does not exist.
    pub dependency: String,
    /// A shortest way from the node that was asked for to the missing name, both included. Where very
    /// many names are missing, the ways to the later ones lack their middle.
    pub path: Vec<String>,
}

impl MissingPath {
    /// The node that lists the missing name among its own dependencies.
    pub fn needed_by(&self) -> Option<&str> {
        self.path.iter().rev().nth(1).map(String::as_str)
    }
}

impl fmt::Display for MissingPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.dependency)?;
        if self.path.len() > 2 {
            write!(f, " ({})", arrows(&self.path))?;
        }
        Ok(())
    }
}

/// Why the closure of a node cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// The name is no node.
    #[error("'{name}' does not exist")]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Names it needs do not exist.
    #[error("'{node}' needs {}, which {}", list(missing), cure(missing))]
    Missing {
        /// The node asked for.
        node: String,
        /// Each missing name once, nearest first.
        missing: Vec<MissingPath>,
    },
    /// The node is in a cycle or needs a member of one. Reported before anything that is missing,
    /// since supplying the missing names would not help.
    #[error("{}", in_the_way(node, path, cycle))]
    Cycle {
        /// The node asked for.
        node: String,
        /// A shortest way from the node to the first member of the cycle, both included; the node
        /// alone when it is a member itself.
        path: Vec<String>,
        /// The cycle. Its path leads through the last name of `path` if that is at all on the way
        /// round the whole group, and through that member otherwise.
        cycle: Cycle,
    },
}

/// How many missing names a message holds.
const NAMED: usize = 20;
/// How many names all ways to missing ones may hold together before the later ones lose their middle.
const WAYS: usize = 10_000;

fn list(missing: &[MissingPath]) -> String {
    let named = missing.iter().take(NAMED).map(ToString::to_string);
    let mut text = named.collect::<Vec<_>>().join(", ");
    if missing.len() > NAMED {
        text = format!("{text} and {} more", missing.len() - NAMED);
    }
    text
}

fn cure(missing: &[MissingPath]) -> &'static str {
    if missing.len() == 1 {
        "does not exist; add it or remove it from the dependencies"
    } else {
        "do not exist; add them or remove them from the dependencies"
    }
}

fn in_the_way(node: &str, path: &[String], cycle: &Cycle) -> String {
    match path {
        [.., last] if last != node => {
            let way = if path.len() > 2 {
                format!(" ({})", arrows(path))
            } else {
                String::new()
            };
            format!("'{node}' needs '{last}'{way}, which is in a dependency cycle: {cycle}")
        }
        _ => format!("'{node}' is in a dependency cycle: {cycle}"),
    }
}

impl DependencyGraph {
    /// Everything `name` needs, directly or through others, each once, dependencies first.
    ///
    /// # Errors
    ///
    /// [`ClosureError`] when the name is unknown, when a cycle is in the way, or when something it
    /// needs does not exist; all missing names are in the one error.
    pub fn closure(&self, name: &str) -> Result<Closure, ClosureError> {
        let Some(found) = self.find(name) else {
            return Err(ClosureError::Unknown {
                name: name.to_owned(),
            });
        };
        let walk = Walk::from(&self.graph, found, Direction::Outgoing);
        if let Some(error) = self.cycle_in_the_way(name, &walk) {
            return Err(error);
        }
        let missing = self.missing_on_the_way(&walk);
        if !missing.is_empty() {
            return Err(ClosureError::Missing {
                node: name.to_owned(),
                missing,
            });
        }
        let mut nodes = walk.reached;
        nodes.retain(|&node| node != found);
        self.sort_by_rank(&mut nodes);
        Ok(Closure {
            dependencies: self.owned(&nodes),
        })
    }

    fn cycle_in_the_way(&self, name: &str, walk: &Walk) -> Option<ClosureError> {
        let (member, number) = walk
            .reached
            .iter()
            .find_map(|&node| Some((node, self.graph.node_weight(node)?.cycle?)))?;
        let mut cycle = self.cycles.get(number)?.clone();
        let member_name = &self.graph.node_weight(member)?.name;
        if !cycle.path.contains(member_name) {
            cycle.path = self.owned(&round_trip(&self.graph, member, number));
        }
        Some(ClosureError::Cycle {
            node: name.to_owned(),
            path: self.owned(&walk.path_to(member)),
            cycle,
        })
    }

    fn missing_on_the_way(&self, walk: &Walk) -> Vec<MissingPath> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let mut room = WAYS;
        for &node in &walk.reached {
            let Some(weight) = self.graph.node_weight(node) else {
                continue;
            };
            for dependency in &weight.missing {
                if seen.insert(dependency) {
                    let start = walk.reached.first().copied().filter(|&start| start != node);
                    let way = if room > 0 {
                        walk.path_to(node)
                    } else {
                        start.into_iter().chain([node]).collect()
                    };
                    room = room.saturating_sub(way.len());
                    let mut path = self.owned(&way);
                    path.push(dependency.clone());
                    found.push(MissingPath {
                        dependency: dependency.clone(),
                        path,
                    });
                }
            }
        }
        found
    }

    fn owned(&self, nodes: &[NodeIndex]) -> Vec<String> {
        self.names(nodes).into_iter().map(str::to_owned).collect()
    }
}
