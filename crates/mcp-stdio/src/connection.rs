//! What one client has under way, and its session.

use bytes::Bytes;
use futures_util::FutureExt as _;
use metier_mcp::envelope::{self, Message, Notification, Request};
use metier_mcp::error::{INVALID_REQUEST, TOO_MANY_REQUESTS};
use metier_mcp::{
    Answer, Exchange, Frame, Incoming, McpError, McpServer, NoticeStream, RawId, Reply,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::error::TrySendError;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::StdioConfig;
use crate::in_flight::{Entered, InFlight};
use crate::lines::Line;
use crate::pace::{Pace, Waiting};
use crate::writer::{Held, Outgoing};

pub(crate) struct Connection {
    server: McpServer,
    outgoing: Outgoing,
    in_flight: InFlight,
    pace: Pace,
    /// The session that `initialize` began.
    session: Option<String>,
    tasks: TaskTracker,
    closing: CancellationToken,
    line_limit: usize,
    request_cap: usize,
    /// Requests do not outlive their client, however its serving ends.
    _closes: DropGuard,
}

impl Connection {
    pub(crate) fn new(server: McpServer, outgoing: Outgoing, config: &StdioConfig) -> Self {
        let closing = CancellationToken::new();
        Self {
            server,
            outgoing,
            in_flight: InFlight::new(closing.clone()),
            pace: Pace::new(),
            session: None,
            tasks: TaskTracker::new(),
            line_limit: config.line_limit,
            request_cap: config.request_cap.max(1),
            _closes: closing.clone().drop_guard(),
            closing,
        }
    }

    /// Takes one line. Waits while the reader is too slow for the answers that are there at once.
    pub(crate) async fn take(&mut self, line: Line) {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong(first) => {
                let text = format!(
                    "invalid request: the message is longer than {} bytes",
                    self.line_limit
                );
                let id = envelope::id_at_start(&first);
                return self.refuse(id.as_ref(), INVALID_REQUEST, text).await;
            }
        };
        match envelope::read(line.clone()) {
            Ok(Message::Request(request)) => self.request(&request, line).await,
            Ok(Message::Notification(note)) => self.notification(&note, line),
            Ok(Message::Response(_)) => self.hand_over(line),
            Err(fault) => {
                let error = Answer::error(400, fault.id.as_ref(), &fault.error);
                self.say(error.body).await;
            }
        }
    }

    /// Cancels what is under way and returns when all of it has ended. Hooks of the end are waited for, not for long.
    pub(crate) async fn end(self) {
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        if let Some(session) = &self.session {
            self.server.end_last_session(session).await;
        }
    }

    async fn request(&mut self, request: &Request, line: Vec<u8>) {
        let id = &request.id;
        // Whoever does not read his answers gets no more of them made.
        self.outgoing.room().await;
        if self.in_flight.count() >= self.request_cap {
            let text = format!(
                "{} requests are under way, as many as are served at once; wait for an answer",
                self.request_cap
            );
            return self.refuse(Some(id), TOO_MANY_REQUESTS, text).await;
        }
        let Some(entered) = self.in_flight.enter(id) else {
            let text = format!("invalid request: a request with the id {id} is still under way");
            return self.refuse(Some(id), INVALID_REQUEST, text).await;
        };
        let is_call = request.method == "tools/call";
        let size = line.len();
        match self.server.receive(self.incoming(line)) {
            Reply::Accepted => {}
            Reply::Answer(answer) => {
                drop(entered);
                self.say(answer.body).await;
            }
            // What follows it belongs to the session, so it has to wait.
            Reply::Exchange(exchange) if exchange.begins_session() => {
                drop(entered);
                self.begin_session(exchange).await;
            }
            // The lines behind a call are read while it waits: a ping, a cancellation, an answer to a question of ours.
            Reply::Exchange(exchange) if is_call => {
                let waiting = self.pace.place(size).await;
                let request = UnderWay {
                    exchange,
                    entered,
                    outgoing: self.outgoing.clone(),
                    closing: self.closing.clone(),
                };
                self.tasks.spawn(request.run_in_turn(waiting));
            }
            Reply::Exchange(mut exchange) => {
                // Most that needs no waiting is answered here, so that it is out before the next
                // line, which may be the end of the input.
                let first = match exchange.next().now_or_never().flatten() {
                    Some(Frame::Answer(answer)) => {
                        drop(entered);
                        return self.say(answer.body).await;
                    }
                    first => first,
                };
                let request = UnderWay {
                    exchange,
                    entered,
                    outgoing: self.outgoing.clone(),
                    closing: self.closing.clone(),
                };
                self.tasks.spawn(request.run(first));
            }
        }
    }

    fn notification(&self, note: &Notification, line: Vec<u8>) {
        if note.method == "notifications/cancelled" {
            if let Some(id) = cancelled_id(note.params.as_json()) {
                self.in_flight.cancel(&id);
            } else {
                tracing::debug!("a cancellation names no request");
            }
        }
        self.hand_over(line);
    }

    /// Gives the server a message that is never answered.
    fn hand_over(&self, line: Vec<u8>) {
        if let Reply::Answer(answer) = self.server.receive(self.incoming(line)) {
            tracing::debug!(
                why = %String::from_utf8_lossy(&answer.body),
                "a message that takes no answer was refused"
            );
        }
    }

    fn incoming(&self, line: Vec<u8>) -> Incoming {
        let mut incoming = Incoming::new(line);
        incoming.session.clone_from(&self.session);
        incoming
    }

    async fn begin_session(&mut self, mut exchange: Exchange) {
        while let Some(frame) = exchange.next().await {
            match frame {
                Frame::Message(message) => self.say(message).await,
                Frame::Answer(answer) => {
                    let begun = answer.session.clone();
                    self.say(answer.body).await;
                    if let Some(session) = begun {
                        self.enter_session(session).await;
                    }
                }
                Frame::Silence => {}
            }
        }
    }

    /// Notices of a session go out from its beginning to its end.
    async fn enter_session(&mut self, session: String) {
        if let Ok(stream) = self.server.open_stream(Some(&session)) {
            let notices = hand_on(stream, self.outgoing.clone(), self.closing.clone());
            self.tasks.spawn(notices);
        } else {
            tracing::debug!("a session ended as it began");
        }
        if let Some(before) = self.session.replace(session) {
            self.server.end_session(&before).await;
        }
    }

    async fn refuse(&self, id: Option<&RawId>, code: i32, text: String) {
        let error = McpError::new(code, text);
        self.say(Answer::error(400, id, &error).body).await;
    }

    async fn say(&self, message: Bytes) {
        // When nobody reads any more, the serving ends by itself.
        let _ = self.outgoing.send(self.outgoing.hold(message)).await;
    }
}

/// A request that takes a while.
struct UnderWay {
    exchange: Exchange,
    entered: Entered,
    outgoing: Outgoing,
    closing: CancellationToken,
}

impl UnderWay {
    /// Begins when its turn has come, unless it is cancelled before.
    async fn run_in_turn(self, waiting: Waiting) {
        let cancel = self.entered.cancel.clone();
        let begun = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            begun = waiting.begin(&self.outgoing) => Some(begun),
        };
        if begun.is_none() {
            self.exchange.cancel();
        }
        self.run(None).await;
        drop(begun);
    }

    /// Runs to the end, whether it is answered or cancelled. `first` has been heard of it already.
    async fn run(mut self, first: Option<Frame>) {
        let cancel = self.entered.cancel.clone();
        let mut is_cancelled = false;
        let mut ends_unasked = false;
        let mut heard = first;
        loop {
            let frame = if let Some(frame) = heard.take() {
                Some(frame)
            } else {
                tokio::select! {
                    biased;
                    () = cancel.cancelled(), if !is_cancelled => {
                        is_cancelled = true;
                        // Who asked for it wants no answer; who did not may have one that is there.
                        if self.closing.is_cancelled() {
                            ends_unasked = true;
                            self.exchange.stop();
                        } else {
                            self.exchange.cancel();
                        }
                        continue;
                    }
                    frame = self.exchange.next() => frame,
                }
            };
            match frame {
                Some(Frame::Message(message)) => {
                    let message = self.outgoing.hold(message);
                    if !is_cancelled && !deliver(&self.outgoing, message, &cancel).await {
                        is_cancelled = true;
                        self.exchange.cancel();
                    }
                }
                Some(Frame::Answer(answer)) => {
                    let answer = self.outgoing.hold(answer.body);
                    // Before the answer is out, for the client may then use the id again.
                    drop(self.entered);
                    if !is_cancelled || ends_unasked {
                        deliver(&self.outgoing, answer, &self.closing).await;
                    }
                    return;
                }
                Some(Frame::Silence) | None => return,
            }
        }
    }
}

/// Writes a session's notices. Those that wait for a slow reader become one.
async fn hand_on(stream: NoticeStream, outgoing: Outgoing, closing: CancellationToken) {
    loop {
        let notice = tokio::select! {
            biased;
            () = closing.cancelled() => return,
            notice = stream.next() => notice,
        };
        let Some(notice) = notice else { return };
        if !deliver(&outgoing, outgoing.hold(notice), &closing).await {
            return;
        }
    }
}

/// Whether the message is on its way; not when it had to wait and was given up.
async fn deliver(outgoing: &Outgoing, message: Held, give_up: &CancellationToken) -> bool {
    match outgoing.try_send(message) {
        Ok(()) => true,
        Err(TrySendError::Closed(_)) => false,
        Err(TrySendError::Full(message)) => tokio::select! {
            biased;
            () = give_up.cancelled() => false,
            sent = outgoing.send(message) => sent.is_ok(),
        },
    }
}

fn cancelled_id(params: &str) -> Option<RawId> {
    #[derive(Deserialize)]
    struct Cancelled<'a> {
        #[serde(borrow, rename = "requestId")]
        id: &'a RawValue,
    }
    let cancelled: Cancelled<'_> = serde_json::from_str(params).ok()?;
    RawId::new(cancelled.id.get())
}
