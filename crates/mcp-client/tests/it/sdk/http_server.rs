//! The scripted server behind a socket, in either era, with every bad habit that can be asked for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use metier_mcp_client::{ServerFault, SkillServer, Value};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::scripted::Scripted;

/// What it does with requests of a method instead of answering.
#[derive(Clone, Debug)]
pub(super) enum Habit {
    Redirect(String),
    Never,
    Endless,
}

#[derive(Debug)]
pub(super) struct HttpServer {
    pub(super) url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    scripted: Arc<Scripted>,
    is_modern: bool,
    habits: Mutex<Vec<(&'static str, Habit)>>,
    /// First lines of requests, with the method of the message.
    heard: Mutex<Vec<String>>,
    sent: AtomicUsize,
}

impl HttpServer {
    pub(super) async fn start(scripted: Arc<Scripted>, is_modern: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            scripted,
            is_modern,
            habits: Mutex::default(),
            heard: Mutex::default(),
            sent: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            // Its end ends the connections with it.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let shared = Arc::clone(&serving);
                connections.spawn(async move {
                    // A client that goes away in the middle is no fault of the server.
                    let _ = shared.one(stream).await;
                });
            }
        });
        Self { url, shared, task }
    }

    pub(super) fn does(&self, method: &'static str, habit: Habit) {
        self.shared.habits.lock().unwrap().push((method, habit));
    }

    pub(super) fn heard(&self) -> Vec<String> {
        self.shared.heard.lock().unwrap().clone()
    }

    pub(super) fn sent(&self) -> usize {
        self.shared.sent.load(Ordering::Relaxed)
    }

    pub(super) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

impl Shared {
    async fn one(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut first = String::new();
        stream.read_line(&mut first).await?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let verb = first.split(' ').next().unwrap_or_default();
        self.heard
            .lock()
            .unwrap()
            .push(format!("{verb} {method}").trim_end().to_owned());
        if verb != "POST" {
            let status = if verb == "GET" {
                "405 Method Not Allowed"
            } else {
                "200 OK"
            };
            return self.reply(&mut stream, status, "", b"").await;
        }
        let habit = {
            let habits = self.habits.lock().unwrap();
            habits
                .iter()
                .find(|(of, _)| *of == method)
                .map(|(_, habit)| habit.clone())
        };
        match habit {
            Some(Habit::Redirect(to)) => {
                let location = format!("Location: {to}\r\n");
                return self
                    .reply(&mut stream, "307 Temporary Redirect", &location, b"")
                    .await;
            }
            Some(Habit::Never) => return std::future::pending().await,
            Some(Habit::Endless) => return self.endless(&mut stream).await,
            None => {}
        }
        if message.get("id").is_none() {
            return self.reply(&mut stream, "202 Accepted", "", b"").await;
        }
        let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
        match self.result(&method, &message["params"]).await {
            Ok(result) => answer["result"] = result,
            Err((code, words)) => answer["error"] = json!({"code": code, "message": words}),
        }
        let kind = "Content-Type: application/json\r\n";
        self.reply(&mut stream, "200 OK", kind, answer.to_string().as_bytes())
            .await
    }

    async fn reply(
        &self,
        stream: &mut BufReader<TcpStream>,
        status: &str,
        headers: &str,
        body: &[u8],
    ) -> std::io::Result<()> {
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body).await?;
        stream.flush().await
    }

    async fn endless(&self, stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"jsonrpc\":\"";
        stream.write_all(head.as_bytes()).await?;
        let chunk = vec![b'x'; 64 * 1024];
        loop {
            stream.write_all(&chunk).await?;
            self.sent.fetch_add(chunk.len(), Ordering::Relaxed);
        }
    }

    async fn result(&self, method: &str, params: &Value) -> Result<Value, (i64, String)> {
        let cursor = params["cursor"].as_str().map(str::to_owned);
        let uri = params["uri"].as_str().unwrap_or_default().to_owned();
        let server = &*self.scripted;
        let listed = |page: Result<metier_mcp_client::Page, ServerFault>, key: &str| {
            let page = page.map_err(words)?;
            let mut result = json!({ key: page.items });
            if let Some(next) = page.next {
                result["nextCursor"] = next.into();
            }
            Ok(result)
        };
        let mut result = match method {
            "initialize" if !self.is_modern => {
                return Ok(json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": self.capabilities(),
                    "serverInfo": {"name": "ill\u{202e}will", "version": "6"},
                }));
            }
            "server/discover" if self.is_modern => json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": self.capabilities(),
            }),
            "skills/list" => listed(server.skills(cursor).await, "skills")?,
            "resources/list" => listed(server.resources(cursor).await, "resources")?,
            "prompts/list" => listed(server.prompts(cursor).await, "prompts")?,
            "skills/get" => server.skill(uri).await.map_err(words)?,
            "resources/read" => {
                let bytes = server.read(uri.clone()).await.map_err(words)?;
                let content = match String::from_utf8(bytes) {
                    Ok(text) => json!({"uri": uri, "text": text}),
                    Err(error) => {
                        json!({"uri": uri, "blob": BASE64_STANDARD.encode(error.into_bytes())})
                    }
                };
                json!({ "contents": [content] })
            }
            _ => return Err((-32601, "no such method".to_owned())),
        };
        if self.is_modern {
            result["resultType"] = "complete".into();
            result["ttlMs"] = 60_000.into();
            result["cacheScope"] = "public".into();
        }
        Ok(result)
    }

    fn capabilities(&self) -> Value {
        let declared = self.scripted.declared();
        let mut capabilities = json!({});
        if declared.skills {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/skills": {}});
        }
        if declared.resources {
            capabilities["resources"] = json!({});
        }
        if declared.prompts {
            capabilities["prompts"] = json!({});
        }
        capabilities
    }
}

fn words(fault: ServerFault) -> (i64, String) {
    match fault {
        ServerFault::Refused { code, message } => (code, message),
        other => (-32603, other.to_string()),
    }
}
