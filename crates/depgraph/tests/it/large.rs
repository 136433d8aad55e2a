//! Shapes that break walkers which recurse or count paths. Both tests end by finishing at all: a
//! recursive walker aborts on the chain, one that follows every path never leaves the ladder.

use metier_depgraph::{ClosureError, DependencyGraph};

const CHAIN: usize = 5_000;
const LADDER: usize = 40;

#[test]
fn a_chain_of_thousands() {
    let names: Vec<String> = (0..=CHAIN).map(|n| format!("c{n}")).collect();
    let graph = DependencyGraph::new(
        names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.as_str(), names.get(n + 1).map(String::as_str))),
    );
    let backwards: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    assert_eq!(graph.resolve().unwrap(), backwards);
    let closure = graph.closure("c0").unwrap().dependencies;
    assert_eq!(closure, backwards[..CHAIN]);
    assert_eq!(graph.transitive_dependents("c5000").len(), CHAIN);
}

#[test]
fn a_ring_of_thousands() {
    let names: Vec<String> = (0..CHAIN).map(|n| format!("c{n:04}")).collect();
    let graph = DependencyGraph::new(
        names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.as_str(), [names[(n + 1) % CHAIN].as_str()])),
    );
    assert_eq!(graph.cycles().len(), 1);
    assert_eq!(graph.cycles()[0].path, names);
    assert!(graph.closure("c2500").is_err());
}

#[test]
fn a_ladder_of_diamonds() {
    let level = |n: usize| [format!("l{n:02}"), format!("r{n:02}")];
    let rungs: Vec<[String; 2]> = (0..=LADDER).map(level).collect();
    let graph = DependencyGraph::new(rungs.iter().enumerate().flat_map(|(n, rung)| {
        let below: Vec<&str> = rungs
            .get(n + 1)
            .map(|it| it.iter().map(String::as_str).collect())
            .unwrap_or_default();
        rung.iter().map(move |name| (name.as_str(), below.clone()))
    }));
    let bottom_up: Vec<&String> = rungs.iter().rev().flatten().collect();
    assert_eq!(graph.resolve().unwrap(), bottom_up);
    assert_eq!(graph.closure("l00").unwrap().dependencies.len(), 2 * LADDER);
    assert_eq!(graph.transitive_dependents("r40").len(), 2 * LADDER);
}

#[test]
fn a_ring_of_thousands_in_words() {
    let names: Vec<String> = (0..CHAIN).map(|n| format!("c{n:04}")).collect();
    let graph = DependencyGraph::new(
        names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.as_str(), [names[(n + 1) % CHAIN].as_str()])),
    );
    // Each of the members says so; the whole way in each of them would be gigabytes.
    let words = graph.closure("c2500").unwrap_err().to_string();
    assert!(words.contains("c0001 → c0002"), "{words}");
    assert!(words.contains("more … →") && words.len() < 1000, "{words}");
}

#[test]
fn a_chain_where_each_misses_something() {
    let names: Vec<String> = (0..CHAIN).map(|n| format!("c{n:04}")).collect();
    let missing: Vec<String> = (0..CHAIN).map(|n| format!("m{n:04}")).collect();
    let graph = DependencyGraph::new(names.iter().enumerate().map(|(n, name)| {
        let next = names.get(n + 1).map(String::as_str);
        let needs: Vec<&str> = next.into_iter().chain([missing[n].as_str()]).collect();
        (name.as_str(), needs)
    }));
    let error = graph.closure("c0000").unwrap_err();
    let words = error.to_string();
    assert!(
        words.contains("and 4980 more") && words.len() < 20_000,
        "{words}"
    );
    let ClosureError::Missing { missing: ways, .. } = error else {
        panic!("{words}");
    };
    assert_eq!(ways.len(), CHAIN);
    assert_eq!(ways[2].path, ["c0000", "c0001", "c0002", "m0002"]);
    assert_eq!(ways[4999].path, ["c0000", "c4999", "m4999"]);
    assert_eq!(ways[4999].needed_by(), Some("c4999"));
    let held: usize = ways.iter().map(|way| way.path.len()).sum();
    assert!(held < 40_000, "{held} names");
}
