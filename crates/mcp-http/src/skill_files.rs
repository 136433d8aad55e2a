//! The skills as plain files for installers, below `/.well-known/agent-skills/`.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use metier_mcp::AGENT_SKILLS_PATH;

use crate::endpoint;
use crate::state::{Served, not_found};

const METHODS: &str = "GET, HEAD, OPTIONS";

/// A page that sends headers of its own is asked about first by its browser, as at the endpoint.
pub(crate) async fn asked_first(request: Request) -> Response {
    endpoint::options(request.headers(), METHODS)
}

/// Answers one file. The path is taken as it was sent, so that escapes are undone once.
pub(crate) async fn serve(State(served): State<Served>, request: Request) -> Response {
    let path = request.uri().path().strip_prefix(AGENT_SKILLS_PATH);
    let file = match path {
        Some(path) => served.server.agent_skills(path).await,
        None => None,
    };
    let Some(file) = file else {
        return not_found();
    };
    let mut response = Response::new(Body::from(file.bytes));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.mime));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
