//! The graph itself and the questions that need no walk.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::cycle::Cycle;
use crate::missing::Missing;
use crate::standing::settle;
use crate::walk::Walk;

/// One name and how it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// The dependencies that exist, in the order given.
    direct: Vec<NodeIndex>,
    /// Those that do not, in the order given.
    pub(crate) missing: Vec<String>,
    needs_itself: bool,
    /// Place in the load order.
    pub(crate) rank: usize,
    /// The cycle it is a member of.
    pub(crate) cycle: Option<usize>,
    /// A cycle that it depends on without being a member.
    pub(crate) blocked_by: Option<usize>,
    /// Everything it needs is there and free of cycles.
    pub(crate) satisfied: bool,
}

/// Names, what each of them needs, and everything that follows from it.
///
/// Built once for each state of the skills; see the crate's documentation for the rules.
#[derive(Debug, Clone)]
pub struct DependencyGraph {
    /// Nodes stand in the order of their names, and so do the outgoing edges of each when iterated.
    pub(crate) graph: DiGraph<Node, ()>,
    pub(crate) order: Vec<NodeIndex>,
    pub(crate) cycles: Vec<Cycle>,
}

impl DependencyGraph {
    /// A graph of names, each with the names it depends on.
    ///
    /// A dependency that is listed twice counts once. Of two nodes with the same name the first one
    /// wins and the second is ignored. A dependency on a name that is no node is kept as missing.
    /// Takes time in proportion to nodes and edges, times a logarithm.
    pub fn new<'a, D>(nodes: impl IntoIterator<Item = (&'a str, D)>) -> Self
    where
        D: IntoIterator<Item = &'a str>,
    {
        let mut wanted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, dependencies) in nodes {
            wanted
                .entry(name)
                .or_insert_with(|| dependencies.into_iter().collect());
        }

        let places: BTreeMap<&str, NodeIndex> = wanted
            .keys()
            .enumerate()
            .map(|(place, &name)| (name, NodeIndex::new(place)))
            .collect();
        let mut graph = DiGraph::new();
        for (&name, dependencies) in &wanted {
            let mut node = Node {
                name: name.to_owned(),
                direct: Vec::new(),
                missing: Vec::new(),
                needs_itself: false,
                rank: 0,
                cycle: None,
                blocked_by: None,
                satisfied: false,
            };
            let mut seen = BTreeSet::new();
            for &dependency in dependencies.iter().filter(|it| seen.insert(**it)) {
                if dependency == name {
                    node.needs_itself = true;
                } else if let Some(&place) = places.get(dependency) {
                    node.direct.push(place);
                } else {
                    node.missing.push(dependency.to_owned());
                }
            }
            graph.add_node(node);
        }
        // petgraph iterates over the newest edge first, so adding them backwards makes every walk along
        // them go by name.
        for from in graph.node_indices() {
            let mut direct = graph
                .node_weight(from)
                .map(|node| node.direct.clone())
                .unwrap_or_default();
            direct.sort_unstable();
            for &to in direct.iter().rev() {
                graph.add_edge(from, to, ());
            }
        }
        let (order, cycles) = settle(&mut graph);
        Self {
            graph,
            order,
            cycles,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `name` is a node.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Every node once, dependencies first; missing dependencies and a node's own name are ignored.
    ///
    /// Whatever can be chosen freely goes by name. The sound part comes first; members of cycles and
    /// the nodes that depend on them follow at the end. There, too, a node comes after its
    /// dependencies, except for the members of one cycle among themselves, which stand by name
    /// because no order of theirs is right.
    pub fn order(&self) -> Vec<&str> {
        self.names(&self.order)
    }

    /// The cycles, each strongly connected group of two or more nodes once, by first member.
    ///
    /// A node that depends on itself is no cycle; see [`self_dependencies`](Self::self_dependencies).
    pub fn cycles(&self) -> &[Cycle] {
        &self.cycles
    }

    /// The nodes that name themselves among their dependencies, by name. Nothing else takes notice
    /// of such an edge, [`resolve`](Self::resolve) excepted.
    pub fn self_dependencies(&self) -> Vec<&str> {
        self.graph
            .node_weights()
            .filter(|node| node.needs_itself)
            .map(|node| node.name.as_str())
            .collect()
    }

    /// Every dependency on a name that is no node, by node and then in the order given.
    pub fn missing(&self) -> Vec<Missing> {
        self.graph
            .node_weights()
            .flat_map(|node| {
                node.missing.iter().map(|dependency| Missing {
                    node: node.name.clone(),
                    dependency: dependency.clone(),
                })
            })
            .collect()
    }

    /// The direct dependencies of `name` that are no nodes, in the order given. Empty for an
    /// unknown name.
    pub fn missing_of(&self, name: &str) -> Vec<&str> {
        self.node(name)
            .map(|node| node.missing.iter().map(String::as_str).collect())
            .unwrap_or_default()
    }

    /// The direct dependencies of `name` that are nodes, in the order given, without itself. Empty
    /// for an unknown name.
    pub fn direct(&self, name: &str) -> Vec<&str> {
        self.node(name)
            .map(|node| self.names(&node.direct))
            .unwrap_or_default()
    }

    /// The nodes that list `name` among their dependencies, by name. Also answers for a name that is
    /// missing, so that one can say who waits for it.
    pub fn dependents(&self, name: &str) -> Vec<&str> {
        match self.find(name) {
            Some(found) => {
                let mut dependents: Vec<_> = self
                    .graph
                    .neighbors_directed(found, Direction::Incoming)
                    .collect();
                dependents.sort_unstable();
                self.names(&dependents)
            }
            None => self
                .graph
                .node_weights()
                .filter(|node| node.missing.iter().any(|missing| missing == name))
                .map(|node| node.name.as_str())
                .collect(),
        }
    }

    /// Everything that depends on `name`, directly or through others, without itself, in reverse
    /// load order: taken away in this order, no node ever stands without what it needs. Empty for an
    /// unknown name.
    pub fn transitive_dependents(&self, name: &str) -> Vec<&str> {
        let Some(found) = self.find(name) else {
            return Vec::new();
        };
        let mut nodes = Walk::from(&self.graph, found, Direction::Incoming).reached;
        nodes.retain(|&node| node != found);
        self.sort_by_rank(&mut nodes);
        nodes.reverse();
        self.names(&nodes)
    }

    /// The cycle that `name` is a member of.
    pub fn cycle_of(&self, name: &str) -> Option<&Cycle> {
        self.cycles.get(self.node(name)?.cycle?)
    }

    /// A cycle that `name` depends on, directly or through others, without being a member of it.
    ///
    /// One that a direct dependency belongs to is preferred. A member of one cycle that needs another
    /// cycle gets that other one.
    pub fn blocked_by_cycle(&self, name: &str) -> Option<&Cycle> {
        self.cycles.get(self.node(name)?.blocked_by?)
    }

    /// Whether everything that `name` needs, directly or through others, is there and in no cycle;
    /// that is whether [`closure`](Self::closure) would succeed. One look-up.
    pub fn is_satisfied(&self, name: &str) -> bool {
        self.node(name).is_some_and(|node| node.satisfied)
    }

    pub(crate) fn find(&self, name: &str) -> Option<NodeIndex> {
        self.graph
            .raw_nodes()
            .binary_search_by(|node| node.weight.name.as_str().cmp(name))
            .ok()
            .map(NodeIndex::new)
    }

    fn node(&self, name: &str) -> Option<&Node> {
        self.graph.node_weight(self.find(name)?)
    }

    pub(crate) fn sort_by_rank(&self, nodes: &mut [NodeIndex]) {
        nodes.sort_unstable_by_key(|&node| self.graph.node_weight(node).map(|it| it.rank));
    }

    pub(crate) fn names(&self, nodes: &[NodeIndex]) -> Vec<&str> {
        nodes
            .iter()
            .filter_map(|&node| self.graph.node_weight(node))
            .map(|node| node.name.as_str())
            .collect()
    }
}
