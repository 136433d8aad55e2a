//! A running server.

use std::net::SocketAddr;

use tokio_util::sync::CancellationToken;

use crate::state::bracketed;

/// A running server. Dropping it begins the shutdown without waiting for its end.
#[derive(Debug)]
#[must_use = "dropping the handle stops the server"]
pub struct McpHttpHandle {
    url: String,
    local: SocketAddr,
    stop: CancellationToken,
    done: CancellationToken,
}

impl McpHttpHandle {
    pub(crate) fn new(
        host: &str,
        local: SocketAddr,
        stop: CancellationToken,
        done: CancellationToken,
    ) -> Self {
        // "Every address" is none that a client could use.
        let host = if local.ip().is_unspecified() {
            "127.0.0.1".to_owned()
        } else {
            bracketed(host)
        };
        Self {
            url: format!("http://{host}:{}/mcp", local.port()),
            local,
            stop,
            done,
        }
    }

    /// What a client on this machine connects to.
    pub fn mcp_url(&self) -> &str {
        &self.url
    }

    /// The address that is listened on, with the port that was taken.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Stops: no new connections, running calls are cancelled and their children end, streams
    /// close, sessions end. Returns when all of it has happened.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        self.done.cancelled().await;
    }

    /// Returns when the server has stopped.
    pub async fn wait(&self) {
        self.done.cancelled().await;
    }
}

impl Drop for McpHttpHandle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
