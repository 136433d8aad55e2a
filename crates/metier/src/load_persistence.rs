//! The loaded skills come back after a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metier_catalog::{
    CatalogEvent, CatalogEventKind, LoadError, LoadRequest, LoadedSetKeeper, LoadedSkillState,
    SkillCatalog,
};
use metier_persistence::{
    CurrentSkill, DriftError, LoadedState, LoadedStateStore, ReplayPolicy, ReplayReport, SaveError,
    SavedSkill, StateChange, plan_replay,
};
use metier_skill_model::SkillStatus;
use tokio::sync::{broadcast, oneshot, watch};
use tokio::task::JoinHandle;

use crate::state_disk::{AGAIN, blocking, mirror};

/// How long the answer to a client waits for the disk. A set of loaded skills is a page of text, so
/// that only a disk in trouble takes longer.
const ANSWERS_WAIT: Duration = Duration::from_millis(250);

/// How long another process may hold the lock of the file once the end has come: service managers do not wait long.
const AT_THE_END: Duration = Duration::from_millis(500);

/// Loads what was loaded when the state was last saved, and saves what is loaded, unloaded, activated
/// and deactivated from now on.
///
/// The skills are loaded as a client would load them, hooks and their veto included; what is not
/// loaded is in the report with its reason. Records of skills that are not there stay: such a skill
/// is loaded when it comes, if the policy lets it in then. Saving happens behind the catalog's back,
/// and the answer to a client's `load_skill` or `unload_skill` waits for it: what was answered comes
/// back. When saving fails or takes longer than a quarter of a second, the answer goes and says so;
/// the log says it once, it is tried again, and nothing else fails.
///
/// Call it after the discovery, inside a tokio runtime. Keep the answer: saving ends with it.
///
/// # Errors
/// Under [`ReplayPolicy::RequireExactVersion`], every version that does not fit. Nothing has been
/// loaded then, and nothing is saved.
pub async fn enable_skill_load_persistence(
    catalog: &SkillCatalog,
    store: LoadedStateStore,
    policy: ReplayPolicy,
) -> Result<(LoadPersistence, ReplayReport), DriftError> {
    let events = catalog.subscribe();
    let is_closing = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_closing);
    let usual = Arc::clone(store.patience());
    let store = store.with_patience(Arc::new(move || {
        let usual = usual();
        if ends.load(Ordering::Acquire) {
            usual.min(AT_THE_END)
        } else {
            usual
        }
    }));
    let reader = store.clone();
    let reading = blocking(move || {
        let removed = reader.clean();
        if removed > 0 {
            tracing::info!(removed, "files of saves that never ended are removed");
        }
        reader.load()
    })
    .await
    .unwrap_or_default();
    let mut keeper = Keeper {
        catalog: catalog.clone(),
        store,
        policy,
        saved: BTreeMap::new(),
        waiting: BTreeSet::new(),
        order: Vec::new(),
        is_told: false,
        kept: catalog.keeper(ANSWERS_WAIT),
        shown: watch::Sender::new(()),
    };
    let mut report = keeper.restore(&reading.state).await?;
    report.warnings.splice(0..0, reading.warnings);
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(keeper.follow(events, stopped));
    Ok((
        LoadPersistence {
            is_closing,
            stop: Some(stop),
            task: Some(task),
        },
        report,
    ))
}

/// Saves the loaded set until it is closed or dropped.
#[derive(Debug)]
#[must_use = "saving ends when it is dropped"]
pub struct LoadPersistence {
    is_closing: Arc<AtomicBool>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl LoadPersistence {
    /// Saves what is not saved yet, and ends. Without it, what was loaded in the last moments may
    /// be missing after the restart. Another process that holds the lock is waited for half a second twice at most.
    pub async fn close(mut self) {
        self.is_closing.store(true, Ordering::Release);
        drop(self.stop.take());
        if let Some(task) = self.task.take() {
            // It panics for nobody; and if it did, there would be nothing left to save.
            let _ = task.await;
        }
    }
}

/// What is kept of one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    version: Option<String>,
    path: Option<String>,
    groups: BTreeSet<String>,
}

impl Kept {
    /// The record of it, with its active groups.
    fn record(&self, name: &str) -> (SavedSkill, BTreeSet<String>) {
        let mut skill = SavedSkill::new(name);
        skill.version.clone_from(&self.version);
        skill.skill_path.clone_from(&self.path);
        (skill, self.groups.clone())
    }
}

impl From<LoadedSkillState> for Kept {
    fn from(skill: LoadedSkillState) -> Self {
        Self {
            version: Some(skill.version),
            path: Some(skill.path.to_string_lossy().into_owned()),
            groups: skill.active_groups,
        }
    }
}

struct Keeper {
    catalog: SkillCatalog,
    store: LoadedStateStore,
    policy: ReplayPolicy,
    /// What the file says of this server's skills.
    saved: BTreeMap<String, Kept>,
    /// Skills with a record that could not be loaded yet.
    waiting: BTreeSet<String>,
    /// Skills in the order in which they were loaded, as far as it was heard.
    order: Vec<String>,
    /// Whether somebody was told that saving fails.
    is_told: bool,
    /// Says how far the file has come to whoever waits for it.
    kept: LoadedSetKeeper,
    /// Says to the mirror that there is something to show.
    shown: watch::Sender<()>,
}

impl Keeper {
    async fn follow(
        mut self,
        mut events: broadcast::Receiver<CatalogEvent>,
        mut stopped: oneshot::Receiver<()>,
    ) {
        let mirror = tokio::spawn(mirror(self.store.clone(), self.shown.subscribe()));
        loop {
            let has_heard = self.save(&mut events).await;
            if !matches!(stopped.try_recv(), Err(oneshot::error::TryRecvError::Empty)) {
                break;
            }
            if has_heard {
                // What was told meanwhile may not be in what was saved.
                continue;
            }
            if self.load_late_ones().await {
                continue;
            }
            let event = tokio::select! {
                event = events.recv() => event,
                () = tokio::time::sleep(AGAIN), if self.is_told => continue,
                _ = &mut stopped => break,
            };
            match event {
                Ok(event) => self.hear(&event.kind),
                // What was missed is seen in the snapshot.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break,
            }
        }
        // Once more at least, and not again where that fails: the first who waits for the end is a service manager.
        while self.save(&mut events).await && !self.is_told {}
        drop(self);
        // It panics for nobody, and nobody reads from a mirror what is to be kept.
        let _ = mirror.await;
    }

    /// Hears what has been told meanwhile; whether that was anything.
    fn catch_up(&mut self, events: &mut broadcast::Receiver<CatalogEvent>) -> bool {
        let mut has_heard = false;
        loop {
            match events.try_recv() {
                Ok(event) => self.hear(&event.kind),
                Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => return has_heard,
            }
            has_heard = true;
        }
    }

    fn hear(&mut self, kind: &CatalogEventKind) {
        if let CatalogEventKind::SkillLoaded { names } = kind {
            self.order.retain(|name| !names.contains(name));
            self.order.extend(names.iter().cloned());
        }
    }

    /// Loads what a state names, as far as it can be loaded and the policy lets it in.
    async fn restore(&mut self, state: &LoadedState) -> Result<ReplayReport, DriftError> {
        let current = self.catalog.list_skills(None).into_iter();
        let current = current.map(|skill| {
            let info = self.catalog.get_skill_info(&skill.name);
            let metadata = info.and_then(|info| info.metadata);
            let depends = metadata.iter().flat_map(|metadata| &metadata.depends);
            let found = CurrentSkill::new(skill.version).depends(depends);
            (skill.name, found)
        });
        let current = current.collect();
        let plan = plan_replay(state, &current, self.policy)?;
        let mut report = ReplayReport::default();
        report.drifted = plan.drifted;
        report.held_up = plan.held_up;
        // A skill that is not in the list may have been found and rejected, and loading it says why.
        let absent = plan
            .absent
            .into_iter()
            .map(|skill| (skill, BTreeSet::new()));
        let wanted = plan.load.into_iter().map(|load| (load.skill, load.groups));
        let wanted: Vec<(String, BTreeSet<String>)> = wanted.chain(absent).collect();
        let requests = wanted.iter().map(|(skill, groups)| {
            let mut request = LoadRequest::new(skill.as_str());
            request.activate_groups = false;
            request.groups = Some(groups.clone());
            request
        });
        let answers = self.catalog.load_all(requests.collect()).await;
        let records: BTreeMap<&str, &SavedSkill> = state
            .skills
            .iter()
            .map(|record| (record.name.as_str(), record))
            .collect();
        for ((skill, groups), answer) in wanted.into_iter().zip(answers) {
            self.waiting.remove(&skill);
            match answer {
                Ok(_) => {
                    if let Some(record) = records.get(skill.as_str()) {
                        let kept = Kept {
                            version: record.version.clone(),
                            path: record.skill_path.clone(),
                            groups,
                        };
                        self.saved.insert(skill.clone(), kept);
                    }
                    self.order.push(skill.clone());
                    report.restored.push(skill);
                }
                Err(LoadError::Unknown { .. }) => {
                    self.waiting.insert(skill.clone());
                    report.absent.push(skill);
                }
                Err(error) => {
                    // A policy has spoken; the next start asks it again.
                    if !matches!(error, LoadError::Denied { .. }) {
                        self.waiting.insert(skill.clone());
                    }
                    report.failed.push((skill, error.to_string()));
                }
            }
        }
        Ok(report)
    }

    /// Loads skills that were not there at the start and that have come meanwhile; whether any.
    async fn load_late_ones(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let skills = self.catalog.list_skills(None).into_iter();
        let loadable = |status| matches!(status, SkillStatus::Unloaded | SkillStatus::Loaded);
        let here: BTreeSet<String> = skills
            .filter(|skill| loadable(skill.status) && self.waiting.contains(&skill.name))
            .map(|skill| skill.name)
            .collect();
        if here.is_empty() {
            return false;
        }
        self.waiting.retain(|name| !here.contains(name));
        // Somebody may have given a record up meanwhile.
        let store = self.store.clone();
        let Some(mut reading) = blocking(move || store.load()).await else {
            return false;
        };
        reading
            .state
            .skills
            .retain(|skill| here.contains(&skill.name) && !self.catalog.is_loaded(&skill.name));
        match self.restore(&reading.state).await {
            Ok(report) => {
                for skill in &report.restored {
                    tracing::info!(%skill, "a skill that was loaded in an earlier run has come; it is loaded again");
                }
                for note in report.notes() {
                    tracing::warn!("{note}");
                }
                !report.restored.is_empty()
            }
            Err(error) => {
                tracing::warn!("{error}");
                false
            }
        }
    }

    /// Saves the difference between what is loaded and what the file says of this server's skills.
    /// Whether something was told meanwhile.
    async fn save(&mut self, events: &mut broadcast::Receiver<CatalogEvent>) -> bool {
        let snapshot = self.catalog.snapshot();
        // The order of loading decides who has a wire name that two skills want, so it is kept.
        let has_heard = self.catch_up(events);
        let loaded = snapshot.loaded_skills().into_iter();
        let loaded: BTreeMap<String, Kept> = loaded
            .map(|skill| (skill.name.clone(), skill.into()))
            .collect();
        let is_unloaded = |name: &&String| !loaded.contains_key(*name) && !snapshot.is_missed(name);
        let unloaded: Vec<String> = self.saved.keys().filter(is_unloaded).cloned().collect();
        let places: BTreeMap<&String, usize> = self.order.iter().zip(0..).collect();
        let mut in_order: Vec<(&String, &Kept)> = loaded.iter().collect();
        in_order.sort_by_key(|(name, _)| places.get(name).copied().unwrap_or(usize::MAX));
        let mut change = StateChange::default();
        for name in &unloaded {
            change = change.with_unloaded(name);
        }
        for (name, kept) in &in_order {
            if self.saved.get(*name) != Some(kept) {
                let (skill, groups) = kept.record(name);
                change = change.with_loaded(skill, groups);
            }
        }
        if change.is_empty() {
            self.kept.kept(snapshot.generation());
            return has_heard;
        }
        let whole = in_order.iter().map(|(name, kept)| kept.record(name));
        let change = change.within(whole.collect());
        let store = self.store.clone();
        let Some(done) = blocking(move || store.save_unmirrored(&change)).await else {
            return has_heard;
        };
        match done {
            Ok(done) => {
                self.kept.kept(snapshot.generation());
                self.shown.send_replace(());
                if let Some(kept) = done.kept_aside {
                    tracing::warn!(file = %kept.display(), "a file of loaded skills that this version cannot read as a whole was kept beside it");
                }
                self.saved.retain(|name, _| !unloaded.contains(name));
                self.saved.extend(loaded);
                self.is_told = false;
            }
            Err(error) => {
                self.kept.failed(snapshot.generation());
                self.tell(&error);
            }
        }
        has_heard
    }

    /// Once, until it works again: a full disk is full for every load.
    fn tell(&mut self, error: &SaveError) {
        if self.is_told {
            tracing::debug!(%error, "the loaded skills are still not saved");
        } else {
            tracing::warn!(
                "the loaded skills are not saved, and may not come back after a restart: {error}"
            );
        }
        self.is_told = true;
    }
}
