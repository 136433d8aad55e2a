//! The clients, each as often as there are ways to connect.

use super::kits::Kit;

/// How a client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Http,
    Stdio,
}

/// A client, set up in one way.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) kit: Kit,
    /// The driver under `xtask/interop/`; a client that is a program of its own has none.
    pub(crate) script: &'static str,
    /// As the driver calls it.
    pub(crate) mode: &'static str,
    /// What must come of it.
    pub(crate) revision: &'static str,
    pub(crate) over: Over,
    /// Takes long to build, so it is left to the full run.
    pub(crate) only_full: bool,
}

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

const fn client(
    name: &'static str,
    kit: Kit,
    script: &'static str,
    mode: &'static str,
    over: Over,
) -> Client {
    Client {
        name,
        kit,
        script,
        mode,
        revision: if matches!(mode.as_bytes(), b"legacy") {
            OLD
        } else {
            NEW
        },
        over,
        only_full: matches!(kit, Rust),
    }
}

use Kit::{FastMcp, Node, Python1, Python2, Rust};
use Over::{Http, Stdio};

pub(crate) const CLIENTS: [Client; 24] = [
    client(
        "Python mcp 2.3.0, HTTP, auto",
        Python2,
        "python_mcp2.py",
        "auto",
        Http,
    ),
    client(
        "Python mcp 2.3.0, HTTP, legacy",
        Python2,
        "python_mcp2.py",
        "legacy",
        Http,
    ),
    client(
        "Python mcp 2.3.0, stdio, auto",
        Python2,
        "python_mcp2.py",
        "auto",
        Stdio,
    ),
    client(
        "Python mcp 2.3.0, stdio, legacy",
        Python2,
        "python_mcp2.py",
        "legacy",
        Stdio,
    ),
    client(
        "Python mcp 1.30.0, HTTP",
        Python1,
        "python_mcp1.py",
        "legacy",
        Http,
    ),
    client(
        "Python mcp 1.30.0, stdio",
        Python1,
        "python_mcp1.py",
        "legacy",
        Stdio,
    ),
    client(
        "FastMCP 4.2.3, HTTP, auto",
        FastMcp,
        "fastmcp_client.py",
        "auto",
        Http,
    ),
    client(
        "FastMCP 4.2.3, HTTP, legacy",
        FastMcp,
        "fastmcp_client.py",
        "legacy",
        Http,
    ),
    client(
        "FastMCP 4.2.3, stdio, auto",
        FastMcp,
        "fastmcp_client.py",
        "auto",
        Stdio,
    ),
    client(
        "FastMCP 4.2.3, stdio, legacy",
        FastMcp,
        "fastmcp_client.py",
        "legacy",
        Stdio,
    ),
    client(
        "TypeScript SDK 1.32.2, HTTP",
        Node,
        "typescript_v1.mjs",
        "legacy",
        Http,
    ),
    client(
        "TypeScript SDK 1.32.2, stdio",
        Node,
        "typescript_v1.mjs",
        "legacy",
        Stdio,
    ),
    client(
        "TypeScript client 2.4.0, HTTP, auto",
        Node,
        "typescript_v2.mjs",
        "auto",
        Http,
    ),
    client(
        "TypeScript client 2.4.0, HTTP, legacy",
        Node,
        "typescript_v2.mjs",
        "legacy",
        Http,
    ),
    client(
        "TypeScript client 2.4.0, stdio, auto",
        Node,
        "typescript_v2.mjs",
        "auto",
        Stdio,
    ),
    client(
        "TypeScript client 2.4.0, stdio, legacy",
        Node,
        "typescript_v2.mjs",
        "legacy",
        Stdio,
    ),
    client(
        "Inspector CLI 2.12.0, HTTP, legacy",
        Node,
        "inspector.mjs",
        "legacy",
        Http,
    ),
    client(
        "Inspector CLI 2.12.0, HTTP, modern",
        Node,
        "inspector.mjs",
        "modern",
        Http,
    ),
    client(
        "Inspector CLI 2.12.0, stdio, legacy",
        Node,
        "inspector.mjs",
        "legacy",
        Stdio,
    ),
    client(
        "Inspector CLI 2.12.0, stdio, modern",
        Node,
        "inspector.mjs",
        "modern",
        Stdio,
    ),
    client("rmcp 3.11.0, HTTP, discover", Rust, "", "discover", Http),
    client("rmcp 3.11.0, HTTP, legacy", Rust, "", "legacy", Http),
    client("rmcp 3.11.0, stdio, discover", Rust, "", "discover", Stdio),
    client("rmcp 3.11.0, stdio, legacy", Rust, "", "legacy", Stdio),
];
