//! Counts on their way to the database: known at once, written behind.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::clock::Clock;
use crate::database::DatabaseError;
use crate::quality_store::{Counters, QualityStore};

/// How many counters wait for a database that cannot be written.
const WAITING: usize = 4_096;

/// How often counts that somebody waits for are tried to be written.
const TRIES: usize = 2;

/// How long another process may hold the database for one try. Somebody may wait for it, and what is not written waits
/// as well.
const PATIENCE: Duration = Duration::from_millis(500);

/// Counters of skills in a [`QualityStore`] that other servers write as well. Nobody waits for the disk: a thread of
/// its own writes, and reads what others wrote meanwhile.
///
/// The database is made with the first count. When it cannot be written the log says so once; what was counted
/// meanwhile is written when it can be, with the next count or at the end. Dropping writes what is left.
pub struct QualityLedger {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl QualityLedger {
    /// Reads the counters of a database, where there is one, and counts into it from now on.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn begin(file: impl Into<PathBuf>, clock: Clock) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (file, kept): (PathBuf, _) = (file.into(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("metier-quality".to_owned());
        let writer = thread.spawn(move || {
            let mut writer = Writer {
                shared: &kept,
                file: &file,
                clock: &clock,
                store: None,
                is_told: false,
            };
            writer.run();
        })?;
        Ok(Self {
            shared,
            writer: Some(writer),
        })
    }

    /// Counts one more of each: skill and counter.
    pub fn add<'s>(&self, counts: impl IntoIterator<Item = (&'s str, &'static str)>) {
        let mut state = self.shared.lock();
        for (skill, counter) in counts {
            state.count(skill, counter, 1);
            state.put((skill.to_owned(), counter), 1);
            state.is_fresh = true;
        }
        if state.is_fresh {
            self.shared.news.notify_all();
        }
    }

    /// Waits until what was counted so far is written, or cannot be.
    pub fn flush(&self) {
        let mut state = self.shared.lock();
        state.asked += 1;
        let asked = state.asked;
        self.shared.news.notify_all();
        while state.answered < asked && !state.is_ended {
            state = self
                .shared
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The counters of a skill: what is in the database, and what is on its way there. `read` must not block.
    pub fn counters<T>(&self, skill: &str, read: impl FnOnce(&Counters) -> T) -> T {
        let state = self.shared.lock();
        match state.known.get(skill) {
            Some(known) => read(known),
            None => read(&Counters::new()),
        }
    }
}

impl Drop for QualityLedger {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.news.notify_all();
        if let Some(writer) = self.writer.take() {
            // It panics for nobody; and if it did, there would be nothing left to write.
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for QualityLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QualityLedger").finish_non_exhaustive()
    }
}

type Counts = BTreeMap<(String, &'static str), u64>;

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    known: BTreeMap<String, Counters>,
    waiting: Counts,
    /// Whether something was counted since the writer looked last.
    is_fresh: bool,
    is_closing: bool,
    /// Whether the writer has gone.
    is_ended: bool,
    /// How often somebody waits for the disk, and for how many of them it is done.
    asked: u64,
    answered: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written, once there is something or somebody waits for it.
    fn wait(&self) -> Work {
        let mut state = self.lock();
        while !state.is_fresh && !state.is_closing && state.asked == state.answered {
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.is_fresh = false;
        Work {
            counts: std::mem::take(&mut state.waiting),
            is_awaited: state.is_closing || state.asked != state.answered,
            is_last: state.is_closing,
            asked: state.asked,
        }
    }

    fn answer(&self, asked: u64) {
        self.lock().answered = asked;
        self.news.notify_all();
    }
}

impl State {
    fn count(&mut self, skill: &str, counter: &str, more: u64) {
        if !self.known.contains_key(skill) {
            self.known.insert(skill.to_owned(), Counters::new());
        }
        if let Some(counters) = self.known.get_mut(skill) {
            let count = counters.entry(counter.to_owned()).or_default();
            *count = count.saturating_add(more);
        }
    }

    fn put(&mut self, key: (String, &'static str), more: u64) {
        if self.waiting.len() < WAITING || self.waiting.contains_key(&key) {
            let count = self.waiting.entry(key).or_default();
            *count = count.saturating_add(more);
        }
    }
}

struct Work {
    counts: Counts,
    is_awaited: bool,
    is_last: bool,
    asked: u64,
}

/// Says that nobody writes any more, whatever the reason.
struct Ends<'w>(&'w Shared);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.lock().is_ended = true;
        self.0.news.notify_all();
    }
}

struct Writer<'w> {
    shared: &'w Shared,
    file: &'w Path,
    clock: &'w Clock,
    store: Option<QualityStore>,
    is_told: bool,
}

impl Writer<'_> {
    fn run(&mut self) {
        let _ends = Ends(self.shared);
        if self.file.is_file() {
            // One that cannot be opened is told of with the first count.
            self.store = self.open().ok();
            self.read_again();
        }
        loop {
            let work = self.shared.wait();
            if !work.counts.is_empty() {
                let tries = if work.is_awaited { TRIES } else { 1 };
                self.keep(work.counts, tries);
            }
            self.shared.answer(work.asked);
            if work.is_last {
                return;
            }
        }
    }

    fn keep(&mut self, counts: Counts, tries: usize) {
        let mut fault = None;
        for _ in 0..tries {
            fault = self.write(&counts).err();
            if fault.is_none() {
                self.is_told = false;
                self.read_again();
                return;
            }
            self.store = None;
        }
        if let Some(error) = fault
            && !self.is_told
        {
            tracing::warn!("how skills do is counted and not kept: {error}");
            self.is_told = true;
        }
        let mut state = self.shared.lock();
        for (key, more) in counts {
            state.put(key, more);
        }
    }

    fn open(&self) -> Result<QualityStore, DatabaseError> {
        QualityStore::open_within(self.file, Arc::clone(self.clock), PATIENCE)
    }

    fn write(&mut self, counts: &Counts) -> Result<(), DatabaseError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => self.open()?,
        };
        let counts: Vec<(&str, &str, u64)> = counts
            .iter()
            .map(|((skill, counter), more)| (skill.as_str(), *counter, *more))
            .collect();
        self.store.insert(store).add(&counts)
    }

    /// Takes over what is in the database, with what waits on top of it.
    fn read_again(&self) {
        let Some(Ok(all)) = self.store.as_ref().map(QualityStore::all) else {
            return;
        };
        let mut state = self.shared.lock();
        state.known = all;
        let waiting = std::mem::take(&mut state.waiting);
        for ((skill, counter), more) in &waiting {
            state.count(skill, counter, *more);
        }
        state.waiting = waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(file: &Path) -> QualityLedger {
        QualityLedger::begin(file, Arc::new(|| 0)).unwrap()
    }

    fn of(ledger: &QualityLedger, skill: &str, counter: &str) -> u64 {
        ledger.counters(skill, |it| it.get(counter).copied().unwrap_or_default())
    }

    #[test]
    fn what_could_not_be_written_is_written_later_and_known_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quality.sqlite3");
        // Nobody can write where a folder is.
        std::fs::create_dir(&file).unwrap();
        let ledger = begin(&file);
        for _ in 0..20 {
            ledger.add([("a", "listed"), ("b", "invoked")]);
        }
        assert_eq!((of(&ledger, "a", "listed"), of(&ledger, "c", "x")), (20, 0));
        ledger.flush();
        assert_eq!(of(&ledger, "a", "listed"), 20);
        std::fs::remove_dir(&file).unwrap();
        ledger.add([("a", "listed")]);
        ledger.flush();
        let again = begin(&file);
        again.add([("b", "invoked")]);
        drop((again, ledger));
        let all = QualityStore::open(&file, Arc::new(|| 0)).unwrap().all();
        let all = all.unwrap();
        assert_eq!((all["a"]["listed"], all["b"]["invoked"]), (21, 21));
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut state = State::default();
        for number in 0..10_000 {
            state.put((format!("k{number}"), "listed"), 1);
        }
        state.put(("k0".to_owned(), "listed"), 1);
        assert_eq!(state.waiting.len(), WAITING);
        assert_eq!(state.waiting[&("k0".to_owned(), "listed")], 2);
    }
}
