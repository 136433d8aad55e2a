//! Walking the graph level by level, remembering the way.

use std::collections::{BTreeMap, VecDeque};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::graph::Node;

/// The nodes reached from a start, nearest first, with a shortest way to each.
pub(crate) struct Walk {
    /// The start first, then every other node reached, nearest first and by name within a level
    /// as far as their parents' order allows.
    pub(crate) reached: Vec<NodeIndex>,
    parents: BTreeMap<NodeIndex, NodeIndex>,
}

impl Walk {
    /// Everything that can be reached from `start` in `direction`.
    pub(crate) fn from(graph: &DiGraph<Node, ()>, start: NodeIndex, direction: Direction) -> Self {
        let mut walk = Self {
            reached: vec![start],
            parents: BTreeMap::from([(start, start)]),
        };
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for next in graph.neighbors_directed(node, direction) {
                if walk.step(node, next) {
                    queue.push_back(next);
                }
            }
        }
        walk
    }

    /// Notes that `next` was first reached from `node`; false when it was known already.
    fn step(&mut self, node: NodeIndex, next: NodeIndex) -> bool {
        if self.parents.contains_key(&next) {
            return false;
        }
        self.parents.insert(next, node);
        self.reached.push(next);
        true
    }

    /// The nodes from the start to `end`, both included.
    pub(crate) fn path_to(&self, end: NodeIndex) -> Vec<NodeIndex> {
        let mut path = vec![end];
        let mut node = end;
        while let Some(&parent) = self.parents.get(&node) {
            if parent == node {
                break;
            }
            path.push(parent);
            node = parent;
        }
        path.reverse();
        path
    }
}

/// A shortest way from `start` back to itself that stays in the cycle numbered `cycle`, without
/// the start at its end. Only `start` itself when there is no such way.
pub(crate) fn round_trip(
    graph: &DiGraph<Node, ()>,
    start: NodeIndex,
    cycle: usize,
) -> Vec<NodeIndex> {
    let mut walk = Walk {
        reached: vec![start],
        parents: BTreeMap::from([(start, start)]),
    };
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in graph.neighbors(node) {
            if next == start {
                return walk.path_to(node);
            }
            let inside = graph
                .node_weight(next)
                .is_some_and(|weight| weight.cycle == Some(cycle));
            if inside && walk.step(node, next) {
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

/// Longer ways lose their middle in words.
const SHOWN: usize = 24;

/// Names joined by arrows: `a → b → c`. Of a very long way the middle is counted, not named.
pub(crate) fn arrows<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    let (Some(start), Some(end)) = (
        names.get(..SHOWN / 2),
        names.get(names.len().saturating_sub(SHOWN / 2)..),
    ) else {
        return names.join(" → ");
    };
    if names.len() <= SHOWN {
        return names.join(" → ");
    }
    format!(
        "{} → … {} more … → {}",
        start.join(" → "),
        names.len() - SHOWN,
        end.join(" → ")
    )
}
