//! The workspace of a session, as its client tells it (revisions of 2025).
//!
//! The list is wanted from the beginning on and again after each change. It is asked for as soon as
//! there is a stream that the request can go on, and a call that needs it waits for the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metier_workspace_roots::{ClientRoot, WorkspaceRoots};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::client_requests::{AskError, Via, ask};
use crate::session::Session;

/// How long a client may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// How many roots a client may have.
const MOST_ROOTS: usize = 256;

/// What a session knows of its client's workspace.
#[derive(Debug)]
pub(crate) struct SessionRoots {
    declared: bool,
    /// The client has said that it is ready.
    ready: AtomicBool,
    state: watch::Sender<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// How often the list has become wanted: at the beginning, and with each change.
    wanted: u64,
    /// Which of these has been asked for.
    asked: u64,
    /// Which of these is settled.
    settled: u64,
    known: Option<Arc<WorkspaceRoots>>,
    fault: Option<String>,
}

impl SessionRoots {
    pub(crate) fn new(declared: bool) -> Self {
        Self {
            declared,
            ready: AtomicBool::new(false),
            state: watch::Sender::new(State {
                wanted: u64::from(declared),
                ..State::default()
            }),
        }
    }

    /// The client is ready for requests.
    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Release);
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// The list is wanted anew; a client that declared no roots is taken at its word.
    pub(crate) fn changed(&self) {
        if self.declared {
            self.state.send_modify(|state| state.wanted += 1);
        }
    }

    /// A new stream is there: what could not be had is wanted once more.
    pub(crate) fn retry(&self) {
        self.state.send_if_modified(|state| {
            let failed = state.settled == state.wanted && state.fault.is_some();
            state.wanted += u64::from(failed);
            failed
        });
    }

    /// The right to ask, for one asker.
    fn claim(&self) -> Option<u64> {
        let mut claimed = None;
        self.state.send_if_modified(|state| {
            if state.wanted > state.asked {
                state.asked = state.wanted;
                claimed = Some(state.wanted);
            }
            false
        });
        claimed
    }

    fn settle(&self, serial: u64, answer: Result<WorkspaceRoots, AskError>) {
        self.state.send_modify(|state| {
            if serial <= state.settled {
                return;
            }
            match answer {
                // No way to the client yet: the next one asks.
                Err(AskError::Unreachable) => {
                    if state.asked == serial {
                        state.asked = serial - 1;
                    }
                    return;
                }
                Err(error) => state.fault = Some(error.to_string()),
                Ok(roots) => {
                    state.fault = None;
                    state.known = Some(Arc::new(roots));
                }
            }
            state.settled = serial;
        });
    }

    /// Waits until the newest list is there, or until nobody is asking.
    pub(crate) async fn settled(&self, limit: Duration) -> bool {
        let mut changes = self.state.subscribe();
        let done =
            changes.wait_for(|state| state.settled >= state.wanted || state.asked < state.wanted);
        let waited = tokio::time::timeout(limit, done).await;
        matches!(waited, Ok(Ok(state)) if state.settled >= state.wanted)
    }

    /// What is known, and why that may not be all.
    pub(crate) fn current(&self) -> (Option<Arc<WorkspaceRoots>>, Option<String>) {
        let state = self.state.borrow();
        (state.known.clone(), state.fault.clone())
    }
}

/// Asks the client for its roots if that is due and nobody does already.
pub(crate) fn ask_if_due(session: &Arc<Session>, via: Via) {
    let Some(serial) = session.roots.claim() else {
        return;
    };
    let session = Arc::clone(session);
    tokio::spawn(async move {
        let never = tokio_util::sync::CancellationToken::new();
        let answer = ask(&session, "roots/list", None, &via, ANSWER_TIME, &never).await;
        let roots = answer.and_then(|answer| {
            read(&answer).ok_or(AskError::Unreadable {
                method: "roots/list",
            })
        });
        if let Err(error) = &roots {
            tracing::debug!(%error, "no roots of a client");
        }
        session.roots.settle(serial, roots);
    });
}

/// The roots of a `roots/list` result.
pub(crate) fn read(result: &Value) -> Option<WorkspaceRoots> {
    #[derive(Deserialize)]
    struct Listed {
        roots: Vec<Root>,
    }
    #[derive(Deserialize)]
    struct Root {
        uri: String,
        #[serde(default)]
        name: Option<Value>,
    }
    let listed = Listed::deserialize(result).ok()?;
    let roots: Vec<_> = listed
        .roots
        .into_iter()
        .take(MOST_ROOTS)
        .map(|root| {
            let mut client = ClientRoot::new(root.uri);
            client.name = root.name.and_then(|name| name.as_str().map(str::to_owned));
            client
        })
        .collect();
    Some(WorkspaceRoots::from_client_roots(&roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(path: &str) -> WorkspaceRoots {
        WorkspaceRoots::new([path])
    }

    #[tokio::test]
    async fn an_answer_to_an_older_question_does_not_stand_over_a_newer_one() {
        let session = SessionRoots::new(true);
        let first = session.claim().unwrap();
        assert_eq!(session.claim(), None, "asked once");
        session.changed();
        let second = session.claim().unwrap();
        session.settle(second, Ok(roots("/new")));
        session.settle(first, Ok(roots("/old")));
        assert!(session.settled(Duration::ZERO).await);
        assert_eq!(*session.current().0.unwrap(), roots("/new"));
    }

    #[tokio::test]
    async fn without_a_way_to_the_client_the_next_one_asks() {
        let session = SessionRoots::new(true);
        let serial = session.claim().unwrap();
        session.settle(serial, Err(AskError::Unreachable));
        assert!(
            !session.settled(Duration::from_mins(1)).await,
            "nobody is asking"
        );
        assert!(session.claim().is_some());
    }

    #[tokio::test]
    async fn a_failure_is_named_and_tried_again_with_the_next_stream() {
        let session = SessionRoots::new(true);
        let serial = session.claim().unwrap();
        session.settle(serial, Err(AskError::Gone));
        assert!(session.settled(Duration::ZERO).await);
        assert_eq!(session.current().1.as_deref(), Some("the client has gone"));
        session.retry();
        assert!(session.claim().is_some());
        assert_eq!(SessionRoots::new(false).claim(), None);
    }

    #[test]
    fn only_lists_of_roots_are_read() {
        let listed = serde_json::json!({"roots": [
            {"uri": "file:///a%20b", "name": "A"}, {"uri": "https://x.example/"}, {"uri": "file://localhost/c", "name": 7}
        ]});
        let read_roots = read(&listed).unwrap();
        assert_eq!(
            read_roots.roots(),
            [std::path::Path::new("/a b"), "/c".as_ref()]
        );
        assert_eq!(read_roots.unusable().len(), 1);
        for other in [
            serde_json::json!({}),
            serde_json::json!({"roots": [7]}),
            Value::Null,
        ] {
            assert!(read(&other).is_none(), "{other}");
        }
    }
}
