//! From an admitted request to its answer.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::call::{Call, Outcome};
use crate::envelope::Request;
use crate::error::{INVALID_REQUEST, METHOD_NOT_FOUND, McpError};
use crate::exchange::{Answer, Exchange, Frame, Reply};
use crate::meta::Meta;
use crate::outbound::{Outbound, Streaming};
use crate::peers::PeerGuard;
use crate::session::Session;
use crate::table::Started;
use crate::{Era, McpServer, RawId};

/// How long a cancelled method may take to come to its end before it is dropped.
/// Longer than the catalog's own grace, which ends a call with its hooks.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// How much longer, for a method that answers at the last moment with what it has.
const LAST_WORD: Duration = Duration::from_secs(1);

impl McpServer {
    /// Calls the method; what it has not answered at once is an exchange.
    pub(crate) fn dispatch(
        &self,
        request: Request,
        meta: Meta,
        era: Era,
        session: Option<Arc<Session>>,
        streaming: Streaming,
    ) -> Reply {
        let Request { id, method, params } = request;
        if !self.inner.table.has(era, &method) {
            return answer(era, &id, None, Outcome::Error(unknown_method(era, &method))).into();
        }
        if method == "subscriptions/listen" && streaming == Streaming::No {
            let error = McpError::new(
                INVALID_REQUEST,
                "subscriptions/listen answers with text/event-stream, which the request does not accept",
            );
            return Reply::Answer(Answer::error(406, Some(&id), &error));
        }
        let shared = &self.inner.shared;
        let parent = session
            .as_ref()
            .map_or(&shared.closing, |session| &session.ended);
        let cancel = parent.child_token();
        let stopping = shared.closing.child_token();
        let at_once = self.inner.table.answers_at_once(&method);
        let (outbound, messages) = Outbound::new(if at_once { Streaming::No } else { streaming });
        let peer = era.is_modern().then(|| peer_label(&meta));
        let call = Arc::new(Call {
            client: session
                .as_ref()
                .map(|session| session.id.to_string())
                .or_else(|| peer.clone()),
            id,
            era,
            meta,
            outbound,
            cancel: cancel.clone(),
            stopping: stopping.clone(),
            began: OnceLock::new(),
            answer: Mutex::new(None),
            session,
        });
        // Whoever comes during the shutdown begins nothing: nobody would tell of its end.
        let peer = peer.filter(|_| !shared.closing.is_cancelled());
        let mut peer = peer.map(|label| shared.peers.enter(&label));
        let has_to_wait = peer.as_ref().is_some_and(PeerGuard::has_to_wait);
        if at_once && !has_to_wait {
            return match self.inner.table.start(&method, params.as_json(), &call) {
                Started::Done(outcome) => answer(era, &call.id, None, outcome).into(),
                Started::Working(_) | Started::Unknown => {
                    answer(era, &call.id, None, Outcome::Error(McpError::internal())).into()
                }
            };
        }
        let entered = call
            .session
            .as_ref()
            .map(|session| session.calls.enter(&call.id, cancel.clone()));
        let guards = (entered, shared.under_way.token());
        let server = self.clone();
        let stop = cancel.clone();
        let begins_session = method == "initialize";
        let is_listening = method == "subscriptions/listen";
        let work = async move {
            let _guards = guards;
            let shared = &server.inner.shared;
            if let Some(peer) = &mut peer {
                tokio::select! {
                    biased;
                    () = peer.wait() => {}
                    () = stop.cancelled() => {}
                }
                if peer.owes_greeting() {
                    let (gone, told) = peer.greeted();
                    let client = call.meta.client_name.clone();
                    shared
                        .session_started(peer.label(), client, gone, Some(told), &stop)
                        .await;
                }
            }
            let outcome = match server.inner.table.start(&method, params.as_json(), &call) {
                Started::Done(outcome) => outcome,
                Started::Working(work) => until_cancelled(work, stop).await,
                Started::Unknown => Outcome::Error(McpError::internal()),
            };
            let outcome = match outcome {
                // Nobody but the server gave up here, and somebody waits for an answer.
                Outcome::Silence if shared.closing.is_cancelled() && !is_listening => {
                    Outcome::Error(McpError::stopping())
                }
                outcome => outcome,
            };
            answer(era, &call.id, call.began.get(), outcome)
        };
        Reply::Exchange(
            Exchange::new(Box::pin(work), messages, cancel, era.is_modern())
                .beginning_session(begins_session)
                .stopped_by(stopping),
        )
    }
}

/// Gives a cancelled method some time to end what it started, then drops it.
async fn until_cancelled(
    mut work: futures_util::future::BoxFuture<'static, Outcome>,
    cancel: CancellationToken,
) -> Outcome {
    tokio::select! {
        outcome = &mut work => outcome,
        () = cancel.cancelled() => {
            tokio::time::timeout(GRACE + LAST_WORD, work).await.unwrap_or(Outcome::Silence)
        }
    }
}

fn answer(era: Era, id: &RawId, began: Option<&Arc<str>>, outcome: Outcome) -> Frame {
    match outcome {
        Outcome::Result(result) => {
            let mut answer = Answer::result(id, &result);
            answer.session = began.map(ToString::to_string);
            Frame::Answer(answer)
        }
        Outcome::Error(error) => {
            Frame::Answer(Answer::error(era.status_of(error.code), Some(id), &error))
        }
        Outcome::Silence => Frame::Silence,
    }
}

impl From<Frame> for Reply {
    fn from(frame: Frame) -> Self {
        match frame {
            Frame::Answer(answer) => Self::Answer(answer),
            Frame::Message(_) | Frame::Silence => Self::Accepted,
        }
    }
}

fn unknown_method(era: Era, method: &str) -> McpError {
    McpError::new(
        METHOD_NOT_FOUND,
        format!("no method {method:?} in revision {era}"),
    )
}

/// What hooks and memory call a client without a session.
fn peer_label(meta: &Meta) -> String {
    let name: String = meta
        .client_name
        .as_deref()
        .unwrap_or("unnamed")
        .chars()
        .take(100)
        .collect();
    format!("client:{name}")
}
