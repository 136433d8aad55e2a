//! The command of this tree serving one skill whose tool is a shell script.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::metadata::Metadata;
use crate::metier_binary;

/// Takes its arguments and answers one object.
pub(crate) const SCRIPT: &str = "read -r line\necho '{\"ok\": true}'\n";

/// A running server, and its folder, which goes with it.
pub(crate) struct ScriptServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    sent: u64,
}

impl ScriptServer {
    /// Builds the command in release mode, starts `metier stdio` and loads the skill.
    pub(crate) fn start(metadata: &Metadata) -> Result<Self, String> {
        let binary = metier_binary::build(metadata, true)?;
        let folder = std::env::temp_dir().join(format!("metier-calls-{}", std::process::id()));
        write_skill(&folder.join("skills/quick"))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut child = Command::new(binary)
            .args(["stdio", "--no-config", "skills"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`metier stdio` did not start: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("`metier stdio` has no pipes".to_owned());
        };
        let mut server = Self {
            child,
            input,
            output: BufReader::new(output),
            folder,
            sent: 0,
        };
        let client = json!({"name": "xtask", "version": "0"});
        let initialize =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        server.send("initialize", &initialize)?;
        server.answer()?;
        let load = json!({"name": "load_skill", "arguments": {"skill_name": "quick"}});
        server.send("tools/call", &load)?;
        server.answer()?;
        Ok(server)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn script(&self) -> PathBuf {
        self.folder.join("skills/quick/scripts/call.sh")
    }

    /// Sends a call of the script.
    pub(crate) fn call(&mut self) -> Result<(), String> {
        self.send(
            "tools/call",
            &json!({"name": "quick__call", "arguments": {"n": 1}}),
        )
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<(), String> {
        self.sent += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params});
        writeln!(self.input, "{message}").map_err(|error| format!("the server is gone: {error}"))
    }

    /// Waits for the next answer, which has to be a good one.
    pub(crate) fn answer(&mut self) -> Result<(), String> {
        let mut line = String::new();
        loop {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(1..) => {}
                Ok(_) => return Err("the server ended".to_owned()),
                Err(error) => return Err(format!("the server is gone: {error}")),
            }
            let message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message.get("id").is_none() {
                continue;
            }
            let is_error = message.pointer("/result/isError") == Some(&Value::Bool(true));
            if message.get("result").is_none() || is_error {
                return Err(format!("a call failed: {message}"));
            }
            return Ok(());
        }
    }
}

impl Drop for ScriptServer {
    fn drop(&mut self) {
        // Gone already is as good.
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}

fn write_skill(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("scripts"))?;
    fs::write(
        folder.join("SKILL.md"),
        "---\nname: quick\ndescription: Quick.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    )?;
    fs::write(
        folder.join("tools.yaml"),
        "tools:\n  - name: call\n    source_file: scripts/call.sh\n",
    )?;
    fs::write(folder.join("scripts/call.sh"), SCRIPT)
}
