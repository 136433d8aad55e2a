//! Questions about the neighbours of a node.

use metier_depgraph::DependencyGraph;

#[test]
fn nothing_at_all() {
    let graph = DependencyGraph::new(std::iter::empty::<(&str, Vec<&str>)>());
    assert!(graph.is_empty());
    assert!(graph.order().is_empty());
    assert_eq!(graph.resolve(), Ok(vec![]));
}

#[test]
fn ties_go_by_name_and_edges_count_once() {
    let graph = DependencyGraph::new([
        ("c", vec!["a", "a"]),
        ("b", vec![]),
        ("a", vec![]),
        ("a-first", vec!["c"]),
    ]);
    assert_eq!(graph.len(), 4);
    assert_eq!(graph.order(), ["a", "b", "c", "a-first"]);
    assert_eq!(graph.direct("c"), ["a"]);
    assert_eq!(graph.resolve().unwrap(), graph.order());
}

#[test]
fn the_first_node_of_a_name_wins() {
    let graph = DependencyGraph::new([("a", vec!["b"]), ("b", vec![]), ("a", vec!["gone"])]);
    assert_eq!(graph.len(), 2);
    assert_eq!(graph.direct("a"), ["b"]);
    assert!(graph.missing().is_empty());
}

#[test]
fn direct_keeps_the_order_given_and_dependents_go_by_name() {
    let graph = DependencyGraph::new([
        ("rig", vec!["zip", "gone", "mesh", "also-gone"]),
        ("zip", vec![]),
        ("mesh", vec!["zip"]),
        ("anim", vec!["zip"]),
    ]);
    assert_eq!(graph.direct("rig"), ["zip", "mesh"]);
    assert_eq!(graph.missing_of("rig"), ["gone", "also-gone"]);
    assert_eq!(graph.dependents("zip"), ["anim", "mesh", "rig"]);
    assert!(graph.dependents("rig").is_empty());
    assert!(graph.direct("unknown").is_empty());
    assert!(graph.dependents("unknown").is_empty());
}

#[test]
fn dependents_are_taken_away_from_the_top() {
    let graph = DependencyGraph::new([
        ("base", vec![]),
        ("mesh", vec!["base"]),
        ("rig", vec!["mesh", "base"]),
        ("scene", vec!["rig"]),
        ("other", vec![]),
    ]);
    assert_eq!(
        graph.transitive_dependents("base"),
        ["scene", "rig", "mesh"]
    );
    assert!(graph.transitive_dependents("scene").is_empty());
    assert!(graph.transitive_dependents("unknown").is_empty());
    assert_eq!(
        graph.closure("scene").unwrap().dependencies,
        ["base", "mesh", "rig"]
    );
}
