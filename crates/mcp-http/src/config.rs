//! Settings of the HTTP server.

use std::time::Duration;

use metier_mcp::{ClientSelector, ConfirmPolicy, McpConfig};

/// Settings of an [`McpHttpServer`](crate::McpHttpServer). Start from the default and change fields:
///
/// ```
/// let mut config = metier_mcp_http::McpHttpConfig::default();
/// config.port = 0;
/// config.declared_capabilities = vec!["usd".to_owned()];
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpHttpConfig {
    /// The address to listen on: an IP address or a name of this machine.
    pub host: String,
    /// The port; 0 takes any free one.
    pub port: u16,
    /// What the host application can do; replaces what the catalog has been told, unless empty.
    pub declared_capabilities: Vec<String>,
    /// Names besides the loopback ones under which clients may address the server, as in `Host`:
    /// `tools.studio.example` (any port) or `tools.studio.example:8765`.
    pub allowed_hosts: Vec<String>,
    /// Web pages besides those of this machine that may talk to the server, as in `Origin`:
    /// `https://app.studio.example`.
    pub allowed_origins: Vec<String>,
    /// The most bytes a message may have.
    pub body_limit: usize,
    /// How long a message may take to arrive.
    pub body_timeout: Duration,
    /// How long a stream stays quiet before a comment keeps it alive. An answer that takes longer
    /// than this is turned into a stream when the client takes one.
    pub keep_alive: Duration,
    /// How long a client may leave what is sent to it unread before it is cut off.
    pub write_stall: Duration,
    /// How long a shutdown waits for answers that are still being sent.
    pub shutdown_grace: Duration,
    /// The name in `serverInfo`.
    pub server_name: String,
    /// The version in `serverInfo`.
    pub server_version: String,
    /// A name for people, in `serverInfo`.
    pub server_title: Option<String>,
    /// What a model is told about the server.
    pub instructions: Option<String>,
    /// Whether `tools/list` shows a stub for each skill that is not loaded.
    pub stubs: bool,
    /// How many tools a page of `tools/list` holds at most.
    pub page_size: usize,
    /// How many sessions may exist at once.
    pub session_cap: usize,
    /// How long a session without a running call and without an open stream lives.
    pub session_idle: Duration,
    /// Which calls the person at the client is asked about first.
    pub confirm: ConfirmPolicy,
    /// Whether the client's own model is asked to choose where discovery is not sure.
    pub selector: ClientSelector,
}

impl McpHttpConfig {
    /// The default settings on another port.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            ..Self::default()
        }
    }

    pub(crate) fn protocol(&self) -> McpConfig {
        let mut config = McpConfig::default();
        config.server_name.clone_from(&self.server_name);
        config.server_version.clone_from(&self.server_version);
        config.server_title.clone_from(&self.server_title);
        config.instructions.clone_from(&self.instructions);
        config.stubs = self.stubs;
        config.page_size = self.page_size;
        config.session_cap = self.session_cap;
        config.session_idle = self.session_idle;
        config.confirm = self.confirm;
        config.selector = self.selector;
        config
    }
}

impl Default for McpHttpConfig {
    fn default() -> Self {
        let protocol = McpConfig::default();
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8765,
            declared_capabilities: Vec::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            body_limit: 4 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            write_stall: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(5),
            server_name: protocol.server_name,
            server_version: protocol.server_version,
            server_title: protocol.server_title,
            instructions: protocol.instructions,
            stubs: protocol.stubs,
            page_size: protocol.page_size,
            session_cap: protocol.session_cap,
            session_idle: protocol.session_idle,
            confirm: protocol.confirm,
            selector: protocol.selector,
        }
    }
}
