//! The gate between what a tool needs and what a host declares.

use metier_capability::CapabilitySet;
use proptest::prelude::*;

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn a_refusal_tells_everything_in_the_order_given() {
    let host = CapabilitySet::new(["usd", "scene.read"]);
    let needs = list(&["usd", "scene.mutate", "filesystem.write"]);
    let refusal = host.gate("caps__import_usd", &needs).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "capability_missing: tool 'caps__import_usd' requires scene.mutate, filesystem.write"
    );
    assert_eq!(
        serde_json::to_string(&refusal).unwrap(),
        concat!(
            r#"{"tool":"caps__import_usd","required":["usd","scene.mutate","filesystem.write"],"#,
            r#""missing":["scene.mutate","filesystem.write"],"declared":["usd","scene.read"],"#,
            r#""retry":false}"#
        )
    );
    assert_eq!(refusal.missing, host.check(&needs));
}

#[test]
fn no_needs_no_refusal() {
    assert_eq!(CapabilitySet::default().gate("ping", &[]), Ok(()));
    assert_eq!(
        CapabilitySet::default().gate("ping", &list(&["", "  "])),
        Ok(())
    );
}

#[test]
fn repeated_needs_count_once_and_case_matters() {
    let host = CapabilitySet::new(["usd"]);
    let needs = list(&["usd", "usd", " usd ", "USD", "USD "]);
    let refusal = host.gate("dup", &needs).unwrap_err();
    assert_eq!(refusal.required, ["usd", "USD"]);
    assert_eq!(refusal.missing, ["USD"]);
    assert_eq!(host.near_miss("USD"), Some("usd"));
}

#[test]
fn names_match_whole() {
    let host = CapabilitySet::new(["filesystem", "scene.read"]);
    let needs = list(&[
        "filesystem.write",
        "scene",
        "scene.readonly",
        "scene.",
        "*",
        "scene.*",
    ]);
    assert_eq!(host.check(&needs), needs);
    assert!(needs.iter().all(|need| host.near_miss(need).is_none()));
}

#[test]
fn a_star_is_a_name_like_any_other() {
    let host = CapabilitySet::new(["*", "scene.*"]);
    assert_eq!(
        host.check(&list(&["usd", "scene.read", "*"])),
        ["usd", "scene.read"]
    );
}

#[test]
fn nothing_declared_and_an_empty_list_are_the_same() {
    let needs = list(&["usd", "scene.read"]);
    for host in [
        CapabilitySet::default(),
        CapabilitySet::new(Vec::<String>::new()),
        CapabilitySet::new(["", " "]),
    ] {
        assert!(host.is_empty());
        assert_eq!(host.check(&needs), needs);
        assert_eq!(host, CapabilitySet::default());
    }
}

proptest! {
    #[test]
    fn exactly_the_declared_needs_are_met(
        declared in prop::collection::vec("[ab]{0,2}(\\.[ab])?| [aA] ", 0..6),
        needs in prop::collection::vec("[ab]{0,2}(\\.[ab])?| [aA] ", 0..6),
    ) {
        let host: CapabilitySet = declared.iter().collect();
        let missing = host.check(&needs);
        for need in needs.iter().map(|need| need.trim()).filter(|need| !need.is_empty()) {
            let met = declared.iter().any(|name| name.trim() == need);
            prop_assert_eq!(met, !missing.iter().any(|name| name == need));
        }
        let mut last = 0;
        for name in &missing {
            let place = needs.iter().position(|need| need.trim() == name).unwrap();
            prop_assert!(last <= place);
            last = place;
        }
        prop_assert_eq!(host.gate("t", &needs).is_ok(), missing.is_empty());
    }
}
