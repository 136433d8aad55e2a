//! A folder with one script, and helpers to run it and to wait for what it does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use metier_runner::{
    EnvLookup, Interpreters, Job, Limits, Output, Progress, Report, RunEvents, run,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// How long a wait may take at most. Never reached unless something is broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// The Python behind the `python3` of the path, which may be a slow shim of a version manager.
pub(crate) fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let tell = ["-c", "import sys; print(sys.executable, end='')"];
        let told = std::process::Command::new("python3")
            .args(tell)
            .output()
            .unwrap();
        String::from_utf8(told.stdout).unwrap().into()
    })
}

pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    script: PathBuf,
}

impl Stage {
    /// A folder with one script of this name.
    pub(crate) fn new(name: &str, source: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join(name);
        std::fs::create_dir_all(script.parent().unwrap()).unwrap();
        std::fs::write(&script, source).unwrap();
        Self { folder, script }
    }

    pub(crate) fn python(source: &str) -> Self {
        Self::new("go.py", source)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn job(&self) -> Job {
        let lookup = EnvLookup::new([("PATH", std::env::var("PATH").unwrap())]);
        let interpreters = Interpreters {
            python: Some(python().to_path_buf()),
            ..Interpreters::default()
        };
        let program = interpreters.resolve(&self.script, None, &lookup).unwrap();
        let mut job = Job::new(program, self.folder.path());
        job.environment = lookup.vars().collect();
        job
    }

    /// Runs the script and cancels as soon as it has made a file of this name.
    pub(crate) async fn cancel_at(&self, name: &str, limits: &Limits) -> Report {
        let cancel = CancellationToken::new();
        let call = run(
            self.job(),
            limits,
            cancel.clone(),
            Arc::new(Heard::default()),
        );
        let cancelling = async {
            wait_for(name, || self.path(name).exists().then_some(())).await;
            cancel.cancel();
        };
        tokio::join!(call, cancelling).0.unwrap()
    }

    pub(crate) async fn run(&self) -> Report {
        go(self.job(), &patient()).await
    }
}

/// Limits for a script that ends by itself: a loaded machine must not make a test fail.
pub(crate) fn patient() -> Limits {
    Limits {
        deadline: PATIENCE,
        ..Limits::default()
    }
}

pub(crate) async fn go(job: Job, limits: &Limits) -> Report {
    run(
        job,
        limits,
        CancellationToken::new(),
        Arc::new(Heard::default()),
    )
    .await
    .unwrap()
}

/// Remembers what it hears.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) progress: Mutex<Vec<Progress>>,
    pub(crate) lines: Mutex<Vec<String>>,
}

impl RunEvents for Heard {
    fn progress(&self, progress: Progress) {
        self.progress.lock().unwrap().push(progress);
    }

    fn log(&self, line: &str) {
        self.lines.lock().unwrap().push(line.to_owned());
    }
}

pub(crate) fn json(report: &Report) -> &Value {
    match &report.output {
        Output::Json(value) => value,
        other => panic!("expected JSON, got {other:?}; the run: {report:?}"),
    }
}

/// Looks again and again until something is there.
pub(crate) async fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The process ids that a script wrote into a file, one a line, once there are that many.
pub(crate) async fn pids(file: &Path, count: usize) -> Vec<u32> {
    wait_for("process ids", || {
        let text = std::fs::read_to_string(file).ok()?;
        let ids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (ids.len() == count && text.ends_with('\n')).then_some(ids)
    })
    .await
}

/// Waits until a process is gone. A dead one that its new parent has not collected counts as gone.
pub(crate) async fn gone(pid: u32) {
    wait_for("the end of a process", || (!is_alive(pid)).then_some(())).await;
}

pub(crate) fn is_alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    // The state stands behind the name, which is in parentheses and may hold any character.
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.trim().chars().next());
    !matches!(state, Some('Z' | 'X'))
}
