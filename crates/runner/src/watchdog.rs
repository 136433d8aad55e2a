//! Ends scripts whose server was killed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(unix)]
#[path = "watchdog_unix.rs"]
mod system;

#[cfg(not(unix))]
mod system {
    //! On Windows the job object of a script ends with its server.

    #[derive(Debug, Default)]
    pub(super) struct Post;

    pub(super) fn watch() {}
}

#[cfg(unix)]
pub(crate) use system::Enlisted;

/// A second process that outlives this one and then kills every script that is still running.
///
/// A server that is shut down ends its scripts itself. One that is killed (`kill -9`, out of memory)
/// cannot, and its scripts would run on, holding files, licences and locks of scenes. The watchdog
/// holds one end of a socket; at the end of file it kills all scripts, with what they started, that were
/// reported to it and not yet ended. A script is reported by itself, between fork and exec, so there
/// is no moment at which it is not covered.
///
/// The process is started with the first script, and again if somebody ended it. It is a program of
/// the caller's choice that does nothing but call [`Watchdog::watch`]: usually the same executable with
/// a hidden argument ([`Watchdog::this_program`]); a host whose executable is not its own (a Python
/// interpreter) names one that is.
///
/// ```no_run
/// use metier_runner::{Gate, Watchdog};
///
/// if std::env::args_os().nth(1).is_some_and(|first| first == "__watchdog") {
///     Watchdog::watch();
///     return;
/// }
/// let gate = Gate::new(32).with_watchdog(Watchdog::this_program(["__watchdog"]));
/// # _ = gate;
/// ```
///
/// It is the same on every Unix, but for what it kills: the session of a script and what descends from it where the
/// system can list them (Linux), its process group elsewhere. On Windows it does nothing; a job object does the same
/// there without a process.
#[derive(Debug, Clone)]
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is started there"))]
pub struct Watchdog {
    post: Arc<system::Post>,
    program: Arc<(PathBuf, Vec<OsString>)>,
}

impl Watchdog {
    /// A watchdog that is this program with these arguments, which has to call [`Watchdog::watch`]
    /// when it is given them. Nothing is inherited but the arguments.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self {
            post: Arc::default(),
            program: Arc::new((program.into(), arguments)),
        }
    }

    /// A watchdog that is the executable of this process, even after that was replaced by a newer one.
    pub fn this_program<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let program = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().unwrap_or_default()
        };
        Self::new(program, arguments)
    }

    /// The life of the watchdog process: waits on standard input until the server is gone, kills what
    /// is left of its scripts, and returns. To be called first thing, before any thread is started.
    pub fn watch() {
        system::watch();
    }
}
