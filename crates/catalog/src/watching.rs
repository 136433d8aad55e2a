//! Following the folders as they change.

use std::sync::{Arc, PoisonError};

use metier_loader::{ScanCache, ScanReport, SkillWatcher, WatchError, WatchNotice, WatchSettings};

use crate::catalog::SkillCatalog;
use crate::state::Scans;

impl SkillCatalog {
    /// Follows the places of the last [`SkillCatalog::discover`] from now on: what changes there is
    /// published without being asked for.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn watch(&self, settings: WatchSettings) -> Result<(), WatchError> {
        let mut discovery = self
            .shared
            .discovery
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Scans::Asked(cache) = &mut discovery.scans else {
            return Ok(());
        };
        let mode = cache.mode();
        let cache = std::mem::replace(&mut **cache, ScanCache::new(Vec::new(), mode));
        let watcher = SkillWatcher::of_cache(cache, settings)?;
        drop(discovery);
        self.attach(watcher);
        Ok(())
    }

    /// Publishes what this watcher finds, now and from now on, instead of what was discovered. A
    /// later [`SkillCatalog::discover`] tells the watcher where to look.
    ///
    /// A loaded skill is swapped in one generation, and calls that run finish on the version they
    /// began with. A loaded skill whose folder goes loses its tools, and is loaded again when the
    /// folder comes back and no policy objects.
    pub fn attach(&self, watcher: SkillWatcher) {
        let weak = Arc::downgrade(&self.shared);
        watcher.on_notice(move |notice| {
            let Some(shared) = weak.upgrade() else {
                return;
            };
            match notice {
                WatchNotice::Changed(delta) => {
                    let catalog = Self::of(shared);
                    // One burst is one generation: the files of skills that stay are looked at before it.
                    let report = Some(&*delta.report);
                    let has_files = delta.stirred.as_ref().is_some_and(|stirred| {
                        catalog.look_where(|folder| stirred.touches(folder), report)
                    });
                    if !catalog.adopt(&delta.report) && has_files {
                        catalog.shared.files_changed();
                    }
                    catalog.welcome_back();
                }
                // What a SKILL.md says by now is read by whoever saw the folders change.
                WatchNotice::Files(stirred) => {
                    let catalog = Self::of(Arc::clone(&shared));
                    let has_files = catalog.look_where(|folder| stirred.touches(folder), None);
                    has_files.then(|| shared.files_changed());
                }
                WatchNotice::Limited(message) => tracing::warn!("{message}"),
                _ => {}
            }
        });
        self.adopt(&watcher.report());
        self.welcome_back();
        let mut discovery = self
            .shared
            .discovery
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut discovery.scans, Scans::Watched(watcher));
        // It follows links itself.
        self.shared.ways.set(Vec::new(), &ScanReport::default());
        self.shared.kept_back.set(&ScanReport::default());
        drop(discovery);
        // A watcher that is replaced waits for its thread; nothing may be locked meanwhile.
        drop(before);
    }
}
