//! `cargo xtask layers`: every crate has a rank, and dependencies go downwards only.
//!
//! Held against each other: cargo's metadata, `layers.toml` and the headings of `docs/architecture.md`, which names
//! each crate once, in a line of the form "### `loader` (rank 4)".

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::finding::Finding;
use crate::metadata::{Dependency, Metadata, Package};
use crate::process;
use crate::steps::Report;

const LAYERS: &str = "layers.toml";
const ARCHITECTURE: &str = "docs/architecture.md";

/// The one crate that dev-dependencies may reach whatever its rank.
const TEST_KIT: &str = "metier-testkit";

/// `layers.toml`.
#[derive(Debug, Deserialize)]
struct Layers {
    ranks: BTreeMap<String, u32>,
    /// Outside package, by its own name or the manifest's, to the crates that may name it.
    #[serde(default)]
    only: BTreeMap<String, BTreeSet<String>>,
}

pub(crate) fn run() -> Report {
    let read = |name: &str| {
        std::fs::read_to_string(process::root().join(name))
            .map_err(|error| format!("{name} could not be read: {error}"))
    };
    let checked = Metadata::read()
        .and_then(|metadata| check(&metadata, &read(LAYERS)?, &read(ARCHITECTURE)?));
    match checked {
        Ok(findings) => Report::of_findings(&findings),
        Err(why) => Report::failed(why),
    }
}

fn check(metadata: &Metadata, layers: &str, architecture: &str) -> Result<Vec<Finding>, String> {
    let layers: Layers =
        toml::from_str(layers).map_err(|error| format!("{LAYERS} could not be read: {error}"))?;
    let mut findings = tables(metadata, &layers);
    for package in &metadata.packages {
        let manifest = metadata.manifest_of(package);
        for dependency in &package.dependencies {
            findings.extend(rank_fault(package, dependency, &layers, &manifest));
            findings.extend(only_fault(package, dependency, &layers, &manifest));
        }
    }
    findings.extend(architecture_faults(&layers, architecture));
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// `layers.toml` and the workspace name the same crates.
fn tables(metadata: &Metadata, layers: &Layers) -> Vec<Finding> {
    let members: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();
    let mut findings = Vec::new();
    for name in &members {
        if !layers.ranks.contains_key(*name) {
            findings.push(Finding::new(
                LAYERS,
                format!("crate {name} has no rank"),
                format!("add `{name} = N` to [ranks]"),
            ));
        }
    }
    for name in layers
        .ranks
        .keys()
        .filter(|n| !members.contains(n.as_str()))
    {
        findings.push(Finding::new(
            LAYERS,
            format!("[ranks] names {name}, which is no crate of the workspace"),
            "remove the line, or mend the name",
        ));
    }
    for (outside, users) in &layers.only {
        for user in users.iter().filter(|u| !members.contains(u.as_str())) {
            findings.push(Finding::new(
                LAYERS,
                format!("[only] {outside} names {user}, which is no crate of the workspace"),
                "remove it from the list, or mend the name",
            ));
        }
    }
    findings
}

/// A dependency between members goes to a lower rank.
fn rank_fault(
    package: &Package,
    dependency: &Dependency,
    layers: &Layers,
    manifest: &str,
) -> Option<Finding> {
    if dependency.is_dev() && dependency.name == TEST_KIT {
        return None;
    }
    // A crate without a rank is a finding of its own.
    let from = layers.ranks.get(&package.name)?;
    let to = layers.ranks.get(&dependency.name)?;
    (to >= from).then(|| {
        Finding::new(
            manifest,
            format!(
                "{} (rank {from}) depends on {} (rank {to}), which is not below it",
                package.name, dependency.name
            ),
            format!(
                "remove the dependency and move what is shared to a crate below rank {from}, or say in {LAYERS} why \
                 a rank changes"
            ),
        )
    })
}

/// An outside package that is kept to some crates is named by those alone.
fn only_fault(
    package: &Package,
    dependency: &Dependency,
    layers: &Layers,
    manifest: &str,
) -> Option<Finding> {
    let users = layers
        .only
        .get(&dependency.name)
        .or_else(|| layers.only.get(dependency.written_name()))?;
    (!users.contains(&package.name)).then(|| {
        let allowed: Vec<&str> = users.iter().map(String::as_str).collect();
        Finding::new(
            manifest,
            format!(
                "{} depends on {}, which is kept to {}",
                package.name,
                dependency.written_name(),
                allowed.join(", ")
            ),
            format!("use it through one of those crates, or add this one to [only] in {LAYERS}"),
        )
    })
}

/// The headings of the architecture page and `[ranks]` say the same.
fn architecture_faults(layers: &Layers, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut headings = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((name, rank)) = crate_heading(line) {
            let line = index + 1;
            if headings.insert(name, (rank, line)).is_some() {
                findings.push(
                    Finding::new(ARCHITECTURE, format!("{name} has two headings"), "keep one")
                        .at(line),
                );
            }
        }
    }
    for (package, rank) in &layers.ranks {
        let name = package.strip_prefix("metier-").unwrap_or(package);
        let form = format!("### `{name}` (rank {rank})");
        match headings.remove(name) {
            None => findings.push(Finding::new(
                ARCHITECTURE,
                format!("crate {package} is not described"),
                format!("add the heading \"{form}\" and what the crate must not know"),
            )),
            Some((written, line)) if written != *rank => findings.push(
                Finding::new(
                    ARCHITECTURE,
                    format!("{name} is given rank {written}, {LAYERS} says {rank}"),
                    format!("write \"{form}\""),
                )
                .at(line),
            ),
            Some(_) => {}
        }
    }
    for (name, (_, line)) in headings {
        findings.push(
            Finding::new(
                ARCHITECTURE,
                format!("{name} is described, but {LAYERS} has no such crate"),
                "remove the section, or mend the name",
            )
            .at(line),
        );
    }
    findings
}

/// Reads a line of the form "### `loader` (rank 4)".
fn crate_heading(line: &str) -> Option<(&str, u32)> {
    let (name, tail) = line.strip_prefix("### `")?.split_once("` (rank ")?;
    let rank = tail.trim_end().strip_suffix(')')?.parse().ok()?;
    Some((name, rank))
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
