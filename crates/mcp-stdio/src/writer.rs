//! Writes messages, one a line, from a bounded queue.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt as _, BufWriter};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many messages may wait for the reader. Whoever has one more waits with it.
const WAITING_MESSAGES: usize = 32;

pub(crate) type Outgoing = mpsc::Sender<Bytes>;

/// A queue and its far end.
pub(crate) fn queue() -> (Outgoing, mpsc::Receiver<Bytes>) {
    mpsc::channel(WAITING_MESSAGES)
}

/// Writes until the queue is closed and empty, or the reader is gone, which `gone` then tells.
pub(crate) async fn write<W: AsyncWrite + Unpin>(
    output: W,
    mut messages: mpsc::Receiver<Bytes>,
    gone: CancellationToken,
) -> io::Result<()> {
    let _gone = gone.drop_guard();
    let mut output = BufWriter::new(output);
    while let Some(message) = messages.recv().await {
        put(&mut output, &message).await?;
        // Under load many small messages become one write.
        while let Ok(message) = messages.try_recv() {
            put(&mut output, &message).await?;
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
            sender.send(Bytes::from_static(message)).await.unwrap();
        }
        drop(sender);
        let gone = CancellationToken::new();
        let mut written = Vec::new();
        write(&mut written, receiver, gone.clone()).await.unwrap();
        assert_eq!(written, b"{}\n{ \"a\":1}\n");
        assert!(gone.is_cancelled());
    }
}
