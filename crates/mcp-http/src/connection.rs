//! Accepts connections and carries them until the server ends.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use metier_mcp::McpServer;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::McpHttpConfig;
use crate::carried::Requests;
use crate::handle::McpHttpHandle;
use crate::stall::StallGuard;

/// How long a client may take to send the head of a request.
/// Also how long an idle connection is kept, so it is longer than what clients keep theirs.
const HEAD_TIME: Duration = Duration::from_mins(2);
/// How long to wait when the system has no more connections to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long nothing more is said of connections that could not be accepted.
const TELL_AGAIN: Duration = Duration::from_mins(1);

/// Starts the accept loop.
pub(crate) fn serve(
    listener: TcpListener,
    local: SocketAddr,
    router: Router,
    server: McpServer,
    config: &McpHttpConfig,
) -> McpHttpHandle {
    let stop = CancellationToken::new();
    let connections = TaskTracker::new();
    let requests = Requests {
        router,
        tasks: connections.clone(),
        cut: CancellationToken::new(),
    };
    let carrier = Carrier {
        requests,
        stop: stop.clone(),
        stall: config.write_stall,
    };
    let grace = config.shutdown_grace;
    let done = CancellationToken::new();
    let finished = done.clone().drop_guard();
    tokio::spawn(async move {
        let _finished = finished;
        accept(&listener, &carrier, &connections).await;
        drop(listener);
        // Ends calls and streams; their last words still go out below.
        server.shutdown().await;
        connections.close();
        if tokio::time::timeout(grace, connections.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                open = connections.len(),
                "connections were cut at the end of the grace time"
            );
            carrier.requests.cut.cancel();
            connections.wait().await;
        }
    });
    McpHttpHandle::new(&config.host, local, stop, done)
}

async fn accept(listener: &TcpListener, carrier: &Carrier, connections: &TaskTracker) {
    // Whoever holds all connections that there may be would fill the log as well.
    let mut told: Option<tokio::time::Instant> = None;
    loop {
        let accepted = tokio::select! {
            biased;
            () = carrier.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(carrier.clone().carry(stream));
            }
            Err(error) => {
                if told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
                    told = Some(tokio::time::Instant::now());
                    tracing::warn!(
                        %error,
                        "a connection could not be accepted; clients may hold more than the system's limit of open files allows (ulimit -n); this is said once a minute"
                    );
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

#[derive(Clone)]
struct Carrier {
    requests: Requests,
    /// No new requests; the cut of the requests ends even the ones under way.
    stop: CancellationToken,
    stall: Duration,
}

impl Carrier {
    async fn carry(self, stream: TcpStream) {
        // Without it, small events wait for the acknowledgement of the one before.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        let io = TokioIo::new(StallGuard::new(stream, self.stall));
        let cut = self.requests.cut.clone();
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .serve_connection(io, self.requests);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection.as_mut() => ended,
                    () = cut.cancelled() => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke off");
        }
    }
}
