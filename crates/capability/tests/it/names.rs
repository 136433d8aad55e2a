//! Names as they are written, cleaned.

use metier_capability::{CapabilitySet, clean, union};

#[test]
fn declared_names_keep_their_order() {
    let host = CapabilitySet::new([" usd ", "", "scene.read", "usd", "USD", "\t"]);
    assert_eq!(host.declared(), ["usd", "scene.read", "USD"]);
    assert!(host.contains("USD") && host.contains(" usd"));
    assert!(!host.contains("Usd"));
}

#[test]
fn a_near_miss_differs_in_case_or_blanks_only() {
    let host = CapabilitySet::new(["scene.read", "Scene.Read", "usd"]);
    assert_eq!(host.near_miss("SCENE.READ"), Some("scene.read"));
    assert_eq!(host.near_miss("scene . read"), Some("scene.read"));
    assert_eq!(host.near_miss("Scene.Read"), None);
    assert_eq!(host.near_miss(" usd "), None);
    assert_eq!(host.near_miss("scene"), None);
    assert_eq!(host.near_miss("scene-read"), None);
    assert_eq!(host.near_miss(""), None);
}

#[test]
fn the_needs_of_all_tools_sorted() {
    assert_eq!(
        union([
            vec!["usd", "scene.mutate"],
            vec![],
            vec!["filesystem.read", " usd "]
        ]),
        ["filesystem.read", "scene.mutate", "usd"]
    );
    assert!(union(Vec::<Vec<String>>::new()).is_empty());
}

#[test]
fn cleaning_keeps_the_order_given() {
    assert_eq!(clean(["b", " a", "b ", ""]), ["b", "a"]);
}
