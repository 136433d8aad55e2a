//! The server: takes messages from a transport and gives back what is to be answered.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_catalog::{SkillCatalog, ToolDispatcher};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use tokio_util::sync::DropGuard;

use crate::admission;
use crate::background;
use crate::client_requests::Via;
use crate::config::{Clock, McpConfig, steady_clock};
use crate::dispatch::GRACE;
use crate::envelope::{self, ClientResponse, Message, Notification, Request};
use crate::error::{INVALID_REQUEST, McpError};
use crate::exchange::{Answer, Reply};
use crate::history::EventId;
use crate::incoming::{Incoming, Refused, Way};
use crate::meta::Meta;
use crate::methods;
use crate::session::Session;
use crate::session_hooks::{TOLD_AT_LEAST, TOLD_WITHIN};
use crate::session_roots::ask_if_due;
use crate::shared::Shared;
use crate::stream::NoticeStream;
use crate::table::MethodTable;
use crate::{Era, RawId, is_legacy_date};

/// Every MCP method over one catalog, for any transport. Cloning is cheap and clones are one server.
#[derive(Clone)]
pub struct McpServer {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) table: MethodTable,
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
        Self::with_clock(catalog, dispatcher, config, &steady_clock())
    }

    /// A server whose idle times are measured by the given clock.
    pub fn with_clock(
        catalog: SkillCatalog,
        dispatcher: ToolDispatcher,
        config: McpConfig,
        clock: &Clock,
    ) -> Self {
        let changes = catalog.subscribe();
        let shelf = Arc::clone(catalog.snapshot().shelf());
        let reader = Arc::new(catalog.skill_reader());
        let shared = Arc::new(Shared::new(catalog, dispatcher, config, clock));
        let events = background::Events {
            changes,
            shelf,
            reader,
        };
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
            Message::Response(response) => self
                .response(response, &way)
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
        self.resume_stream(session, None)
    }

    /// Opens a session's stream and goes on after the event of that id (`Last-Event-ID`). An id that
    /// is not remembered any more is passed over.
    ///
    /// # Errors
    ///
    /// As [`open_stream`](Self::open_stream).
    pub fn resume_stream(
        &self,
        session: Option<&str>,
        seen: Option<&str>,
    ) -> Result<NoticeStream, Answer> {
        self.start_background();
        let session = self
            .session(session)
            .map_err(|refused| Answer::error(refused.status, None, &refused.error))?;
        let guard = session.notices.open(seen.and_then(EventId::parse));
        session.roots.retry();
        if session.roots.is_ready() {
            ask_if_due(&session, Via::Stream);
        }
        Ok(NoticeStream { session, guard })
    }

    /// Ends a session: its calls are cancelled, its streams close, its end is told to the hooks
    /// once. `false` when there is no such session.
    pub async fn end_session(&self, id: &str) -> bool {
        self.end(id, None).await
    }

    /// The same for a transport that has no other client and ends with it: hooks have six seconds, and what is still
    /// running of them then is ended.
    pub async fn end_last_session(&self, id: &str) -> bool {
        self.end(id, Some(TOLD_WITHIN)).await
    }

    async fn end(&self, id: &str, within: Option<Duration>) -> bool {
        let shared = &self.inner.shared;
        let Some(session) = shared.sessions.end(id) else {
            return false;
        };
        if !shared
            .session_ended_within(&session.id, "closed", within)
            .await
        {
            tracing::warn!(
                session = id,
                "hooks did not hear of the end of a session in time; what still ran of them was ended"
            );
        }
        true
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
    ///
    /// Calls have ten seconds for it. Hooks hear of the end of all sessions at the same time, in what is left of the ten
    /// seconds, two at least and six at most; what is still running of them then is ended.
    pub async fn shutdown(&self) {
        let began = Instant::now();
        let shared = &self.inner.shared;
        shared.closing.cancel();
        shared.under_way.close();
        if tokio::time::timeout(GRACE, shared.under_way.wait())
            .await
            .is_err()
        {
            tracing::warn!("requests were still under way at the end of the grace time");
        }
        let sessions = shared.sessions.end_all().into_iter();
        let mut ended: Vec<Arc<str>> = sessions.map(|it| Arc::clone(&it.id)).collect();
        ended.extend(shared.peers.end_all());
        let left = GRACE.saturating_sub(began.elapsed());
        let within = left.clamp(TOLD_AT_LEAST, TOLD_WITHIN);
        shared.all_sessions_end(ended, within).await;
        // What was begun for clients that went away comes to its end too, or is given up by now.
        shared.telling.close();
        shared.telling.wait().await;
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
                    "no session: call initialize first; over HTTP, send the Mcp-Session-Id of its answer with every message",
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
        let header = way.version_header(&request.method)?;
        // A session's client gets its answer as any other; a stateless one a malformed message.
        let stateless = header.is_some_and(|version| !is_legacy_date(version));
        let status = if stateless { 400 } else { 200 };
        let meta =
            Meta::read(request.params.as_json()).map_err(|error| Refused { status, error })?;
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
        if request.method == "ping" && way.session.is_none() {
            // Either side may ask whether the other is there before they know each other.
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
        admission::check_any_header(header).map_err(Refused::bad)?;
        if admission::is_modern(&note.method, &meta, header) {
            return Ok(Reply::Accepted);
        }
        let session = self.session(way.session)?;
        match note.method.as_str() {
            "notifications/cancelled" => {
                if let Some(id) = cancelled_id(note.params.as_json()) {
                    session.cancel(&id);
                } else {
                    tracing::debug!("a cancellation names no request");
                }
            }
            "notifications/initialized" => {
                session.roots.set_ready();
                ask_if_due(&session, Via::Stream);
            }
            "notifications/roots/list_changed" => {
                session.roots.changed();
                ask_if_due(&session, Via::Stream);
            }
            _ => {}
        }
        Ok(Reply::Accepted)
    }

    /// What a client says to a request of ours. Only its own session's requests are looked at.
    fn response(&self, response: ClientResponse, way: &Way<'_>) -> Result<Reply, Refused> {
        let header = way.version_header("")?;
        admission::check_any_header(header).map_err(Refused::bad)?;
        let session = self.session(way.session)?;
        if !session.requests.answered(response) {
            tracing::debug!("an answer to no request of ours, or too late");
        }
        Ok(Reply::Accepted)
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
