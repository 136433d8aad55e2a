//! A client over either transport: it asks, and it hears of lists that changed.

use std::io::Write as _;
use std::process::ChildStdin;

use serde_json::{Value, json};

use super::{INITIALIZE, INITIALIZED, Lines, Running, send};

const CHANGED: &str = "notifications/tools/list_changed";

pub(super) trait Client {
    /// The line that answers a request.
    fn ask(&mut self, method: &str, params: &Value) -> String;

    /// Waits for the news that the list of tools changed, unless it came before.
    fn hear(&mut self);

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Asks for the tools after each piece of news until they are as wanted.
    fn tools_until(&mut self, what: &str, is_wanted: &dyn Fn(&str) -> bool) {
        let mut news = 0;
        loop {
            self.hear();
            news += 1;
            let tools = self.ask("tools/list", &json!({}));
            if is_wanted(&tools) {
                return;
            }
            assert!(news < 100, "{what}: {tools}");
        }
    }
}

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Both directions on one pair of pipes: news may stand before an answer.
pub(super) struct Piped {
    lines: Lines,
    input: ChildStdin,
    id: u32,
    news: bool,
}

impl Piped {
    pub(super) fn connect(server: &mut Running) -> Self {
        let lines = Lines::of(server.0.stdout.take().unwrap());
        let mut input = server.0.stdin.take().unwrap();
        writeln!(input, "{INITIALIZE}").unwrap();
        lines.wait_for("protocolVersion");
        writeln!(input, "{INITIALIZED}").unwrap();
        Self {
            lines,
            input,
            id: 10,
            news: false,
        }
    }
}

impl Client for Piped {
    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.id += 1;
        writeln!(self.input, "{}", request(self.id, method, params)).unwrap();
        let answer = format!(r#""id":{}"#, self.id);
        loop {
            let wanted = |line: &str| line.contains(&answer) || line.contains(CHANGED);
            let line = self.lines.wait_until(&answer, wanted);
            if line.contains(&answer) {
                return line;
            }
            self.news = true;
        }
    }

    fn hear(&mut self) {
        if !std::mem::take(&mut self.news) {
            self.lines.wait_for(CHANGED);
        }
    }
}

/// A request on a connection of its own, and a stream of events beside.
pub(super) struct Http {
    address: String,
    session: String,
    events: Lines,
    id: u32,
}

impl Http {
    pub(super) fn connect(server: &mut Running) -> Self {
        let lines = Lines::of(server.0.stdout.take().unwrap());
        let url = lines.wait_for("http://");
        let address = url
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .unwrap();
        let head = send(address, "POST", "", INITIALIZE).wait_for("ession-");
        let session = format!(
            "{}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
            head.trim_end()
        );
        send(address, "POST", &session, INITIALIZED).wait_for("202");
        let events = send(address, "GET", &session, "");
        events.wait_for("200");
        Self {
            address: address.to_owned(),
            session,
            events,
            id: 10,
        }
    }
}

impl Client for Http {
    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.id += 1;
        let body = request(self.id, method, params);
        let answer = format!(r#""id":{}"#, self.id);
        send(&self.address, "POST", &self.session, &body).wait_for(&answer)
    }

    fn hear(&mut self) {
        self.events.wait_for(CHANGED);
    }
}
