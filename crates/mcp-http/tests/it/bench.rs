//! A server over a few skills, asked without a socket.

use std::fs;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp_http::{McpHttpConfig, McpHttpServer};
use metier_tool::{BoxFuture, CallContext, Progress, ToolError, ToolHandler, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

pub(crate) struct Bench {
    pub(crate) catalog: SkillCatalog,
    dispatcher: ToolDispatcher,
    config: McpHttpConfig,
    /// A permit for each call of `wait` that has begun, and for each that was told to stop.
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) stopped: Arc<Semaphore>,
    pub(crate) folder: tempfile::TempDir,
}

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

/// Reports `count` steps with `size` characters each.
struct Steps;

impl ToolHandler for Steps {
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let number = |key: &str, default| {
                arguments
                    .get(key)
                    .and_then(Value::as_u64)
                    .unwrap_or(default)
            };
            let message = "x".repeat(usize::try_from(number("size", 1)).unwrap());
            for step in 1..=u32::try_from(number("count", 3)).unwrap() {
                let message = Some(message.clone());
                context.events.progress(Progress {
                    progress: f64::from(step),
                    total: None,
                    message,
                });
                if step % 32 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            Ok(ToolOutput::text("done"))
        })
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut McpHttpConfig)) -> Self {
        Self::of(CatalogSettings::default(), change)
    }

    pub(crate) fn of(
        mut settings: CatalogSettings,
        change: impl FnOnce(&mut McpHttpConfig),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Scripts need the interpreters of the machine, and nothing else of its environment.
        let path = std::env::var_os("PATH").unwrap_or_default();
        settings.run.environment = metier_runner::EnvLookup::new([("PATH", path)]);
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        let catalog = SkillCatalog::new(registry.clone()).with_dispatcher(dispatcher.clone());
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
        registry
            .register(ToolSpec::new("steps", Arc::new(Steps)).description("Reports steps."))
            .unwrap();
        let mut config = McpHttpConfig::new(0);
        change(&mut config);
        let bench = Self {
            catalog,
            dispatcher,
            config,
            waiting,
            stopped,
            folder,
        };
        bench.skill("one", "go", "#!/bin/sh\necho '{\"ok\": true}'\n");
        bench
    }

    /// A skill with one tool that runs a shell script.
    pub(crate) fn skill(&self, name: &str, tool: &str, script: &str) {
        let skill = self.folder.path().join(name);
        fs::create_dir_all(skill.join("scripts")).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: The skill {name}.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
        );
        fs::write(skill.join("SKILL.md"), text).unwrap();
        let tools = format!(
            "tools:\n  - name: {tool}\n    description: Runs.\n    source_file: scripts/run.sh\n"
        );
        fs::write(skill.join("tools.yaml"), tools).unwrap();
        fs::write(skill.join("scripts/run.sh"), script).unwrap();
        self.catalog
            .discover(&[self.folder.path().to_owned()], None);
    }

    pub(crate) fn server(&self) -> McpHttpServer {
        McpHttpServer::new(
            self.catalog.clone(),
            self.dispatcher.clone(),
            self.config.clone(),
        )
    }

    pub(crate) fn client(&self) -> Client {
        Client {
            router: self.server().router(),
        }
    }
}

/// Asks the service itself.
pub(crate) struct Client {
    router: Router,
}

#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Client {
    /// Sends a request; headers beside `Host` are the caller's, a value of `-` leaves one out.
    pub(crate) async fn send(
        &self,
        method: Method,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Got {
        self.send_to("/mcp", method, headers, body).await
    }

    pub(crate) async fn send_to(
        &self,
        path: &str,
        method: Method,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Got {
        let response = self.open(path, method, headers, body).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Got {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    pub(crate) async fn open(
        &self,
        path: &str,
        method: Method,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> axum::response::Response {
        let mut request = Request::builder().method(method).uri(path);
        let defaults = [
            ("host", "127.0.0.1:8765"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        for (name, value) in defaults {
            if !headers
                .iter()
                .any(|(given, _)| given.eq_ignore_ascii_case(name))
            {
                request = request.header(name, value);
            }
        }
        for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
            request = request.header(*name, *value);
        }
        self.router
            .clone()
            .oneshot(request.body(body.into()).unwrap())
            .await
            .unwrap()
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Got {
        self.send(Method::POST, headers, body.to_string()).await
    }

    pub(crate) async fn session(&self) -> String {
        let got = self.post(&[], &initialize(1)).await;
        got.session().expect("a session")
    }
}

impl Got {
    pub(crate) fn session(&self) -> Option<String> {
        self.headers
            .get("mcp-session-id")
            .map(|value| value.to_str().unwrap().to_owned())
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {:?}", self.text))
    }

    /// The messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "text/event-stream");
        self.text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

pub(crate) fn initialize(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}},
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better where it is called"
)]
pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better where it is called"
)]
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// A stateless request and the headers that repeat it.
pub(crate) fn modern(method: &str, params: Value) -> (Vec<(&'static str, String)>, Value) {
    let mut params = params;
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let Value::Object(own) = params["_meta"].take() {
        meta.as_object_mut().unwrap().extend(own);
    }
    params["_meta"] = meta;
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", method.to_owned()),
    ];
    if let Some(name) = params["name"].as_str() {
        headers.push(("mcp-name", name.to_owned()));
    }
    (headers, request(1, method, params))
}

pub(crate) fn borrowed<'h>(headers: &'h [(&'static str, String)]) -> Vec<(&'static str, &'h str)> {
    headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}
