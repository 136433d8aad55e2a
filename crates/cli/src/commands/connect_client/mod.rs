//! `metier connect-client`.

mod client;
mod edit;
mod write;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::Failure;
use crate::printer::Printer;
use crate::serving::Serving;

use client::{Client, Scope};
use edit::Change;

/// The longest name of a server.
const LONGEST: usize = 64;

/// What the client starts or calls.
pub(super) enum Server {
    Stdio {
        command: String,
        arguments: Vec<String>,
    },
    Http {
        url: String,
    },
}

#[derive(Args)]
pub(crate) struct ConnectClient {
    /// The client.
    client: Client,
    /// The client starts `metier stdio` itself; this is the default.
    #[arg(long, conflicts_with = "url")]
    stdio: bool,
    /// The client calls the server that `metier serve` runs here.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Edit the client's file and keep the rest of it as it is; the old one is kept beside it.
    #[arg(long)]
    write: bool,
    /// Whose file: that of the project in the working directory, or yours for all projects.
    #[arg(long, value_enum, default_value_t = Scope::Project)]
    scope: Scope,
    /// What the server is called in the client.
    #[arg(long, value_name = "NAME", default_value = "metier")]
    name: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    serving: Serving,
}

impl ConnectClient {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        check_name(&self.name)?;
        let server = self.server()?;
        let file = self.client.file(self.scope)?;
        let entry = self.client.entry(&server);
        let done = if self.write {
            Some(self.edit(&file, &entry)?)
        } else {
            None
        };
        if self.json {
            let mut answer = json!({
                "client": self.client.name(),
                "file": file.to_string_lossy(),
                "key": self.client.key(),
                "name": self.name,
                "entry": entry,
                "written": self.write,
            });
            if let (Some(answer), Some((change, backup))) = (answer.as_object_mut(), &done) {
                answer.insert("change".to_owned(), json!(change.word()));
                let backup = backup.as_ref().map(|backup| backup.to_string_lossy());
                answer.insert("backup".to_owned(), json!(backup));
            }
            printer.json(&answer);
        } else if done.is_none() {
            printer.json(&json!({self.client.key(): {self.name.as_str(): entry}}));
        } else {
            printer.data(&file.display().to_string());
        }
        self.tell(printer, &file, done.as_ref());
        Ok(())
    }

    /// What the client is to start or call.
    fn server(&self) -> Result<Server, Failure> {
        if let Some(url) = &self.url {
            if !(url.starts_with("http://") || url.starts_with("https://")) {
                return Err(Failure::Usage(format!(
                    "--url {url}: expected the URL that `metier serve` prints, like http://127.0.0.1:8765/mcp"
                )));
            }
            if self.serving != Serving::default() {
                return Err(Failure::Usage(
                    "with --url, skills and settings are those of the server that runs there; give them to `metier serve`"
                        .to_owned(),
                ));
            }
            return Ok(Server::Http {
                url: with_path(url),
            });
        }
        // What would keep the server from starting is better told now.
        self.serving.settings()?;
        let mut arguments = self.serving.as_arguments()?;
        arguments.insert(0, "stdio".to_owned());
        let command = std::env::current_exe().map_err(|error| {
            Failure::Usage(format!("the path of this program cannot be found: {error}"))
        })?;
        Ok(Server::Stdio {
            command: command.to_string_lossy().into_owned(),
            arguments,
        })
    }

    fn edit(&self, file: &Path, entry: &Value) -> Result<(Change, Option<PathBuf>), Failure> {
        let fault = |message: String| Failure::Usage(format!("{}: {message}", file.display()));
        let before = write::read(file).map_err(fault)?;
        let old = before.as_deref().unwrap_or_default();
        let (text, change) = edit::set(old, self.client.key(), &self.name, entry)
            .map_err(|message| fault(format!("{message}; nothing was changed")))?;
        if change == Change::None {
            return Ok((change, None));
        }
        let shared = self.scope == Scope::Project;
        let backup = write::replace(file, before.is_some(), shared, &text).map_err(fault)?;
        Ok((change, backup))
    }

    fn tell(&self, printer: Printer, file: &Path, done: Option<&(Change, Option<PathBuf>)>) {
        match done {
            None => printer.say(&format!(
                "this belongs into {}; --write puts it there",
                file.display()
            )),
            Some((Change::None, _)) => printer.say("it was there already; nothing was changed"),
            Some((change, backup)) => {
                let kept = backup.as_ref().map_or_else(String::new, |backup| {
                    format!("; the old file is kept as {}", backup.display())
                });
                printer.say(&format!("{} `{}`{kept}", change.word(), self.name));
            }
        }
        if let Some(next) = self.client.next_step(&self.name, file) {
            printer.say(&next);
        }
        if self.url.is_none() {
            let seen = client::variables_of_this_shell();
            if !seen.is_empty() {
                printer.say(&format!(
                    "the client does not see this shell's {}; add an `env` to the entry if the skills need it",
                    seen.join(", ")
                ));
            }
        }
    }
}

/// A name that a client can show and a person can type.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_odd = name.trim() != name || name.chars().any(char::is_control);
    if name.is_empty() || is_odd || name.chars().count() > LONGEST {
        return Err(Failure::Usage(format!(
            "--name {name:?}: expected 1 to {LONGEST} characters without line ends, and no blank at the edges"
        )));
    }
    Ok(())
}

/// The URL with the path under which `metier serve` answers, where none was written.
fn with_path(url: &str) -> String {
    let bare = url
        .split_once("://")
        .is_some_and(|(_, rest)| !rest.trim_end_matches('/').contains(['/', '?', '#']));
    if bare {
        format!("{}/mcp", url.trim_end_matches('/'))
    } else {
        url.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::with_path;

    #[test]
    fn only_a_missing_path_is_added() {
        for bare in ["http://127.0.0.1:8765", "http://127.0.0.1:8765/"] {
            assert_eq!(with_path(bare), "http://127.0.0.1:8765/mcp");
        }
        for whole in [
            "http://127.0.0.1:8765/mcp",
            "https://farm.example/metier/mcp/",
        ] {
            assert_eq!(with_path(whole), whole);
        }
    }
}
