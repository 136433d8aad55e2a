//! A client over HTTP that can do little and needs nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

/// How long an answer is waited for: no machine is that slow.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

pub(crate) fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// The same call from a client without a session.
pub(crate) fn stateless_call(id: u32, tool: &str, arguments: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"}}"#;
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{meta}}}}}"#
    )
}

/// A client over HTTP, one connection a message.
pub(crate) struct Client {
    address: String,
    session: String,
}

impl Client {
    /// Of a server that was started with its standard output piped.
    pub(crate) fn of(server: &mut Child) -> Self {
        let mut stdout = BufReader::new(server.stdout.take().unwrap());
        let mut url = String::new();
        stdout.read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap();
        let mut client = Self {
            address: address.strip_suffix("/mcp").unwrap().to_owned(),
            session: String::new(),
        };
        client.exchange(INITIALIZE);
        client
    }

    /// A session of its own with the same server.
    pub(crate) fn another(&self) -> Self {
        let mut client = Self {
            address: self.address.clone(),
            session: String::new(),
        };
        client.exchange(INITIALIZE);
        client
    }

    /// Calls a tool without a session, as clients of the newest revision do.
    pub(crate) fn call_stateless(&self, tool: &str, arguments: &str) -> String {
        let session = format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
        );
        let mut client = Self {
            address: self.address.clone(),
            session,
        };
        client.exchange(&stateless_call(1, tool, arguments))
    }

    /// Ends the session; the caller may close the connection without waiting for the answer.
    pub(crate) fn delete(&self) -> TcpStream {
        let Self { address, session } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "DELETE /mcp HTTP/1.1\r\nHost: {address}\r\n{session}Connection: close\r\n\r\n"
        )
        .unwrap();
        stream
    }

    /// Sends and leaves the answer to whoever reads the connection.
    pub(crate) fn get(&self, path: &str) -> String {
        let address = &self.address;
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        answer
    }

    pub(crate) fn send(&self, body: &str) -> TcpStream {
        let Self { address, session } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        // A server that hangs fails its test.
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends and waits for the whole answer; keeps the session that it begins.
    pub(crate) fn exchange(&mut self, body: &str) -> String {
        let mut answer = String::new();
        let mut stream = self.send(body);
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let mut lines = answer.lines();
        if let Some(line) = lines.find(|line| line.to_lowercase().starts_with("mcp-session-id")) {
            self.session = format!("{line}\r\n");
        }
        answer
    }
}
