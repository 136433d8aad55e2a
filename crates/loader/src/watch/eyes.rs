//! The folders that the system reports changes of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{EventKind, ModifyKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::settings::WatchSettings;
use super::stirred::StirredPaths;
use super::thread::Signal;
use super::ways::Ways;
use crate::stamp::Stamp;

/// Watches folders one by one, not trees: what lies deeper than a scan looks costs nothing.
pub(super) struct Eyes {
    settings: WatchSettings,
    system: Option<RecommendedWatcher>,
    /// Each with the identity it had when it was watched: a folder that was made anew under the
    /// same path has to be watched anew.
    watched: BTreeMap<PathBuf, (u64, u64)>,
    noted: Arc<Mutex<Noted>>,
    limit: Option<String>,
    limit_is_told: bool,
}

/// What the system has reported and nobody has looked at.
#[derive(Debug, Default)]
struct Noted {
    lost: Lost,
    stirred: StirredPaths,
    /// What is watched for a few names alone.
    ways: Ways,
}

/// What the system may have stopped to watch by itself since the folders were looked at.
///
/// A folder that is made anew at once can get the number of the one that was removed, so that its
/// identity does not tell that the watch is gone.
#[derive(Debug, Default)]
struct Lost {
    /// Paths that were removed or renamed.
    paths: BTreeSet<PathBuf>,
    /// Events are missing, so that it may be any.
    all: bool,
}

impl Noted {
    /// Whether it happened beside the ways to what is watched.
    fn is_beside(&self, event: &notify::Result<notify::Event>) -> bool {
        event.as_ref().is_ok_and(|event| {
            !event.need_rescan()
                && !event.paths.is_empty()
                && event.paths.iter().all(|path| self.ways.is_beside(path))
        })
    }
}

impl Lost {
    fn note(&mut self, event: &notify::Result<notify::Event>) {
        match event {
            Ok(event) if event.need_rescan() => self.all = true,
            Ok(event) => {
                if let EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) = event.kind {
                    self.paths.extend(event.paths.iter().cloned());
                }
            }
            Err(_) => self.all = true,
        }
    }

    fn has(&self, folder: &Path) -> bool {
        self.all
            || !self.paths.is_empty() && folder.ancestors().any(|path| self.paths.contains(path))
    }
}

impl Eyes {
    pub(super) fn new(settings: WatchSettings, signal: Sender<Signal>) -> Self {
        let noted = Arc::new(Mutex::new(Noted::default()));
        let notes = Arc::clone(&noted);
        let system = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let mut notes = locked(&notes);
            if notes.is_beside(&event) {
                return;
            }
            notes.lost.note(&event);
            let matters = notes.stirred.note(&event);
            drop(notes);
            if matters {
                let _ = signal.send(Signal::Changed);
            }
        });
        let mut eyes = Self {
            settings,
            system: None,
            watched: BTreeMap::new(),
            noted,
            limit: None,
            limit_is_told: false,
        };
        match system {
            Ok(system) => eyes.system = Some(system),
            Err(error) => eyes.give_up(&error.to_string()),
        }
        eyes
    }

    /// Watches exactly the folders that matter, and the ways to roots and links; true when one is watched
    /// that was not before.
    pub(super) fn look_at(&mut self, ways: Ways, folders: BTreeSet<PathBuf>) -> bool {
        if self.system.is_none() {
            return false;
        }
        // Taken before the folders are looked at: what is lost later is told by a later event.
        let ways = ways.without(&folders);
        let wanted: Vec<PathBuf> = folders.into_iter().chain(ways.folders().cloned()).collect();
        let lost = {
            let mut noted = locked(&self.noted);
            noted.ways = ways;
            std::mem::take(&mut noted.lost)
        };
        let wanted: BTreeMap<PathBuf, (u64, u64)> = wanted
            .into_iter()
            .filter_map(|folder| {
                let stamp = Stamp::of(&folder)?;
                Some((folder, stamp.identity()))
            })
            .collect();
        if wanted.len() > self.settings.budget {
            self.give_up(&format!(
                "{} folders would have to be watched, more than {}",
                wanted.len(),
                self.settings.budget
            ));
            return false;
        }
        let Some(system) = &mut self.system else {
            return false;
        };
        self.watched.retain(|folder, identity| {
            let stays = wanted.get(folder) == Some(identity) && !lost.has(folder);
            if !stays {
                // A folder that is gone is no longer watched by itself, and that is no error.
                let _ = system.unwatch(folder);
            }
            stays
        });
        let mut is_new = false;
        let mut fault = None;
        for (folder, identity) in wanted {
            if self.watched.contains_key(&folder) {
                continue;
            }
            match system.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder, identity);
                    is_new = true;
                }
                // Gone or forbidden meanwhile: the next change of its parent leads here again.
                Err(error) if is_about_one(&error) => {}
                Err(error) => {
                    fault = Some(error.to_string());
                    break;
                }
            }
        }
        match fault {
            Some(fault) => {
                self.give_up(&fault);
                false
            }
            None => is_new,
        }
    }

    /// Where something may have changed since this was asked last: anywhere, where the system does not
    /// watch. What changes while this is being looked at is told the next time.
    pub(super) fn stirred(&self) -> StirredPaths {
        let stirred = std::mem::take(&mut locked(&self.noted).stirred);
        if self.system.is_some() {
            stirred
        } else {
            StirredPaths::everywhere()
        }
    }

    /// Whether the system watches at all.
    pub(super) const fn are_open(&self) -> bool {
        self.system.is_some()
    }

    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.watched.keys().cloned().collect()
    }

    /// Why the system does not watch.
    pub(super) fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }

    /// The same, once.
    pub(super) fn new_limit(&mut self) -> Option<String> {
        if self.limit_is_told {
            return None;
        }
        let limit = self.limit.clone()?;
        self.limit_is_told = true;
        Some(limit)
    }

    /// All watches are handed back, so that nothing else in the process runs short of them.
    fn give_up(&mut self, reason: &str) {
        self.system = None;
        self.watched.clear();
        self.limit = Some(format!(
            "watching is limited: {reason}; changes are looked for every {} seconds instead",
            self.settings.poll.as_secs_f32()
        ));
    }
}

fn locked(noted: &Mutex<Noted>) -> std::sync::MutexGuard<'_, Noted> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_about_one(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound
                | std::io::ErrorKind::PermissionDenied
                | std::io::ErrorKind::NotADirectory
        ),
        _ => false,
    }
}
