//! Why a script could not be started.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::Origin;

/// Why a script could not be started, or its end not be seen.
///
/// The message is for clients and holds no absolute path; [`operator_detail`](Self::operator_detail)
/// has the path and the system's own words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The script is not there.
    #[error("script not found: `{}`", name(script))]
    ScriptNotFound {
        /// The script.
        script: PathBuf,
    },
    /// There is something in the place of the script, but no file that can be read.
    #[error(
        "the script `{}` cannot be read: expected a file that the server may read",
        name(script)
    )]
    ScriptUnreadable {
        /// The script.
        script: PathBuf,
        /// What the system says; absent for something that is no file.
        #[source]
        source: Option<io::Error>,
    },
    /// The folder to run in is not there.
    #[error("the folder of the skill is gone or is no folder: nothing can run in it")]
    WorkingDir {
        /// The folder.
        folder: PathBuf,
    },
    /// The interpreter is not there any more.
    #[error(
        "the interpreter `{}` for {language} scripts{} {}{}",
        name(interpreter),
        named(named_by.as_ref()),
        absence(interpreter),
        cure(named_by.as_ref())
    )]
    InterpreterNotFound {
        /// The interpreter.
        interpreter: PathBuf,
        /// What the script is written in.
        language: &'static str,
        /// Who named it.
        named_by: Option<Origin>,
    },
    /// The interpreter may not be executed, or is no program of this system.
    #[error(
        "the interpreter `{}` for {language} scripts{} is not a program that can be executed here{}",
        name(interpreter),
        named(named_by.as_ref()),
        cure(named_by.as_ref())
    )]
    InterpreterNotExecutable {
        /// The interpreter.
        interpreter: PathBuf,
        /// What the script is written in.
        language: &'static str,
        /// Who named it.
        named_by: Option<Origin>,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The drives of script, folder or interpreter did not answer.
    #[error("the script or its interpreter could not be reached within {} s: does a network drive hang?", limit.as_secs_f64())]
    Unreachable {
        /// The deadline of the run.
        limit: Duration,
    },
    /// Too many calls wait for a place already.
    #[error(
        "the server is busy: all places for scripts are taken, and {waiting} calls wait already, which is all that may; try again in a few seconds"
    )]
    Busy {
        /// How many wait.
        waiting: usize,
    },
    /// The same, of the asker's own jobs: those of others still have room.
    #[error(
        "the server is busy: all places for scripts are taken, and {waiting} calls of this client wait already, which is all that one client may have waiting; wait for some of them to end"
    )]
    BusyWithOwn {
        /// How many of the asker's jobs wait.
        waiting: usize,
    },
    /// Arguments on the command line of a batch file would be read as commands.
    #[error(
        "batch files take their arguments from standard input only: turn off `argv` for this server or use another kind of script"
    )]
    ArgumentsForBatch,
    /// Arguments and environment are larger than the system allows.
    #[error("the arguments or the environment are too large for a program of this system")]
    TooLarge {
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The system has no processes, handles or memory left.
    #[error(
        "the system cannot start another program now (processes, open files or memory are used up): try again later"
    )]
    Exhausted {
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Anything else that the system refuses.
    #[error("the script could not be run: {}", source.kind())]
    System {
        /// What the system says.
        #[source]
        source: io::Error,
    },
}

impl RunError {
    /// What only an operator should see: the path that is meant, and the system's own words.
    pub fn operator_detail(&self) -> Option<String> {
        match self {
            Self::ScriptNotFound { script: path }
            | Self::ScriptUnreadable {
                script: path,
                source: None,
            }
            | Self::WorkingDir { folder: path }
            | Self::InterpreterNotFound {
                interpreter: path, ..
            } => Some(path.display().to_string()),
            Self::ScriptUnreadable {
                script: path,
                source: Some(source),
            }
            | Self::InterpreterNotExecutable {
                interpreter: path,
                source,
                ..
            } => Some(format!("{}: {source}", path.display())),
            Self::TooLarge { source } | Self::Exhausted { source } | Self::System { source } => {
                Some(source.to_string())
            }
            Self::ArgumentsForBatch
            | Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::BusyWithOwn { .. } => None,
        }
    }
}

/// A file whose own interpreter is missing, as in a virtual environment that was moved, is told by the system as if it
/// were missing itself.
fn absence(interpreter: &std::path::Path) -> &'static str {
    if interpreter.exists() {
        "cannot be started: the program that its first line names is not there"
    } else {
        "was not found"
    }
}

/// The option or variable that named an interpreter, so that it is known what to correct.
fn named(by: Option<&Origin>) -> String {
    by.map(|origin| format!(" (from {origin})"))
        .unwrap_or_default()
}

fn cure(by: Option<&Origin>) -> &'static str {
    if by.is_some() {
        "; correct it or remove it"
    } else {
        "; install another one, or name one in the configuration"
    }
}

fn name(path: &std::path::Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
