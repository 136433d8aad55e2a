//! An application of the tests: a Python that runs the adapter, in a folder with one skill.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_host::{ADAPTER, HostLink, LinkLimits};
use metier_skill_model::Affinity;
use metier_tool::{
    CallContext, CallEvents, HostExecutor as _, HostJob, LogLine, Progress, ToolError, ToolOutput,
};
use serde_json::{Map, Value};

pub(crate) struct Application {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) process: Child,
    pub(crate) link: HostLink,
}

/// Hears what a call says before it answers.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<String>>);

impl CallEvents for Heard {
    fn progress(&self, step: Progress) {
        self.0.lock().unwrap().push(format!(
            "{} of {:?}: {:?}",
            step.progress, step.total, step.message
        ));
    }

    fn log(&self, line: LogLine) {
        self.0.lock().unwrap().push(line.text);
    }
}

impl Application {
    pub(crate) fn start() -> Self {
        Self::with_limits(LinkLimits::default())
    }

    pub(crate) fn with_limits(limits: LinkLimits) -> Self {
        Self::made(None, limits)
    }

    /// An application with a main thread of its own, whose function `on_main` is this.
    pub(crate) fn with_on_main(on_main: &str) -> Self {
        let text = format!(
            "import sys, threading, metier_host\n{on_main}\nmetier_host.Host(sys.argv[1], on_main=on_main).start()\n\
             print('metier_host: attached', flush=True)\nthreading.Event().wait()\n"
        );
        Self::made(Some(&text), LinkLimits::default())
    }

    fn made(own: Option<&str>, limits: LinkLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("skill/scripts")).unwrap();
        let adapter = folder.path().join("metier_host.py");
        std::fs::write(&adapter, ADAPTER).unwrap();
        let program = own.map_or_else(
            || adapter.clone(),
            |text| {
                let program = folder.path().join("application.py");
                std::fs::write(&program, text).unwrap();
                program
            },
        );
        let door = folder.path().join("door.json");
        let mut process = Command::new("python3")
            .arg(&program)
            .arg(&door)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.starts_with("metier_host: attached"), "{line:?}");
        Self {
            folder,
            process,
            link: HostLink::with_limits(door, limits),
        }
    }

    /// Ends the process with a signal and waits for it; whether the signal could be sent.
    pub(crate) fn end(&mut self, signal: &str) -> bool {
        let sent = Command::new("kill")
            .args(["-s", signal, &self.process.id().to_string()])
            .status()
            .unwrap();
        self.process.wait().unwrap();
        sent.success()
    }

    pub(crate) fn door(&self) -> PathBuf {
        self.folder.path().join("door.json")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("skill").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn job(&self, script: &Path, arguments: Value) -> HostJob {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        HostJob::new(
            "bake-ao",
            "bake",
            self.folder.path().join("skill"),
            script.to_owned(),
            Affinity::Main,
            arguments,
        )
    }

    /// Runs a script of this text.
    pub(crate) async fn run(&self, text: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let script = self.write("scripts/bake.py", text);
        self.link
            .execute(self.job(&script, arguments), context())
            .await
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

pub(crate) fn context() -> CallContext {
    CallContext::new("bake_ao__bake", "call-1")
}

pub(crate) fn listening(heard: &Arc<Heard>) -> CallContext {
    let mut context = context();
    context.events = Arc::clone(heard) as Arc<dyn CallEvents>;
    context
}

pub(crate) fn object(output: &ToolOutput) -> Value {
    output.structured.clone().map_or(Value::Null, Value::Object)
}

pub(crate) fn none() -> Value {
    Value::Object(Map::new())
}

/// Waits, for a bounded time, until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come to pass");
}
