//! Writes messages, one a line, from a bounded queue.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt as _, BufWriter};
use tokio::sync::mpsc::error::{SendError, TrySendError};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// How many messages may wait for the reader. Whoever has one more waits with it.
const WAITING_MESSAGES: usize = 32;

/// How many bytes of messages may wait, in the queue or for a place in it, before no more work is begun.
const WAITING_BYTES: usize = 16 << 20;

/// The near end of the queue.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    queue: mpsc::Sender<Held>,
    held: Arc<Total>,
}

/// How many bytes wait.
#[derive(Debug, Default)]
struct Total {
    bytes: AtomicUsize,
    is_less: Notify,
}

/// A message that counts from when it is there until it is written or given up.
#[derive(Debug)]
pub(crate) struct Held {
    message: Bytes,
    total: Arc<Total>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total
            .bytes
            .fetch_sub(self.message.len(), Ordering::AcqRel);
        self.total.is_less.notify_one();
    }
}

impl Outgoing {
    /// Counts a message that is about to be sent.
    pub(crate) fn hold(&self, message: Bytes) -> Held {
        self.held.bytes.fetch_add(message.len(), Ordering::AcqRel);
        Held {
            message,
            total: Arc::clone(&self.held),
        }
    }

    pub(crate) fn try_send(&self, message: Held) -> Result<(), TrySendError<Held>> {
        self.queue.try_send(message)
    }

    pub(crate) async fn send(&self, message: Held) -> Result<(), SendError<Held>> {
        self.queue.send(message).await
    }

    /// Returns when the reader has taken enough for more to be made. One may wait at a time.
    pub(crate) async fn room(&self) {
        while self.held.bytes.load(Ordering::Acquire) > WAITING_BYTES {
            self.held.is_less.notified().await;
        }
    }
}

/// A queue and its far end.
pub(crate) fn queue() -> (Outgoing, mpsc::Receiver<Held>) {
    let (queue, messages) = mpsc::channel(WAITING_MESSAGES);
    let held = Arc::default();
    (Outgoing { queue, held }, messages)
}

/// Writes until the queue is closed and empty, or the reader is gone, which `gone` then tells.
pub(crate) async fn write<W: AsyncWrite + Unpin>(
    output: W,
    mut messages: mpsc::Receiver<Held>,
    gone: CancellationToken,
) -> io::Result<()> {
    let _gone = gone.drop_guard();
    let mut output = BufWriter::new(output);
    while let Some(message) = messages.recv().await {
        put(&mut output, &message.message).await?;
        // Under load many small messages become one write.
        while let Ok(message) = messages.try_recv() {
            put(&mut output, &message.message).await?;
        }
        output.flush().await?;
    }
    output.shutdown().await
}

/// One message and the end of its line. A line break inside of JSON text can only stand between
/// tokens, where a blank says the same.
async fn put<W: AsyncWrite + Unpin>(output: &mut W, message: &[u8]) -> io::Result<()> {
    for (index, part) in message.split(|byte| *byte == b'\n').enumerate() {
        if index > 0 {
            output.write_all(b" ").await?;
        }
        output.write_all(part).await?;
    }
    output.write_all(b"\n").await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_message_is_one_line() {
        let (sender, receiver) = queue();
        for message in [&b"{}"[..], b"{\n\"a\":1}"] {
            sender
                .send(sender.hold(Bytes::from_static(message)))
                .await
                .unwrap();
        }
        drop(sender);
        let gone = CancellationToken::new();
        let mut written = Vec::new();
        write(&mut written, receiver, gone.clone()).await.unwrap();
        assert_eq!(written, b"{}\n{ \"a\":1}\n");
        assert!(gone.is_cancelled());
    }
}
