//! Runs one program for a tool call: one JSON object in, one JSON value (or text) out.
//!
//! A script of a skill is a stranger in the house. It may hang, print for ever, die of a signal,
//! leave children behind, or print a banner before its result. This crate runs it so that none of
//! that reaches the caller as anything but one clear [`Report`]:
//!
//! - **In.** The arguments are one JSON object on standard input, then end of file. Nothing is put
//!   on the command line unless [`Job::script_arguments`] says so.
//! - **Out.** Standard output is one JSON value, or its last JSON object with lines around it, or
//!   text ([`Output`]). Standard error carries progress (`::progress:: {"progress": 1}`) and log
//!   lines, both handed to [`RunEvents`] while the script runs.
//! - **Limits.** A deadline, a cap on output, bounded log lines ([`Limits`]); memory does not grow
//!   with what the script prints. A [`Gate`] bounds how many scripts run at once, and how many wait.
//! - **The end.** The script leads a session of its own (a process group where the system cannot list
//!   sessions, a job object on Windows). With the answer everything left in it is killed; at the deadline, on
//!   cancel and when the future is dropped also what descends from the script in sessions of their own (on
//!   Linux). A [`Watchdog`] does that when this process is killed.
//! - **Environment.** Nothing is inherited: [`Job::environment`] is all there is, and
//!   [`EnvironmentPolicy`] picks it by name from an allow-list.
//! - **Hooks.** [`ProgramHook`] is such a program as a handler of lifecycle events: the event in, no objection or
//!   a refusal out.
//! - **Interpreter.** [`Interpreters`] turns a script path into a [`Program`]; a wrong override is an
//!   error that names it, never another interpreter in silence.
//!
//! Limits of the crate: a program that opens a session of its own outlives a script that comes to its end by
//! itself, on purpose. Messages for people never hold an absolute path; what an operator needs
//! in addition is in `operator_detail()` of the errors. The crate knows neither tools nor protocols.
//!
//! ```
//! use std::sync::Arc;
//! use metier_runner::{EnvLookup, EnvironmentPolicy, Interpreters, Job, Limits, Output, Quiet, run};
//! use tokio_util::sync::CancellationToken;
//!
//! # let folder = tempfile::tempdir()?;
//! # let script = folder.path().join("double.py");
//! std::fs::write(&script, "import json, sys\nn = json.load(sys.stdin)['n']\nprint(json.dumps({'n': n * 2}))\n")?;
//!
//! let environment = EnvLookup::from_process();
//! let program = Interpreters::default().resolve(&script, None, &environment)?;
//! let mut job = Job::new(program, folder.path());
//! job.input.insert("n".to_owned(), 21.into());
//! job.environment = EnvironmentPolicy::default().filter(environment.vars());
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let report = runtime.block_on(run(job, &Limits::default(), CancellationToken::new(), Arc::new(Quiet)))?;
//! assert_eq!(report.failure(), None);
//! assert_eq!(report.output, Output::Json(serde_json::json!({ "n": 42 })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allowance;
mod capture;
mod command_line;
mod environment;
mod error;
mod events;
mod extract;
mod first_line;
mod gate;
mod group;
mod hook_answer;
mod hook_decision;
mod input;
mod interpreters;
mod job;
mod json_scan;
mod limits;
mod lookup;
#[cfg(target_os = "linux")]
mod mark;
#[cfg(target_os = "linux")]
mod proc_table;
mod program_hook;
#[cfg(unix)]
mod program_image;
mod pumps;
mod report;
mod resolve_error;
mod run;
mod script_json;
#[cfg(unix)]
mod session;
mod stderr;
mod text;
#[cfg(target_os = "linux")]
mod tree;
mod turns;
mod unclosed;
#[cfg(unix)]
mod unix;
mod watchdog;
#[cfg(any(windows, test))]
mod windows;

pub use allowance::Allowance;
pub use command_line::{LeftOut, LongOptions, long_options};
pub use environment::{EnvironmentPolicy, PatternError};
pub use error::RunError;
pub use events::{Progress, Quiet, RunEvents};
pub use first_line::FirstLineFault;
pub use gate::Gate;
pub use interpreters::Interpreters;
pub use job::{Job, Program, ScriptKind};
pub use limits::Limits;
pub use lookup::EnvLookup;
pub use program_hook::{ProgramHook, ProgramHookError};
pub use report::{Exit, Output, Report, Tail};
pub use resolve_error::{Fault, Origin, ResolveError};
pub use run::run;
pub use watchdog::Watchdog;
