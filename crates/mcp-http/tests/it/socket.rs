//! A small HTTP client over a real socket, which reads as slowly as a test wants.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Longer than anything here takes; a test that runs into it has failed.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct Socket {
    pub(crate) stream: BufReader<TcpStream>,
    address: SocketAddr,
}

/// The head of a response; its body is still to be read.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, future)
        .await
        .unwrap_or_else(|_| panic!("too late: {what}"))
}

impl Socket {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self {
            stream: BufReader::new(TcpStream::connect(address).await.unwrap()),
            address,
        }
    }

    pub(crate) async fn write(&mut self, method: &str, headers: &[(&str, &str)], body: &str) {
        let mut text = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nContent-Type: application/json\r\n",
            self.address,
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "accept") {
            text.push_str("Accept: application/json, text/event-stream\r\n");
        }
        for (name, value) in headers {
            text.extend([*name, ": ", *value, "\r\n"]);
        }
        text.push_str("\r\n");
        text.push_str(body);
        self.stream
            .get_mut()
            .write_all(text.as_bytes())
            .await
            .unwrap();
    }

    pub(crate) async fn head(&mut self) -> Head {
        within("the head", async {
            let status = self.line().await;
            let status = status
                .split(' ')
                .nth(1)
                .unwrap_or_else(|| panic!("{status:?}"))
                .parse()
                .unwrap();
            let mut headers = Vec::new();
            loop {
                let line = self.line().await;
                match line.split_once(": ") {
                    Some((name, value)) => {
                        headers.push((name.to_ascii_lowercase(), value.to_owned()));
                    }
                    None => return Head { status, headers },
                }
            }
        })
        .await
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }

    /// One chunk of the body; `None` at its end, or when the connection broke off.
    pub(crate) async fn chunk(&mut self) -> Option<String> {
        within("a chunk", async {
            let size = usize::from_str_radix(&self.line().await, 16).ok()?;
            let mut bytes = vec![0; size + 2];
            self.stream.read_exact(&mut bytes).await.ok()?;
            bytes.truncate(size);
            (size > 0).then(|| String::from_utf8(bytes).unwrap())
        })
        .await
    }

    /// The next message of a stream, past its comments.
    pub(crate) async fn event(&mut self) -> Option<Value> {
        loop {
            let chunk = self.chunk().await?;
            if let Some(data) = chunk.lines().find_map(|line| line.strip_prefix("data: ")) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// A whole exchange on this connection.
    pub(crate) async fn ask(&mut self, headers: &[(&str, &str)], body: &Value) -> (Head, String) {
        self.write("POST", headers, &body.to_string()).await;
        let head = self.head().await;
        let text = if let Some(length) = head.get("content-length") {
            let mut bytes = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut bytes).await.unwrap();
            String::from_utf8(bytes).unwrap()
        } else {
            let mut text = String::new();
            while let Some(chunk) = self.chunk().await {
                text.push_str(&chunk);
            }
            text
        };
        (head, text)
    }
}
