//! All skills that were found, and how they stand to each other.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use metier_depgraph::DependencyGraph;
use metier_diagnostics::{Diagnostic, Severity};
use metier_loader::{
    LoadedSkill, ParseMode, RejectedSkill, RootFinding, ScanReport, ShadowedSkill, within_limit,
};
use metier_search::{FusedIndex, SkillDocument, SkillIndex as _, ToolDocument};
use metier_skill_model::{JsonObject, SkillMetadata};
use metier_skill_protocol::SkillEntry as ProtocolEntry;

use crate::dependency_findings::{DependencyFindings, Dependent};
use crate::left_out::LeftOut;
use crate::listed_tool::ListedTool;
use crate::others::Others;
use crate::settings::CatalogSettings;
use crate::stub;

/// A skill with what the catalog found about it.
#[derive(Debug)]
pub(crate) struct SkillEntry {
    pub(crate) skill: Arc<LoadedSkill>,
    /// Why it cannot be loaded, whatever else is found.
    pub(crate) obstacle: Option<String>,
    /// Dependencies, its own and theirs, that have not been found.
    pub(crate) missing: Vec<String>,
    /// The loader's findings and the catalog's.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many of them stand at this skill; the others stand at skills that it needs.
    pub(crate) told_here: usize,
    pub(crate) stub: Arc<ListedTool>,
    /// How the protocol sees it while its text is served; the same in every generation that has this one.
    pub(crate) before_model: OnceLock<Arc<ProtocolEntry>>,
    /// Nothing here depends on which other skills there are.
    stands_alone: bool,
}

impl SkillEntry {
    pub(crate) fn metadata(&self) -> &SkillMetadata {
        &self.skill.metadata
    }
}

/// The result of one discovery. Nothing in it depends on what is loaded.
#[derive(Debug)]
pub(crate) struct SkillSet {
    /// By name, which is also the listing order.
    pub(crate) entries: BTreeMap<String, Arc<SkillEntry>>,
    pub(crate) graph: DependencyGraph,
    /// Skills that are there and that the settings keep from being served, by name.
    pub(crate) left_out: BTreeMap<String, LeftOut>,
    pub(crate) rejected: Vec<Arc<RejectedSkill>>,
    pub(crate) shadowed: Vec<ShadowedSkill>,
    /// Findings about roots and about folders that are no skills.
    pub(crate) root_findings: Vec<RootFinding>,
    pub(crate) index: FusedIndex,
    pub(crate) mode: ParseMode,
}

impl SkillSet {
    /// Whether there is a skill that is nothing but its text.
    pub(crate) fn has_skill_without_tools(&self) -> bool {
        let mut skills = self.entries.values().map(|entry| &entry.skill);
        skills.any(|skill| skill.metadata.tools.is_empty() && skill.not_served.is_none())
    }

    pub(crate) fn empty(index: FusedIndex) -> Self {
        Self {
            entries: BTreeMap::new(),
            graph: DependencyGraph::new(std::iter::empty::<(&str, Vec<&str>)>()),
            left_out: BTreeMap::new(),
            rejected: Vec::new(),
            shadowed: Vec::new(),
            root_findings: Vec::new(),
            index,
            mode: ParseMode::Lenient,
        }
    }

    /// Orders and indexes what a scan found, after this one: what is the same is taken over. Skills for
    /// other applications are left out where one is set, and disabled ones, shadowed ones as well;
    /// `python` skills serve every application. Without settings what was left out stays so.
    pub(crate) fn next(
        &self,
        report: &ScanReport,
        root_findings: Vec<RootFinding>,
        settings: Option<&CatalogSettings>,
    ) -> Self {
        let why = |skill: &LoadedSkill| LeftOut::of(&skill.metadata, settings?);
        let mut left_out = match settings {
            Some(_) => BTreeMap::new(),
            None => self.left_out.clone(),
        };
        let mut skills: Vec<&Arc<LoadedSkill>> = Vec::new();
        for skill in &report.skills {
            match why(skill) {
                Some(why) => {
                    left_out.insert(skill.metadata.name.to_string(), why);
                }
                None => skills.push(skill),
            }
        }
        let shadowed = report.shadowed.iter();
        let shadowed = shadowed.filter(|shadowed| why(&shadowed.skill).is_none());
        let mode = settings.map_or(self.mode, |settings| settings.parse_mode);
        let mut others = Others::new(skills, &report.rejected, mode);
        let mut clashes = std::mem::take(&mut others.clashes);
        let skills = others.skills.clone();
        let graph = DependencyGraph::new(skills.iter().map(|skill| {
            let depends: Vec<&str> = skill.metadata.depends.iter().map(String::as_str).collect();
            (skill.metadata.name.as_str(), depends)
        }));
        let dependents = skills.iter().map(|skill| Dependent::served(skill));
        let loading =
            DependencyFindings::new(&graph, dependents, others.rejected_names(), mode.fault())
                .with_left_out(&left_out);
        // What is told counts the rejected ones in; what can be loaded does not.
        let whole = others.has_readable().then(|| others.graph());
        let telling = whole.as_ref().map(|whole| {
            let dependents = others.dependents().rev();
            DependencyFindings::new(whole, dependents, others.rejected_names(), mode.fault())
                .with_left_out(&left_out)
        });
        let dependencies = Needs {
            graph: &graph,
            telling: telling.as_ref().unwrap_or(&loading),
            loading: &loading,
        };
        let needs_of_rejected = others.needs_of_rejected(dependencies.telling);
        let mut fresh = Vec::new();
        let entries: BTreeMap<String, Arc<SkillEntry>> = skills
            .into_iter()
            .map(|skill| {
                let name = skill.metadata.name.as_str();
                let known = self
                    .entries
                    .get(name)
                    .filter(|known| Arc::ptr_eq(&known.skill, skill));
                if known.is_none() {
                    fresh.push(document(skill));
                }
                let stands_alone = dependencies.stands_alone(name) && !clashes.contains_key(name);
                let entry = match known {
                    Some(known) if known.stands_alone && stands_alone => Arc::clone(known),
                    _ => {
                        let clashes = clashes.remove(name).unwrap_or_default();
                        let made = entry(Arc::clone(skill), &dependencies, clashes);
                        Arc::new(SkillEntry {
                            stands_alone,
                            ..made
                        })
                    }
                };
                (name.to_owned(), entry)
            })
            .collect();
        drop((telling, loading));
        for (number, found) in needs_of_rejected {
            others.tell(number, found);
        }
        let mut index = self.index.clone();
        for gone in self.entries.keys() {
            if !entries.contains_key(gone) {
                index.remove(gone);
            }
        }
        if !fresh.is_empty() {
            index.index(fresh);
        }
        Self {
            entries,
            graph,
            left_out,
            rejected: others.rejected,
            shadowed: shadowed.cloned().collect(),
            root_findings,
            index,
            mode,
        }
    }

    /// Whether this says the same of every skill as the other one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len()
            && self
                .entries
                .iter()
                .zip(&other.entries)
                .all(|((a, one), (b, two))| a == b && Arc::ptr_eq(one, two))
            && self.left_out == other.left_out
            && self.rejected == other.rejected
            && self.shadowed == other.shadowed
            && self.root_findings == other.root_findings
    }
}

/// The dependencies of the skills that are there.
struct Needs<'f, 'a> {
    graph: &'f DependencyGraph,
    /// Of all skills, those that are rejected included.
    telling: &'f DependencyFindings<'a>,
    /// Of those that can be loaded.
    loading: &'f DependencyFindings<'a>,
}

impl Needs<'_, '_> {
    fn stands_alone(&self, name: &str) -> bool {
        self.loading.stands_alone(name) && self.telling.stands_alone(name)
    }
}

fn entry(
    skill: Arc<LoadedSkill>,
    dependencies: &Needs<'_, '_>,
    clashes: Vec<Diagnostic>,
) -> SkillEntry {
    let name = skill.metadata.name.clone();
    let mut diagnostics = skill.diagnostics.clone();
    diagnostics.extend(dependencies.telling.told_at(&name));
    diagnostics.extend(clashes);
    let mut diagnostics = within_limit(diagnostics);
    let told_here = diagnostics.len();
    let (told_elsewhere, missing) = dependencies.loading.told_elsewhere(&name);
    diagnostics.extend(told_elsewhere);
    let mut obstacle = skill.unusable.clone();
    if let Some(cycle) = dependencies.graph.cycle_of(&name) {
        obstacle.get_or_insert_with(|| format!("dependency cycle: {cycle}"));
    }
    let stub = Arc::new(stub::entry(&skill.metadata));
    SkillEntry {
        stands_alone: true,
        before_model: OnceLock::new(),
        skill,
        obstacle,
        missing,
        diagnostics,
        told_here,
        stub,
    }
}

/// The rejected skill of a name, where there is one. Of broken front matter the name is a guess, and the folder's is
/// another.
pub(crate) fn rejected_skill<'r>(
    rejected: &'r [Arc<RejectedSkill>],
    name: &str,
) -> Option<&'r Arc<RejectedSkill>> {
    let folder = |skill: &RejectedSkill| skill.display_path.rsplit('/').next() == Some(name);
    let by_name = rejected.iter().find(|skill| skill.name == name);
    by_name.or_else(|| rejected.iter().find(|skill| folder(skill)))
}

/// Why a skill of this name was rejected, where one was.
pub(crate) fn rejection(rejected: &[Arc<RejectedSkill>], name: &str) -> Option<String> {
    Some(reason_of(rejected_skill(rejected, name)?))
}

/// The first error of a rejected skill.
pub(crate) fn reason_of(rejected: &RejectedSkill) -> String {
    let mut findings = rejected.diagnostics.iter();
    let error = findings.find(|finding| finding.severity == Severity::Error);
    error.map(ToString::to_string).unwrap_or_default()
}

/// A file of a skill as findings name it; the root itself can be the skill.
pub(crate) fn file_of(skill: &LoadedSkill, file: &str) -> String {
    if skill.display_path.is_empty() {
        file.to_owned()
    } else {
        format!("{}/{file}", skill.display_path)
    }
}

fn document(skill: &LoadedSkill) -> SkillDocument {
    let metadata = &skill.metadata;
    SkillDocument {
        id: metadata.name.to_string(),
        name: metadata.name.to_string(),
        description: metadata.description.clone(),
        when_to_use: metadata.client.when_to_use.clone(),
        tags: metadata.tags.clone(),
        search_hint: metadata.search_hint.clone(),
        search_aliases: metadata.search_aliases.clone(),
        dcc: metadata.dcc.clone(),
        layer: (!metadata.layer.is_empty()).then(|| metadata.layer.clone()),
        tools: metadata
            .tools
            .iter()
            .map(|tool| ToolDocument {
                name: tool.name.clone(),
                description: tool.description.clone(),
                aliases: tool.search_aliases.clone(),
                properties: property_names(tool.input_schema.as_ref()),
            })
            .collect(),
        body: skill.body_excerpt.clone(),
        source: skill.root.label.to_string(),
        ..SkillDocument::default()
    }
}

fn property_names(schema: Option<&JsonObject>) -> Vec<String> {
    let schema = schema.map(JsonObject::map).unwrap_or_default();
    schema
        .get("properties")
        .and_then(serde_json::Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}
