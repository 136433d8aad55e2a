//! The dependency lines of the guide for host builders, held against the manifests.

use std::path::{Path, PathBuf};

use crate::command::fixtures;

fn repository() -> PathBuf {
    fixtures().join("../..").canonicalize().unwrap()
}

fn manifest(path: &Path) -> toml::Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

#[test]
fn the_dependencies_of_the_guide_are_those_that_there_are() {
    let repository = repository();
    let guide = std::fs::read_to_string(repository.join("docs/host-builder-guide.md")).unwrap();
    let lines = guide.split("```toml\n").nth(1).unwrap();
    let lines: toml::Table = lines.split("```").next().unwrap().parse().unwrap();
    let workspace = manifest(&repository.join("Cargo.toml"));
    let facade = manifest(&repository.join("crates/metier/Cargo.toml"));
    let named = lines["dependencies"].as_table().unwrap();
    let features = |value: &toml::Value| -> Vec<String> {
        let list = value.get("features").and_then(toml::Value::as_array);
        let list = list.into_iter().flatten();
        list.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    // What the examples of the guide are compiled with is what its reader is told to take.
    let dev = facade["dev-dependencies"].as_table().unwrap();
    for (name, value) in named {
        if name == "metier" {
            let below = value["path"].as_str().unwrap();
            let below = below.strip_prefix("../metier/").unwrap();
            assert!(
                repository.join(below).join("Cargo.toml").exists(),
                "{below}"
            );
            let known = facade["features"].as_table().unwrap();
            let known: Vec<String> = known.keys().cloned().collect();
            assert_eq!(features(value), known, "every feature is named");
            continue;
        }
        let version = |value: &toml::Value| {
            let text = value.as_str().or_else(|| value.get("version")?.as_str());
            text.unwrap().to_owned()
        };
        let ours = &workspace["workspace"]["dependencies"][name];
        assert_eq!(version(value), version(ours), "{name}");
        // A clock that stands still is for tests alone.
        for feature in features(
            dev.get(name)
                .unwrap_or_else(|| &facade["dependencies"][name]),
        )
        .iter()
        .filter(|it| *it != "test-util")
        {
            assert!(features(value).contains(feature), "{name}: {feature}");
        }
    }
    for name in dev.keys().filter(|name| *name != "tempfile") {
        assert!(named.contains_key(name), "{name}");
    }
    // The table of crates, and the rule for their paths.
    let crates = guide.lines().filter_map(|line| line.split(" | ").nth(1));
    let mut seen = 0;
    for name in crates.flat_map(|cell| cell.split(", ")) {
        let name = name.trim_matches('`');
        if let Some(folder) = name.strip_prefix("metier-") {
            let manifest = manifest(&repository.join("crates").join(folder).join("Cargo.toml"));
            assert_eq!(manifest["package"]["name"].as_str(), Some(name));
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn the_reference_names_the_ranges_of_codes_that_there_are() {
    let repository = repository();
    let mut ranges: Vec<String> = std::fs::read_dir(repository.join("docs/rules"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.get(..3).map(ToOwned::to_owned))
        .filter(|range| range.starts_with("MT"))
        .collect();
    ranges.sort();
    ranges.dedup();
    for document in ["docs/format-reference.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(repository.join(document)).unwrap();
        for digit in 1..=9 {
            let range = format!("MT{digit}");
            let is_named = text.contains(&format!("{range}xx"));
            assert_eq!(is_named, ranges.contains(&range), "{document}: {range}xx");
        }
    }
}
