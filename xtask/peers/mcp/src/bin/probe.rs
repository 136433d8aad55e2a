//! `probe URL`: reads `tools/list` to its last page, on one connection, and says what came and how long it took. Where
//! there is a tool for the bench, it has to answer.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::{Map, Value, json};

struct Client {
    host: String,
    reader: BufReader<TcpStream>,
}

impl Client {
    fn connect(url: &str) -> Result<Self, Box<dyn Error>> {
        let host = url
            .trim_start_matches("http://")
            .split('/')
            .next()
            .ok_or("no host")?
            .to_owned();
        let stream = TcpStream::connect(&host)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            host,
            reader: BufReader::new(stream),
        })
    }

    /// The answer's body to one request.
    fn ask(
        &mut self,
        method: &str,
        name: Option<&str>,
        mut params: Map<String, Value>,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "probe", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params.insert("_meta".to_owned(), meta);
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let name = name
            .map(|name| format!("Mcp-Name: {name}\r\n"))
            .unwrap_or_default();
        write!(
            self.reader.get_mut(),
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line)? == 0 {
                return Err("the server hung up".into());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok(body)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut client = Client::connect(&std::env::args().nth(1).ok_or("where?")?)?;
    let mut tools = 0_usize;
    let mut callable = false;
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let params = cursor
            .map(|cursor| ("cursor".to_owned(), cursor))
            .into_iter()
            .collect();
        let started = Instant::now();
        let body = client.ask("tools/list", None, params)?;
        pages.push((body.len(), started.elapsed().as_secs_f64() * 1e3));
        let answer: Value = serde_json::from_slice(&body)?;
        let result = answer
            .get("result")
            .ok_or_else(|| format!("no result: {answer}"))?;
        let page = result["tools"].as_array().ok_or("no tools")?;
        tools += page.len();
        callable |= page.iter().any(|tool| tool["name"] == "tool_050");
        cursor = result.get("nextCursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    if callable {
        let params = json!({ "name": "tool_050", "arguments": { "a": 1 } });
        let params = params.as_object().cloned().unwrap_or_default();
        let answer: Value =
            serde_json::from_slice(&client.ask("tools/call", Some("tool_050"), params)?)?;
        if answer["result"]["content"][0]["text"] != "ok" {
            return Err(format!("the tool did not answer: {answer}").into());
        }
    }
    let pace = |pages: &[(usize, f64)]| {
        let bytes: usize = pages.iter().map(|(bytes, _)| bytes).sum();
        pages.iter().map(|(_, time)| time).sum::<f64>() / bytes.max(1) as f64 * 1e6
    };
    let (first, last) = pages.split_at(pages.len() / 2);
    let figures = json!({
        "pages": pages.len(),
        "tools": tools,
        "bytes": pages.iter().map(|(bytes, _)| bytes).sum::<usize>(),
        "first_page_bytes": pages.first().map(|(bytes, _)| bytes),
        "milliseconds": pages.iter().map(|(_, time)| time).sum::<f64>(),
        "first_half_ms_a_mb": pace(first),
        "last_half_ms_a_mb": pace(last),
    });
    println!("{figures}");
    Ok(())
}
