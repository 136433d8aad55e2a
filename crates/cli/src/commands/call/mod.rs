//! `metier call`.

mod unknown;

use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use metier::ToolDispatcher;
use metier::catalog::{CallError, CallRequest};
use metier::tool::{BoxFuture, CallEvents, CancelSignal, Cancellation, LogLine, Progress, inexact};
use metier::workspace_roots::WorkspaceResolveError;
use metier::{SkillCatalog, ToolOutput};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::Failure;
use crate::options::{Running, SkillPlaces, runtime};
use crate::printer::Printer;
use crate::program_hooks::warn_if_idle;
use crate::stop_signal::StopSignal;

use unknown::Unknown;

#[derive(Args)]
pub(crate) struct Call {
    /// The tool: `skill_name__tool`, or the tool's name alone where one skill only has it.
    tool: String,
    /// The arguments as JSON, `@FILE`, or `-` for standard input.
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
    args: String,
    /// Print the whole result as JSON, as MCP clients get it.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Call {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let arguments = read_arguments(&self.args)?;
        let (settings, config) = self.running.settings_of_server(&self.places)?;
        let (catalog, _) = self.places.catalog(settings);
        warn_if_idle(printer, &config, &catalog);
        if let Some(unknown) = unknown::of_stub(&catalog, &self.tool) {
            return refuse(printer, unknown);
        }
        let check = self.places.check_command();
        let print = |output: &ToolOutput, told: &str| {
            print(output, told, (!self.json).then_some(&check), printer)
        };
        match runtime()?.block_on(call(&catalog, &self.tool, arguments, printer, print)) {
            Ok(printed) => printed,
            Err(CallError::UnknownTool { nearest, .. }) => {
                // The name leads nowhere, which is told in any case.
                let _ = self.places.tell_if_empty(printer, &catalog);
                let unknown = unknown::of_tool(&catalog, &self.places, &self.tool, &nearest);
                refuse(printer, unknown)
            }
            Err(error @ CallError::ArgumentsNotObject { .. }) => {
                Err(Failure::Usage(error.to_string()))
            }
            Err(error) => {
                printer.say(&format!("error: {error}{}", cure(&error)));
                Err(Failure::Answered)
            }
        }
    }
}

/// A wrong name is wrong usage; a broken skill that has the tool, or may have it, is a failure of what was asked about.
fn refuse(printer: Printer, unknown: Unknown) -> Result<(), Failure> {
    match unknown {
        Unknown::Name(message) => Err(Failure::Usage(message)),
        Unknown::Skill(message) => {
            printer.say(&format!("error: {message}"));
            Err(Failure::Answered)
        }
    }
}

/// What a caller of this command can do about it.
fn cure(error: &CallError) -> String {
    match error {
        CallError::CapabilityMissing(refusal) => format!(
            "; add --capability {}, if this machine can do that",
            refusal.missing.join(" --capability ")
        ),
        CallError::Roots {
            error: WorkspaceResolveError::NoRoots,
            ..
        } => "; name a folder of the workspace with --root DIR".to_owned(),
        _ => String::new(),
    }
}

fn read_arguments(text: &str) -> Result<Value, Failure> {
    let (origin, text) = if text == "-" {
        let mut all = String::new();
        std::io::stdin().read_to_string(&mut all).map_err(|error| {
            Failure::Usage(format!("--args -: standard input cannot be read: {error}"))
        })?;
        ("standard input".to_owned(), all)
    } else if let Some(file) = text.strip_prefix('@') {
        let all = std::fs::read_to_string(file)
            .map_err(|error| Failure::Usage(format!("--args @{file}: {error}")))?;
        (file.to_owned(), all)
    } else {
        ("--args".to_owned(), text.to_owned())
    };
    // Editors and shells of Windows begin a file with it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let arguments = serde_json::from_str(text)
        .map_err(|error| Failure::Usage(format!("{origin}: not JSON: {error}")))?;
    match inexact(text).first() {
        Some(fault) => Err(Failure::Usage(format!("{origin}: {fault}"))),
        None => Ok(arguments),
    }
}

/// How long a call that is given up may take to end, with the hooks that hear of its end.
const GIVE_UP_WITHIN: Duration = Duration::from_secs(10);

/// Loads the tool's skill where that is needed, then calls it and prints the result; `print` also takes the last log line
/// that was told.
async fn call(
    catalog: &SkillCatalog,
    tool: &str,
    arguments: Value,
    printer: Printer,
    print: impl Fn(&ToolOutput, &str) -> Result<(), Failure>,
) -> Result<Result<(), Failure>, CallError> {
    if let Some(skill) = catalog.snapshot().skill_to_load_for(tool) {
        let request = CallRequest::new("load_skill", Some(json!({"skill_name": skill})));
        let loaded = ToolDispatcher::new(catalog.registry())
            .call(request)
            .await?;
        if loaded.is_error {
            return Ok(print(&loaded, ""));
        }
    }
    let stop = StopSignal::listen(printer);
    let (give_up, given_up) = watch::channel(false);
    let mut request = CallRequest::new(tool, Some(arguments));
    request.cancel = Cancellation::new(Arc::new(GivenUp(given_up)));
    let told = Arc::new(Told::new(printer));
    request.events = Arc::<Told>::clone(&told);
    let dispatcher = ToolDispatcher::new(catalog.registry());
    let mut answer = std::pin::pin!(dispatcher.call(request));
    tokio::select! {
        answer = &mut answer => return Ok(print(&answer?, &told.last())),
        () = stop.wait() => {}
    }
    // The receiver lives as long as the call.
    let _ = give_up.send(true);
    let until = Instant::now() + GIVE_UP_WITHIN;
    let output = tokio::select! {
        biased;
        // Whoever gives up waits for no hook: the result is out before anything else can end this.
        output = told.output() => output,
        ended = timeout_at(until, &mut answer) => {
            let output = ended.unwrap_or(Err(CallError::Cancelled))?;
            return Ok(print(&output, &told.last()));
        }
    };
    let printed = print(&output, &told.last());
    if timeout_at(until, answer).await.is_err() {
        printer.say(&format!(
            "warning: the hooks after the call were not done {} seconds after it was given up, and were ended; the tool itself had ended before",
            GIVE_UP_WITHIN.as_secs()
        ));
    }
    Ok(printed)
}

struct GivenUp(watch::Receiver<bool>);

impl CancelSignal for GivenUp {
    fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    fn cancelled(&self) -> BoxFuture<'static, ()> {
        let mut given_up = self.0.clone();
        Box::pin(async move {
            if given_up.wait_for(|yes| *yes).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

/// Progress and log lines on stderr, and what the tool has given before hooks hear of it.
struct Told {
    printer: Printer,
    last: Mutex<String>,
    output: watch::Sender<Option<Arc<ToolOutput>>>,
}

impl Told {
    fn new(printer: Printer) -> Self {
        Self {
            printer,
            last: Mutex::default(),
            output: watch::Sender::default(),
        }
    }

    /// Completes when the tool has given its result.
    async fn output(&self) -> Arc<ToolOutput> {
        let mut output = self.output.subscribe();
        let given = output.wait_for(Option::is_some).await;
        match given.ok().and_then(|given| given.clone()) {
            Some(given) => given,
            None => std::future::pending().await,
        }
    }

    /// The last log line that was told.
    fn last(&self) -> String {
        let last = self.last.lock();
        last.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl CallEvents for Told {
    fn progress(&self, progress: Progress) {
        let total = progress
            .total
            .map(|total| format!("/{total}"))
            .unwrap_or_default();
        let message = progress.message.unwrap_or_default();
        self.printer
            .say(format!("[{}{total}] {message}", progress.progress).trim_end());
    }

    fn log(&self, line: LogLine) {
        self.printer.say(&line.text);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = line.text;
    }

    fn answered(&self, output: &Arc<ToolOutput>) {
        self.output.send_replace(Some(Arc::clone(output)));
    }
}

/// The account of a failure without the error output that closes it, if its lines were told as they came.
/// Of many or long lines the last ones were not, and they are the ones that matter.
fn unsaid<'t>(text: &'t str, told: &str) -> &'t str {
    const HEADINGS: [&str; 2] = ["\n\nerror output:\n", "\n\nend of the error output:\n"];
    HEADINGS
        .iter()
        .find_map(|heading| text.rsplit_once(heading))
        .filter(|(_, output)| {
            let last = output.lines().next_back().unwrap_or_default();
            last.trim() == told.trim()
        })
        .map_or(text, |(before, _)| before)
}

/// `check` is the command that checks the skills of the call; without one the whole result is printed as JSON.
fn print(
    output: &ToolOutput,
    told: &str,
    check: Option<&String>,
    printer: Printer,
) -> Result<(), Failure> {
    let Some(check) = check else {
        let mut result = json!({"content": output.content, "isError": output.is_error});
        if let Some(object) = result.as_object_mut() {
            if let Some(structured) = &output.structured {
                object.insert("structuredContent".to_owned(), json!(structured));
            }
            if !output.meta.is_empty() {
                object.insert("_meta".to_owned(), json!(output.meta));
            }
        }
        printer.json(&result);
        return ended(output);
    };
    // What a script printed besides its result is talk; a failure's account holds it already.
    let noise = output.meta.get("dcc").and_then(|dcc| dcc.get("log"));
    if let Some(noise) = noise.and_then(Value::as_str).filter(|_| !output.is_error) {
        printer.say(noise.trim_end());
    }
    let note = output.meta.get("dcc").and_then(|dcc| dcc.get("note"));
    if let Some(note) = note.and_then(Value::as_str) {
        printer.say(&format!("note: {note}"));
    }
    for item in &output.content {
        if let Some(text) = item.as_text() {
            if output.is_error {
                // A client does not know where the skills lie; whoever called this command does.
                let text = unsaid(text, told).replace("`metier check`", &format!("`{check}`"));
                printer.lines(&format!("{text}\n"));
            } else {
                // The result is what a pipe is for, byte by byte.
                printer.text(&format!("{text}\n"));
            }
        } else {
            let kind = item
                .as_json()
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("item");
            printer.data(&format!("[{kind}; use --json to see it]"));
        }
    }
    ended(output)
}

fn ended(output: &ToolOutput) -> Result<(), Failure> {
    if output.is_error {
        Err(Failure::Answered)
    } else {
        Ok(())
    }
}
