//! The way for messages ahead of an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::mpsc;

/// How far a transport can carry messages ahead of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Streaming {
    /// Not at all: one message is all the client takes.
    No,
    /// The client named no stream but would take one: used for what it asked for (progress, log
    /// lines, subscriptions), never for a notice.
    IfAsked,
    /// The client expects streams.
    #[default]
    Yes,
}

/// The way for messages ahead of the answer. Bounded: a reader that is too slow misses steps of
/// progress and log lines, never the answer.
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    sender: mpsc::Sender<Bytes>,
    streaming: Streaming,
    /// Bytes of messages since the reader had taken all of them.
    waiting: Arc<AtomicUsize>,
}

/// Room for all log lines that one call may hand on (2,000), and its progress.
pub(crate) const WAITING_MESSAGES: usize = 2_400;
/// As many calls run at once, each may wait with so much for a client that does not read.
const WAITING_BYTES: usize = 1 << 20;

impl Outbound {
    pub(crate) fn new(streaming: Streaming) -> (Self, mpsc::Receiver<Bytes>) {
        // One more is for the last.
        let (sender, receiver) = mpsc::channel(WAITING_MESSAGES + 1);
        let outbound = Self {
            sender,
            streaming,
            waiting: Arc::default(),
        };
        (outbound, receiver)
    }

    /// Whether messages that the client asked for get through.
    pub(crate) fn is_open(&self) -> bool {
        self.streaming >= Streaming::IfAsked
    }

    /// Whether notices get through, which it did not ask for.
    pub(crate) fn takes_notices(&self) -> bool {
        self.streaming == Streaming::Yes
    }

    /// Sends, or drops the message when the reader is far behind; whether it was sent.
    pub(crate) fn offer(&self, message: Bytes) -> bool {
        if !self.is_open() {
            return false;
        }
        if self.sender.capacity() == self.sender.max_capacity() {
            self.waiting.store(0, Ordering::Relaxed);
        }
        let length = message.len();
        let waiting = self.waiting.load(Ordering::Relaxed).saturating_add(length);
        let is_sent = waiting <= WAITING_BYTES
            && self.sender.capacity() > 1
            && self.sender.try_send(message).is_ok();
        if is_sent {
            self.waiting.fetch_add(length, Ordering::Relaxed);
        } else {
            tracing::debug!(
                "a message ahead of the answer was dropped: the reader is slow or gone"
            );
        }
        is_sent
    }

    /// Sends a short message for which room is kept.
    pub(crate) fn offer_last(&self, message: Bytes) {
        if self.is_open() && self.sender.try_send(message).is_err() {
            tracing::debug!("the last message ahead of the answer was dropped");
        }
    }

    /// Resolves when nobody reads any more.
    pub(crate) async fn closed(&self) {
        self.sender.closed().await;
    }

    /// Sends when there is room; `false` when nobody reads any more.
    pub(crate) async fn send(&self, message: Bytes) -> bool {
        self.is_open() && self.sender.send(message).await.is_ok()
    }
}
