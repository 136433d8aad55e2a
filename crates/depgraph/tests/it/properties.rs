//! Held against a plain model: the set of names reachable by following edges.

use std::collections::{BTreeMap, BTreeSet};

use metier_depgraph::{ClosureError, DependencyGraph};
use proptest::prelude::*;

type Model = BTreeMap<String, Vec<String>>;

/// Up to fourteen nodes out of sixteen names, so that some dependencies are missing.
fn models() -> impl Strategy<Value = Model> {
    let name = || (0u8..16).prop_map(|n| format!("n{n}"));
    prop_oneof![
        prop::collection::btree_map(name(), prop::collection::vec(name(), 0..4), 0..14),
        // Edges from higher to lower numbers only: never a cycle, so that sound graphs are tried too.
        prop::collection::btree_map(0u8..16, prop::collection::vec(0u8..16, 0..5), 0..14).prop_map(
            |map| map
                .into_iter()
                .map(|(n, to)| {
                    let below = to.into_iter().filter(|&m| m < n);
                    (format!("n{n}"), below.map(|m| format!("n{m}")).collect())
                })
                .collect()
        ),
    ]
}

fn build<'a>(nodes: impl IntoIterator<Item = (&'a String, &'a Vec<String>)>) -> DependencyGraph {
    DependencyGraph::new(
        nodes
            .into_iter()
            .map(|(name, to)| (name.as_str(), to.iter().map(String::as_str))),
    )
}

/// What `start` reaches in one step or more, missing names included, own name only by a real cycle.
fn reachable(model: &Model, start: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![start.to_owned()];
    while let Some(node) = stack.pop() {
        for next in model.get(&node).into_iter().flatten() {
            if *next != node && seen.insert(next.clone()) {
                stack.push(next.clone());
            }
        }
    }
    seen
}

fn in_cycle(model: &Model, name: &str) -> bool {
    reachable(model, name).contains(name)
}

proptest! {
    #[test]
    fn the_order_respects_every_edge_between_different_cycles(model in models()) {
        let graph = build(&model);
        let order = graph.order();
        prop_assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), model.len());
        prop_assert_eq!(order.len(), model.len());
        let place = |name: &str| order.iter().position(|it| *it == name);
        for (name, dependencies) in &model {
            for dependency in dependencies {
                let same = reachable(&model, dependency).contains(name);
                if let (Some(dependency), false) = (place(dependency), same || dependency == name) {
                    prop_assert!(dependency < place(name).unwrap());
                }
            }
        }
        let held = |name: &&str| graph.cycle_of(name).is_some() || graph.blocked_by_cycle(name).is_some();
        let sound = order.iter().take_while(|name| !held(name)).count();
        prop_assert!(order[sound..].iter().all(held));
    }

    #[test]
    fn the_order_of_insertion_does_not_matter(
        (model, shuffled) in models().prop_flat_map(|model| {
            let nodes: Vec<_> = model.clone().into_iter().collect();
            (Just(model), Just(nodes).prop_shuffle())
        })
    ) {
        let one = build(&model);
        let shuffled: Vec<(String, Vec<String>)> = shuffled
            .into_iter()
            .map(|(name, to)| (name, to.into_iter().rev().collect()))
            .collect();
        let two = build(shuffled.iter().map(|(name, to)| (name, to)));
        prop_assert_eq!(one.order(), two.order());
        prop_assert_eq!(one.cycles(), two.cycles());
        prop_assert_eq!(one.self_dependencies(), two.self_dependencies());
        for name in model.keys() {
            prop_assert_eq!(one.closure(name).ok(), two.closure(name).ok());
            prop_assert_eq!(one.blocked_by_cycle(name), two.blocked_by_cycle(name));
            prop_assert_eq!(one.transitive_dependents(name), two.transitive_dependents(name));
        }
    }

    #[test]
    fn a_closure_is_what_can_be_reached(model in models()) {
        let graph = build(&model);
        for name in model.keys() {
            let reached = reachable(&model, name);
            let cycle = in_cycle(&model, name)
                || reached.iter().any(|it| in_cycle(&model, it));
            let gone: BTreeSet<_> = reached.iter().filter(|it| !model.contains_key(*it)).collect();
            prop_assert_eq!(graph.is_satisfied(name), graph.closure(name).is_ok());
            match graph.closure(name) {
                Ok(closure) => {
                    prop_assert!(!cycle && gone.is_empty());
                    let once: BTreeSet<_> = closure.dependencies.iter().cloned().collect();
                    prop_assert_eq!(once.len(), closure.dependencies.len());
                    prop_assert_eq!(once, reached);
                    let mut loaded = BTreeSet::new();
                    for step in &closure.dependencies {
                        prop_assert!(graph.direct(step).iter().all(|it| loaded.contains(it)));
                        loaded.insert(step.as_str());
                    }
                }
                Err(ClosureError::Missing { missing, .. }) => {
                    prop_assert!(!cycle);
                    let named: BTreeSet<_> = missing.iter().map(|it| &it.dependency).collect();
                    prop_assert_eq!(named, gone);
                    for it in &missing {
                        prop_assert_eq!(it.path.first(), Some(name));
                        prop_assert_eq!(it.path.last(), Some(&it.dependency));
                        for step in it.path.windows(2) {
                            prop_assert!(model[&step[0]].contains(&step[1]));
                        }
                    }
                }
                Err(error) => prop_assert!(cycle, "{error}"),
            }
        }
    }

    #[test]
    fn cycles_are_the_groups_that_reach_each_other(model in models()) {
        let graph = build(&model);
        for name in model.keys() {
            let group: Vec<_> = model
                .keys()
                .filter(|it| *it == name || (reachable(&model, name).contains(*it) && reachable(&model, it).contains(name)))
                .cloned()
                .collect();
            let members = graph.cycle_of(name).map(|cycle| &cycle.members);
            prop_assert_eq!(members, (group.len() > 1).then_some(&group));
            let other = reachable(&model, name)
                .iter()
                .any(|it| in_cycle(&model, it) && !group.contains(it));
            prop_assert_eq!(graph.blocked_by_cycle(name).is_some(), other);
        }
        for cycle in graph.cycles() {
            prop_assert_eq!(cycle.path.first(), cycle.members.first());
            for (from, to) in cycle.path.iter().zip(cycle.path.iter().cycle().skip(1)) {
                prop_assert!(model[from].contains(to));
            }
        }
    }

    #[test]
    fn dependents_mirror_closures(model in models()) {
        let graph = build(&model);
        for name in model.keys() {
            let mut above: Vec<&str> = graph.transitive_dependents(name);
            let order = graph.order();
            let places: Vec<_> = above.iter().map(|it| order.iter().position(|o| o == it)).collect();
            prop_assert!(places.windows(2).all(|pair| pair[0] > pair[1]));
            above.sort_unstable();
            let expected: Vec<_> = model
                .keys()
                .filter(|it| *it != name && reachable(&model, it).contains(name))
                .map(String::as_str)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
            prop_assert_eq!(above, expected);
        }
    }
}
