//! Serves one client from its first line to its last.

use std::pin::pin;
use std::time::Duration;

use metier_mcp::McpServer;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::end::is_gone;
use crate::lines::Lines;
use crate::{StdioConfig, StdioEnd, StdioError, writer};

/// How long the last line of a client that has closed its end may take.
const LAST_LINE: Duration = Duration::from_secs(5);

/// Serves the client at the other end of standard input and output. Nothing else in the process may
/// write to standard output meanwhile.
///
/// A read of standard input that is under way cannot be taken back, so a program that was told to
/// stop ends its runtime without waiting for threads (`Runtime::shutdown_background`).
///
/// # Errors
///
/// When the input cannot be read or the output cannot be written; a client that has gone is no
/// error.
pub async fn serve_stdio(server: &McpServer, config: StdioConfig) -> Result<StdioEnd, StdioError> {
    serve_streams(server, tokio::io::stdin(), tokio::io::stdout(), config).await
}

/// Serves the client at the other end of any two streams.
///
/// When it returns, all that its requests started has ended, and its session; the server itself
/// lives on. Dropping the future cancels the requests without waiting for them.
///
/// # Errors
///
/// As [`serve_stdio`].
pub async fn serve_streams<R, W>(
    server: &McpServer,
    input: R,
    output: W,
    config: StdioConfig,
) -> Result<StdioEnd, StdioError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (outgoing, messages) = writer::queue();
    let gone = CancellationToken::new();
    // On a task of its own, so that it goes on while a line is being taken.
    let mut writing = tokio::spawn(writer::write(output, messages, gone.clone()));
    let mut connection = Connection::new(server.clone(), outgoing, &config);
    let mut lines = Lines::new(BufReader::new(input), config.line_limit);
    let mut ahead = None;
    let end = loop {
        let line = if let Some(line) = ahead.take() {
            line
        } else {
            tokio::select! {
                biased;
                () = config.stop.cancelled() => break Ok(StdioEnd::Stopped),
                () = gone.cancelled() => break Ok(StdioEnd::OutputClosed),
                line = lines.next() => line,
            }
        };
        let line = match line {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(StdioEnd::InputClosed),
            Err(error) => break Err(StdioError::Read(error)),
        };
        let mut taking = pin!(connection.take(line));
        // An answer waits for a slow reader, and the next line with it. One line is read ahead, so that the end of the
        // input is seen: a hook that hears of the session is waited for, and for longer than the client stays.
        let over = loop {
            tokio::select! {
                biased;
                () = config.stop.cancelled() => break Some(StdioEnd::Stopped),
                () = gone.cancelled() => break Some(StdioEnd::OutputClosed),
                () = &mut taking => break None,
                next = lines.next(), if ahead.is_none() => ahead = Some(next),
                () = tokio::time::sleep(LAST_LINE), if matches!(ahead, Some(Ok(None))) => {
                    break Some(StdioEnd::InputClosed);
                }
            }
        };
        if let Some(over) = over {
            break Ok(over);
        }
    };
    connection.end().await;
    match tokio::time::timeout(config.flush_time, &mut writing).await {
        Ok(Ok(Err(error))) if !is_gone(&error) => return Err(StdioError::Write(error)),
        Ok(Ok(_)) => {}
        Ok(Err(lost)) => tracing::error!(%lost, "the writing of answers broke off"),
        Err(_) => {
            tracing::warn!("the last answers were not read in time");
            writing.abort();
        }
    }
    end
}
