//! The workspace of a session, as its client tells it (revisions of 2025).
//!
//! The list is wanted from the beginning on and again after each change. It is asked for as soon as
//! there is a stream that the request can go on, and a call that needs it waits for the answer. One
//! question is open at a time: a change that comes meanwhile is remembered and asked about once more,
//! so that the newest list wins however many changes come at once.

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
/// So many roots of a client are taken, the first ones.
pub(crate) const MOST_ROOTS: usize = 256;

/// What a client told of its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientWorkspace {
    pub(crate) roots: Arc<WorkspaceRoots>,
    /// How many more roots it has than are taken.
    pub(crate) beyond: usize,
}

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
    /// Which of these the open question is about.
    open: Option<u64>,
    /// Which of these the client has answered.
    settled: u64,
    known: Option<Arc<ClientWorkspace>>,
    /// What was wrong with the last answer.
    fault: Option<String>,
    /// Why there was no answer to the last question.
    unanswered: Option<String>,
}

impl State {
    /// The right to ask, for one asker.
    fn claim(&mut self) -> Option<u64> {
        if self.open.is_none() && self.wanted > self.settled {
            self.open = Some(self.wanted);
            return self.open;
        }
        None
    }
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

    fn claim(&self) -> Option<u64> {
        let mut claimed = None;
        self.state.send_if_modified(|state| {
            claimed = state.claim();
            false
        });
        claimed
    }

    /// Takes the answer to the open question; what is to be asked next is claimed for the same asker.
    ///
    /// Without an answer the list stays wanted, and the next one who needs it asks.
    fn settle(&self, serial: u64, answer: Result<ClientWorkspace, AskError>) -> Option<u64> {
        let mut next = None;
        self.state.send_modify(|state| {
            state.open = None;
            state.unanswered = None;
            match answer {
                Ok(told) => {
                    state.fault = None;
                    state.known = Some(Arc::new(told));
                }
                // A client that refuses has none after all; one whose answer cannot be read has not told them.
                Err(error @ AskError::Refused { .. }) => {
                    state.fault = Some(error.to_string());
                }
                Err(error) => {
                    state.unanswered = Some(error.to_string());
                    return;
                }
            }
            state.settled = serial;
            next = state.claim();
        });
        next
    }

    /// Waits until the newest list is there, or until nobody is asking.
    pub(crate) async fn settled(&self) -> bool {
        let mut changes = self.state.subscribe();
        let done = changes.wait_for(|state| state.settled >= state.wanted || state.open.is_none());
        matches!(done.await, Ok(state) if state.settled >= state.wanted)
    }

    /// What is known, and what was wrong with the last answer.
    pub(crate) fn current(&self) -> (Option<Arc<ClientWorkspace>>, Option<String>) {
        let state = self.state.borrow();
        (state.known.clone(), state.fault.clone())
    }

    /// Why the last question has no answer.
    pub(crate) fn unanswered(&self) -> Option<String> {
        self.state.borrow().unanswered.clone()
    }
}

/// Asks the client for its roots if that is due and nobody does already; true if this asks.
pub(crate) fn ask_if_due(session: &Arc<Session>, via: Via) -> bool {
    let Some(first) = session.roots.claim() else {
        return false;
    };
    let session = Arc::clone(session);
    tokio::spawn(async move {
        let never = tokio_util::sync::CancellationToken::new();
        let mut due = Some(first);
        while let Some(serial) = due {
            let answer = ask(&session, "roots/list", None, &via, ANSWER_TIME, &never).await;
            let roots = answer.and_then(|answer| {
                read(&answer).ok_or(AskError::Unreadable {
                    method: "roots/list",
                })
            });
            if let Err(error) = &roots {
                tracing::debug!(%error, "no roots of a client");
            }
            due = session.roots.settle(serial, roots);
        }
    });
    true
}

/// The roots of a `roots/list` result. An entry that is no root does not count, as one that cannot be used.
pub(crate) fn read(result: &Value) -> Option<ClientWorkspace> {
    #[derive(Deserialize)]
    struct Listed {
        roots: Vec<Value>,
    }
    let listed = Listed::deserialize(result).ok()?;
    let beyond = listed.roots.len().saturating_sub(MOST_ROOTS);
    let roots: Vec<_> = listed
        .roots
        .into_iter()
        .take(MOST_ROOTS)
        .map(|root| {
            let member = |name: &str| root.get(name).and_then(Value::as_str);
            let uri = member("uri").map_or_else(|| root.to_string(), str::to_owned);
            let mut client = ClientRoot::new(uri);
            client.name = member("name").map(str::to_owned);
            client
        })
        .collect();
    Some(ClientWorkspace {
        roots: Arc::new(WorkspaceRoots::from_client_roots(&roots)),
        beyond,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(path: &str) -> ClientWorkspace {
        ClientWorkspace {
            roots: Arc::new(WorkspaceRoots::new([path])),
            beyond: 0,
        }
    }

    #[tokio::test]
    async fn one_question_is_open_and_all_changes_meanwhile_are_one_more() {
        let session = SessionRoots::new(true);
        let first = session.claim().unwrap();
        for _ in 0..100 {
            session.changed();
            assert_eq!(session.claim(), None, "one at a time");
        }
        let second = session.settle(first, Ok(roots("/old"))).unwrap();
        assert_eq!(session.claim(), None, "claimed by the same asker");
        assert_eq!(session.settle(second, Ok(roots("/new"))), None);
        assert!(session.settled().await);
        assert_eq!(*session.current().0.unwrap(), roots("/new"));
        assert_eq!(session.claim(), None);
    }

    #[tokio::test]
    async fn without_an_answer_the_next_one_asks() {
        let session = SessionRoots::new(true);
        for error in [
            AskError::Unreachable,
            AskError::Gone,
            AskError::TooMany,
            AskError::Unreadable {
                method: "roots/list",
            },
        ] {
            let text = error.to_string();
            let serial = session.claim().unwrap();
            session.changed();
            assert_eq!(session.settle(serial, Err(error)), None);
            assert!(!session.settled().await, "nobody is asking");
            assert_eq!(session.unanswered(), Some(text));
        }
        let serial = session.claim().unwrap();
        session.settle(serial, Ok(roots("/r")));
        assert_eq!(session.unanswered(), None);
    }

    #[tokio::test]
    async fn a_refusal_is_named_and_asked_about_again_with_the_next_stream() {
        let session = SessionRoots::new(true);
        let serial = session.claim().unwrap();
        let method = "roots/list";
        let text = "no roots here".to_owned();
        session.settle(serial, Err(AskError::Refused { method, text }));
        assert!(session.settled().await);
        assert!(session.current().1.unwrap().contains("no roots here"));
        assert_eq!(session.claim(), None);
        session.retry();
        assert!(session.claim().is_some());
        assert_eq!(SessionRoots::new(false).claim(), None);
    }

    #[test]
    fn only_lists_of_roots_are_read() {
        let listed = serde_json::json!({"roots": [
            {"uri": "file:///a%20b", "name": "A"}, {"uri": "https://x.example/"}, 5, {"uri": "file://localhost/c", "name": 7}
        ]});
        let read_roots = read(&listed).unwrap().roots;
        assert_eq!(
            read_roots.roots(),
            [std::path::Path::new("/a b"), "/c".as_ref()]
        );
        assert_eq!(read_roots.unusable().len(), 2);
        for other in [
            serde_json::json!({}),
            serde_json::json!({"roots": "x"}),
            Value::Null,
        ] {
            assert!(read(&other).is_none(), "{other}");
        }
    }
}
