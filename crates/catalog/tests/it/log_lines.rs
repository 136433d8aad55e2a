//! What the log says of files that are not served.

use std::sync::{Arc, Mutex, OnceLock};
use std::thread::ThreadId;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Every line of the log as its thread, its level and its message. There is one for all tests: what a place in the code
/// is worth to one thread's log is remembered for all threads.
#[derive(Clone, Default)]
pub(crate) struct Captured(Arc<Mutex<Vec<(ThreadId, String)>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Captured {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        if ["served", "MT601", "no more is told"]
            .iter()
            .any(|word| message.0.contains(word))
        {
            let line = format!("{} {}", event.metadata().level(), message.0);
            let mut lines = self.0.lock().unwrap();
            lines.push((std::thread::current().id(), line));
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Captured {
    pub(crate) fn start() -> Self {
        static LOG: OnceLock<Captured> = OnceLock::new();
        let log = LOG.get_or_init(|| {
            let captured = Self::default();
            tracing::subscriber::set_global_default(captured.clone()).unwrap();
            captured
        });
        log.clone()
    }

    /// What this thread has logged of what is not served.
    pub(crate) fn taken(&self) -> Vec<String> {
        let own = std::thread::current().id();
        let mut lines = self.0.lock().unwrap();
        let taken = lines.extract_if(.., |(thread, _)| *thread == own);
        taken.map(|(_, line)| line).collect()
    }
}
