//! Experience with skills that outlives the process: counters in the quality database.

use std::path::PathBuf;

use metier_persistence::{Clock, QualityLedger};
use metier_skill_protocol::{QualityCounters, QualityCounts, QualityEvent};

/// Counters for [`ProtocolSettings::quality`](metier_catalog::ProtocolSettings::quality), kept in a [`QualityLedger`]:
/// nothing waits for the disk, and what other servers write counts as well. Dropping it writes what is left.
#[derive(Debug)]
pub struct StoredQuality(QualityLedger);

impl StoredQuality {
    /// Reads the counters of a database, where there is one, and counts into it from now on. It is made with the first
    /// count.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn begin(file: impl Into<PathBuf>, clock: Clock) -> std::io::Result<Self> {
        QualityLedger::begin(file, clock).map(Self)
    }
}

impl QualityCounters for StoredQuality {
    fn counts(&self, id: &str) -> QualityCounts {
        self.0.counters(id, |counters| {
            let counters = counters.iter().map(|(name, value)| (name.as_str(), *value));
            QualityCounts::from_counters(counters)
        })
    }

    fn record(&self, events: &[(&str, QualityEvent)]) {
        let events = events.iter();
        self.0.add(events.map(|(id, event)| (*id, event.counter())));
    }

    fn flush(&self) {
        self.0.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use metier_persistence::QualityStore;

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
