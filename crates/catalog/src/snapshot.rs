//! One immutable state of everything that clients can see.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use indexmap::IndexMap;
use metier_capability::CapabilitySet;
use metier_diagnostics::Diagnostic;
use metier_skill_model::SkillStatus;
use metier_skill_protocol::{Listing, SkillBook, Standing};

use crate::listed_tool::ListedTool;
use crate::loaded_skill::LoadedTools;
use crate::registered_tool::RegisteredTool;
use crate::settings::SkillTools;
use crate::shelf::{SkillShelf, Texts};
use crate::skill_set::{SkillEntry, SkillSet};
use crate::tool_names::Names;

/// What a snapshot is made of; cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) skills: Arc<SkillSet>,
    pub(crate) loaded: Arc<BTreeMap<String, Arc<LoadedTools>>>,
    pub(crate) host: Arc<IndexMap<String, Arc<RegisteredTool>>>,
    /// Skill and group.
    pub(crate) active_groups: Arc<BTreeSet<(String, String)>>,
    /// Skills that were loaded when their folder went: they are loaded again when it comes back.
    pub(crate) wished: Arc<BTreeSet<String>>,
    /// Skills that came back and that a policy did not let in again, with its reason.
    pub(crate) kept_out: Arc<BTreeMap<String, Diagnostic>>,
    pub(crate) declared: Arc<CapabilitySet>,
}

impl Parts {
    /// Nobody waits for the skill any more, and nothing more is said of its return.
    pub(crate) fn forget_wish(&mut self, name: &str) {
        if self.wished.contains(name) {
            Arc::make_mut(&mut self.wished).remove(name);
        }
        if self.kept_out.contains_key(name) {
            Arc::make_mut(&mut self.kept_out).remove(name);
        }
    }
}

/// The server's own tools, the same in every generation.
#[derive(Debug)]
pub(crate) struct OwnTools {
    pub(crate) core: Vec<Arc<RegisteredTool>>,
    pub(crate) group: Vec<Arc<RegisteredTool>>,
    pub(crate) text: Vec<Arc<RegisteredTool>>,
    /// When the last ones are listed.
    pub(crate) text_listed: SkillTools,
}

/// One immutable state of the catalog.
///
/// Readers take it once and see a world that does not change under them; the next state is another
/// snapshot with a higher [`CatalogSnapshot::generation`].
pub struct CatalogSnapshot {
    generation: u64,
    pub(crate) parts: Parts,
    listed: Vec<Arc<ListedTool>>,
    pub(crate) callable: HashMap<String, Arc<RegisteredTool>>,
    /// The other names by which a tool can be called, where exactly one tool has it.
    pub(crate) other_names: HashMap<String, String>,
    /// Where the tools of unloaded skills would be; only made when somebody asks for one.
    pub(crate) unloaded: OnceLock<HashMap<String, String>>,
    texts: Arc<Texts>,
    pub(crate) book: OnceLock<Arc<SkillBook>>,
    /// The listing for everybody, and the decisions about skills that it was made under.
    pub(crate) listing: Mutex<Option<(Arc<Standing>, Arc<Listing>)>>,
}

impl CatalogSnapshot {
    pub(crate) fn assemble(before: Option<&Self>, parts: Parts, own: &OwnTools) -> Self {
        let mut listed: Vec<Arc<ListedTool>> = own
            .core
            .iter()
            .map(|tool| Arc::clone(&tool.listed))
            .collect();
        let mut callable = HashMap::new();
        let mut add = |tool: &Arc<RegisteredTool>| {
            callable.insert(tool.listed.name.clone(), Arc::clone(tool));
        };
        own.core.iter().for_each(&mut add);
        if parts
            .loaded
            .values()
            .any(|loaded| !loaded.skill.metadata.groups.is_empty())
        {
            listed.extend(own.group.iter().map(|tool| Arc::clone(&tool.listed)));
            own.group.iter().for_each(&mut add);
        }
        let has_text = match own.text_listed {
            SkillTools::On => true,
            SkillTools::Off => false,
            SkillTools::Auto => parts.skills.has_skill_without_tools(),
        };
        if has_text {
            listed.extend(own.text.iter().map(|tool| Arc::clone(&tool.listed)));
        }
        if own.text_listed != SkillTools::Off {
            own.text.iter().for_each(&mut add);
        }
        for tool in parts.host.values() {
            listed.push(shown(tool, &parts.declared));
            add(tool);
        }
        let mut other_names = Names::default();
        for (skill, loaded) in parts.loaded.iter() {
            for tool in &loaded.tools {
                if is_active(&parts, skill, &tool.group) {
                    listed.push(shown(tool, &parts.declared));
                }
                add(tool);
                other_names.add(skill, tool);
            }
        }
        let texts = match before {
            Some(before) if Arc::ptr_eq(&before.parts.skills, &parts.skills) => {
                Arc::clone(&before.texts)
            }
            before => Arc::new(Texts::after(before.map(|before| before.texts.as_ref()))),
        };
        for (name, entry) in &parts.skills.entries {
            let waits = matches!(
                status_of(&parts, name, entry),
                SkillStatus::Unloaded | SkillStatus::PendingDeps
            );
            if waits && !texts.leave_nothing(entry, &parts.skills) {
                listed.push(Arc::clone(&entry.stub));
            }
        }
        let other_names = other_names.unique(&callable);
        Self {
            generation: before.map_or(0, |before| before.generation + 1),
            texts,
            parts,
            listed,
            callable,
            other_names,
            unloaded: OnceLock::new(),
            book: OnceLock::new(),
            listing: Mutex::default(),
        }
    }

    /// The number of this state; every change makes a higher one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The skills as texts.
    pub fn shelf(&self) -> &Arc<SkillShelf> {
        self.texts.shelf(&self.parts.skills)
    }

    /// The same if somebody has asked for it in this generation or in one before.
    #[cfg(feature = "watch")]
    pub(crate) fn shelf_in_use(&self) -> Option<&Arc<SkillShelf>> {
        self.texts.is_used().then(|| self.shelf())
    }

    /// What `tools/list` shows, whole and in its order: core tools, group tools while a loaded
    /// skill has groups, the tool for texts where it is wanted ([`SkillTools`]), the host's tools, the tools of loaded skills by skill name in the order of
    /// their declaration, then one stub for each skill that could be loaded.
    pub fn tools(&self) -> &[Arc<ListedTool>] {
        &self.listed
    }

    /// Findings about roots and about folders that turned out to be no skills.
    pub fn root_findings(&self) -> impl Iterator<Item = &Diagnostic> {
        let findings = self.parts.skills.root_findings.iter();
        findings.map(|finding| &finding.diagnostic)
    }

    /// How many skills stand where; a status that no skill has is left out.
    pub fn count_by_status(&self) -> BTreeMap<SkillStatus, usize> {
        let set = &self.parts.skills;
        let mut counts = BTreeMap::from([
            (SkillStatus::Skipped, set.rejected.len()),
            (SkillStatus::Shadowed, set.shadowed.len()),
        ]);
        for (name, entry) in &set.entries {
            *counts.entry(self.status(name, entry)).or_default() += 1;
        }
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// What the host declares.
    pub fn declared_capabilities(&self) -> &[String] {
        self.parts.declared.declared()
    }

    /// Every finding about every skill and root, each with the folder below which its file names
    /// lie. For the operator of the server: the folders are absolute paths.
    pub fn operator_findings(&self) -> Vec<(&Path, &Diagnostic)> {
        let set = &self.parts.skills;
        let nowhere = Path::new("");
        let mut findings: Vec<_> = set
            .root_findings
            .iter()
            .map(|finding| {
                let root = finding.root.as_deref();
                let below = root.map_or(nowhere, |root| root.path.as_path());
                (below, &finding.diagnostic)
            })
            .collect();
        for skill in &set.rejected {
            let root = skill.root.path.as_path();
            findings.extend(skill.diagnostics.iter().map(|finding| (root, finding)));
        }
        for shadowed in &set.shadowed {
            let root = shadowed.skill.root.path.as_path();
            findings.push((root, &shadowed.diagnostic));
            let own = shadowed.skill.diagnostics.iter();
            findings.extend(own.map(|finding| (root, finding)));
        }
        for entry in set.entries.values() {
            let root = entry.skill.root.path.as_path();
            let told = entry.diagnostics.iter().take(entry.told_here);
            findings.extend(told.map(|finding| (root, finding)));
        }
        findings
    }

    /// What the tools of a skill need and the host does not declare; nothing for a skill that is not there.
    pub fn missing_capabilities(&self, skill: &str) -> Vec<String> {
        let entry = self.parts.skills.entries.get(skill);
        let required = entry.map(|entry| entry.metadata().required_capabilities());
        required.map_or_else(Vec::new, |required| self.parts.declared.check(&required))
    }

    /// Where a skill stands.
    pub(crate) fn status(&self, name: &str, entry: &SkillEntry) -> SkillStatus {
        status_of(&self.parts, name, entry)
    }
}

impl std::fmt::Debug for CatalogSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CatalogSnapshot")
            .field("generation", &self.generation)
            .field("skills", &self.parts.skills.entries.len())
            .field("loaded", &self.parts.loaded.len())
            .field("tools", &self.listed.len())
            .finish_non_exhaustive()
    }
}

pub(crate) fn is_active(parts: &Parts, skill: &str, group: &str) -> bool {
    group.is_empty()
        || parts
            .active_groups
            .contains(&(skill.to_owned(), group.to_owned()))
}

fn status_of(parts: &Parts, name: &str, entry: &SkillEntry) -> SkillStatus {
    if parts.loaded.contains_key(name) {
        SkillStatus::Loaded
    } else if entry.obstacle.is_some() {
        SkillStatus::Error
    } else if entry.missing.is_empty() {
        SkillStatus::Unloaded
    } else {
        SkillStatus::PendingDeps
    }
}

/// The entry with what the host lacks; the same `Arc` where it lacks nothing.
fn shown(tool: &Arc<RegisteredTool>, declared: &CapabilitySet) -> Arc<ListedTool> {
    if tool.required.is_empty() {
        return Arc::clone(&tool.listed);
    }
    let missing = declared.check(&tool.required);
    if missing.is_empty() {
        Arc::clone(&tool.listed)
    } else {
        Arc::new(tool.listed.with_missing(&missing))
    }
}
