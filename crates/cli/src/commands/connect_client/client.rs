//! What each client wants: its file, and the entry in it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use serde_json::{Value, json};

use super::Server;
use crate::Failure;
use crate::pasted;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    Cursor,
    Vscode,
    Inspector,
}

/// Whose file.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Scope {
    /// That of the project in the working directory.
    Project,
    /// The user's, for all projects.
    User,
}

impl Client {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Inspector => "inspector",
        }
    }

    /// The key below which the servers stand.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            _ => "mcpServers",
        }
    }

    /// The client's file.
    pub(super) fn file(self, scope: Scope) -> Result<PathBuf, Failure> {
        let none = |what: &str| {
            Failure::Usage(format!(
                "the {what} folder is not known; use --scope project, or set HOME"
            ))
        };
        let home = || etcetera::home_dir().map_err(|_| none("home"));
        Ok(match (self, scope) {
            (Self::ClaudeCode, Scope::Project) => PathBuf::from(".mcp.json"),
            (Self::ClaudeCode, Scope::User) => home()?.join(".claude.json"),
            (Self::Cursor, Scope::Project) => PathBuf::from(".cursor/mcp.json"),
            (Self::Cursor, Scope::User) => home()?.join(".cursor").join("mcp.json"),
            (Self::Vscode, Scope::Project) => PathBuf::from(".vscode/mcp.json"),
            (Self::Vscode, Scope::User) => application_data()
                .ok_or_else(|| none("configuration"))?
                .join("Code")
                .join("User")
                .join("mcp.json"),
            (Self::Inspector, Scope::Project) => PathBuf::from("mcp.json"),
            (Self::Inspector, Scope::User) => {
                return Err(Failure::Usage(
                    "--scope user: the Inspector has no file of its own; leave the option out"
                        .to_owned(),
                ));
            }
        })
    }

    /// The server as the client wants it described.
    pub(super) fn entry(self, server: &Server) -> Value {
        match (self, server) {
            (Self::Cursor, Server::Stdio { command, arguments }) => {
                json!({"command": command, "args": arguments})
            }
            (_, Server::Stdio { command, arguments }) => {
                json!({"type": "stdio", "command": command, "args": arguments})
            }
            (Self::Cursor, Server::Http { url }) => json!({"url": url}),
            (Self::Inspector, Server::Http { url }) => {
                json!({"type": "streamable-http", "url": url})
            }
            (_, Server::Http { url }) => json!({"type": "http", "url": url}),
        }
    }

    /// What to do once the entry is there.
    pub(super) fn next_step(self, name: &str, file: &Path) -> Option<String> {
        match self {
            Self::Inspector => Some(format!(
                "then (with Node.js 22.19 or newer): npx @modelcontextprotocol/inspector --config {0}\n\
                 or without a browser: npx @modelcontextprotocol/inspector --cli --config {0} --server {1} --method tools/list",
                pasted::path(file),
                pasted::word(name),
            )),
            _ => None,
        }
    }
}

/// Below which programs with windows keep their settings.
fn application_data() -> Option<PathBuf> {
    let places = choose_native_strategy().ok()?;
    Some(if cfg!(target_os = "macos") {
        places.data_dir()
    } else {
        places.config_dir()
    })
}

/// Variables that have a say in this shell and that a client started elsewhere does not have.
pub(super) fn variables_of_this_shell() -> Vec<String> {
    let mut names: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("DCC_MCP_") || name.starts_with("METIER_"))
        .collect();
    names.sort();
    names
}
