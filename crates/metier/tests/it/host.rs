//! Tools that run in the application, through the queue that its main thread keeps.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

use metier::catalog::CallRequest;
use metier::host::{JobQueue, queue};
use metier::tool::{CallEvents, HostJob, LogLevel, LogLine, Progress};
use metier::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolError, ToolOutput, ToolRegistry};
use serde_json::{Value, json};

const TOOLS: &str = "tools:
  - {name: main, affinity: main, source_file: scripts/look.py}
  - {name: inside, requires_in_process: true, source_file: scripts/look.py}
  - {name: scene, source_file: scripts/look.hscript}
  - {name: outside, source_file: scripts/look.py}
";

/// A catalog with one loaded skill, whose tools belong into the application or not.
struct Bench {
    _folder: tempfile::TempDir,
    dispatcher: ToolDispatcher,
    jobs: Option<JobQueue>,
}

impl Bench {
    async fn with(change: impl FnOnce(&mut CatalogSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join("box");
        std::fs::create_dir_all(skill.join("scripts")).unwrap();
        for (name, text) in [
            (
                "SKILL.md",
                "---\nname: box\ndescription: A box.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
            ),
            ("tools.yaml", TOOLS),
            ("scripts/look.py", "print('{\"program\": true}')\n"),
            ("scripts/look.hscript", "look\n"),
        ] {
            std::fs::write(skill.join(name), text).unwrap();
        }
        let (host, jobs) = queue(16);
        let mut settings = CatalogSettings::from_process("python");
        settings.roots = metier::catalog::RootSettings::default();
        settings.run.host = Some(Arc::new(host));
        change(&mut settings);
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher.clone());
        catalog.discover(&[folder.path().to_owned()], None);
        catalog.load_skill("box").await.unwrap();
        Self {
            _folder: folder,
            dispatcher,
            jobs: Some(jobs),
        }
    }

    /// Starts an application whose main thread does this with every call.
    fn application(
        &mut self,
        work: impl FnMut(&HostJob) -> Result<ToolOutput, ToolError> + Send + 'static,
    ) -> Application {
        Application::start(self.jobs.take().unwrap(), work)
    }

    async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let request = CallRequest::new(format!("box__{tool}"), Some(arguments));
        self.dispatcher.call(request).await.unwrap()
    }

    fn spawn(&self, tool: &str, arguments: Value) -> tokio::task::JoinHandle<ToolOutput> {
        let request = CallRequest::new(format!("box__{tool}"), Some(arguments));
        let dispatcher = self.dispatcher.clone();
        tokio::spawn(async move { dispatcher.call(request).await.unwrap() })
    }
}

/// A thread that runs calls until it is told to end.
struct Application {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Application {
    fn start(
        jobs: JobQueue,
        mut work: impl FnMut(&HostJob) -> Result<ToolOutput, ToolError> + Send + 'static,
    ) -> Self {
        let (end, ended) = channel::<()>();
        let thread = thread::spawn(move || {
            while ended.try_recv().is_err() {
                jobs.run_one(Duration::from_millis(5), |job, _| work(job));
            }
        });
        Self { end, thread }
    }

    /// Ends it, with all that still waits.
    fn quit(self) {
        self.end.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

fn answer(value: Value) -> ToolOutput {
    ToolOutput::from_script_json(value)
}

fn named(thread: ThreadId) -> String {
    format!("{thread:?}")
}

#[tokio::test]
async fn what_belongs_into_the_application_runs_on_its_thread_and_the_rest_does_not() {
    let mut bench = Bench::with(|_| ()).await;
    let app = bench.application(|job| {
        Ok(answer(json!({"tool": job.tool_name, "thread": named(thread::current().id()), "given": job.arguments})))
    });
    let main = named(app.thread.thread().id());
    assert_ne!(main, named(thread::current().id()));
    for tool in ["main", "inside", "scene"] {
        assert_eq!(
            bench
                .call(tool, json!({"n": 1}))
                .await
                .structured
                .map(Value::Object),
            Some(json!({"tool": tool, "thread": main, "given": {"n": 1}})),
        );
    }
    let outside = bench.call("outside", json!({})).await;
    assert_eq!(
        outside.structured.map(Value::Object),
        Some(json!({"program": true}))
    );
    app.quit();
}

/// An application that begins a call, says so, and waits to be told to go on.
fn patient(bench: &mut Bench) -> (Application, Receiver<Value>, Sender<()>) {
    let (begun, has_begun) = channel();
    let (go, goes) = channel::<()>();
    let app = bench.application(move |job| {
        begun.send(Value::Object(job.arguments.clone())).unwrap();
        // An error is the end of the test, which says go to everything.
        let _ = goes.recv();
        Ok(answer(json!({"done": job.arguments})))
    });
    (app, has_begun, go)
}

/// Waits on another thread, so that the calls of this one go on.
async fn next(begun: Receiver<Value>) -> (Value, Receiver<Value>) {
    tokio::task::spawn_blocking(move || (begun.recv().unwrap(), begun))
        .await
        .unwrap()
}

#[tokio::test]
async fn calls_that_come_at_once_run_one_after_the_other_in_their_order() {
    let mut bench = Bench::with(|_| ()).await;
    let (app, mut begun, go) = patient(&mut bench);
    let calls: Vec<_> = (0..8)
        .map(|n| bench.spawn("main", json!({"n": n})))
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        let first;
        (first, begun) = next(begun).await;
        assert_eq!(first, json!({"n": n}));
        assert!(begun.try_recv().is_err(), "two run at once");
        assert!(!call.is_finished());
        go.send(()).unwrap();
        let output = call.await.unwrap();
        assert_eq!(output.structured.unwrap()["done"], json!({"n": n}));
    }
    app.quit();
}

#[derive(Default)]
struct Heard(Mutex<(Vec<f64>, usize)>);

impl CallEvents for Heard {
    fn progress(&self, progress: Progress) {
        self.0.lock().unwrap().0.push(progress.progress);
    }

    fn log(&self, line: LogLine) {
        assert!(line.text.len() < 5_000, "{}", line.text.len());
        self.0.lock().unwrap().1 += 1;
    }
}

#[tokio::test]
async fn an_application_is_heard_within_the_bounds_of_a_script() {
    let mut bench = Bench::with(|_| ()).await;
    let jobs = bench.jobs.take().unwrap();
    let app = thread::spawn(move || {
        jobs.run_one(Duration::from_secs(20), |_, context| {
            for step in 1..=100_000 {
                context.events.progress(Progress {
                    progress: f64::from(step),
                    total: Some(100_000.0),
                    message: None,
                });
                context.events.log(LogLine {
                    level: LogLevel::Warning,
                    logger: "app".to_owned(),
                    text: "x".repeat(if step == 1 { 1 << 20 } else { 1 }),
                });
            }
            Ok(answer(json!({})))
        })
    });
    let heard = Arc::new(Heard::default());
    let mut request = CallRequest::new("box__main", None);
    request.events = Arc::<Heard>::clone(&heard);
    assert!(!bench.dispatcher.call(request).await.unwrap().is_error);
    assert!(app.join().unwrap());
    let (steps, lines) = &*heard.0.lock().unwrap();
    assert!(steps.len() < 10_000, "{}", steps.len());
    assert_eq!(steps.last(), Some(&100_000.0));
    assert_eq!(*lines, 2_000);
}

#[tokio::test]
async fn a_slow_application_is_given_up_at_the_deadline_and_asked_again() {
    let mut bench = Bench::with(|settings| {
        settings.run.limits.deadline = Duration::from_millis(300);
    })
    .await;
    let (app, begun, go) = patient(&mut bench);
    let output = bench.call("main", json!({"n": 1})).await;
    assert!(output.is_error);
    assert_eq!(
        output.joined_text(),
        "the application did not finish within 0.3 s; what it had begun may still go on there"
    );
    // It comes to its end there, and the next call is another one.
    go.send(()).unwrap();
    go.send(()).unwrap();
    let output = bench.call("main", json!({"n": 2})).await;
    assert_eq!(output.structured.unwrap()["done"], json!({"n": 2}));
    assert_eq!(begun.try_iter().count(), 2);
    app.quit();
}

#[tokio::test]
async fn an_application_that_goes_in_the_middle_costs_its_calls_and_nothing_else() {
    let mut bench = Bench::with(|_| ()).await;
    let (app, begun, go) = patient(&mut bench);
    let running = bench.spawn("main", json!({"n": 1}));
    let (_, _begun) = next(begun).await;
    let waiting = bench.spawn("inside", json!({"n": 2}));
    // Until the one that waits is in the queue.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    app.end.send(()).unwrap();
    drop(go);
    app.thread.join().unwrap();
    // What was running came to its end.
    assert!(!running.await.unwrap().is_error);
    for output in [waiting.await.unwrap(), bench.call("scene", json!({})).await] {
        assert!(output.is_error);
        assert_eq!(
            output.joined_text(),
            "the application takes no calls any more"
        );
    }
    assert!(!bench.call("outside", json!({})).await.is_error);
}

#[tokio::test]
async fn a_call_on_which_the_application_breaks_is_that_calls_error() {
    let mut bench = Bench::with(|_| ()).await;
    let app = bench.application(|job| {
        assert_ne!(job.tool_name, "main", "broken on purpose");
        Ok(answer(json!({"fine": true})))
    });
    let output = bench.call("main", json!({})).await;
    assert!(output.is_error);
    assert_eq!(
        output.joined_text(),
        "the application failed while it ran the tool `main`"
    );
    assert!(!bench.call("inside", json!({})).await.is_error);
    app.quit();
}
