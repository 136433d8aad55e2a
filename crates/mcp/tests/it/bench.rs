//! A server over a catalog with a few host tools and skills, and clients of both eras.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp::{Clock, Frame, Incoming, McpConfig, McpServer, Reply, Streaming};
use metier_tool::{
    BoxFuture, CallContext, LogLevel, LogLine, Progress, ToolError, ToolHandler, ToolOutput,
    ToolSpec,
};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

pub(crate) const LATEST: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) struct Bench {
    pub(crate) server: McpServer,
    pub(crate) catalog: SkillCatalog,
    pub(crate) registry: ToolRegistry,
    /// Seconds on the server's clock.
    pub(crate) time: Arc<AtomicU64>,
    /// A permit for each call of `wait` that has begun.
    pub(crate) waiting: Arc<Semaphore>,
    /// A permit for each call of `wait` that was told to stop.
    pub(crate) stopped: Arc<Semaphore>,
    folder: Arc<tempfile::TempDir>,
}

/// Everything that came of one message.
#[derive(Debug)]
pub(crate) struct Heard {
    /// 202 when there was nothing to say, 0 when the exchange ended without an answer.
    pub(crate) status: u16,
    pub(crate) messages: Vec<Value>,
    pub(crate) answer: Value,
    pub(crate) raw: String,
    pub(crate) session: Option<String>,
}

type Body = fn(Map<String, Value>, CallContext) -> Result<ToolOutput, ToolError>;

/// A tool that answers at once.
struct Quick(Body);

impl ToolHandler for Quick {
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        let result = (self.0)(arguments, context);
        Box::pin(async move { result })
    }
}

/// A tool that works until it is told to stop.
struct Wait {
    waiting: Arc<Semaphore>,
    stopped: Arc<Semaphore>,
}

impl ToolHandler for Wait {
    fn call(
        &self,
        _: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            self.waiting.add_permits(1);
            context.cancel.cancelled().await;
            self.stopped.add_permits(1);
            Err(ToolError::Cancelled)
        })
    }
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "the form of a tool's body"
)]
fn steps(arguments: Map<String, Value>, context: CallContext) -> Result<ToolOutput, ToolError> {
    let count = arguments.get("count").and_then(Value::as_u64).unwrap_or(3);
    for step in 1..=count {
        context.events.progress(Progress {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            progress: step as f64,
            total: None,
            message: Some(format!("step {step}")),
        });
        context.events.log(LogLine {
            level: LogLevel::Info,
            logger: "steps".into(),
            text: format!("line {step}"),
        });
    }
    Ok(ToolOutput::text("done"))
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut McpConfig)) -> Self {
        Self::made(CatalogSettings::default(), change)
    }

    pub(crate) fn with_settings(change: impl FnOnce(&mut CatalogSettings)) -> Self {
        let mut settings = CatalogSettings::default();
        change(&mut settings);
        Self::made(settings, |_| ())
    }

    fn made(settings: CatalogSettings, change: impl FnOnce(&mut McpConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        let catalog = SkillCatalog::new(registry.clone()).with_dispatcher(dispatcher.clone());
        for name in ["one", "two"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            let text = format!(
                "---\nname: {name}\ndescription: The skill {name}.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
            );
            fs::write(folder.path().join(name).join("SKILL.md"), text).unwrap();
            let tools =
                "tools:\n  - name: go\n    description: Goes.\n    source_file: scripts/go.py\n";
            fs::write(folder.path().join(name).join("tools.yaml"), tools).unwrap();
            fs::create_dir(folder.path().join(name).join("scripts")).unwrap();
            fs::write(
                folder.path().join(name).join("scripts/go.py"),
                "print('{}')\n",
            )
            .unwrap();
        }
        catalog.discover(&[folder.path().to_owned()], None);

        let waiting = Arc::new(Semaphore::new(0));
        let stopped = Arc::new(Semaphore::new(0));
        let wait = Wait {
            waiting: Arc::clone(&waiting),
            stopped: Arc::clone(&stopped),
        };
        registry
            .register(
                ToolSpec::new("wait", Arc::new(wait)).description("Works until told to stop."),
            )
            .unwrap();
        let quick = |name: &str, body: Body| {
            registry
                .register(ToolSpec::new(name, Arc::new(Quick(body))).description("For tests."))
                .unwrap();
        };
        quick("echo", |arguments, _| Ok(ToolOutput::structured(arguments)));
        quick("steps", steps);
        quick("panics", |_, _| panic!("on purpose"));

        let time = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&time);
        let clock: Clock = Arc::new(move || Duration::from_secs(read.load(Ordering::SeqCst)));
        let mut config = McpConfig::default();
        config.server_name = "bench".into();
        config.server_version = "1.2.3".into();
        config.instructions = Some("Search first.".into());
        change(&mut config);
        let server = McpServer::with_clock(catalog.clone(), dispatcher, config, &clock);
        Self {
            server,
            catalog,
            registry,
            time,
            waiting,
            stopped,
            folder: Arc::new(folder),
        }
    }

    /// Another server over the same catalog.
    pub(crate) fn beside(&self) -> Self {
        let dispatcher = ToolDispatcher::new(self.registry.clone());
        Self {
            server: McpServer::new(self.catalog.clone(), dispatcher, McpConfig::default()),
            catalog: self.catalog.clone(),
            registry: self.registry.clone(),
            time: Arc::clone(&self.time),
            waiting: Arc::clone(&self.waiting),
            stopped: Arc::clone(&self.stopped),
            folder: Arc::clone(&self.folder),
        }
    }

    /// Where the skills lie.
    pub(crate) fn root(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Takes over what lies there now.
    pub(crate) fn rediscover(&self) {
        self.catalog.discover(&[self.root().to_owned()], None);
    }

    /// Registers one more tool.
    pub(crate) fn add_tool(&self, name: &str) {
        let echo = Quick(|arguments, _| Ok(ToolOutput::structured(arguments)));
        let spec = ToolSpec::new(name, Arc::new(echo)).description("For tests.");
        self.registry.register(spec).unwrap();
    }

    /// Sends one message and hears everything that comes of it.
    pub(crate) async fn send(&self, incoming: Incoming) -> Heard {
        hear(self.server.receive(incoming)).await
    }

    pub(crate) async fn text(&self, text: &str) -> Heard {
        self.send(Incoming::new(text)).await
    }

    pub(crate) async fn initialize(&self, params: Value) -> Heard {
        self.text(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
                .to_string(),
        )
        .await
    }

    /// A client of a revision with sessions.
    pub(crate) async fn session(&self) -> Client<'_> {
        let params = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}});
        let heard = self.initialize(params).await;
        let id = heard.session.unwrap();
        let client = Client { bench: self, id };
        let note = client
            .text(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        assert_eq!(note.status, 202);
        client
    }

    /// A stateless request on a transport without headers.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Heard {
        self.text(&modern_request(method, params).to_string()).await
    }

    /// A stateless request with headers.
    pub(crate) async fn modern_with(
        &self,
        body: &Value,
        headers: &[(&'static str, &str)],
    ) -> Heard {
        let mut incoming = Incoming::new(body.to_string());
        incoming.headers = Some(header_map(headers));
        self.send(incoming).await
    }
}

pub(crate) fn header_map(headers: &[(&'static str, &str)]) -> HeaderMap {
    headers
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        })
        .collect()
}

pub(crate) fn modern_request(method: &str, params: Value) -> Value {
    let mut params = params;
    let own = params["_meta"].take();
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "0"},
    });
    if let Value::Object(own) = own {
        meta.as_object_mut().unwrap().extend(own);
    }
    params["_meta"] = meta;
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

pub(crate) async fn hear(reply: Reply) -> Heard {
    let mut heard = Heard {
        status: 0,
        messages: Vec::new(),
        answer: Value::Null,
        raw: String::new(),
        session: None,
    };
    match reply {
        Reply::Accepted => heard.status = 202,
        Reply::Answer(answer) => heard.take(answer),
        Reply::Exchange(mut exchange) => {
            while let Some(frame) = exchange.next().await {
                match frame {
                    Frame::Message(message) => heard
                        .messages
                        .push(serde_json::from_slice(&message).unwrap()),
                    Frame::Answer(answer) => heard.take(answer),
                    Frame::Silence => {}
                }
            }
        }
    }
    heard
}

impl Heard {
    fn take(&mut self, answer: metier_mcp::Answer) {
        self.status = answer.status;
        self.answer = serde_json::from_slice(&answer.body).unwrap();
        self.raw = String::from_utf8(answer.body.to_vec()).unwrap();
        self.session = answer.session;
    }

    pub(crate) fn code(&self) -> i64 {
        self.answer["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {}", self.raw))
    }

    pub(crate) fn methods(&self) -> Vec<&str> {
        self.messages
            .iter()
            .map(|message| message["method"].as_str().unwrap())
            .collect()
    }
}

/// A client with a session.
pub(crate) struct Client<'b> {
    pub(crate) bench: &'b Bench,
    pub(crate) id: String,
}

impl Client<'_> {
    pub(crate) fn incoming(&self, body: impl Into<Vec<u8>>) -> Incoming {
        let mut incoming = Incoming::new(body);
        incoming.session = Some(self.id.clone());
        incoming
    }

    pub(crate) async fn text(&self, text: &str) -> Heard {
        self.bench.send(self.incoming(text)).await
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Heard {
        self.text(
            &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
        )
        .await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Heard {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// The same from a client that takes one message and no stream.
    pub(crate) async fn call_for_json(&self, tool: &str, arguments: Value) -> Heard {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let mut incoming = self.incoming(body.to_string());
        incoming.streaming = Streaming::No;
        self.bench.send(incoming).await
    }

    pub(crate) fn start(&self, body: &Value) -> Reply {
        self.bench.server.receive(self.incoming(body.to_string()))
    }

    pub(crate) async fn cancel(&self, id: Value) {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        assert_eq!(self.text(&note.to_string()).await.status, 202);
    }
}
