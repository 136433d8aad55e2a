//! The one path of the protocol, `/mcp`: POST for messages, GET for a session's stream, DELETE for
//! its end.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use metier_mcp::{
    Answer, Exchange, Frame, Incoming, LegacyVersion, McpError, McpServer, ModernVersion,
    PROTOCOL_VERSION_HEADER, Reply, SESSION_HEADER, error, is_legacy_date,
};

use crate::body::{self, BodyError};
use crate::carried::ClientGone;
use crate::events;
use crate::negotiate::{Takes, sends_json};
use crate::state::Served;

/// The last event that a client has seen of a stream which broke off.
const LAST_EVENT_ID: &str = "last-event-id";
const METHODS: &str = "GET, POST, DELETE, OPTIONS";
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Answers every request to `/mcp`.
pub(crate) async fn serve(State(served): State<Served>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match parts.method {
        Method::POST => post(&served, parts, body).await,
        Method::GET => get(&served, &parts.headers),
        Method::DELETE => delete(&served.server, &parts.headers).await,
        Method::OPTIONS => options(&parts.headers, METHODS),
        _ => not_allowed(METHODS),
    }
}

async fn post(served: &Served, parts: Parts, body: Body) -> Response {
    let gone = parts.extensions.get::<ClientGone>().cloned();
    let headers = parts.headers;
    if !sends_json(&headers) {
        return refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be application/json in UTF-8",
        );
    }
    let takes = Takes::read(&headers);
    if !takes.json && !takes.events {
        return refuse(
            StatusCode::NOT_ACCEPTABLE,
            "answers are application/json or text/event-stream; Accept covers neither",
        );
    }
    let limits = &served.limits;
    let body = match body::read(&headers, body, limits.body, limits.body_time).await {
        Ok(body) => body,
        Err(refused) => {
            let status = match refused {
                BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                BodyError::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
                BodyError::Broken => StatusCode::BAD_REQUEST,
            };
            return refuse(status, &refused.to_string());
        }
    };
    let mut incoming = Incoming::new(body);
    incoming.session = match session_of(&headers) {
        Ok(session) => session.map(str::to_owned),
        Err(refused) => return *refused,
    };
    incoming.streaming = takes.streaming();
    incoming.headers = Some(headers);
    match served.server.receive(incoming) {
        Reply::Accepted => plain(StatusCode::ACCEPTED),
        Reply::Answer(answer) => answered(answer, takes),
        Reply::Exchange(exchange) => {
            let begins_session = exchange.begins_session();
            let Some(gone) = gone else {
                return under_way(served, exchange, takes).await;
            };
            let answer = under_way(served, exchange, takes);
            if begins_session {
                return greeted(&served.server, answer.await, &gone).await;
            }
            tokio::select! {
                biased;
                // Giving it up here cancels what is stateless and leaves what is a session's to itself.
                () = gone.wait() => plain(StatusCode::ACCEPTED),
                answer = answer => answer,
            }
        }
    }
}

/// The answer that begins a session. When its client has gone the session is ended: nobody else has its id, so that nobody
/// could ever end it.
async fn greeted(server: &McpServer, answer: Response, gone: &ClientGone) -> Response {
    // The end of the connection may be there already, and is looked for while an answer is not.
    tokio::task::yield_now().await;
    if gone.is_certain() {
        let id = answer.headers().get(SESSION_HEADER);
        let id = id.and_then(|id| id.to_str().ok()).map(ToOwned::to_owned);
        if let Some(id) = id {
            server.end_session(&id).await;
        }
    }
    answer
}

/// One JSON answer where the method answers before it speaks, otherwise a stream.
async fn under_way(served: &Served, mut exchange: Exchange, takes: Takes) -> Response {
    let quiet = served.limits.keep_alive;
    let may_turn = takes.events_by_name && !exchange.begins_session();
    let first = if may_turn {
        if let Ok(first) = tokio::time::timeout(quiet, exchange.next()).await {
            first
        } else {
            exchange.detach();
            return streamed(events::exchange(None, exchange, quiet));
        }
    } else {
        exchange.next().await
    };
    match first {
        Some(Frame::Answer(answer)) => answered(answer, takes),
        Some(Frame::Message(message)) => streamed(events::exchange(Some(message), exchange, quiet)),
        // Cancelled: the exchange ends, and there is nothing to say.
        Some(Frame::Silence) | None => plain(StatusCode::ACCEPTED),
    }
}

fn get(served: &Served, headers: &HeaderMap) -> Response {
    if !Takes::read(headers).events {
        return refuse(
            StatusCode::NOT_ACCEPTABLE,
            "a GET answers with text/event-stream, which Accept does not cover",
        );
    }
    if let Err(refused) = legacy_only(headers) {
        return *refused;
    }
    let session = match session_of(headers) {
        Ok(session) => session,
        Err(refused) => return *refused,
    };
    let seen = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    match served.server.resume_stream(session, seen) {
        Ok(stream) => streamed(events::notices(stream, served.limits.keep_alive)),
        Err(answer) => json(answer),
    }
}

async fn delete(server: &McpServer, headers: &HeaderMap) -> Response {
    if let Err(refused) = legacy_only(headers) {
        return *refused;
    }
    match session_of(headers) {
        Ok(Some(session)) if server.end_session(session).await => plain(StatusCode::NO_CONTENT),
        Ok(Some(_)) => refuse(
            StatusCode::NOT_FOUND,
            "this session is not known or has ended",
        ),
        Ok(None) => refuse(
            StatusCode::BAD_REQUEST,
            "which session? Send its Mcp-Session-Id",
        ),
        Err(refused) => *refused,
    }
}

/// Browsers ask before they send. Whoever gets here has an allowed origin, or none.
pub(crate) fn options(headers: &HeaderMap, methods: &'static str) -> Response {
    let mut response = plain(StatusCode::NO_CONTENT);
    let out = response.headers_mut();
    out.insert(header::ALLOW, HeaderValue::from_static(methods));
    if headers.contains_key(header::ORIGIN) {
        out.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(methods),
        );
        if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            out.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        out.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("600"),
        );
    }
    response
}

/// Stateless revisions have neither streams nor sessions of their own.
fn legacy_only(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let Some(value) = headers.get(PROTOCOL_VERSION_HEADER) else {
        return Ok(());
    };
    let version = value.to_str().unwrap_or_default().trim();
    if LegacyVersion::parse(version).is_some() {
        return Ok(());
    }
    if ModernVersion::parse(version).is_some() {
        return Err(Box::new(not_allowed("POST")));
    }
    let what = if is_legacy_date(version) {
        "not served"
    } else {
        "unknown"
    };
    Err(Box::new(refuse(
        StatusCode::BAD_REQUEST,
        &format!("MCP-Protocol-Version {version:?} is {what}"),
    )))
}

fn session_of(headers: &HeaderMap) -> Result<Option<&str>, Box<Response>> {
    let mut values = headers.get_all(SESSION_HEADER).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    match (value.to_str(), values.next()) {
        (Ok(id), None) => Ok(Some(id)),
        _ => Err(Box::new(refuse(
            StatusCode::BAD_REQUEST,
            "Mcp-Session-Id must be sent once, in visible ASCII",
        ))),
    }
}

fn answered(answer: Answer, takes: Takes) -> Response {
    if takes.json || answer.status != 200 {
        return json(answer);
    }
    let session = answer.session.clone();
    with_session(streamed(events::single(&answer)), session)
}

fn json(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    with_session(response, answer.session)
}

fn with_session(mut response: Response, session: Option<String>) -> Response {
    if let Some(id) = session.and_then(|id| HeaderValue::from_str(&id).ok()) {
        response
            .headers_mut()
            .insert(HeaderName::from_static(SESSION_HEADER), id);
    }
    response
}

fn streamed(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, EVENTS);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}

fn plain(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn not_allowed(allowed: &'static str) -> Response {
    let mut response = refuse(
        StatusCode::METHOD_NOT_ALLOWED,
        "this method is not served here",
    );
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A refusal ahead of any method: an error without an id.
pub(crate) fn refuse(status: StatusCode, message: &str) -> Response {
    json(Answer::error(
        status.as_u16(),
        None,
        &McpError::new(error::INVALID_REQUEST, message),
    ))
}
