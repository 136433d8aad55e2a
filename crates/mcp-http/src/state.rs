//! The routes and what they share.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get};
use metier_mcp::McpServer;

use crate::McpHttpConfig;
use crate::endpoint;
use crate::guard::Guard;
use crate::skill_files;

/// What every request needs.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) server: McpServer,
    pub(crate) guard: Arc<Guard>,
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) body: usize,
    pub(crate) body_time: Duration,
    pub(crate) keep_alive: Duration,
}

/// The service: `/mcp`, `/healthz`, the skills as files, and 404 for everything else, other
/// `.well-known` paths included.
pub(crate) fn router(server: McpServer, config: &McpHttpConfig) -> Router {
    let mut hosts = config.allowed_hosts.clone();
    // Whoever is told to listen on a name or an address is addressed by it.
    if !["0.0.0.0", "::", "[::]"].contains(&config.host.as_str()) {
        hosts.push(bracketed(&config.host));
    }
    let served = Served {
        server,
        guard: Arc::new(Guard::new(&hosts, &config.allowed_origins)),
        limits: Limits {
            body: config.body_limit,
            body_time: config.body_timeout,
            keep_alive: config.keep_alive.max(Duration::from_millis(10)),
        },
    };
    Router::new()
        .route("/mcp", any(endpoint::serve))
        .route("/healthz", get(health))
        .route(
            "/.well-known/agent-skills/{*path}",
            get(skill_files::serve).options(skill_files::asked_first),
        )
        .fallback(nothing_here)
        .layer(middleware::from_fn_with_state(served.clone(), guarded))
        .with_state(served)
}

/// An IPv6 address as it stands in a URL.
pub(crate) fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

async fn guarded(State(served): State<Served>, request: Request, next: Next) -> Response {
    if let Err(forbidden) = served.guard.check(request.headers(), request.uri()) {
        tracing::warn!(%forbidden, "a request was refused");
        return endpoint::refuse(StatusCode::FORBIDDEN, &forbidden.to_string());
    }
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = next.run(request).await;
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("Mcp-Session-Id"),
        );
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

async fn health() -> Response {
    let mut response = Response::new(Body::from(r#"{"status":"ok"}"#));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

async fn nothing_here() -> Response {
    not_found()
}

pub(crate) fn not_found() -> Response {
    let mut response = Response::new(Body::from("nothing here; the server is at /mcp\n"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}
