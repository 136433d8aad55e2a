//! Experience with skills that outlives the process: counters in the quality database.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use metier_persistence::{Clock, DatabaseError, QualityStore};
use metier_skill_protocol::{QualityCounters, QualityCounts, QualityEvent};

/// So many events wait for a database that cannot be written; older ones are given up.
const WAITING: usize = 16_384;

/// Counters for [`ProtocolSettings::quality`](metier_catalog::ProtocolSettings::quality), kept in a [`QualityStore`]
/// that other servers write as well. Nothing waits for the disk: a thread of its own writes, and reads what others
/// wrote meanwhile. Dropping it writes what is left.
pub struct StoredQuality {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    counts: BTreeMap<String, QualityCounts>,
    waiting: VecDeque<(String, QualityEvent)>,
    is_closing: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoredQuality {
    /// Reads the counters of a database, where there is one, and counts into it from now on. It is made with the first
    /// count.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn begin(file: impl Into<PathBuf>, clock: Clock) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (file, kept): (PathBuf, _) = (file.into(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("metier-experience".to_owned());
        let writer = thread.spawn(move || write_behind(&kept, &file, &clock))?;
        Ok(Self {
            shared,
            writer: Some(writer),
        })
    }
}

impl QualityCounters for StoredQuality {
    fn counts(&self, id: &str) -> QualityCounts {
        let state = self.shared.lock();
        state.counts.get(id).copied().unwrap_or_default()
    }

    fn record(&self, events: &[(&str, QualityEvent)]) {
        let mut state = self.shared.lock();
        for (id, event) in events {
            let id = (*id).to_owned();
            state.counts.entry(id.clone()).or_default().add(*event);
            state.waiting.push_back((id, *event));
        }
        while state.waiting.len() > WAITING {
            state.waiting.pop_front();
        }
        drop(state);
        self.shared.news.notify_all();
    }
}

impl Drop for StoredQuality {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.news.notify_all();
        if let Some(writer) = self.writer.take() {
            // It panics for nobody; and if it did, there would be nothing left to write.
            let _ = writer.join();
        }
    }
}

impl std::fmt::Debug for StoredQuality {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredQuality").finish_non_exhaustive()
    }
}

fn write_behind(shared: &Shared, file: &Path, clock: &Clock) {
    let mut store = None;
    let mut is_told = false;
    if file.is_file() {
        store = QualityStore::open(file, Arc::clone(clock)).ok();
        if let Some(store) = &store {
            read_again(shared, store);
        }
    }
    loop {
        let mut state = shared.lock();
        while state.waiting.is_empty() && !state.is_closing {
            state = shared
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.waiting.is_empty() {
            return;
        }
        let events: Vec<(String, QualityEvent)> = state.waiting.drain(..).collect();
        drop(state);
        if let Err(error) = written(&mut store, file, clock, &events) {
            if !is_told {
                is_told = true;
                tracing::warn!(%error, "how skills do is not kept");
            }
            continue;
        }
        if let Some(store) = &store {
            read_again(shared, store);
        }
    }
}

fn written(
    store: &mut Option<QualityStore>,
    file: &Path,
    clock: &Clock,
    events: &[(String, QualityEvent)],
) -> Result<(), DatabaseError> {
    let open = match store.take() {
        Some(open) => open,
        None => QualityStore::open(file, Arc::clone(clock))?,
    };
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (id, event) in events {
        *counts.entry((id, event.counter())).or_default() += 1;
    }
    let counts: Vec<(&str, &str, u64)> = counts
        .into_iter()
        .map(|((id, counter), count)| (id, counter, count))
        .collect();
    store.insert(open).add(&counts)
}

/// Takes over what is in the database, with what waits on top of it.
fn read_again(shared: &Shared, store: &QualityStore) {
    let Ok(all) = store.all() else {
        return;
    };
    let mut counts: BTreeMap<String, QualityCounts> = all
        .into_iter()
        .map(|(skill, counters)| {
            let counters = counters.iter().map(|(name, value)| (name.as_str(), *value));
            (skill, QualityCounts::from_counters(counters))
        })
        .collect();
    let mut state = shared.lock();
    for (id, event) in &state.waiting {
        counts.entry(id.clone()).or_default().add(*event);
    }
    state.counts = counts;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        Arc::new(|| 0)
    }

    #[test]
    fn two_servers_lose_nothing_and_read_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quality.sqlite3");
        let begin = || StoredQuality::begin(&file, clock()).unwrap();
        let (one, two) = (begin(), begin());
        assert_eq!(one.counts("a"), QualityCounts::default());
        assert!(!file.exists(), "nothing is kept before the first count");
        std::thread::scope(|scope| {
            for server in [&one, &two] {
                scope.spawn(move || {
                    for _ in 0..50 {
                        server.record(&[("a", QualityEvent::Listed), ("b", QualityEvent::Invoked)]);
                    }
                });
            }
        });
        drop((one, two));
        let again = begin();
        again.record(&[("a", QualityEvent::Listed)]);
        drop(again);
        let all = QualityStore::open(&file, clock()).unwrap().all().unwrap();
        assert_eq!((all["a"]["listed"], all["b"]["invoked"]), (101, 100));
    }
}
