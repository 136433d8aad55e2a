//! One run, from start to answer.

use std::io::{self, Read};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::capture::{Capture, Captured};
use crate::extract::{self, Extracted};
use crate::group::{self, Group};
use crate::input::Input;
use crate::pumps::Pumps;
use crate::stderr::StderrLines;
use crate::{Exit, Job, Limits, Report, RunError, RunEvents, ScriptKind};

/// How long a killed leader may take to be gone before the answer is given without it: a process
/// that hangs in the system (a dead network drive) must not take the caller with it.
const UNKILLABLE: Duration = Duration::from_secs(2);

/// How much of a failed shell script is looked through for CRLF.
const CRLF_WINDOW: u64 = 64 << 10;

/// Runs a job to its end: by itself, at the deadline, or by cancel.
///
/// Whatever the script came to is a [`Report`]; an error means that it could not be started at all.
/// When this returns, or its future is dropped, the script's whole process group is killed. Needs a
/// tokio runtime with its clock and I/O on.
pub async fn run(
    mut job: Job,
    limits: &Limits,
    cancel: CancellationToken,
    events: Arc<dyn RunEvents>,
) -> Result<Report, RunError> {
    if cancel.is_cancelled() {
        return Ok(Report::never_started());
    }
    let kind = job.program.kind;
    let input = Input::of(std::mem::take(&mut job.input)).map_err(|error| RunError::System {
        source: error.into(),
    })?;
    let started = Instant::now();
    let checked = tokio::select! {
        biased;
        () = cancel.cancelled() => return Ok(Report::never_started()),
        checked = check(job) => checked,
        () = sleep(limits.deadline) => Err(RunError::Unreachable { limit: limits.deadline }),
    };
    let job = checked?;
    // Not on another thread: a child whose pipes meet a runtime that is shutting down would be
    // started and lost. While this task is polled the runtime is alive.
    let (mut group, pipes) = Group::spawn(&job).map_err(|error| spawn_error(&job, error))?;

    tracing::debug!(
        interpreter = %job.program.interpreter.display(),
        script = %job.program.script.display(),
        "script started"
    );

    let mut stdout = Capture::new(limits.output_bytes, limits.tail_bytes);
    let mut stderr = StderrLines::new(limits, &*events);
    let pumps = Pumps::new(pipes, input, &mut stdout, &mut stderr);
    let exit = attend(&mut group, pumps, limits, &cancel).await?;
    // Nothing of the group outlives the answer.
    drop(group);
    tracing::debug!(
        script = %job.program.script.display(),
        ?exit,
        elapsed = ?started.elapsed(),
        "script ended"
    );

    let (stderr_tail, replaced_errors) = stderr.finish();
    let captured = stdout.finish();
    let output_bytes = captured.total();
    let Extracted {
        output,
        noise,
        tail,
        replaced,
        notes,
        exact,
        overwritten,
    } = read_result(captured, limits).await;
    let dropped_bytes = match &output {
        crate::Output::Truncated { dropped, .. } => *dropped,
        _ => 0,
    };
    let crlf_hint =
        kind == ScriptKind::Shell && matches!(exit, Exit::Code(1..)) && has_crlf(job).await;
    Ok(Report {
        exit,
        output,
        noise,
        stdout_tail: tail,
        stderr_tail,
        output_bytes,
        dropped_bytes,
        replaced_bytes: replaced || replaced_errors,
        notes,
        exact,
        overwritten,
        elapsed: started.elapsed(),
        crlf_hint,
    })
}

/// Makes the paths of a job absolute and looks whether all is there, on a thread that may block:
/// scripts and interpreters stand on network drives, and such a drive may hang.
///
/// Interpreters say in many ways that there is no script; this says it in one.
async fn check(mut job: Job) -> Result<Job, RunError> {
    let check = move || {
        if job.program.kind == ScriptKind::Batch && !job.script_arguments.is_empty() {
            return Err(RunError::ArgumentsForBatch);
        }
        let folder = std::path::absolute(&job.working_dir);
        job.working_dir = folder.map_err(|source| RunError::System { source })?;
        match std::fs::metadata(&job.working_dir) {
            Ok(metadata) if metadata.is_dir() => {}
            Err(source) if exhausted(&source) => return Err(RunError::Exhausted { source }),
            _ => {
                return Err(RunError::WorkingDir {
                    folder: job.working_dir,
                });
            }
        }
        let script = job.working_dir.join(&job.program.script);
        let found = std::fs::metadata(&script).and_then(|found| {
            // An interpreter that may not read its script says so in its own way, with the whole path.
            if found.is_file() && job.program.kind != ScriptKind::Executable {
                std::fs::File::open(&script)?;
            }
            Ok(found)
        });
        match found {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => {
                return Err(RunError::ScriptUnreadable {
                    script,
                    source: None,
                });
            }
            Err(error) if is_missing(&error) => return Err(RunError::ScriptNotFound { script }),
            Err(source) if exhausted(&source) => return Err(RunError::Exhausted { source }),
            Err(source) => {
                return Err(RunError::ScriptUnreadable {
                    script,
                    source: Some(source),
                });
            }
        }
        job.program.script = script;
        // One that is not absolute would be looked for beside the script. What else is wrong with the
        // interpreter the start will tell; a drive that hangs hangs here.
        if !job.program.interpreter.is_absolute() {
            return Err(spawn_error(&job, io::ErrorKind::NotFound.into()));
        }
        let _ = std::fs::metadata(&job.program.interpreter);
        Ok(job)
    };
    let checked = tokio::task::spawn_blocking(check).await;
    checked.map_err(|error| RunError::System {
        source: error.into(),
    })?
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn spawn_error(job: &Job, source: io::Error) -> RunError {
    use io::ErrorKind as Kind;

    let interpreter = job.program.interpreter.clone();
    let language = job.program.kind.label();
    let named_by = job.program.named_by.clone();
    match source.kind() {
        // The folder was there a moment ago, so it is the interpreter that is missing.
        _ if is_missing(&source) => RunError::InterpreterNotFound {
            interpreter,
            language,
            named_by,
        },
        Kind::PermissionDenied => RunError::InterpreterNotExecutable {
            interpreter,
            language,
            named_by,
            source,
        },
        Kind::ArgumentListTooLong => RunError::TooLarge { source },
        Kind::OutOfMemory | Kind::WouldBlock | Kind::ResourceBusy => RunError::Exhausted { source },
        _ if exhausted(&source) => RunError::Exhausted { source },
        _ if not_a_program(&source) => RunError::InterpreterNotExecutable {
            interpreter,
            language,
            named_by,
            source,
        },
        _ => RunError::System { source },
    }
}

#[cfg(unix)]
fn exhausted(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(
        errno,
        Some(Errno::EMFILE | Errno::ENFILE | Errno::EAGAIN | Errno::ENOMEM)
    )
}

#[cfg(not(unix))]
fn exhausted(_error: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn not_a_program(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let errno = error.raw_os_error().map(Errno::from_raw);
    // What other systems say of a program for another processor or with broken libraries.
    #[cfg(target_vendor = "apple")]
    if matches!(
        errno,
        Some(Errno::EBADARCH | Errno::EBADEXEC | Errno::EBADMACHO | Errno::ESHLIBVERS)
    ) {
        return true;
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if errno == Some(Errno::ELIBBAD) {
        return true;
    }
    // The last two are said of a program that is cut or contradicts itself.
    matches!(
        errno,
        Some(Errno::ENOEXEC | Errno::EISDIR | Errno::EIO | Errno::EINVAL)
    )
}

#[cfg(not(unix))]
fn not_a_program(error: &io::Error) -> bool {
    /// `ERROR_BAD_EXE_FORMAT`
    const BAD_FORMAT: i32 = 193;
    error.raw_os_error() == Some(BAD_FORMAT)
}

/// Pumps until the leader has ended or has to be ended, and what it left in the pipes is read.
async fn attend(
    group: &mut Group,
    mut pumps: Pumps<'_>,
    limits: &Limits,
    cancel: &CancellationToken,
) -> Result<Exit, RunError> {
    let lost = |source| RunError::System { source };
    let ended = pumps
        .until(async {
            tokio::select! {
                biased;
                status = group.wait() => status.map(Ended::ByItself),
                () = cancel.cancelled() => Ok(Ended::Stopped(Exit::Cancelled)),
                () = sleep(limits.deadline) => Ok(Ended::Stopped(Exit::DeadlineExceeded { limit: limits.deadline })),
            }
        })
        .await
        .map_err(lost)?;
    let exit = match ended {
        Ended::ByItself(status) => group::exit_of(status),
        Ended::Stopped(exit) => {
            stop(group, &mut pumps, limits).await.map_err(lost)?;
            exit
        }
    };
    // A pipe that something else holds open is read for a moment only.
    pumps.both_ended_or(sleep(limits.drain)).await;
    Ok(exit)
}

enum Ended {
    ByItself(ExitStatus),
    Stopped(Exit),
}

/// Ends the group: politely, and after the grace by force.
async fn stop(group: &mut Group, pumps: &mut Pumps<'_>, limits: &Limits) -> io::Result<()> {
    let until = Instant::now()
        + if cfg!(windows) {
            Duration::ZERO
        } else {
            limits.grace
        };
    group.ask_to_end();
    let politely = pumps
        .until(tokio::time::timeout_at(until, group.wait()))
        .await;
    if let Ok(status) = politely {
        status?;
        // The others of the group have what is left of the grace.
        _ = tokio::time::timeout_at(until, pumps.until(group.emptied())).await;
        group.kill();
        return Ok(());
    }
    group.kill();
    let Ok(status) = pumps.until(timeout(UNKILLABLE, group.wait())).await else {
        tracing::warn!("a killed script is still there; the answer is given without it");
        return Ok(());
    };
    status.map(drop)
}

async fn read_result(captured: Captured, limits: &Limits) -> Extracted {
    let large = matches!(&captured, Captured::Whole(bytes) if bytes.len() > extract::LARGE);
    if !large {
        return extract::extract(captured, limits);
    }
    let limits = limits.clone();
    let empty = Captured::Whole(Vec::new());
    let work = move || extract::extract(captured, &limits);
    match tokio::task::spawn_blocking(work).await {
        Ok(extracted) => extracted,
        // Only a runtime that is shutting down cancels such a task; nobody hears this answer.
        Err(_) => extract::extract(empty, &Limits::default()),
    }
}

async fn has_crlf(job: Job) -> bool {
    let look = move || -> io::Result<bool> {
        let mut start = Vec::new();
        std::fs::File::open(&job.program.script)?
            .take(CRLF_WINDOW)
            .read_to_end(&mut start)?;
        Ok(start.windows(2).any(|pair| pair == b"\r\n"))
    };
    matches!(tokio::task::spawn_blocking(look).await, Ok(Ok(true)))
}
