//! Requests of ours to a client with a session (revisions of 2025), and the answers to them.
//!
//! Each session has its own table, so an answer finds a request of its session or none. An entry
//! leaves with whoever waits for it: answered, given up, timed out or cancelled, none stays.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::envelope::ClientResponse;
use crate::notices::notification;
use crate::outbound::Outbound;
use crate::session::Session;

/// How many requests may wait for one client.
const MOST_WAITING: usize = 32;
/// What the ids begin with, so that a log shows whose they are.
const ID_PREFIX: &str = "metier-";
/// How much of a client's refusal is repeated.
const SHOWN_REFUSAL: usize = 200;

/// Requests of one session that wait for their answers.
#[derive(Debug, Default)]
pub(crate) struct ClientRequests {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    waiting: BTreeMap<u64, oneshot::Sender<Result<String, String>>>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AskError {
    #[error("{MOST_WAITING} requests wait for the client already")]
    TooMany,
    #[error("the client has no stream open that a request could go on")]
    Unreachable,
    #[error("the client did not answer {method} within {} s", .limit.as_secs())]
    TimedOut {
        method: &'static str,
        limit: Duration,
    },
    #[error("the request was cancelled")]
    Cancelled,
    #[error("the client has gone")]
    Gone,
    #[error("the client refused {method}: {text}")]
    Refused { method: &'static str, text: String },
    #[error("the client's answer to {method} is no result that can be read")]
    Unreadable { method: &'static str },
}

/// Where a request goes out.
#[derive(Clone, Debug)]
pub(crate) enum Via {
    /// On the stream of the call that needs the answer.
    Call(Outbound),
    /// On the session's own stream.
    Stream,
}

impl Via {
    async fn send(&self, session: &Session, message: Bytes) -> bool {
        match self {
            Self::Call(outbound) => outbound.send(message).await,
            Self::Stream => session.notices.post(message),
        }
    }

    /// Resolves when nobody can read there any more.
    async fn closed(&self) {
        match self {
            Self::Call(outbound) => outbound.closed().await,
            // What a closed stream has not written goes to the next one.
            Self::Stream => std::future::pending().await,
        }
    }

    fn withdraw(&self, session: &Session, id: &str, reason: &str) {
        let mut params = Map::new();
        params.insert("requestId".into(), id.into());
        params.insert("reason".into(), reason.into());
        let message = notification("notifications/cancelled", params, None);
        match self {
            Self::Call(outbound) => {
                outbound.offer(message);
            }
            Self::Stream => {
                session.notices.post(message);
            }
        }
    }
}

impl ClientRequests {
    fn begin(&self) -> Result<Waiting<'_>, AskError> {
        let mut state = self.lock();
        if state.waiting.len() >= MOST_WAITING {
            return Err(AskError::TooMany);
        }
        state.last += 1;
        let number = state.last;
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(number, sender);
        Ok(Waiting {
            owner: self,
            number,
            receiver,
        })
    }

    /// Hands an answer to whoever waits for it; `false` when nobody does.
    pub(crate) fn answered(&self, response: ClientResponse) -> bool {
        let id: Option<String> = serde_json::from_str(response.id.as_json()).ok();
        let number = id
            .as_deref()
            .and_then(|id| id.strip_prefix(ID_PREFIX))
            .and_then(|number| number.parse::<u64>().ok());
        let sender = number.and_then(|number| self.lock().waiting.remove(&number));
        sender.is_some_and(|sender| sender.send(response.outcome).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request on its way; leaves the table when dropped.
struct Waiting<'r> {
    owner: &'r ClientRequests,
    number: u64,
    receiver: oneshot::Receiver<Result<String, String>>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.owner.lock().waiting.remove(&self.number);
    }
}

/// Asks the client and waits for what it says, at most for the given time.
pub(crate) async fn ask(
    session: &Arc<Session>,
    method: &'static str,
    params: Option<&Value>,
    via: &Via,
    limit: Duration,
    cancel: &CancellationToken,
) -> Result<Value, AskError> {
    let mut waiting = session.requests.begin()?;
    let id = format!("{ID_PREFIX}{}", waiting.number);
    let mut text = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}""#);
    if let Some(params) = params {
        text.push_str(r#","params":"#);
        text.push_str(&params.to_string());
    }
    text.push('}');
    let exchange = async {
        if !via.send(session, text.into()).await {
            return Err(AskError::Unreachable);
        }
        (&mut waiting.receiver).await.map_err(|_| AskError::Gone)
    };
    let answer = tokio::select! {
        biased;
        () = session.ended.cancelled() => Err(AskError::Gone),
        () = cancel.cancelled() => {
            via.withdraw(session, &id, "the call was cancelled");
            Err(AskError::Cancelled)
        }
        answer = exchange => answer,
        () = via.closed() => Err(AskError::Gone),
        () = tokio::time::sleep(limit) => {
            via.withdraw(session, &id, "no answer in time");
            Err(AskError::TimedOut { method, limit })
        }
    }?;
    match answer {
        Ok(result) => serde_json::from_str(&result).map_err(|_| AskError::Unreadable { method }),
        Err(error) => Err(AskError::Refused {
            method,
            text: refusal(&error),
        }),
    }
}

/// A client's words for its refusal, in one line of bounded length.
fn refusal(error: &str) -> String {
    let value: Value = serde_json::from_str(error).unwrap_or_default();
    let text = value
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or("it gave no reason");
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(SHOWN_REFUSAL)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RawId;
    use crate::outbound::Streaming;
    use crate::session::Sessions;
    use futures_util::FutureExt as _;

    fn session() -> Arc<Session> {
        let sessions = Sessions::new(1, Duration::from_secs(1), Arc::new(|| Duration::ZERO));
        let parent = CancellationToken::new();
        let version = crate::LegacyVersion::NEWEST;
        sessions.create(version, Map::new(), 0, &parent).unwrap().0
    }

    fn answer(id: &str) -> ClientResponse {
        ClientResponse {
            id: RawId::new(id).unwrap(),
            outcome: Ok("{}".to_owned()),
        }
    }

    #[tokio::test]
    async fn nothing_stays_in_the_table_however_it_ends() {
        let session = session();
        let never = CancellationToken::new();
        let ended = |via: Via, cancel: CancellationToken, limit: u64| {
            let session = Arc::clone(&session);
            async move {
                let limit = Duration::from_millis(limit);
                ask(&session, "roots/list", None, &via, limit, &cancel).await
            }
        };
        assert_eq!(
            ended(Via::Stream, never.clone(), 9).await,
            Err(AskError::Unreachable)
        );
        let (outbound, mut messages) = Outbound::new(Streaming::Yes);
        let via = Via::Call(outbound);
        let late = ended(via.clone(), never.clone(), 1).await.unwrap_err();
        assert_eq!(
            late.to_string(),
            "the client did not answer roots/list within 0 s"
        );
        assert!(
            messages
                .recv()
                .await
                .unwrap()
                .ends_with(br#""method":"roots/list"}"#)
        );
        insta::assert_snapshot!(
            String::from_utf8(messages.recv().await.unwrap().to_vec()).unwrap(),
            @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"metier-2","reason":"no answer in time"}}"#
        );
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        assert_eq!(
            ended(via.clone(), cancelled, 9000).await,
            Err(AskError::Cancelled)
        );
        drop(
            ended(via.clone(), never.clone(), 9000)
                .boxed()
                .now_or_never(),
        );
        drop(messages);
        assert_eq!(
            ended(via, never.clone(), 9000).await,
            Err(AskError::Unreachable)
        );
        assert!(session.requests.lock().waiting.is_empty());
        for id in ["\"metier-1\"", "1", "\"metier-x\"", "\"\""] {
            assert!(!session.requests.answered(answer(id)), "{id}");
        }
    }

    #[tokio::test]
    async fn as_many_as_allowed_wait_and_one_more_is_refused() {
        let session = session();
        let stream = session.notices.open(None);
        let never = CancellationToken::new();
        let limit = Duration::from_secs(9);
        let mut waiting = Vec::new();
        for _ in 0..MOST_WAITING {
            let mut one = ask(&session, "roots/list", None, &Via::Stream, limit, &never).boxed();
            assert!((&mut one).now_or_never().is_none());
            waiting.push(one);
        }
        let more = ask(&session, "roots/list", None, &Via::Stream, limit, &never).await;
        assert_eq!(more, Err(AskError::TooMany));
        assert!(session.requests.answered(answer("\"metier-3\"")));
        assert_eq!(waiting.remove(2).await, Ok(Value::Object(Map::new())));
        session.ended.cancel();
        assert_eq!(waiting.remove(0).await, Err(AskError::Gone));
        drop(waiting);
        assert!(session.requests.lock().waiting.is_empty());
        drop(stream);
    }
}
