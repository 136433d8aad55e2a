//! What waits to be written on one stream.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::notices::{ListKind, lock};

/// What waits to be written on one stream. Messages are requests of ours, of which there are as
/// many as may wait for one client.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// The stream's number within its session.
    pub(crate) number: u64,
    /// Fires when its client has taken it up elsewhere.
    pub(crate) taken_up: CancellationToken,
    waiting: Mutex<Left>,
    wake: Notify,
}

/// What a stream has not written.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) kinds: BTreeSet<ListKind>,
    pub(crate) messages: VecDeque<Bytes>,
}

/// How many messages may wait on a stream; more than may wait for an answer, because a request that
/// was given up is withdrawn by another message.
const MOST_MESSAGES: usize = 64;

/// One thing to be written on a session's stream.
#[derive(Debug)]
pub(crate) enum Piece {
    List(ListKind),
    Message(Bytes),
}

impl Slot {
    /// The slot of the stream with that number.
    pub(crate) fn numbered(number: u64) -> Self {
        Self {
            number,
            ..Self::default()
        }
    }

    /// Takes what is not written.
    pub(crate) fn take_left(&self) -> Left {
        std::mem::take(&mut *lock(&self.waiting))
    }

    pub(crate) fn add(&self, kinds: impl IntoIterator<Item = ListKind>) {
        lock(&self.waiting).kinds.extend(kinds);
        self.wake.notify_one();
    }

    pub(crate) fn post(&self, message: Bytes) -> bool {
        let mut waiting = lock(&self.waiting);
        let fits = waiting.messages.len() < MOST_MESSAGES;
        if fits {
            waiting.messages.push_back(message);
        }
        drop(waiting);
        self.wake.notify_one();
        fits
    }

    /// Waits until something is to be written and takes it. Dropping the future loses nothing.
    pub(crate) async fn next(&self) -> Piece {
        loop {
            {
                let mut waiting = lock(&self.waiting);
                if let Some(message) = waiting.messages.pop_front() {
                    return Piece::Message(message);
                }
                if let Some(kind) = waiting.kinds.pop_first() {
                    return Piece::List(kind);
                }
            }
            self.wake.notified().await;
        }
    }
}
