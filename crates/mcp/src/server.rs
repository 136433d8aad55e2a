//! The server: takes messages from a transport and gives back what is to be answered.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use metier_catalog::{SkillCatalog, ToolDispatcher};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::admission;
use crate::background;
use crate::call::{Call, Outbound, Outcome, Streaming};
use crate::config::{Clock, McpConfig, steady_clock};
use crate::envelope::{self, Message, Notification, Request};
use crate::error::{INVALID_REQUEST, METHOD_NOT_FOUND, McpError};
use crate::exchange::{Answer, Exchange, Frame, Reply};
use crate::headers::{PROTOCOL_VERSION_HEADER, single};
use crate::meta::Meta;
use crate::methods;
use crate::notices::StreamGuard;
use crate::session::Session;
use crate::shared::Shared;
use crate::table::{MethodTable, Started};
use crate::{Era, RawId};

/// How long a cancelled method may take to come to its end before it is dropped.
/// Longer than the catalog's own grace, which ends a call with its hooks.
const GRACE: Duration = Duration::from_secs(10);

/// One message on its way in, with what its transport knows.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Incoming {
    /// The bytes of one JSON-RPC message.
    pub body: Vec<u8>,
    /// The headers it came with; `None` on a transport that has none, which then mirrors nothing.
    pub headers: Option<HeaderMap>,
    /// The id of the session it belongs to.
    pub session: Option<String>,
    /// Whether messages may go ahead of the answer.
    pub streaming: Streaming,
}

impl Incoming {
    /// A message from a transport without headers.
    pub fn new(body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::default()
        }
    }
}

/// Every MCP method over one catalog, for any transport. Cloning is cheap and clones are one server.
#[derive(Clone)]
pub struct McpServer {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    table: MethodTable,
    events: Mutex<Option<background::Events>>,
    has_background: AtomicBool,
    /// Stops the background task when the last handle goes.
    _closing: DropGuard,
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("sessions", &self.inner.shared.sessions)
            .finish_non_exhaustive()
    }
}

impl McpServer {
    /// A server over a catalog.
    pub fn new(catalog: SkillCatalog, dispatcher: ToolDispatcher, config: McpConfig) -> Self {
        Self::with_clock(catalog, dispatcher, config, steady_clock())
    }

    /// A server whose idle times are measured by the given clock.
    pub fn with_clock(
        catalog: SkillCatalog,
        dispatcher: ToolDispatcher,
        config: McpConfig,
        clock: Clock,
    ) -> Self {
        let events = catalog.subscribe();
        let shared = Arc::new(Shared::new(catalog, dispatcher, config, &clock));
        Self {
            inner: Arc::new(Inner {
                table: methods::table(&shared),
                events: Mutex::new(Some(events)),
                has_background: AtomicBool::new(false),
                _closing: shared.closing.clone().drop_guard(),
                shared,
            }),
        }
    }

    /// Takes one message. Must be called inside a tokio runtime.
    pub fn receive(&self, incoming: Incoming) -> Reply {
        self.start_background();
        let Incoming {
            body,
            headers,
            session,
            streaming,
        } = incoming;
        let message = match envelope::read(body) {
            Ok(message) => message,
            Err(refused) => {
                let status = if refused.id.is_some() && refused.error.code != INVALID_REQUEST {
                    200
                } else {
                    400
                };
                return Reply::Answer(Answer::error(status, refused.id.as_ref(), &refused.error));
            }
        };
        let way = Way {
            headers: headers.as_ref(),
            session: session.as_deref(),
            streaming,
        };
        let outcome = match message {
            Message::Request(request) => {
                let id = request.id.clone();
                self.request(request, &way)
                    .map_err(|refused| (Some(id), refused))
            }
            Message::Notification(note) => self
                .notification(&note, &way)
                .map_err(|refused| (None, refused)),
            Message::Response(_) => self
                .session(way.session)
                .map(|_| Reply::Accepted)
                .map_err(|refused| (None, refused)),
        };
        outcome.unwrap_or_else(|(id, refused)| {
            Reply::Answer(Answer::error(refused.status, id.as_ref(), &refused.error))
        })
    }

    /// Opens a session's stream of notices (GET of the 2025 revisions).
    ///
    /// # Errors
    ///
    /// An answer to send instead: 400 without an id, 404 for a session that is not there.
    pub fn open_stream(&self, session: Option<&str>) -> Result<NoticeStream, Answer> {
        self.start_background();
        let session = self
            .session(session)
            .map_err(|refused| Answer::error(refused.status, None, &refused.error))?;
        let guard = session.notices.open();
        Ok(NoticeStream { session, guard })
    }

    /// Ends a session: its calls are cancelled, its streams close, its end is told to the hooks
    /// once. `false` when there is no such session.
    pub async fn end_session(&self, id: &str) -> bool {
        match self.inner.shared.sessions.end(id) {
            Some(session) => {
                self.inner.shared.session_ended(&session.id, "closed").await;
                true
            }
            None => false,
        }
    }

    /// How many sessions are live.
    pub fn session_count(&self) -> usize {
        self.inner.shared.sessions.count()
    }

    /// Ends sessions that have been idle for too long. Runs by itself from time to time.
    pub async fn sweep(&self) {
        self.inner.shared.sweep().await;
    }

    /// Cancels every call and waits for its end, closes every stream and ends every session. What
    /// is asked afterwards is cancelled at once.
    pub async fn shutdown(&self) {
        let shared = &self.inner.shared;
        shared.closing.cancel();
        shared.under_way.close();
        if tokio::time::timeout(GRACE, shared.under_way.wait())
            .await
            .is_err()
        {
            tracing::warn!("requests were still under way at the end of the grace time");
        }
        for session in shared.sessions.end_all() {
            shared.session_ended(&session.id, "shutdown").await;
        }
        for peer in shared.peers.end_all() {
            shared.session_ended(&peer, "shutdown").await;
        }
    }

    fn start_background(&self) {
        if self.inner.has_background.swap(true, Ordering::AcqRel) {
            return;
        }
        let events = self
            .inner
            .events
            .lock()
            .ok()
            .and_then(|mut events| events.take());
        if let (Some(events), Ok(runtime)) = (events, tokio::runtime::Handle::try_current()) {
            let shared = &self.inner.shared;
            let every = shared.config.session_idle / 4;
            runtime.spawn(background::run(
                Arc::downgrade(shared),
                events,
                shared.closing.clone(),
                every,
            ));
        }
    }

    fn session(&self, id: Option<&str>) -> Result<Arc<Session>, Refused> {
        let Some(id) = id else {
            return Err(Refused {
                status: 400,
                error: McpError::new(
                    INVALID_REQUEST,
                    "no session: call initialize first and send the Mcp-Session-Id of its answer with every message",
                ),
            });
        };
        self.inner.shared.sessions.find(id).ok_or_else(|| Refused {
            status: 404,
            error: McpError::new(
                INVALID_REQUEST,
                "this session is not known or has ended; call initialize for a new one",
            ),
        })
    }

    fn request(&self, request: Request, way: &Way<'_>) -> Result<Reply, Refused> {
        let shared = &self.inner.shared;
        let meta =
            Meta::read(request.params.as_json()).map_err(|error| Refused { status: 200, error })?;
        let header = way.version_header(&request.method)?;
        if admission::is_modern(&request.method, &meta, header) {
            let pages = || shared.pages.of(&shared.catalog.snapshot());
            let version =
                admission::admit(&request, &meta, way.headers, pages).map_err(Refused::bad)?;
            return Ok(self.dispatch(request, meta, Era::Modern(version), None, way.streaming));
        }
        if request.method == "initialize" {
            let era = Era::Legacy(crate::LegacyVersion::NEWEST);
            return Ok(self.dispatch(request, meta, era, None, way.streaming));
        }
        let session = self.session(way.session)?;
        admission::check_legacy_header(header).map_err(Refused::bad)?;
        let era = Era::Legacy(session.version);
        Ok(self.dispatch(request, meta, era, Some(session), way.streaming))
    }

    fn notification(&self, note: &Notification, way: &Way<'_>) -> Result<Reply, Refused> {
        let meta = Meta::read(note.params.as_json()).map_err(Refused::bad)?;
        let header = way.version_header(&note.method)?;
        if admission::is_modern(&note.method, &meta, header) {
            return Ok(Reply::Accepted);
        }
        let session = self.session(way.session)?;
        admission::check_legacy_header(header).map_err(Refused::bad)?;
        if note.method == "notifications/cancelled" {
            match cancelled_id(note.params.as_json()) {
                Some(id) => session.cancel(&id),
                None => tracing::debug!("a cancellation names no request"),
            }
        }
        Ok(Reply::Accepted)
    }

    fn dispatch(
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
            began: OnceLock::new(),
            answer: Mutex::new(None),
            session,
        });
        let greeting = peer.and_then(|label| match shared.peers.see(&label) {
            (false, _) => None,
            (true, gone) => Some((label, gone)),
        });
        if at_once && greeting.is_none() {
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
        let work = async move {
            let _guards = guards;
            let shared = &server.inner.shared;
            if let Some((label, gone)) = greeting {
                if let Some(gone) = gone {
                    shared.session_ended(&gone, "expired").await;
                }
                shared
                    .session_started(&label, call.meta.client_name.clone())
                    .await;
            }
            let outcome = match server.inner.table.start(&method, params.as_json(), &call) {
                Started::Done(outcome) => outcome,
                Started::Working(work) => until_cancelled(work, stop).await,
                Started::Unknown => Outcome::Error(McpError::internal()),
            };
            answer(era, &call.id, call.began.get(), outcome)
        };
        Reply::Exchange(
            Exchange::new(Box::pin(work), messages, cancel, era.is_modern())
                .beginning_session(begins_session),
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
            tokio::time::timeout(GRACE, work).await.unwrap_or(Outcome::Silence)
        }
    }
}

fn answer(era: Era, id: &RawId, began: Option<&Arc<str>>, outcome: Outcome) -> Frame {
    match outcome {
        Outcome::Result(result) => {
            let mut answer = Answer::result(id, &result);
            answer.session = began.map(|id| id.to_string());
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

/// What the transport told about a message.
struct Way<'a> {
    headers: Option<&'a HeaderMap>,
    session: Option<&'a str>,
    streaming: Streaming,
}

impl<'a> Way<'a> {
    /// `initialize` does not look at the header, so nothing about it can be wrong.
    fn version_header(&self, method: &str) -> Result<Option<&'a str>, Refused> {
        match self.headers {
            Some(headers) if method != "initialize" => {
                single(headers, PROTOCOL_VERSION_HEADER).map_err(Refused::bad)
            }
            _ => Ok(None),
        }
    }
}

/// A message that no method gets to see.
struct Refused {
    status: u16,
    error: McpError,
}

impl Refused {
    fn bad(error: McpError) -> Self {
        Self { status: 400, error }
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

fn cancelled_id(params: &str) -> Option<RawId> {
    #[derive(Deserialize)]
    struct Cancelled<'a> {
        #[serde(borrow, rename = "requestId")]
        id: &'a RawValue,
    }
    let cancelled: Cancelled<'_> = serde_json::from_str(params).ok()?;
    RawId::new(cancelled.id.get())
}

/// A session's stream of notices; closes when dropped.
#[derive(Debug)]
pub struct NoticeStream {
    session: Arc<Session>,
    guard: StreamGuard,
}

impl NoticeStream {
    /// The next message; `None` when the session has ended. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Bytes> {
        tokio::select! {
            biased;
            () = self.session.ended.cancelled() => None,
            kind = self.guard.slot.next() => Some(kind.message(None)),
        }
    }
}
