//! One request under way: what its method may know, and how it speaks before it answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use metier_tool::{
    BoxFuture, CallEvents, CancelSignal, Cancellation, LogLevel, LogLine, Progress, ToolOutput,
};
use serde::Serialize;
use serde_json::Map;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::error::McpError;
use crate::logging::level_name;
use crate::meta::Meta;
use crate::notices::notification;
use crate::outbound::Outbound;
use crate::session::Session;
use crate::{Era, RawId};

/// How a method ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The JSON text of `result`.
    Result(Bytes),
    /// An error.
    Error(McpError),
    /// It was cancelled; nobody waits for an answer.
    Silence,
}

impl From<Result<Bytes, McpError>> for Outcome {
    fn from(result: Result<Bytes, McpError>) -> Self {
        match result {
            Ok(bytes) => Self::Result(bytes),
            Err(error) => Self::Error(error),
        }
    }
}

/// What a method knows of its request. Travels in the request's extensions.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: RawId,
    pub(crate) era: Era,
    pub(crate) session: Option<Arc<Session>>,
    /// The client as hooks and tools know it.
    pub(crate) client: Option<String>,
    pub(crate) meta: Meta,
    pub(crate) outbound: Outbound,
    pub(crate) cancel: CancellationToken,
    /// Fires when the server or the transport ends, and with it the request; the client never asked for that.
    pub(crate) stopping: CancellationToken,
    /// The id of the session that this request began.
    pub(crate) began: OnceLock<Arc<str>>,
    pub(crate) answer: Mutex<Option<Outcome>>,
}

impl Call {
    pub(crate) fn set_answer(&self, outcome: Outcome) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    /// The answer, once.
    pub(crate) fn take_answer(&self) -> Outcome {
        let answer = self
            .answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        answer.unwrap_or_else(|| Outcome::Error(McpError::internal()))
    }

    /// From which level on the client wants log lines of this request.
    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        match self.era {
            Era::Modern(_) => self.meta.log_level,
            Era::Legacy(_) => self.session.as_ref()?.log_level(),
        }
    }

    /// Where a tool's progress and log lines go.
    pub(crate) fn events(self: &Arc<Self>) -> Arc<Events> {
        Arc::new(Events {
            token: self.meta.progress_token.clone(),
            level: self.log_level(),
            outbound: self.outbound.clone(),
            cancel: self.cancel.clone(),
            closed: AtomicBool::new(false),
            last: Mutex::new(None),
            lost: Mutex::new(None),
            output: Mutex::new(Weak::new()),
        })
    }

    /// The request's cancellation, as tools know it.
    pub(crate) fn cancellation(&self) -> Cancellation {
        Cancellation::new(Arc::new(Signal(self.cancel.clone())))
    }
}

/// A tool's progress and log lines on their way to the client.
#[derive(Debug)]
pub(crate) struct Events {
    token: Option<Box<RawValue>>,
    level: Option<LogLevel>,
    outbound: Outbound,
    cancel: CancellationToken,
    closed: AtomicBool,
    last: Mutex<Option<f64>>,
    lost: Mutex<Option<Lost>>,
    /// The result, while hooks hear of it.
    output: Mutex<Weak<ToolOutput>>,
}

/// Log lines for which there was no room, since the last one for which there was.
#[derive(Debug)]
struct Lost {
    lines: usize,
    /// The highest of theirs.
    level: LogLevel,
    logger: String,
}

impl Lost {
    fn told(&self) -> Bytes {
        let lines = match self.lines {
            1 => "1 line was".to_owned(),
            lines => format!("{lines} lines were"),
        };
        let text = format!("[… {lines} left out here: they came faster than they were read …]");
        log_message(self.level, &self.logger, &text)
    }
}

impl Events {
    /// The call has its answer: nothing is told any more, but that lines were lost.
    pub(crate) fn close(&self) {
        if !self.closed.swap(true, Ordering::AcqRel)
            && !self.cancel.is_cancelled()
            && let Some(lost) = self.lost().take()
        {
            self.outbound.offer_last(lost.told());
        }
    }

    /// The result, if hooks hear of it just now.
    pub(crate) fn output(&self) -> Option<ToolOutput> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.upgrade().map(Arc::unwrap_or_clone)
    }

    fn lost(&self) -> MutexGuard<'_, Option<Lost>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire) || self.cancel.is_cancelled()
    }
}

impl CallEvents for Events {
    fn progress(&self, step: Progress) {
        let Some(token) = &self.token else {
            return;
        };
        if !self.outbound.is_open() || self.is_closed() || !step.progress.is_finite() {
            return;
        }
        // Held while sending, so that two threads cannot swap their steps.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| step.progress <= last) {
            return;
        }
        *last = Some(step.progress);
        let message = ProgressMessage {
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: ProgressParams {
                token,
                progress: Figure(step.progress),
                total: step.total.filter(|total| total.is_finite()).map(Figure),
                message: step.message.as_deref(),
            },
        };
        if let Ok(bytes) = serde_json::to_vec(&message) {
            self.outbound.offer(bytes.into());
        }
    }

    fn log(&self, line: LogLine) {
        if self.level.is_none_or(|wanted| line.level < wanted) || self.is_closed() {
            return;
        }
        // Held while sending, so that what was lost is told in its place.
        let mut lost = self.lost();
        if lost
            .as_ref()
            .is_some_and(|lost| self.outbound.offer(lost.told()))
        {
            *lost = None;
        }
        let message = log_message(line.level, &line.logger, &line.text);
        if lost.is_none() && self.outbound.offer(message) || !self.outbound.is_open() {
            return;
        }
        let before = lost.take();
        *lost = Some(Lost {
            lines: before.as_ref().map_or(0, |lost| lost.lines) + 1,
            level: before.map_or(line.level, |lost| lost.level.max(line.level)),
            logger: line.logger,
        });
    }

    fn answered(&self, output: &Arc<ToolOutput>) {
        // Nothing is kept: whoever gives the result has it alone in the end.
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(output);
    }
}

fn log_message(level: LogLevel, logger: &str, text: &str) -> Bytes {
    let mut params = Map::new();
    params.insert("level".into(), level_name(level).into());
    params.insert("logger".into(), logger.into());
    params.insert("data".into(), text.into());
    notification("notifications/message", params, None)
}

#[derive(Serialize)]
struct ProgressMessage<'a> {
    jsonrpc: &'static str,
    method: &'static str,
    params: ProgressParams<'a>,
}

#[derive(Serialize)]
struct ProgressParams<'a> {
    #[serde(rename = "progressToken")]
    token: &'a RawValue,
    progress: Figure,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Figure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// A number that is written without a fraction where it has none.
#[derive(Clone, Copy)]
struct Figure(f64);

impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

struct Signal(CancellationToken);

impl CancelSignal for Signal {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn cancelled(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.0.clone().cancelled_owned())
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::outbound::{Streaming, WAITING_MESSAGES};

    fn events(token: Option<&str>) -> (Events, mpsc::Receiver<Bytes>) {
        let (outbound, receiver) = Outbound::new(Streaming::Yes);
        let events = Events {
            token: token.map(|json| RawValue::from_string(json.to_owned()).unwrap()),
            level: Some(LogLevel::Warning),
            outbound,
            cancel: CancellationToken::new(),
            closed: AtomicBool::new(false),
            last: Mutex::new(None),
            lost: Mutex::new(None),
            output: Mutex::new(Weak::new()),
        };
        (events, receiver)
    }

    fn step(progress: f64) -> Progress {
        Progress {
            progress,
            total: Some(10.0),
            message: None,
        }
    }

    fn drain(receiver: &mut mpsc::Receiver<Bytes>) -> Vec<String> {
        std::iter::from_fn(|| receiver.try_recv().ok())
            .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn progress_rises_and_stops_with_the_answer() {
        let (events, mut receiver) = events(Some("0"));
        for progress in [1.0, 1.0, 0.5, 2.5, f64::NAN] {
            events.progress(step(progress));
        }
        events.close();
        events.progress(step(9.0));
        assert_eq!(
            drain(&mut receiver),
            [
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1,"total":10}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":2.5,"total":10}}"#,
            ]
        );
    }

    #[test]
    fn without_a_token_or_after_a_cancel_there_is_no_progress() {
        let (silent, mut receiver) = events(None);
        silent.progress(step(1.0));
        assert!(drain(&mut receiver).is_empty());
        let (cancelled, mut receiver) = events(Some("\"t\""));
        cancelled.cancel.cancel();
        cancelled.progress(step(1.0));
        assert!(drain(&mut receiver).is_empty());
    }

    #[test]
    fn log_lines_below_the_level_are_left_out() {
        let (events, mut receiver) = events(None);
        for level in [LogLevel::Info, LogLevel::Error] {
            events.log(LogLine {
                level,
                logger: "t".into(),
                text: "line".into(),
            });
        }
        assert_eq!(
            drain(&mut receiver),
            [
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"t","data":"line"}}"#
            ]
        );
    }

    #[test]
    fn lines_that_a_slow_reader_misses_are_counted_in_their_place() {
        let (events, mut receiver) = events(None);
        let log = |text: String| {
            events.log(LogLine {
                level: LogLevel::Error,
                logger: "t".into(),
                text,
            });
        };
        let texts = |receiver: &mut mpsc::Receiver<Bytes>| {
            let lines = drain(receiver).into_iter();
            let data = lines.map(|line| line.split("\"data\":").nth(1).unwrap().to_owned());
            data.collect::<Vec<_>>()
        };
        // As many as a script may hand on, of ordinary length: none is missed.
        (0..2_000).for_each(|n| log(format!("line {n}: {}", "x".repeat(80))));
        assert_eq!(texts(&mut receiver).len(), 2_000);
        (0..10_000).for_each(|n| log(format!("again {n}")));
        let got = texts(&mut receiver);
        let missed = 10_000 - got.len();
        assert!(missed > 0, "{missed}");
        log("heard".into());
        let told = format!(
            "\"[… {missed} lines were left out here: they came faster than they were read …]\"}}}}"
        );
        assert_eq!(texts(&mut receiver), [told.as_str(), "\"heard\"}}"]);
        // The end tells it as well, also where nothing was read.
        (0..10_000).for_each(|n| log(format!("{n}{}", "x".repeat(4_000))));
        events.close();
        let got = texts(&mut receiver);
        assert!(got.len() < 400, "{}", got.len());
        let last = got.last().unwrap();
        assert!(
            last.contains(&format!("{} lines were left out", 10_001 - got.len())),
            "{last}"
        );
    }

    #[test]
    fn a_slow_reader_costs_a_bounded_number_of_messages() {
        let (events, mut receiver) = events(Some("1"));
        for n in 0..10_000 {
            events.progress(step(f64::from(n)));
        }
        assert_eq!(drain(&mut receiver).len(), WAITING_MESSAGES);
    }
}
