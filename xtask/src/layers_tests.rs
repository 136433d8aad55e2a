//! The layer check on small workspaces, good and bad.

use super::*;

const LAYERS_TEXT: &str = r#"
[ranks]
metier-low = 1
metier-high = 2
xtask = 10

[only]
axum = ["metier-high"]
serde_yaml = ["metier-low"]
"#;

const ARCHITECTURE_TEXT: &str =
    "# Map\n\n### `low` (rank 1)\n\n### `high` (rank 2)\n\n### `xtask` (rank 10)\n";

/// Three members; `low` and `high` are the JSON of their dependencies.
fn workspace(low: &str, high: &str) -> Metadata {
    let member = |name: &str, folder: &str, dependencies: &str| {
        format!(
            r#"{{"name":"{name}","manifest_path":"/w/{folder}/Cargo.toml","dependencies":[{dependencies}]}}"#
        )
    };
    Metadata::parse(&format!(
        r#"{{"packages":[{},{},{}],"workspace_root":"/w","target_directory":"/w/target"}}"#,
        member("metier-low", "crates/low", low),
        member("metier-high", "crates/high", high),
        member("xtask", "xtask", ""),
    ))
    .unwrap()
}

fn found(metadata: &Metadata, layers: &str, architecture: &str) -> Vec<String> {
    check(metadata, layers, architecture)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// The only finding, which must hold every one of the words.
fn only_finding(findings: &[String], words: &[&str]) {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    for word in words {
        assert!(
            findings[0].contains(word),
            "{word} is not in {}",
            findings[0]
        );
    }
}

#[test]
fn downwards_is_fine() {
    let metadata = workspace(
        r#"{"name":"yaml_serde","rename":"serde_yaml"},{"name":"serde"}"#,
        r#"{"name":"metier-low"},{"name":"axum"},{"name":"metier-low","kind":"dev"}"#,
    );
    assert_eq!(
        found(&metadata, LAYERS_TEXT, ARCHITECTURE_TEXT),
        Vec::<String>::new()
    );
}

#[test]
fn upwards_names_crate_file_and_cure() {
    let metadata = workspace(r#"{"name":"metier-high"}"#, "");
    only_finding(
        &found(&metadata, LAYERS_TEXT, ARCHITECTURE_TEXT),
        &[
            "crates/low/Cargo.toml",
            "metier-low (rank 1)",
            "metier-high (rank 2)",
            "remove the dependency",
        ],
    );
}

#[test]
fn dev_and_build_dependencies_count_too() {
    for kind in ["dev", "build"] {
        let metadata = workspace(&format!(r#"{{"name":"metier-high","kind":"{kind}"}}"#), "");
        only_finding(
            &found(&metadata, LAYERS_TEXT, ARCHITECTURE_TEXT),
            &["metier-high"],
        );
    }
}

#[test]
fn the_same_rank_is_not_lower() {
    let metadata = workspace("", r#"{"name":"metier-low"}"#);
    let layers = LAYERS_TEXT.replace("metier-low = 1", "metier-low = 2");
    let architecture = ARCHITECTURE_TEXT.replace("rank 1)", "rank 2)");
    only_finding(&found(&metadata, &layers, &architecture), &["not below it"]);
}

#[test]
fn the_test_kit_is_open_to_tests_alone() {
    let layers = LAYERS_TEXT.replace("xtask = 10", "xtask = 10\nmetier-testkit = 10");
    let architecture = format!("{ARCHITECTURE_TEXT}### `testkit` (rank 10)\n");
    let with_kit = |kind: &str| {
        let mut metadata = workspace(&format!(r#"{{"name":"metier-testkit","kind":{kind}}}"#), "");
        metadata.packages.push(Package {
            name: "metier-testkit".into(),
            manifest_path: "/w/crates/testkit/Cargo.toml".into(),
            dependencies: Vec::new(),
        });
        metadata
    };
    assert_eq!(
        found(&with_kit(r#""dev""#), &layers, &architecture),
        Vec::<String>::new()
    );
    only_finding(
        &found(&with_kit("null"), &layers, &architecture),
        &["metier-testkit"],
    );
}

#[test]
fn an_outside_package_stays_where_it_is_allowed() {
    let metadata = workspace(r#"{"name":"axum"}"#, "");
    only_finding(
        &found(&metadata, LAYERS_TEXT, ARCHITECTURE_TEXT),
        &["crates/low/Cargo.toml", "axum", "kept to metier-high"],
    );
}

#[test]
fn a_renamed_package_is_known_by_both_names() {
    let renamed = workspace("", r#"{"name":"yaml_serde","rename":"serde_yaml"}"#);
    only_finding(
        &found(&renamed, LAYERS_TEXT, ARCHITECTURE_TEXT),
        &["serde_yaml", "kept to metier-low"],
    );
    let hidden = workspace("", r#"{"name":"axum","rename":"web"}"#);
    assert_eq!(
        found(&hidden, LAYERS_TEXT, ARCHITECTURE_TEXT),
        Vec::<String>::new()
    );
    let hidden_low = workspace(r#"{"name":"axum","rename":"web"}"#, "");
    only_finding(
        &found(&hidden_low, LAYERS_TEXT, ARCHITECTURE_TEXT),
        &["web", "kept to metier-high"],
    );
}

#[test]
fn a_crate_without_a_rank_and_a_rank_without_a_crate() {
    let layers = LAYERS_TEXT.replace("metier-low = 1", "metier-lost = 1");
    let architecture = ARCHITECTURE_TEXT.replace("`low`", "`lost`");
    let findings = found(&workspace("", ""), &layers, &architecture);
    let text = findings.join("\n");
    assert!(text.contains("crate metier-low has no rank"), "{text}");
    assert!(text.contains("[ranks] names metier-lost"), "{text}");
    assert_eq!(findings.len(), 2, "{text}");
}

#[test]
fn only_names_existing_crates() {
    let layers = LAYERS_TEXT.replace(r#"["metier-high"]"#, r#"["metier-hihg"]"#);
    only_finding(
        &found(&workspace("", ""), &layers, ARCHITECTURE_TEXT),
        &["layers.toml", "axum", "metier-hihg"],
    );
}

#[test]
fn the_architecture_page_agrees() {
    let metadata = workspace("", "");
    let missing = ARCHITECTURE_TEXT.replace("### `low` (rank 1)", "");
    only_finding(
        &found(&metadata, LAYERS_TEXT, &missing),
        &["metier-low", "### `low` (rank 1)"],
    );
    let wrong = ARCHITECTURE_TEXT.replace("(rank 1)", "(rank 3)");
    only_finding(
        &found(&metadata, LAYERS_TEXT, &wrong),
        &["docs/architecture.md:3", "rank 3"],
    );
    let stale = format!("{ARCHITECTURE_TEXT}### `gone` (rank 1)\n");
    only_finding(
        &found(&metadata, LAYERS_TEXT, &stale),
        &["gone", "no such crate"],
    );
    let twice = format!("{ARCHITECTURE_TEXT}### `low` (rank 1)\n");
    only_finding(
        &found(&metadata, LAYERS_TEXT, &twice),
        &["low has two headings"],
    );
}

#[test]
fn a_broken_table_is_an_error_that_names_the_file() {
    let error = check(&workspace("", ""), "[ranks", ARCHITECTURE_TEXT).unwrap_err();
    assert!(error.contains("layers.toml"), "{error}");
}
