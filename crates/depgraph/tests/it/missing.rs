//! Names that nothing has.

use metier_depgraph::{ClosureError, DependencyGraph, Missing};

#[test]
fn a_missing_dependency_leaves_the_rest_alone() {
    let graph = DependencyGraph::new([("rig", vec!["base", "util"]), ("util", vec![])]);
    assert_eq!(graph.order(), ["util", "rig"]);
    assert_eq!(graph.missing_of("rig"), ["base"]);
    assert!(graph.missing_of("util").is_empty());
    assert!(graph.missing_of("base").is_empty());
    assert_eq!(
        graph.missing(),
        [Missing {
            node: "rig".into(),
            dependency: "base".into()
        }]
    );
    assert_eq!(graph.direct("rig"), ["util"]);
    assert_eq!(graph.dependents("base"), ["rig"]);
    assert!(!graph.contains("base"));
    assert!(!graph.is_satisfied("rig"));
    assert!(graph.is_satisfied("util"));
}

#[test]
fn a_closure_names_everything_missing_with_the_way() {
    let graph = DependencyGraph::new([
        ("scene", vec!["rig", "util"]),
        ("rig", vec!["base", "util", "bones"]),
        ("util", vec!["base"]),
    ]);
    let error = graph.closure("scene").unwrap_err();
    assert_eq!(
        error.to_string(),
        "'scene' needs 'base' (scene → rig → base), 'bones' (scene → rig → bones), \
         which do not exist; add them or remove them from the dependencies"
    );
    let ClosureError::Missing { node, missing } = error else {
        panic!("missing");
    };
    assert_eq!(node, "scene");
    assert_eq!(missing[0].needed_by(), Some("rig"));
    assert_eq!(
        graph.closure("util").unwrap_err().to_string(),
        "'util' needs 'base', which does not exist; add it or remove it from the dependencies"
    );
    assert_eq!(
        graph.closure("base").unwrap_err().to_string(),
        "'base' does not exist"
    );
    assert!(!graph.is_satisfied("scene"));
}

#[test]
fn resolve_names_both_ends() {
    let graph = DependencyGraph::new([("rig", vec!["util", "base"]), ("util", vec![])]);
    assert_eq!(
        graph.resolve().unwrap_err().to_string(),
        "'rig' depends on 'base', which does not exist; \
         add 'base' or remove it from the dependencies of 'rig'"
    );
}

#[test]
fn a_cycle_is_told_before_what_is_missing() {
    let graph = DependencyGraph::new([("a", vec!["b", "gone"]), ("b", vec!["a"])]);
    assert!(matches!(
        graph.closure("a"),
        Err(ClosureError::Cycle { .. })
    ));
    assert_eq!(graph.missing_of("a"), ["gone"]);
}
