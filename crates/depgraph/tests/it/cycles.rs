//! Cycles, and what stands before them.

use metier_depgraph::{ClosureError, DependencyGraph, ResolveError};

/// A ring of three, one who needs a member, one who needs that one, one who has nothing to do with it.
fn ring() -> DependencyGraph {
    DependencyGraph::new([
        ("a", vec!["b"]),
        ("b", vec!["c"]),
        ("c", vec!["a"]),
        ("d", vec!["a"]),
        ("dd", vec!["d"]),
        ("z", vec![]),
    ])
}

#[test]
fn a_cycle_is_isolated() {
    let graph = ring();
    assert_eq!(graph.cycles().len(), 1);
    assert_eq!(graph.cycles()[0].to_string(), "a → b → c → a");
    assert_eq!(graph.cycles()[0].members, ["a", "b", "c"]);
    assert_eq!(graph.order(), ["z", "a", "b", "c", "d", "dd"]);
    assert!(graph.is_satisfied("z"));
    for held in ["a", "b", "c", "d", "dd"] {
        assert!(!graph.is_satisfied(held), "{held}");
    }
}

#[test]
fn members_and_dependents_are_told_apart() {
    let graph = ring();
    assert!(graph.cycle_of("b").is_some());
    assert!(graph.blocked_by_cycle("b").is_none());
    for held in ["d", "dd"] {
        assert!(graph.cycle_of(held).is_none());
        assert_eq!(graph.blocked_by_cycle(held), graph.cycle_of("a"));
    }
    assert!(graph.cycle_of("z").is_none() && graph.blocked_by_cycle("z").is_none());
    assert!(graph.cycle_of("unknown").is_none() && graph.blocked_by_cycle("unknown").is_none());
}

#[test]
fn a_closure_names_the_cycle_in_the_way() {
    let graph = ring();
    let text = |name| graph.closure(name).unwrap_err().to_string();
    assert_eq!(text("b"), "'b' is in a dependency cycle: a → b → c → a");
    assert_eq!(
        text("d"),
        "'d' needs 'a', which is in a dependency cycle: a → b → c → a"
    );
    assert_eq!(
        text("dd"),
        "'dd' needs 'a' (dd → d → a), which is in a dependency cycle: a → b → c → a"
    );
    assert!(graph.closure("z").unwrap().dependencies.is_empty());
}

#[test]
fn resolve_prints_the_path() {
    assert_eq!(
        ring().resolve().unwrap_err().to_string(),
        "dependency cycle: a → b → c → a; remove one of these dependencies"
    );
}

#[test]
fn a_member_off_the_shortest_way_gets_a_way_of_its_own() {
    let graph = DependencyGraph::new([
        ("a", vec!["b", "c"]),
        ("b", vec!["a"]),
        ("c", vec!["d"]),
        ("d", vec!["a"]),
    ]);
    assert_eq!(graph.cycles()[0].to_string(), "a → b → a");
    assert_eq!(graph.cycles()[0].members, ["a", "b", "c", "d"]);
    assert!(graph.cycles()[0].contains("d") && !graph.cycles()[0].contains("e"));
    let Err(ClosureError::Cycle { path, cycle, .. }) = graph.closure("c") else {
        panic!("a cycle");
    };
    assert_eq!(path, ["c"]);
    assert_eq!(cycle.to_string(), "c → d → a → c");
    assert_eq!(cycle.members, ["a", "b", "c", "d"]);
}

#[test]
fn separate_cycles_are_separate() {
    let graph = DependencyGraph::new([
        ("q", vec!["p"]),
        ("p", vec!["q"]),
        ("b", vec!["a", "p"]),
        ("a", vec!["b"]),
        ("free", vec![]),
    ]);
    let printed: Vec<_> = graph.cycles().iter().map(ToString::to_string).collect();
    assert_eq!(printed, ["a → b → a", "p → q → p"]);
    // The first ring needs the second, so it comes after it and is held up by it as well.
    assert_eq!(graph.order(), ["free", "p", "q", "a", "b"]);
    assert_eq!(graph.blocked_by_cycle("a"), graph.cycle_of("q"));
    assert_eq!(graph.blocked_by_cycle("p"), None);
}

#[test]
fn a_node_that_needs_itself_is_reported_and_works() {
    let graph = DependencyGraph::new([("solo", vec!["solo"]), ("duo", vec!["solo", "duo"])]);
    assert_eq!(graph.self_dependencies(), ["duo", "solo"]);
    assert!(graph.cycles().is_empty());
    assert!(graph.missing().is_empty());
    assert_eq!(graph.order(), ["solo", "duo"]);
    assert_eq!(graph.direct("duo"), ["solo"]);
    assert_eq!(graph.dependents("solo"), ["duo"]);
    assert!(graph.closure("solo").unwrap().dependencies.is_empty());
    assert_eq!(
        graph.resolve(),
        Err(ResolveError::SelfDependency { node: "duo".into() })
    );
    assert_eq!(
        graph.resolve().unwrap_err().to_string(),
        "'duo' depends on itself; remove it from its own dependencies"
    );
}

#[test]
fn of_two_ways_round_the_first_by_name_is_told() {
    let graph = DependencyGraph::new([
        ("a", vec!["c", "b"]),
        ("b", vec!["a"]),
        ("c", vec!["a"]),
        ("user", vec!["c", "b"]),
    ]);
    assert_eq!(graph.cycles()[0].to_string(), "a → b → a");
    assert_eq!(
        graph.closure("user").unwrap_err().to_string(),
        "'user' needs 'b', which is in a dependency cycle: a → b → a"
    );
}
