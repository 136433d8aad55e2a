//! What a transport gets back for a message.

use std::fmt;

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::RawId;
use crate::error::McpError;

/// A finished answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The HTTP status that goes with it; other transports ignore it.
    pub status: u16,
    /// One JSON-RPC response.
    pub body: Bytes,
    /// The id of the session that this request began.
    pub session: Option<String>,
}

impl Answer {
    pub(crate) fn result(id: &RawId, result: &[u8]) -> Self {
        let id = id.as_json().as_bytes();
        let mut body = BytesMut::with_capacity(result.len() + id.len() + 40);
        body.put_slice(br#"{"jsonrpc":"2.0","id":"#);
        body.put_slice(id);
        body.put_slice(br#","result":"#);
        body.put_slice(result);
        body.put_u8(b'}');
        Self {
            status: 200,
            body: body.freeze(),
            session: None,
        }
    }

    /// An error as an answer; without an id when none could be read.
    pub fn error(status: u16, id: Option<&RawId>, error: &McpError) -> Self {
        let error = serde_json::to_vec(error)
            .unwrap_or_else(|_| br#"{"code":-32603,"message":"internal error"}"#.to_vec());
        let mut body = BytesMut::with_capacity(error.len() + 64);
        body.put_slice(br#"{"jsonrpc":"2.0","#);
        if let Some(id) = id {
            body.put_slice(br#""id":"#);
            body.put_slice(id.as_json().as_bytes());
            body.put_u8(b',');
        }
        body.put_slice(br#""error":"#);
        body.put_slice(&error);
        body.put_u8(b'}');
        Self {
            status,
            body: body.freeze(),
            session: None,
        }
    }
}

/// What came of a message.
#[derive(Debug)]
pub enum Reply {
    /// Taken; there is nothing to answer.
    Accepted,
    /// Answered.
    Answer(Answer),
    /// Under way.
    Exchange(Exchange),
}

/// A piece of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// One JSON-RPC message ahead of the answer.
    Message(Bytes),
    /// The answer; nothing follows.
    Answer(Answer),
    /// The request was cancelled: no answer follows.
    Silence,
}

/// A request under way.
///
/// It runs while [`Exchange::next`] is polled; as soon as it has spoken it runs on its own, so that
/// a slow reader does not hold it up. Dropping it before its end cancels a stateless request, and
/// leaves a request of a session running, whose answer is then lost.
#[must_use = "a request only runs while its exchange is polled"]
pub struct Exchange {
    work: Work,
    messages: mpsc::Receiver<Bytes>,
    last: Option<Frame>,
    cancel: CancellationToken,
    stopping: CancellationToken,
    cancel_on_drop: bool,
    begins_session: bool,
}

enum Work {
    Here(BoxFuture<'static, Frame>),
    Elsewhere(oneshot::Receiver<Frame>),
    Over,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("over", &matches!(self.work, Work::Over))
            .finish_non_exhaustive()
    }
}

impl Exchange {
    pub(crate) fn new(
        work: BoxFuture<'static, Frame>,
        messages: mpsc::Receiver<Bytes>,
        cancel: CancellationToken,
        cancel_on_drop: bool,
    ) -> Self {
        Self {
            work: Work::Here(work),
            messages,
            last: None,
            cancel,
            stopping: CancellationToken::new(),
            cancel_on_drop,
            begins_session: false,
        }
    }

    /// Marks a request whose answer carries the id of a new session.
    pub(crate) fn beginning_session(mut self, begins: bool) -> Self {
        self.begins_session = begins;
        self
    }

    /// Fires when the request ends because the server or the transport does.
    pub(crate) fn stopped_by(mut self, stopping: CancellationToken) -> Self {
        self.stopping = stopping;
        self
    }

    /// Whether the answer carries the id of a new session, which a transport may have to write
    /// ahead of everything else.
    pub fn begins_session(&self) -> bool {
        self.begins_session
    }

    /// The next piece; `None` after the last. Messages come before the answer, in their order.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            if matches!(self.work, Work::Over) {
                return match self.messages.try_recv() {
                    Ok(message) => Some(Frame::Message(message)),
                    Err(_) => self.last.take(),
                };
            }
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => {
                    self.detach();
                    return Some(Frame::Message(message));
                }
                last = wait(&mut self.work) => {
                    self.work = Work::Over;
                    self.last = Some(last);
                }
            }
        }
    }

    /// Tells the request to stop, as a transport does that has no other way to hear of it. Go on
    /// with [`Exchange::next`] until its end, which is when all that it started has ended.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Tells the request to stop because the transport ends, which the client did not ask for: a tool that had its result
    /// by then is answered still, once the hooks after it are done or have had their time. Otherwise as
    /// [`Exchange::cancel`].
    pub fn stop(&self) {
        self.stopping.cancel();
        self.cancel.cancel();
    }

    /// Lets the work go on by itself, however slowly the rest is read.
    pub fn detach(&mut self) {
        match std::mem::replace(&mut self.work, Work::Over) {
            Work::Here(work) => {
                let (sender, receiver) = oneshot::channel();
                tokio::spawn(async move {
                    // Nobody may be waiting any more, which is no fault.
                    let _ = sender.send(work.await);
                });
                self.work = Work::Elsewhere(receiver);
            }
            other => self.work = other,
        }
    }
}

async fn wait(work: &mut Work) -> Frame {
    match work {
        Work::Here(work) => work.await,
        Work::Elsewhere(receiver) => receiver.await.unwrap_or(Frame::Silence),
        Work::Over => Frame::Silence,
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if matches!(self.work, Work::Over) {
            return;
        }
        if self.cancel_on_drop {
            self.cancel.cancel();
        }
        // What ends a call (its hooks, its children) must run to its end in any case.
        if let Work::Here(work) = std::mem::replace(&mut self.work, Work::Over)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            drop(runtime.spawn(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_echoes_its_id_and_an_error_without_id_has_no_such_member() {
        let id = RawId::new("9007199254740993").unwrap();
        assert_eq!(
            Answer::result(&id, b"{}").body,
            r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{}}"#
        );
        let error = McpError::invalid_params("no");
        assert_eq!(
            Answer::error(400, None, &error).body,
            r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"no"}}"#
        );
        assert_eq!(
            Answer::error(200, Some(&id), &error).body,
            r#"{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32602,"message":"no"}}"#
        );
    }

    #[tokio::test]
    async fn messages_come_before_the_answer_even_when_both_are_ready() {
        let (sender, receiver) = mpsc::channel(4);
        let answer = Frame::Answer(Answer::error(200, None, &McpError::internal()));
        let end = answer.clone();
        let work = async move {
            sender.send(Bytes::from_static(b"1")).await.unwrap();
            sender.send(Bytes::from_static(b"2")).await.unwrap();
            end
        };
        let mut exchange = Exchange::new(Box::pin(work), receiver, CancellationToken::new(), true);
        let mut frames = Vec::new();
        while let Some(frame) = exchange.next().await {
            frames.push(frame);
        }
        assert_eq!(
            frames,
            [
                Frame::Message("1".into()),
                Frame::Message("2".into()),
                answer
            ]
        );
    }

    #[tokio::test]
    async fn dropping_it_cancels_only_what_has_no_session_and_the_end_runs_in_both() {
        for (cancel_on_drop, cancelled) in [(true, true), (false, false)] {
            let cancel = CancellationToken::new();
            let (sender, receiver) = mpsc::channel(1);
            let (told, hears) = oneshot::channel();
            let seen = cancel.clone();
            let work = async move {
                tokio::task::yield_now().await;
                told.send(seen.is_cancelled()).unwrap();
                drop(sender);
                Frame::Silence
            };
            drop(Exchange::new(
                Box::pin(work),
                receiver,
                cancel,
                cancel_on_drop,
            ));
            assert_eq!(hears.await, Ok(cancelled));
        }
    }
}
