//! The low-level names of the skill system for packaging and CI: the first fault ends it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use metier_depgraph::{ClosureError, DependencyGraph, Missing, ResolveError};
use metier_skill_model::SkillMetadata;
use thiserror::Error;

use crate::ParseMode;
use crate::report::{LoadedSkill, RejectedSkill};
use crate::roots::{RootSources, resolve_roots};
use crate::scan::scan;

/// Skills in their order of loading, and what was found and cannot be used.
pub type LoadedAndSkipped = (Vec<Arc<SkillMetadata>>, Vec<Arc<RejectedSkill>>);

/// Why skills cannot be put in order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DependencyError {
    /// A skill that depends on itself, a missing dependency, or a cycle; it names both ends or the
    /// whole way round.
    #[error("{0}")]
    Order(#[from] ResolveError),
    /// What one skill needs cannot be had.
    #[error("{0}")]
    Closure(#[from] ClosureError),
}

/// Scans `extra_paths` and the places that the environment of this process names, reads every skill
/// strictly, and gives the skills in their order of loading with those that were skipped.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// for (name, more) in [("base", ""), ("rig", "metadata:\n  dcc-mcp:\n    depends: [base]\n")] {
///     std::fs::create_dir(folder.path().join(name))?;
///     let text = format!("---\nname: {name}\ndescription: Does it.\n{more}---\n");
///     std::fs::write(folder.path().join(name).join("SKILL.md"), text)?;
/// }
/// let (skills, skipped) = metier_loader::scan_and_load(&[folder.path().to_owned()], "maya")?;
/// let at = |name: &str| skills.iter().position(|skill| skill.name.as_str() == name);
/// assert!(at("base") < at("rig") && skipped.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A missing dependency or a cycle, with the names at both ends or the path.
pub fn scan_and_load(
    extra_paths: &[PathBuf],
    dcc_name: &str,
) -> Result<LoadedAndSkipped, DependencyError> {
    let (skills, skipped) = load_strictly(extra_paths, dcc_name);
    let ordered = resolve_dependencies(&skills)?;
    Ok((ordered, skipped))
}

/// The same, but a skill whose dependencies are missing is kept, behind those that it needs and
/// that are there.
///
/// # Errors
/// A cycle, with its path.
pub fn scan_and_load_lenient(
    extra_paths: &[PathBuf],
    dcc_name: &str,
) -> Result<LoadedAndSkipped, DependencyError> {
    let (skills, skipped) = load_strictly(extra_paths, dcc_name);
    let graph = graph(&skills);
    if let Some(cycle) = graph.cycles().first() {
        return Err(ResolveError::Cycle(cycle.clone()).into());
    }
    Ok((in_order(&skills, &graph), skipped))
}

fn load_strictly(extra_paths: &[PathBuf], dcc_name: &str) -> LoadedAndSkipped {
    let environment = |name: &str| std::env::var_os(name);
    let (roots, _) = resolve_roots(&RootSources {
        explicit: extra_paths,
        app: dcc_name,
        environment: &environment,
        home: std::env::home_dir(),
        platform_data: None,
        configured: &[],
        agent_folders_of: None,
        with_defaults: true,
    });
    let report = scan(&roots, ParseMode::Strict);
    let metadata = |skill: &Arc<LoadedSkill>| Arc::clone(&skill.metadata);
    (
        report.skills.iter().map(metadata).collect(),
        report.rejected,
    )
}

/// The skills in their order of loading: each behind those that it needs.
///
/// # Errors
/// The first fault by name: a skill that depends on itself, a missing dependency, a cycle.
pub fn resolve_dependencies(
    skills: &[Arc<SkillMetadata>],
) -> Result<Vec<Arc<SkillMetadata>>, DependencyError> {
    let graph = graph(skills);
    graph.resolve()?;
    Ok(in_order(skills, &graph))
}

/// Every dependency that is not among the skills, with the skill that needs it.
pub fn validate_dependencies(skills: &[Arc<SkillMetadata>]) -> Vec<Missing> {
    graph(skills).missing()
}

/// Everything that one skill needs, directly or through others, in the order of loading.
///
/// # Errors
/// The skill is not among them, one of its dependencies is missing, or a cycle is in the way.
pub fn expand_transitive_dependencies(
    skills: &[Arc<SkillMetadata>],
    name: &str,
) -> Result<Vec<String>, DependencyError> {
    Ok(graph(skills).closure(name)?.dependencies)
}

fn graph(skills: &[Arc<SkillMetadata>]) -> DependencyGraph {
    DependencyGraph::new(skills.iter().map(|skill| {
        let depends: Vec<&str> = skill.depends.iter().map(String::as_str).collect();
        (skill.name.as_str(), depends)
    }))
}

fn in_order(skills: &[Arc<SkillMetadata>], graph: &DependencyGraph) -> Vec<Arc<SkillMetadata>> {
    let by_name: BTreeMap<&str, &Arc<SkillMetadata>> = skills
        .iter()
        .map(|skill| (skill.name.as_str(), skill))
        .collect();
    graph
        .order()
        .into_iter()
        .filter_map(|name| by_name.get(name).copied().cloned())
        .collect()
}
