//! How every node stands: its place in the order, its cycle, what holds it up.
//!
//! The graph is looked at as strongly connected components. A component of several nodes is a cycle;
//! the components among themselves have none, so they can be put in order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::cycle::Cycle;
use crate::graph::Node;
use crate::walk::round_trip;

/// A component that waits for its dependencies to be placed.
struct Component {
    /// By name.
    members: Vec<NodeIndex>,
    cycle: Option<usize>,
    /// Edges to components that have no place yet.
    waits_for: usize,
}

/// Fills in what the nodes know about themselves; gives the load order and the cycles by name.
pub(crate) fn settle(graph: &mut DiGraph<Node, ()>) -> (Vec<NodeIndex>, Vec<Cycle>) {
    let (mut components, home) = components(graph);
    for component in &components {
        for &member in &component.members {
            if let Some(node) = graph.node_weight_mut(member) {
                node.cycle = component.cycle;
            }
        }
    }
    let cycles = components
        .iter()
        .filter_map(|component| Some(describe(graph, component.cycle?, &component.members)))
        .collect();
    let order = place(graph, &mut components, &home);
    (order, cycles)
}

/// The components by the name of their first member, and the component of every node.
fn components(graph: &DiGraph<Node, ()>) -> (Vec<Component>, BTreeMap<NodeIndex, usize>) {
    // Kosaraju's algorithm as petgraph has it keeps its own stack; its version of Tarjan's recurses.
    let mut groups = kosaraju_scc(graph);
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_unstable();

    let home: BTreeMap<_, _> = groups
        .iter()
        .enumerate()
        .flat_map(|(number, group)| group.iter().map(move |&node| (node, number)))
        .collect();
    let mut cycles = 0..;
    let components = groups
        .into_iter()
        .enumerate()
        .map(|(number, members)| Component {
            waits_for: members
                .iter()
                .flat_map(|&member| graph.neighbors(member))
                .filter(|next| home.get(next) != Some(&number))
                .count(),
            cycle: if members.len() > 1 {
                cycles.next()
            } else {
                None
            },
            members,
        })
        .collect();
    (components, home)
}

fn describe(graph: &DiGraph<Node, ()>, cycle: usize, members: &[NodeIndex]) -> Cycle {
    let path = members
        .first()
        .map(|&first| round_trip(graph, first, cycle))
        .unwrap_or_default();
    let names = |nodes: &[NodeIndex]| {
        nodes
            .iter()
            .filter_map(|&node| graph.node_weight(node))
            .map(|node| node.name.clone())
            .collect()
    };
    Cycle {
        members: names(members),
        path: names(&path),
    }
}

/// Kahn's algorithm over the components. Of those that are ready the first by name is taken, but one
/// that is held up by a cycle only when no other is left, so that the sound part comes first.
fn place(
    graph: &mut DiGraph<Node, ()>,
    components: &mut [Component],
    home: &BTreeMap<NodeIndex, usize>,
) -> Vec<NodeIndex> {
    let mut order = Vec::with_capacity(graph.node_count());
    let mut ready = BinaryHeap::new();
    for (number, component) in components.iter().enumerate() {
        if component.waits_for == 0 {
            ready.push(Reverse((hold(graph, component), number)));
        }
    }
    while let Some(Reverse((_, number))) = ready.pop() {
        let Some(members) = components.get(number).map(|it| it.members.clone()) else {
            continue;
        };
        for member in members {
            if let Some(node) = graph.node_weight_mut(member) {
                node.rank = order.len();
            }
            order.push(member);
            let dependents: Vec<_> = graph
                .neighbors_directed(member, Direction::Incoming)
                .collect();
            for dependent in dependents {
                let Some(&waiting) = home.get(&dependent) else {
                    continue;
                };
                if waiting == number {
                    continue;
                }
                let Some(component) = components.get_mut(waiting) else {
                    continue;
                };
                component.waits_for = component.waits_for.saturating_sub(1);
                if component.waits_for == 0 {
                    ready.push(Reverse((hold(graph, component), waiting)));
                }
            }
        }
    }
    order
}

/// Works out what holds up a component whose dependencies all have their place, and notes it in its
/// members. True when a cycle is in the way or the component is one.
fn hold(graph: &mut DiGraph<Node, ()>, component: &Component) -> bool {
    let mut direct: Option<usize> = None;
    let mut inherited: Option<usize> = None;
    let mut satisfied = component.cycle.is_none();
    for &member in &component.members {
        satisfied &= graph
            .node_weight(member)
            .is_some_and(|node| node.missing.is_empty());
        for dependency in graph.neighbors(member) {
            let Some(node) = graph.node_weight(dependency) else {
                continue;
            };
            satisfied &= node.satisfied;
            if node.cycle != component.cycle {
                direct = direct.or(node.cycle);
            }
            inherited = inherited.or(node.blocked_by);
        }
    }
    let blocked_by = direct.or(inherited);
    for &member in &component.members {
        if let Some(node) = graph.node_weight_mut(member) {
            node.blocked_by = blocked_by;
            node.satisfied = satisfied;
        }
    }
    component.cycle.is_some() || blocked_by.is_some()
}
