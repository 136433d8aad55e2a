//! What skills need of each other.

use metier::catalog::SearchRequest;
use metier::skill_model::SkillStatus;
use metier::{resolve_dependencies, validate_dependencies};
use serde_json::json;

use super::bench::Case;

const LOADS: (&str, &[&str]) = ("unloaded", &[]);
const ROUND: &str = "a → b → c → a";

#[tokio::test]
async fn case_062_cycle() {
    let case = Case::spec(62).await;
    for member in ["a", "b", "c"] {
        case.fares_alike(member, "error", &[]);
        assert!(case.lenient.said(member).contains("cycle"));
    }
    case.fares_alike("d", "unloaded", &[ROUND]);
    case.fares("e", LOADS, LOADS);
    for waiting in ["a", "b", "c", "d"] {
        let refused = case.lenient.load(waiting).await.unwrap_err();
        assert!(refused.contains("→"), "{refused}");
    }
    assert!(case.lenient.listed().is_empty());
    assert!(case.lenient.catalog.is_loaded("e") || case.lenient.load("e").await.is_ok());
    let resolved = resolve_dependencies(&case.scanned())
        .unwrap_err()
        .to_string();
    assert!(resolved.contains(ROUND), "{resolved}");
}

#[tokio::test]
async fn case_063_self_dependency() {
    let case = Case::spec(63).await;
    let told: &[&str] = &["`solo` depends on itself"];
    case.fares("solo", ("unloaded", told), ("skipped", told));
    case.lenient.load("solo").await.unwrap();
}

async fn waits_for_base(case: &Case) {
    let info = case.lenient.catalog.get_skill_info("rig").unwrap();
    assert_eq!(info.summary.status, SkillStatus::PendingDeps);
    assert_eq!(info.summary.missing_dependencies, ["base"]);
    let refused = case.lenient.load("rig").await.unwrap_err();
    assert!(
        refused.contains("base") && refused.contains("add it"),
        "{refused}"
    );
    assert_eq!(case.lenient.catalog.loaded_count(), 0);
}

#[tokio::test]
async fn case_064_missing_dependency_soft() {
    let case = Case::spec(64).await;
    waits_for_base(&case).await;
    let found = case
        .lenient
        .catalog
        .search_skills(SearchRequest::new("rig"));
    assert_eq!(found.await.unwrap().hits[0].skill.name, "rig");
    let hard = resolve_dependencies(&case.scanned())
        .unwrap_err()
        .to_string();
    assert!(hard.contains("rig") && hard.contains("base"), "{hard}");
    assert_eq!(validate_dependencies(&case.scanned()).len(), 1);
}

#[tokio::test]
async fn case_065_dependency_arrives_later() {
    let case = Case::spec(64).await;
    waits_for_base(&case).await;
    case.skill("base", "");
    case.lenient.catalog.rediscover();
    case.lenient.load("rig").await.unwrap();
    assert_eq!(case.lenient.catalog.loaded_count(), 3);
    for name in ["rig", "util", "base"] {
        case.lenient.catalog.unload_skill(name).unwrap();
    }
    std::fs::remove_dir_all(case.path().join("base")).unwrap();
    case.lenient.catalog.rediscover();
    waits_for_base(&case).await;
}

#[tokio::test]
async fn case_066_depends_file_prose() {
    let case = Case::spec(66).await;
    let told: &[&str] = &["base-c (>= 1.2)", "not checked", "`base-d#`"];
    case.fares("prose", ("pending_deps", told), ("pending_deps", told));
    assert_eq!(
        case.lenient.metadata("prose")["depends"],
        json!(["base-a", "base-b", "base-c", "base-d#"])
    );
}

#[tokio::test]
async fn case_067_depends_shapes() {
    let case = Case::spec(67).await;
    for (name, told) in [
        ("d1", ""),
        ("d2", "empty item"),
        ("d3", "`base-a>=1.2`"),
        ("d4", "not checked"),
    ] {
        case.fares_alike(name, "unloaded", &[told]);
        let depends = &case.strict.metadata(name)["depends"];
        assert_eq!(*depends, json!(["base-a"]), "{name}");
    }
}

#[tokio::test]
async fn case_068_unload_under_dependents() {
    let case = Case::empty();
    case.skill_with_tools("base", "tools: [go]\n");
    case.skill_with_tools("rig", "tools: [go]\n");
    case.skill("rig", "tools: tools.yaml, depends: [base]");
    case.discover();
    let seen = &case.lenient;
    seen.load("rig").await.unwrap();
    assert_eq!(seen.listed(), ["base__go", "rig__go"]);
    let refused = seen.catalog.unload_skill("base").unwrap_err().to_string();
    assert!(refused.contains("needed by rig"), "{refused}");
    assert_eq!(seen.catalog.unload_skill("rig"), Ok(1));
    assert_eq!(seen.listed(), ["base__go"]);
    assert_eq!(seen.catalog.unload_skill("rig"), Ok(0));
    seen.load("rig").await.unwrap();
    let report = seen.catalog.unload("base", true).unwrap();
    assert_eq!(report.tools, ["rig__go", "base__go"]);
    assert!(seen.listed().is_empty());
}

#[tokio::test]
async fn case_069_deep_chain_and_ladder() {
    const CHAIN: usize = 5000;
    let case = Case::empty();
    for n in 0..CHAIN {
        let needs = if n == 0 {
            String::new()
        } else {
            format!("depends: [chain-{:04}]", n - 1)
        };
        case.skill(&format!("chain/chain-{n:04}"), &needs);
    }
    for n in 0..40 {
        for side in ["l", "r"] {
            let needs = if n == 0 {
                String::new()
            } else {
                format!("depends: [l-{0:02}, r-{0:02}]", n - 1)
            };
            case.skill(&format!("ladder/{side}-{n:02}"), &needs);
        }
    }
    case.lenient.catalog.discover(&case.paths(), None);
    let before = case.lenient.catalog.snapshot().generation();
    case.lenient.load("chain-4999").await.unwrap();
    case.lenient.load("l-39").await.unwrap();
    // Everything but the other end of the ladder, in one generation each.
    assert_eq!(case.lenient.catalog.loaded_count(), CHAIN + 79);
    assert_eq!(case.lenient.catalog.snapshot().generation(), before + 2);
    let skills = case.scanned();
    let ordered = resolve_dependencies(&skills).unwrap();
    assert_eq!(ordered.len(), CHAIN + 80);
    let place = |name: &str| ordered.iter().position(|skill| *skill.name == *name);
    assert!(place("chain-0000") < place("chain-4999") && place("r-00") < place("l-39"));
}
