//! The one state behind every handle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use arc_swap::ArcSwap;
use indexmap::IndexMap;
use metier_capability::CapabilitySet;
use metier_diagnostics::Diagnostic;
use metier_hooks::LifecycleHooks;
use metier_loader::{ParseMode, ScanCache};
use metier_skill_protocol::{Experience, Standing};
use tokio::runtime::Handle;
use tokio::sync::broadcast;

use crate::blocking::Blocked;
use crate::core_tools;
use crate::departed::Departed;
use crate::event::{CatalogEvent, CatalogEventKind};
use crate::keeping::Keeping;
use crate::kept_back::KeptBack;
use crate::long_checks::LongChecks;
use crate::protocol::Conversations;
use crate::settings::CatalogSettings;
use crate::shelf::Readers;
use crate::skill_set::SkillSet;
use crate::snapshot::{CatalogSnapshot, OwnTools, Parts};
use crate::ways::Ways;

/// How many changes a listener may lag behind before it is told that it missed some. Listeners
/// treat that as "everything may have changed", so no more is needed.
const EVENTS_KEPT: usize = 256;

pub(crate) struct Shared {
    pub(crate) settings: CatalogSettings,
    snapshot: ArcSwap<CatalogSnapshot>,
    /// Held while one snapshot is made from the last; never while a hook runs.
    writer: Mutex<()>,
    events: broadcast::Sender<CatalogEvent>,
    hooks: RwLock<LifecycleHooks>,
    own: OwnTools,
    /// How the last discovery was made, so that the next one looks in the same places.
    pub(crate) discovery: Mutex<Discovery>,
    /// What was odd about the places where skills are looked for.
    pub(crate) root_findings: Mutex<Vec<Diagnostic>>,
    /// Where skills were loaded last: policies are asked there when one of them comes back.
    runtime: Mutex<Option<Handle>>,
    /// Skills that came back and of which a policy is being asked.
    pub(crate) returning: Mutex<BTreeSet<String>>,
    /// What is kept out although a scan finds nothing wrong with it.
    pub(crate) blocked: Mutex<Blocked>,
    /// What went because it was not there when somebody asked.
    pub(crate) departed: Departed,
    /// What the catalog's own scan found and what its own file keeps from being served; none where a watcher scans.
    pub(crate) kept_back: KeptBack,
    /// Where the ways led that the catalog's own scan went; none where a watcher scans.
    pub(crate) ways: Ways,
    /// Held while the folders are read because a question found that the catalog was behind.
    pub(crate) taking_over: Mutex<()>,
    /// What an operator decided about skills.
    pub(crate) standing: RwLock<Arc<Standing>>,
    /// What sessions have seen of the skills.
    pub(crate) conversations: Mutex<Conversations>,
    /// What sessions found and used, for what is counted of skills.
    pub(crate) experience: Experience,
    /// Who counts the changes of skills.
    pub(crate) readers: Arc<Readers>,
    pub(crate) long_checks: LongChecks,
    /// Whose word answers about the loaded skills wait for.
    keeping: Mutex<Option<Keeping>>,
}

/// What is kept between discoveries.
#[derive(Default)]
pub(crate) struct Discovery {
    /// The folders that the caller named.
    pub(crate) explicit: Vec<std::path::PathBuf>,
    /// The application in whose place other names were used.
    pub(crate) dcc_name: Option<String>,
    /// What was read, so that only what changed is read again.
    pub(crate) scans: Scans,
}

/// Who scans.
pub(crate) enum Scans {
    /// The catalog, when it is asked to.
    Asked(Box<ScanCache>),
    /// A watcher, whenever something changes.
    #[cfg(feature = "watch")]
    Watched(metier_loader::SkillWatcher),
}

impl Default for Scans {
    fn default() -> Self {
        Self::Asked(Box::new(ScanCache::new(Vec::new(), ParseMode::Lenient)))
    }
}

/// The right to publish the next snapshot.
pub(crate) struct Writer<'a> {
    shared: &'a Shared,
    _guard: MutexGuard<'a, ()>,
}

impl Shared {
    pub(crate) fn new(settings: CatalogSettings) -> Arc<Self> {
        let parts = Parts {
            skills: Arc::new(SkillSet::empty(settings.search.clone())),
            loaded: Arc::new(BTreeMap::new()),
            host: Arc::new(IndexMap::new()),
            active_groups: Arc::new(BTreeSet::new()),
            wished: Arc::default(),
            kept_out: Arc::default(),
            declared: Arc::new(CapabilitySet::new(&settings.declared_capabilities)),
        };
        Arc::new_cyclic(|weak: &Weak<Self>| {
            let own = core_tools::own_tools(weak, settings.skill_tools);
            let snapshot = CatalogSnapshot::assemble(None, parts, &own);
            Self {
                hooks: RwLock::new(settings.hooks.clone()),
                standing: RwLock::new(Arc::new(settings.protocol.standing.clone())),
                conversations: Mutex::default(),
                experience: Experience::default(),
                readers: Arc::default(),
                settings,
                snapshot: ArcSwap::from_pointee(snapshot),
                writer: Mutex::new(()),
                events: broadcast::channel(EVENTS_KEPT).0,
                own,
                discovery: Mutex::default(),
                root_findings: Mutex::default(),
                runtime: Mutex::default(),
                returning: Mutex::default(),
                blocked: Mutex::default(),
                departed: Departed::default(),
                kept_back: KeptBack::default(),
                ways: Ways::default(),
                taking_over: Mutex::default(),
                long_checks: LongChecks::default(),
                keeping: Mutex::default(),
            }
        })
    }

    pub(crate) fn snapshot(&self) -> Arc<CatalogSnapshot> {
        self.snapshot.load_full()
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<CatalogEvent> {
        self.events.subscribe()
    }

    /// The files of skills are others than at the last look: a new generation in which all else is
    /// the same.
    pub(crate) fn files_changed(&self) {
        let writer = self.write();
        let parts = writer.current().parts.clone();
        writer.publish(parts, CatalogEventKind::FilesChanged);
    }

    pub(crate) fn hooks(&self) -> LifecycleHooks {
        self.hooks
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn set_hooks(&self, hooks: LifecycleHooks) {
        *self.hooks.write().unwrap_or_else(PoisonError::into_inner) = hooks;
    }

    /// Remembers the runtime of the caller, if there is one.
    pub(crate) fn remember_runtime(&self) {
        if let Ok(handle) = Handle::try_current() {
            *self.runtime.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle);
        }
    }

    pub(crate) fn set_keeping(&self, keeping: Keeping) {
        *self.keeping.lock().unwrap_or_else(PoisonError::into_inner) = Some(keeping);
    }

    pub(crate) fn keeping(&self) -> Option<Keeping> {
        self.keeping
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn runtime(&self) -> Option<Handle> {
        self.runtime
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn write(&self) -> Writer<'_> {
        Writer {
            shared: self,
            _guard: self.writer.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Writer<'_> {
    pub(crate) fn current(&self) -> Arc<CatalogSnapshot> {
        self.shared.snapshot()
    }

    /// Publishes the next snapshot and tells of it, in this order, so that whoever hears of a
    /// change sees it.
    pub(crate) fn publish(self, parts: Parts, kind: CatalogEventKind) -> Arc<CatalogSnapshot> {
        let before = self.current();
        let next = Arc::new(CatalogSnapshot::assemble(
            Some(&before),
            parts,
            &self.shared.own,
        ));
        let tools_changed = !same_list(&before, &next);
        self.shared.snapshot.store(Arc::clone(&next));
        // Nobody listening is no error.
        let _ = self.shared.events.send(CatalogEvent {
            generation: next.generation(),
            kind,
            tools_changed,
        });
        next
    }
}

/// Unchanged entries are usually the same allocation, so this rarely looks inside.
fn same_list(before: &CatalogSnapshot, after: &CatalogSnapshot) -> bool {
    let (before, after) = (before.tools(), after.tools());
    before.len() == after.len()
        && before
            .iter()
            .zip(after)
            .all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
