//! The three pipes of a child, pumped at the same time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use crate::capture::Capture;
use crate::group::Pipes;
use crate::input::Input;
use crate::stderr::StderrLines;

/// The bytes that a pipe for much holds, and that are read from it at once. The pipes of one user may hold 64 MiB
/// together on Linux, and 32 scripts with two of these take a quarter.
const WIDE: usize = 256 << 10;

/// What a pipe holds by itself on Linux.
const NARROW: usize = 64 << 10;

type Pump<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Feeds standard input and reads both outputs, whichever is ready, so that a child that writes
/// before it reads (or the other way round) never waits for us.
pub(crate) struct Pumps<'a> {
    input: Option<Pump<'a>>,
    output: Option<Pump<'a>>,
    errors: Option<Pump<'a>>,
    errors_first: bool,
}

impl<'a> Pumps<'a> {
    pub(crate) fn new(
        pipes: Pipes,
        input: Input,
        stdout: &'a mut Capture,
        stderr: &'a mut StderrLines<'_>,
    ) -> Self {
        let Pipes {
            stdin,
            stdout: from_stdout,
            stderr: from_stderr,
        } = pipes;
        #[cfg(target_os = "linux")]
        {
            if matches!(input, Input::Made(_)) {
                widen(stdin.as_ref());
            }
            widen(from_stdout.as_ref());
        }
        Self {
            input: stdin.map(|stdin| boxed(feed(stdin, input))),
            output: from_stdout.map(|pipe| boxed(read(pipe, WIDE, |chunk| stdout.push(chunk)))),
            errors: from_stderr.map(|pipe| boxed(read(pipe, NARROW, |chunk| stderr.push(chunk)))),
            errors_first: false,
        }
    }

    /// Pumps until an event happens. The event is asked first: a flood of output uses up the
    /// task's share of work and would keep a timer from being seen.
    pub(crate) async fn until<F: Future>(&mut self, event: F) -> F::Output {
        let mut event = pin!(event);
        poll_fn(|context| {
            let happened = event.as_mut().poll(context);
            if happened.is_pending() {
                self.poll(context);
            }
            happened
        })
        .await
    }

    /// Pumps until both outputs are at their end or an event happens, whichever is first.
    pub(crate) async fn both_ended_or<F: Future<Output = ()>>(&mut self, event: F) {
        let mut event = pin!(event);
        poll_fn(|context| {
            self.poll(context);
            if self.output.is_none() && self.errors.is_none() {
                Poll::Ready(())
            } else {
                event.as_mut().poll(context)
            }
        })
        .await;
    }

    fn poll(&mut self, context: &mut Context<'_>) {
        advance(&mut self.input, context);
        // In turns, so that a flood on one stream does not keep the other from being read.
        self.errors_first = !self.errors_first;
        if self.errors_first {
            advance(&mut self.errors, context);
            advance(&mut self.output, context);
        } else {
            advance(&mut self.output, context);
            advance(&mut self.errors, context);
        }
    }
}

fn boxed<'a>(pump: impl Future<Output = ()> + Send + 'a) -> Pump<'a> {
    Box::pin(pump)
}

fn advance(slot: &mut Option<Pump<'_>>, context: &mut Context<'_>) {
    if let Some(pump) = slot
        && pump.as_mut().poll(context).is_ready()
    {
        *slot = None;
    }
}

/// Writes the input and closes the pipe, so that the end of file follows at once.
async fn feed(mut stdin: tokio::process::ChildStdin, mut input: Input) {
    while let Some(piece) = input.next().await {
        // A script that does not read its input is free to: a broken pipe is no failure.
        if stdin.write_all(&piece).await.is_err() {
            break;
        }
    }
    _ = stdin.shutdown().await;
}

/// Gives a pipe room for more bytes: each time that it is full or empty somebody has to be woken, which on a busy
/// machine takes longer than the bytes. What the system refuses stays as it is.
#[cfg(target_os = "linux")]
fn widen(pipe: Option<&impl std::os::fd::AsFd>) {
    use nix::fcntl::{FcntlArg, fcntl};
    if let (Some(pipe), Ok(size)) = (pipe, i32::try_from(WIDE)) {
        _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(size));
    }
}

/// Reads to the end. A pipe that cannot be read is at its end.
async fn read(mut pipe: impl AsyncRead + Unpin, size: usize, mut sink: impl FnMut(&[u8])) {
    let mut buffer = vec![0; size];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        sink(buffer.get(..count).unwrap_or_default());
    }
}
