//! The server and its start.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use metier_catalog::{SkillCatalog, ToolDispatcher};
use metier_hooks::LifecycleHooks;
use metier_mcp::McpServer;
use tokio::net::{TcpListener, TcpSocket};

use crate::McpHttpConfig;
use crate::connection;
use crate::handle::McpHttpHandle;
use crate::state::{bracketed, router};

/// An MCP server over HTTP that has not started yet.
#[derive(Debug)]
#[must_use = "a server serves once it is started"]
pub struct McpHttpServer {
    catalog: SkillCatalog,
    server: McpServer,
    config: McpHttpConfig,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Another program listens there.
    #[error(
        "{address} is already in use; stop the program that listens there or choose another port (0 takes any free one)"
    )]
    InUse {
        /// What was asked for, as `host:port`.
        address: String,
    },
    /// The system refuses the port to this user.
    #[error(
        "this user may not listen on {address}; ports below 1024 usually need more rights, so choose a higher one"
    )]
    NotPermitted {
        /// What was asked for, as `host:port`.
        address: String,
    },
    /// Anything else.
    #[error("cannot listen on {address}: {source}; the host must be an address of this machine")]
    Bind {
        /// What was asked for, as `host:port`.
        address: String,
        /// What the system said.
        source: io::Error,
    },
}

impl McpHttpServer {
    /// A server over a catalog.
    pub fn new(catalog: SkillCatalog, dispatcher: ToolDispatcher, config: McpHttpConfig) -> Self {
        if !config.declared_capabilities.is_empty() {
            catalog.declare_capabilities(&config.declared_capabilities);
        }
        let server = McpServer::new(catalog.clone(), dispatcher, config.protocol());
        Self {
            catalog,
            server,
            config,
        }
    }

    /// Lets the handlers take part in sessions, searches, loads and calls.
    pub fn register_lifecycle_hooks(&mut self, hooks: LifecycleHooks) {
        self.catalog = self.catalog.clone().with_hooks(hooks);
    }

    /// The service without a socket, to be mounted into a program's own HTTP server.
    pub fn router(&self) -> Router {
        router(self.server.clone(), &self.config)
    }

    /// Starts to listen and serves until the handle is shut down or dropped.
    ///
    /// # Errors
    ///
    /// When the address cannot be had; the text names it and what to do.
    pub async fn start(self) -> Result<McpHttpHandle, StartError> {
        let address = format!("{}:{}", bracketed(&self.config.host), self.config.port);
        let bound = listen(&address).await;
        let listener = bound.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::InUse {
                address: address.clone(),
            },
            io::ErrorKind::PermissionDenied => StartError::NotPermitted {
                address: address.clone(),
            },
            _ => StartError::Bind {
                address: address.clone(),
                source,
            },
        })?;
        let local: SocketAddr = listener
            .local_addr()
            .map_err(|source| StartError::Bind { address, source })?;
        let router = self.router();
        Ok(connection::serve(
            listener,
            local,
            router,
            self.server,
            &self.config,
        ))
    }
}

/// How many connections may wait to be accepted; the system may allow fewer. Clients that come at once, a farm that
/// wakes up, would otherwise be turned away before anything of ours hears of them.
const BACKLOG: u32 = 4096;

/// Listens at the first of a host's addresses that can be had.
async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut last = None;
    for address in tokio::net::lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    Err(last
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the host has no address")))
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // A server that was just stopped leaves its port in a state that would keep the next one from it. Elsewhere the
    // option means that two may listen at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
