//! Connecting, following and leaving a server.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService,
    RunningServiceCancellationToken,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use thiserror::Error;
use tokio::task::JoinHandle;

use super::notices::{Listener, Notices};
use super::peer::{SdkServer, chain, innermost};
use super::program;
use super::target::{Era, Target};
use crate::connection::{Connection, Settings};
use crate::flag::FLAG_VARIABLES;
use crate::label::ServerLabel;
use crate::offer::ConnectionState;
use crate::refresh::ServerEvent;

/// A connected server that is followed until it is left or gone.
///
/// Dropping it leaves the server as well; [`Remote::leave`] waits for it.
#[derive(Debug)]
pub struct Remote {
    connection: Connection,
    service: Option<Token>,
    /// Told when the service has ended and, with it, the program.
    ended: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
}

/// Ends the service. The SDK's token cannot be printed.
struct Token(RunningServiceCancellationToken);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("token")
    }
}

/// Why there is no connection.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectFault {
    /// The flag is off. Nothing was started, and nothing was sent.
    #[error("skills of other servers are switched off; {}=1 switches them on", FLAG_VARIABLES[0])]
    Off,
    /// It is no URL that could be asked.
    #[error("`{0}` is no address of a server; write http://HOST:PORT/PATH or https://HOST/PATH")]
    Url(String),
    /// The program cannot be started.
    #[error("{program} cannot be started: {error}")]
    Start {
        /// What was to be started.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The HTTP client cannot be made, such as on a machine without certificates.
    #[error(
        "there is no client for encrypted HTTP: {0}; install the certificates of the system (ca-certificates), or name a file of them in SSL_CERT_FILE"
    )]
    Http(String),
    /// The server did not agree to a beginning.
    #[error("the server cannot be connected: {0}")]
    Refused(String),
    /// It took too long.
    #[error("the server did not begin within {seconds} s")]
    Late {
        /// The limit.
        seconds: u64,
    },
}

impl Remote {
    /// Connects a server, fetches its lists and follows its notices.
    pub async fn connect(
        label: ServerLabel,
        target: &Target,
        era: Era,
        settings: Settings,
    ) -> Result<Self, ConnectFault> {
        if !settings.flag.is_on() {
            return Err(ConnectFault::Off);
        }
        let limit = settings.bounds.request;
        // Base64 and JSON make a file a good third longer, and lists have a limit of their own.
        let file = usize::try_from(settings.bounds.file_bytes).unwrap_or(usize::MAX);
        let most = settings.bounds.list_bytes.max(file.saturating_mul(2));
        let notices = Arc::new(Notices::default());
        let begun =
            tokio::time::timeout(limit, begin(target, era, Arc::clone(&notices), most)).await;
        let (service, child) = begun.map_err(|_| ConnectFault::Late {
            seconds: limit.as_secs(),
        })??;
        let peer = service.peer().clone();
        let server = SdkServer {
            peer: peer.clone(),
            limit,
        };
        let is_modern = peer
            .peer_info()
            .is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28);
        let token = service.cancellation_token();
        let ended = {
            let notices = Arc::clone(&notices);
            tokio::spawn(async move {
                let _ = service.waiting().await;
                notices.closed();
                if let Some(child) = child {
                    program::ended(child).await;
                }
            })
        };
        let mut tasks = Vec::new();
        if is_modern {
            // Before the lists are fetched, so that no change between is missed.
            tasks.push(tokio::spawn(Arc::clone(&notices).listened(peer)));
        }
        let connection = Connection::open(label, Arc::new(server), settings).await;
        let followed = connection.clone();
        tasks.push(tokio::spawn(async move { notices.told_to(followed).await }));
        Ok(Self {
            connection,
            service: Some(Token(token)),
            ended,
            tasks,
        })
    }

    /// The connection, which outlives this and knows when it has ended.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether the server still answers.
    pub fn is_open(&self) -> bool {
        self.connection.offer().state == ConnectionState::Open
    }

    /// Leaves the server: its skills are gone, and a program that was started has ended when this returns.
    pub async fn leave(mut self) {
        self.connection.tell(ServerEvent::Disconnected).await;
        if let Some(service) = self.service.take() {
            service.0.cancel();
        }
        let ended = &mut self.ended;
        let _ = ended.await;
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.connection.end(ConnectionState::Disconnected);
        for task in &self.tasks {
            task.abort();
        }
        if let Some(service) = self.service.take() {
            service.0.cancel();
        }
    }
}

type Service = RunningService<RoleClient, Listener>;

async fn begin(
    target: &Target,
    era: Era,
    notices: Arc<Notices>,
    most_bytes: usize,
) -> Result<(Service, Option<tokio::process::Child>), ConnectFault> {
    let newest = || vec![ProtocolVersion::V_2026_07_28];
    let mode = match era {
        Era::Auto => ClientLifecycleMode::Auto {
            preferred_versions: newest(),
            legacy_version: None,
        },
        Era::Legacy => ClientLifecycleMode::Initialize,
        Era::Modern => ClientLifecycleMode::Discover {
            preferred_versions: newest(),
        },
    };
    let refused = |error: ClientInitializeError| refused(&error, target);
    let listener = Listener(notices);
    match target {
        Target::Http { url, token } => {
            let transport = http(url, token.as_deref(), most_bytes)?;
            let service = listener.serve_with_lifecycle(transport, mode).await;
            Ok((service.map_err(refused)?, None))
        }
        Target::Program {
            command,
            environment,
        } => {
            let (child, pipe) =
                program::start(command, environment, most_bytes).map_err(|error| {
                    let program = command.first().map(|program| program.to_string_lossy());
                    ConnectFault::Start {
                        program: program.unwrap_or_default().into_owned(),
                        error,
                    }
                })?;
            let service = listener.serve_with_lifecycle(pipe, mode).await;
            Ok((service.map_err(refused)?, Some(child)))
        }
    }
}

/// Why a server did not begin, and what to look at. What the SDK prints of a transport names its own types.
fn refused(error: &ClientInitializeError, target: &Target) -> ConnectFault {
    let why = match error {
        ClientInitializeError::TransportError { error, .. } => chain(error.error.as_ref()),
        other => chain(other),
    };
    let cure = match target {
        Target::Http { .. } => {
            "is a server running there, and is the path of its address right (often /mcp)?"
        }
        Target::Program { .. } => {
            "run the program by hand: it has to speak MCP over standard input and output until its input ends"
        }
    };
    ConnectFault::Refused(format!("{why}; {cure}"))
}

/// A client that follows no redirect: neither a message nor a token goes to a host that the user did not name.
fn http(
    url: &str,
    token: Option<&str>,
    most_bytes: usize,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ConnectFault> {
    let address = reqwest::Url::parse(url).ok();
    let address = address.filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host());
    let Some(address) = address else {
        return Err(ConnectFault::Url(crate::entry::shown(url)));
    };
    // Whoever was first in this process has chosen; either choice will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = reqwest::Client::builder();
    if address.scheme() == "http" {
        // Without encryption no certificates are looked for: a machine may have none.
        client = client.tls_certs_only([]);
    }
    let client = client
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .connect_timeout(std::time::Duration::from_secs(10))
        .no_proxy()
        .build()
        .map_err(|error| ConnectFault::Http(innermost(&error)))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_json_response_size(most_bytes)
        .max_sse_event_size(most_bytes)
        .max_error_response_size(4096);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
