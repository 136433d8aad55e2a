//! Finding skills and telling about them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use metier_capability::CapabilitySet;
use metier_diagnostics::{Diagnostic, Severity};
use metier_hooks::LifecycleHooks;
use metier_loader::{RootFinding, ScanCache, ScanReport};
use metier_skill_model::{SkillStatus, SkillSummary};
use tokio::sync::broadcast;

use crate::dispatcher::ToolDispatcher;
use crate::event::{CatalogEvent, CatalogEventKind};
use crate::loaded_skill::LoadedTools;
use crate::registry::ToolRegistry;
use crate::skill_info::{self, SkillInfo};
use crate::snapshot::{CatalogSnapshot, Parts};
use crate::state::{Scans, Shared, Writer};
use crate::ways::Ways;

/// Skills from discovery to unloading: a handle on the same state as the [`ToolRegistry`] it was
/// made for. Cloning gives another handle.
#[derive(Clone, Debug)]
pub struct SkillCatalog {
    pub(crate) shared: Arc<Shared>,
}

/// What a discovery found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DiscoverReport {
    /// How many skills there are now.
    pub skills: usize,
    /// How many folders were found and rejected.
    pub rejected: usize,
    /// How many skills another one of the same name hides.
    pub shadowed: usize,
    /// The folders that were searched, in their order of precedence.
    pub roots: Vec<PathBuf>,
    /// Findings about roots and about folders that are no skills.
    pub diagnostics: Vec<Diagnostic>,
}

impl SkillCatalog {
    /// A catalog that registers its tools in the registry.
    pub fn new(registry: ToolRegistry) -> Self {
        Self {
            shared: registry.shared,
        }
    }

    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Attaches a dispatcher, as the seed's programs do. Loaded tools can be called through any
    /// dispatcher of the same registry, so there is nothing left to wire; a dispatcher of another
    /// registry would call nothing of this catalog, and the log says so.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a handle is handed over, as the seed's programs do"
    )]
    pub fn with_dispatcher(self, dispatcher: ToolDispatcher) -> Self {
        if !dispatcher.serves(&self.shared) {
            tracing::warn!(
                "the dispatcher belongs to another registry and calls none of this catalog's tools"
            );
        }
        self
    }

    /// Uses these hooks from now on.
    #[must_use]
    pub fn with_hooks(self, hooks: LifecycleHooks) -> Self {
        self.shared.set_hooks(hooks);
        self
    }

    /// The hooks in use.
    pub fn hooks(&self) -> LifecycleHooks {
        self.shared.hooks()
    }

    /// The registry this catalog registers its tools in.
    pub fn registry(&self) -> ToolRegistry {
        ToolRegistry {
            shared: Arc::clone(&self.shared),
        }
    }

    /// The present state.
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        self.shared.snapshot()
    }

    /// Hears of every change from now on. A listener that lags too far behind is told so by the
    /// channel and should look at everything.
    pub fn subscribe(&self) -> broadcast::Receiver<CatalogEvent> {
        self.shared.subscribe()
    }

    /// Looks for skills in `extra_paths`, then in the places that the settings name, and publishes
    /// what is there now. Nothing is loaded; what was loaded stays so, with its new version where
    /// the files changed, and goes where the folder is gone.
    ///
    /// `dcc_name` stands in for the application's name when places are named after it. This reads
    /// the disk and blocks.
    pub fn discover(&self, extra_paths: &[PathBuf], dcc_name: Option<&str>) -> DiscoverReport {
        let settings = &self.shared.settings;
        let app = dcc_name.unwrap_or(&settings.app);
        let (roots, findings) = settings.roots.resolve(extra_paths, app);
        for root in &roots {
            tracing::debug!(label = root.label.as_str(), path = %root.path.display(), "looking for skills");
        }
        *self
            .shared
            .root_findings
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = findings;
        let paths = roots.iter().map(|root| root.path.clone()).collect();
        let mut discovery = self
            .shared
            .discovery
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        extra_paths.clone_into(&mut discovery.explicit);
        discovery.dcc_name = dcc_name.map(ToOwned::to_owned);
        let is_own = matches!(discovery.scans, Scans::Asked(_));
        let ways = is_own.then(|| Ways::of_roots(&roots));
        let report = match &mut discovery.scans {
            Scans::Asked(cache) => {
                if cache.mode() != settings.parse_mode {
                    **cache = ScanCache::new(Vec::new(), settings.parse_mode);
                }
                cache.set_roots(roots);
                cache.rescan().report
            }
            #[cfg(feature = "watch")]
            Scans::Watched(watcher) => Arc::clone(&watcher.set_roots(roots).report),
        };
        self.adopt(&report);
        if let Some(ways) = ways {
            self.shared.ways.set(ways, &report);
            self.shared.kept_back.set(&report);
        }
        drop(discovery);
        self.welcome_back();
        let skills = &self.snapshot().parts.skills;
        DiscoverReport {
            skills: skills.entries.len(),
            rejected: skills.rejected.len(),
            shadowed: skills.shadowed.len(),
            roots: paths,
            diagnostics: skills
                .root_findings
                .iter()
                .map(|finding| finding.diagnostic.clone())
                .collect(),
        }
    }

    /// Looks in the same places as the last [`SkillCatalog::discover`]; only what has changed is read.
    pub fn rediscover(&self) -> DiscoverReport {
        let (explicit, dcc_name) = self.last_discovery();
        self.discover(&explicit, dcc_name.as_deref())
    }

    /// Looks in one more folder from now on, behind those that [`SkillCatalog::discover`] was given, and publishes what is
    /// there. This reads the disk and blocks.
    pub fn register_dir(&self, path: &Path) -> DiscoverReport {
        let (mut explicit, dcc_name) = self.last_discovery();
        if !explicit.iter().any(|known| known == path) {
            explicit.push(path.to_owned());
        }
        self.discover(&explicit, dcc_name.as_deref())
    }

    fn last_discovery(&self) -> (Vec<PathBuf>, Option<String>) {
        let discovery = self.shared.discovery.lock();
        let discovery = discovery.unwrap_or_else(PoisonError::into_inner);
        (discovery.explicit.clone(), discovery.dcc_name.clone())
    }

    /// Publishes what a scan found, unless it is what is known, and says whether it did: the one way for discoveries
    /// and for a watcher.
    pub(crate) fn adopt(&self, report: &ScanReport) -> bool {
        let mut root_findings: Vec<RootFinding> = self
            .shared
            .root_findings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .map(RootFinding::anywhere)
            .collect();
        root_findings.extend(report.root_findings.iter().cloned());
        let (writer, current) = self.write_when_looked_at(report);
        let report = &*self.without_blocked(report);
        let skills = current
            .parts
            .skills
            .next(report, root_findings, Some(&self.shared.settings));
        if current.generation() > 0 && skills.is_same(&current.parts.skills) {
            return false;
        }
        trace_scan(report);
        let mut parts = current.parts.clone();
        parts.skills = Arc::new(skills);
        self.renew_loaded(&mut parts);
        writer.publish(parts, CatalogEventKind::SkillsChanged);
        true
    }

    /// The right to write, once all files have been looked at that say whether a skill of the report is blocked. Nobody
    /// waits for that: what is loaded meanwhile is looked at as well, and the right is taken again.
    fn write_when_looked_at(&self, report: &ScanReport) -> (Writer<'_>, Arc<CatalogSnapshot>) {
        let mut looked = BTreeSet::new();
        loop {
            self.look_for_blocked(report, &self.snapshot(), &mut looked);
            let writer = self.shared.write();
            let current = writer.current();
            if self.is_looked_at(report, &current, &looked) {
                return (writer, current);
            }
        }
    }

    /// Loaded skills whose files are as they were keep their tools; the others get new ones or go.
    /// One that went is wished for. When it is back it is loaded again: at once where no policy
    /// could object, otherwise by [`SkillCatalog::welcome_back`].
    pub(crate) fn renew_loaded(&self, parts: &mut Parts) {
        let before = std::mem::take(&mut parts.loaded);
        let mut wished = BTreeSet::clone(&parts.wished);
        let mut taken: BTreeSet<String> = parts.host.keys().cloned().collect();
        let mut loaded = std::collections::BTreeMap::new();
        let usable = |name: &str| {
            let entry = parts.skills.entries.get(name);
            entry.filter(|entry| entry.obstacle.is_none())
        };
        for (name, tools) in before.iter() {
            let Some(entry) = usable(name) else {
                tracing::warn!("the loaded skill `{name}` is gone; its tools are no longer listed");
                wished.insert(name.clone());
                continue;
            };
            let unchanged = entry.skill.metadata == tools.skill.metadata
                && entry.skill.path == tools.skill.path;
            let renewed = if unchanged {
                taken.extend(tools.tools.iter().map(|tool| tool.listed.name.clone()));
                Arc::clone(tools)
            } else {
                Arc::new(LoadedTools::prepare(
                    &self.shared,
                    &entry.skill,
                    &parts.declared,
                    &mut taken,
                ))
            };
            loaded.insert(name.clone(), renewed);
        }
        if !self.is_supervised() {
            wished.retain(|name| {
                let Some(plan) = parts.skills.plan_of_return(name) else {
                    return true;
                };
                tracing::info!("the skill `{name}`, which was loaded, is back; it is loaded again");
                for skill in plan {
                    if let Some(entry) = usable(&skill)
                        && !loaded.contains_key(&skill)
                    {
                        let tools = LoadedTools::prepare(
                            &self.shared,
                            &entry.skill,
                            &parts.declared,
                            &mut taken,
                        );
                        loaded.insert(skill, Arc::new(tools));
                    }
                }
                false
            });
        }
        if !parts.kept_out.is_empty() {
            let entries = &parts.skills.entries;
            Arc::make_mut(&mut parts.kept_out).retain(|name, _| entries.contains_key(name));
        }
        parts.wished = Arc::new(wished);
        parts.loaded = Arc::new(loaded);
    }

    /// Skills by name. Without a status: everything that is known; rejected and shadowed skills
    /// are listed when asked for.
    pub fn list_skills(&self, status: Option<SkillStatus>) -> Vec<SkillSummary> {
        skill_info::list(&self.snapshot(), status)
    }

    /// Everything about a skill, rejected and shadowed ones included (a shadowed one by its id);
    /// `None` when no skill has the name.
    pub fn get_skill_info(&self, name: &str) -> Option<SkillInfo> {
        skill_info::info(&self.snapshot(), name)
    }

    /// Whether a skill's tools are registered.
    pub fn is_loaded(&self, name: &str) -> bool {
        self.snapshot().parts.loaded.contains_key(name)
    }

    /// How many skills are loaded.
    pub fn loaded_count(&self) -> usize {
        self.snapshot().parts.loaded.len()
    }

    /// How many skills are known, rejected and shadowed ones aside.
    pub fn len(&self) -> usize {
        self.snapshot().parts.skills.entries.len()
    }

    /// Whether no skill is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the host declares at present.
    pub fn declared_capabilities(&self) -> Vec<String> {
        self.snapshot().declared_capabilities().to_vec()
    }

    /// Declares what the host can do from now on.
    pub fn declare_capabilities<S: AsRef<str>>(&self, capabilities: impl IntoIterator<Item = S>) {
        let declared = CapabilitySet::new(capabilities);
        let writer = self.shared.write();
        let mut parts = writer.current().parts.clone();
        if *parts.declared == declared {
            return;
        }
        parts.declared = Arc::new(declared);
        writer.publish(parts, CatalogEventKind::CapabilitiesChanged);
    }
}

/// For whoever asks why a skill is there or is not.
fn trace_scan(report: &ScanReport) {
    for skill in &report.skills {
        tracing::debug!(skill = %skill.metadata.name, path = %skill.path.display(), "skill found");
    }
    for skill in &report.rejected {
        let why = skill
            .diagnostics
            .iter()
            .find(|finding| finding.severity == Severity::Error);
        let why = why.map(ToString::to_string).unwrap_or_default();
        tracing::debug!(skill = %skill.name, path = %skill.path.display(), why, "skill rejected");
    }
    for skill in &report.shadowed {
        tracing::debug!(skill = %skill.skill.metadata.name, by = %skill.by, "skill shadowed");
    }
}
