//! A server over a few tools and skills, and a client that talks to it through pipes.

use std::fs;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp::{McpConfig, McpServer};
use metier_mcp_stdio::{StdioConfig, StdioEnd, StdioError, serve_streams};
use metier_tool::{
    BoxFuture, CallContext, LogLevel, LogLine, Progress, ToolError, ToolHandler, ToolOutput,
    ToolSpec,
};
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Far longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, work)
        .await
        .unwrap_or_else(|_| panic!("{what} took longer than {LIMIT:?}"))
}

pub(crate) struct Bench {
    pub(crate) server: McpServer,
    pub(crate) catalog: SkillCatalog,
    /// A permit for each call of `wait` that has begun, and for each that was told to stop.
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) stopped: Arc<Semaphore>,
    /// How many calls of `talk` have begun.
    pub(crate) begun: Arc<AtomicUsize>,
    pub(crate) folder: tempfile::TempDir,
}

/// Works until it is told to stop.
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

/// Reports two steps and as many log lines, then answers with `size` characters.
struct Talk(Arc<AtomicUsize>);

impl ToolHandler for Talk {
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            for step in [1, 2] {
                context.events.progress(Progress {
                    progress: f64::from(step),
                    total: Some(2.0),
                    message: None,
                });
                context.events.log(LogLine {
                    level: LogLevel::Info,
                    logger: "talk".into(),
                    text: format!("line {step}"),
                });
            }
            let size = arguments.get("size").and_then(Value::as_u64).unwrap_or(2);
            Ok(ToolOutput::text("x".repeat(usize::try_from(size).unwrap())))
        })
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut McpConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = CatalogSettings::default();
        // Scripts need the interpreters of the machine, and nothing else of its environment.
        let path = std::env::var_os("PATH").unwrap_or_default();
        settings.run.environment = metier_runner::EnvLookup::new([("PATH", path)]);
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        let catalog = SkillCatalog::new(registry.clone()).with_dispatcher(dispatcher.clone());
        let waiting = Arc::new(Semaphore::new(0));
        let stopped = Arc::new(Semaphore::new(0));
        let begun = Arc::new(AtomicUsize::new(0));
        let wait = Wait {
            waiting: Arc::clone(&waiting),
            stopped: Arc::clone(&stopped),
        };
        let wait = ToolSpec::new("wait", Arc::new(wait)).description("Works until told to stop.");
        registry.register(wait).unwrap();
        let talk = ToolSpec::new("talk", Arc::new(Talk(Arc::clone(&begun))))
            .description("Speaks before it answers.");
        registry.register(talk).unwrap();
        let mut config = McpConfig::default();
        config.server_version = "0".to_owned();
        config.instructions = None;
        change(&mut config);
        Self {
            server: McpServer::new(catalog.clone(), dispatcher, config),
            catalog,
            waiting,
            stopped,
            begun,
            folder,
        }
    }

    /// A skill with one tool, `go`, that runs a shell script.
    pub(crate) fn skill(&self, name: &str, script: &str) {
        let skill = self.folder.path().join(name);
        fs::create_dir_all(skill.join("scripts")).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: The skill {name}.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
        );
        fs::write(skill.join("SKILL.md"), text).unwrap();
        let tools =
            "tools:\n  - name: go\n    description: Runs.\n    source_file: scripts/run.sh\n";
        fs::write(skill.join("tools.yaml"), tools).unwrap();
        fs::write(skill.join("scripts/run.sh"), script).unwrap();
        self.catalog
            .discover(&[self.folder.path().to_owned()], None);
    }

    pub(crate) fn client(&self) -> Client {
        self.client_with(64 * 1024, |_| ())
    }

    /// A client whose pipe for answers holds so many bytes.
    pub(crate) fn client_with(
        &self,
        answers: usize,
        change: impl FnOnce(&mut StdioConfig),
    ) -> Client {
        let mut config = StdioConfig::default();
        change(&mut config);
        let (input, served_input) = tokio::io::duplex(64 * 1024);
        let (served_output, output) = tokio::io::duplex(answers);
        let server = self.server.clone();
        let serving = tokio::spawn(async move {
            serve_streams(&server, served_input, served_output, config).await
        });
        Client {
            input: Some(input),
            output: BufReader::new(output),
            serving,
        }
    }
}

pub(crate) struct Client {
    pub(crate) input: Option<DuplexStream>,
    pub(crate) output: BufReader<DuplexStream>,
    pub(crate) serving: JoinHandle<Result<StdioEnd, StdioError>>,
}

impl Client {
    pub(crate) async fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        within("writing", input.write_all(bytes)).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    /// The next line, as it is.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        within("an answer", self.output.read_line(&mut line))
            .await
            .unwrap();
        assert!(line.ends_with('\n'), "a whole line, not {line:?}");
        line.trim_end().to_owned()
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], message["id"], "{answer}");
        answer
    }

    /// A session of the newest revision that has them.
    pub(crate) async fn initialize(&mut self) -> Value {
        let answer = self.ask(&initialize("2025-11-25")).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        answer
    }

    /// Closes the input and returns how it ended and what was still written.
    pub(crate) async fn close(mut self) -> (StdioEnd, String) {
        self.input = None;
        let mut rest = String::new();
        within(
            "the end of the output",
            self.output.read_to_string(&mut rest),
        )
        .await
        .unwrap();
        let end = within("the end", self.serving).await.unwrap().unwrap();
        (end, rest)
    }
}

pub(crate) async fn permit(semaphore: &Semaphore) {
    within("a permit", semaphore.acquire())
        .await
        .unwrap()
        .forget();
}

pub(crate) fn initialize(version: &str) -> Value {
    let client = json!({"name": "probe", "version": "0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    request(0, "initialize", params)
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

pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into(), "reason": "changed my mind"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

/// The same request without a session.
pub(crate) fn modern(mut request: Value) -> Value {
    let meta = &mut request["params"]["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    request
}
