//! Scans again whenever the file system reports a change.

mod eyes;
mod settings;
mod side_folders;
mod stirred;
mod thread;
mod ways;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use crate::report::{LoadedSkill, ScanReport};
use crate::scan_cache::ScanCache;
use crate::scan_delta::ScanDelta;
use crate::{ParseMode, Root, RootLabel};

use eyes::Eyes;
pub use settings::WatchSettings;
use side_folders::SideFolders;
pub use stirred::StirredPaths;
use thread::Signal;
use ways::Ways;

/// Watches folders with skills, and reads again what has changed.
///
/// A change is told after the file system has been quiet for the debounce time; a save by rename, a
/// folder that is moved in, goes or returns, a link that is pointed elsewhere count like an edit.
/// Changes that change no skill are no change; that a file beside may be another one is told apart
/// ([`WatchNotice::Files`]), because who serves the files has to look at them. Where the system gives no more watches, the folders are looked at every few seconds instead, and
/// [`WatchNotice::Limited`] says so once.
#[derive(Debug)]
pub struct SkillWatcher {
    state: Arc<Mutex<State>>,
    signal: Sender<Signal>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Why watching cannot begin.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The system refuses a thread.
    #[error("cannot start watching: {0}")]
    Thread(#[from] std::io::Error),
}

/// What a watcher tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WatchNotice {
    /// Something is different; told for every reload that changed anything.
    Changed(Arc<ScanDelta>),
    /// In these places files may be others than before, which says nothing of what skills say of
    /// themselves. The watcher does not look at them. Told after the change that came with it.
    Files(Arc<StirredPaths>),
    /// The system watches no more folders; they are looked at every few seconds from now on.
    Limited(String),
}

type Listener = Box<dyn Fn(&WatchNotice) + Send>;

struct State {
    cache: ScanCache,
    eyes: Eyes,
    sides: SideFolders,
    listeners: Vec<Listener>,
    reloads: usize,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("roots", &self.cache.roots())
            .field("reloads", &self.reloads)
            .finish_non_exhaustive()
    }
}

impl SkillWatcher {
    /// A watcher of nothing yet, which reads leniently; 300 ms is a good debounce time.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn new(debounce: Duration) -> Result<Self, WatchError> {
        Self::of_roots(
            Vec::new(),
            ParseMode::Lenient,
            WatchSettings {
                debounce,
                ..WatchSettings::default()
            },
        )
    }

    /// A watcher of these roots; they are scanned before this returns.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn of_roots(
        roots: Vec<Root>,
        mode: ParseMode,
        settings: WatchSettings,
    ) -> Result<Self, WatchError> {
        Self::of_cache(ScanCache::new(roots, mode), settings)
    }

    /// A watcher that goes on with what a cache knows: the same roots, read in the same way. They
    /// are scanned before this returns.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn of_cache(cache: ScanCache, settings: WatchSettings) -> Result<Self, WatchError> {
        let (signal, signals) = channel();
        let state = Arc::new(Mutex::new(State {
            cache,
            eyes: Eyes::new(settings, signal.clone()),
            sides: SideFolders::default(),
            listeners: Vec::new(),
            reloads: 0,
        }));
        lock(&state).reload();
        let thread = thread::start(Arc::downgrade(&state), signals, settings)?;
        Ok(Self {
            state,
            signal,
            thread: Some(thread),
        })
    }

    /// Watches one more folder, which need not exist yet, and reads what is in it.
    pub fn watch(&self, path: impl AsRef<Path>) -> Arc<ScanDelta> {
        let mut state = lock(&self.state);
        let mut roots = state.cache.roots().to_vec();
        let root = Root::new(RootLabel::Explicit, path.as_ref());
        if !roots.contains(&root) {
            roots.push(root);
        }
        state.cache.set_roots(roots);
        state.reload()
    }

    /// Stops watching a folder and forgets its skills; `false` when it was not watched.
    pub fn unwatch(&self, path: impl AsRef<Path>) -> bool {
        let mut state = lock(&self.state);
        let before = state.cache.roots().len();
        let mut roots = state.cache.roots().to_vec();
        roots.retain(|root| root.path != path.as_ref());
        if roots.len() == before {
            return false;
        }
        state.cache.set_roots(roots);
        state.reload();
        true
    }

    /// Watches these roots instead, and reads what is in them.
    pub fn set_roots(&self, roots: Vec<Root>) -> Arc<ScanDelta> {
        let mut state = lock(&self.state);
        state.cache.set_roots(roots);
        state.reload()
    }

    /// The skills as they were read last.
    pub fn skills(&self) -> Vec<Arc<LoadedSkill>> {
        lock(&self.state).cache.report().skills.clone()
    }

    /// Everything that was found last.
    pub fn report(&self) -> Arc<ScanReport> {
        Arc::clone(lock(&self.state).cache.report())
    }

    /// How many there are.
    pub fn skill_count(&self) -> usize {
        lock(&self.state).cache.report().skills.len()
    }

    /// Looks for changes now.
    pub fn reload(&self) -> Arc<ScanDelta> {
        lock(&self.state).reload()
    }

    /// How often a reload found something different.
    pub fn reloads(&self) -> usize {
        lock(&self.state).reloads
    }

    /// The watched roots that are there at present, as they were named. One that is not there is
    /// waited for.
    pub fn watched_paths(&self) -> Vec<PathBuf> {
        let state = lock(&self.state);
        let roots = state.cache.roots().iter();
        roots
            .map(|root| root.path.clone())
            .filter(|path| path.is_dir())
            .collect()
    }

    /// The folders that the system reports changes of, at most as many as the settings allow. None
    /// when they are looked at every few seconds instead.
    pub fn watched_folders(&self) -> Vec<PathBuf> {
        lock(&self.state).eyes.folders()
    }

    /// Calls this for everything that is told from now on, on the thread that found it. It must not
    /// call the watcher.
    pub fn on_notice(&self, listener: impl Fn(&WatchNotice) + Send + 'static) {
        let mut state = lock(&self.state);
        if let Some(limit) = state.eyes.limit() {
            listener(&WatchNotice::Limited(limit.to_owned()));
        }
        state.listeners.push(Box::new(listener));
    }

    /// The same through a channel.
    pub fn notices(&self) -> Receiver<WatchNotice> {
        let (sender, receiver) = channel();
        self.on_notice(move |notice| {
            // Nobody listening any more is no error.
            let _ = sender.send(notice.clone());
        });
        receiver
    }
}

impl Drop for SkillWatcher {
    fn drop(&mut self) {
        let _ = self.signal.send(Signal::Stop);
        let here = std::thread::current().id();
        if let Some(thread) = self
            .thread
            .take()
            .filter(|thread| thread.thread().id() != here)
        {
            let _ = thread.join();
        }
    }
}

impl State {
    /// Scans until every folder that matters is watched: what was written into a new folder before
    /// it was watched is found by the scan that follows.
    fn reload(&mut self) -> Arc<ScanDelta> {
        let stirred = self.eyes.stirred();
        let mut whole = self.cache.rescan();
        self.sides.begin();
        while self.eyes.are_open() {
            let mut folders = self.cache.folders();
            let report = self.cache.report();
            self.sides
                .add_to(&mut folders, report, |skill| stirred.touches(skill));
            let mut ways = Ways::default();
            for root in self.cache.roots() {
                ways.add(&root.path);
            }
            for link in self.cache.links() {
                ways.add(&link);
            }
            if !self.eyes.look_at(ways, folders) {
                break;
            }
            let more = self.cache.rescan();
            whole = whole.followed_by(more);
        }
        let stirred = (!stirred.is_empty()).then(|| Arc::new(stirred));
        whole.stirred.clone_from(&stirred);
        let delta = Arc::new(whole);
        if let Some(limit) = self.eyes.new_limit() {
            self.tell(&WatchNotice::Limited(limit));
        }
        if !delta.is_empty() {
            self.reloads += 1;
            self.tell(&WatchNotice::Changed(Arc::clone(&delta)));
        }
        if let Some(stirred) = stirred {
            self.tell(&WatchNotice::Files(stirred));
        }
        delta
    }

    fn tell(&self, notice: &WatchNotice) {
        for listener in &self.listeners {
            listener(notice);
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
