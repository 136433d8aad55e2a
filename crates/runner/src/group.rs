//! A child process and everything it starts, as one thing that can be ended.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

#[cfg(unix)]
use crate::session::Session;
use crate::{Exit, Job};

/// How often a group is looked at while its last members end: the system tells of children only.
const LOOK: Duration = Duration::from_millis(5);

/// And how often once that has taken a while.
const LOOK_LATER: Duration = Duration::from_millis(40);

/// A script and all it started: a session (a job object on Windows). Dropping it kills whatever is
/// left in it.
///
/// [`Group::spawn`] and `drop` are the only places where a group begins and ends.
#[derive(Debug)]
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
    #[cfg(unix)]
    session: Session,
    /// The leader was waited for. Until then it keeps the id of the session from being used again.
    collected: bool,
    /// The script did not come to its end by itself, and what it left has not been looked for yet.
    #[cfg(target_os = "linux")]
    owes_sweep: bool,
    /// Nothing is left: the id may belong to somebody else by now and must not be signalled.
    empty: bool,
    /// The watchdog hears of the end after it has come: fields are dropped after `drop`.
    #[cfg(unix)]
    _watched: Option<crate::watchdog::Enlisted>,
}

/// The ends of the child's three pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Group {
    /// Starts a job. This blocks until the system has loaded the program, about a millisecond.
    pub(crate) fn spawn(job: &Job) -> io::Result<(Self, Pipes)> {
        #[cfg(unix)]
        let watched = job.watchdog.as_ref().and_then(crate::Watchdog::enlist);
        #[cfg(unix)]
        let report = watched.as_ref().map(crate::watchdog::Enlisted::report);
        let environment = environment(job);
        #[cfg(target_os = "linux")]
        let mark = crate::mark::Mark::new();
        #[cfg(target_os = "linux")]
        let environment = {
            let mut marked = environment;
            marked.extend([mark.entry()]);
            marked
        };
        #[cfg(unix)]
        let mut command = crate::unix::command(job, &environment, move |id| {
            if let Some(report) = report {
                report.send(id);
            }
        })?;
        #[cfg(windows)]
        let mut command = crate::windows::command(job, &environment);
        command
            .command_mut()
            .current_dir(&job.working_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        #[cfg(unix)]
        let session = {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            let id = id.ok_or_else(|| io::Error::other("a child without an id"))?;
            if let Some(watched) = &watched {
                watched.led_by(id);
            }
            let session = Session::of(id);
            #[cfg(target_os = "linux")]
            let session = session.marked(mark);
            session
        };
        Ok((
            Self {
                child,
                #[cfg(unix)]
                session,
                collected: false,
                #[cfg(target_os = "linux")]
                owes_sweep: false,
                empty: false,
                #[cfg(unix)]
                _watched: watched,
            },
            pipes,
        ))
    }

    /// Waits for the leader alone: a grandchild may live on and must not delay this.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.inner_mut().wait().await?;
        self.collected = true;
        self.look();
        Ok(status)
    }

    /// Asks the group to end. Windows has no polite way for programs without a window.
    #[cfg_attr(
        windows,
        expect(clippy::unused_self, reason = "there is no polite signal on Windows")
    )]
    pub(crate) fn ask_to_end(&mut self) {
        #[cfg(target_os = "linux")]
        {
            self.owes_sweep = true;
        }
        #[cfg(unix)]
        if !self.empty {
            if !self.collected {
                self.session.cut_off();
            }
            self.session.signal(nix::sys::signal::Signal::SIGTERM);
        }
    }

    /// Kills the group: of a script that has not ended by itself, all that descends from it.
    pub(crate) fn kill(&mut self) {
        self.look();
        if !self.empty {
            #[cfg(unix)]
            if self.collected {
                self.session.kill();
            } else {
                self.session.kill_tree();
            }
            #[cfg(windows)]
            // A group that is gone has ended already.
            let _ = self.child.start_kill();
        }
        #[cfg(target_os = "linux")]
        if std::mem::take(&mut self.owes_sweep) {
            self.session.kill_marked();
        }
    }

    /// Waits, after the leader has ended, until nothing is left in the group.
    pub(crate) async fn emptied(&mut self) {
        let mut pause = LOOK;
        while !self.empty {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LOOK_LATER);
            self.look();
        }
    }

    /// Sees whether the group is empty. Before the leader was waited for it never is.
    #[cfg_attr(
        windows,
        expect(clippy::unused_self, reason = "a job object is never looked at")
    )]
    fn look(&mut self) {
        #[cfg(unix)]
        if self.collected && !self.empty {
            self.empty = !self.session.is_left();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// All that the program sees.
fn environment(job: &Job) -> BTreeMap<OsString, OsString> {
    let own = [
        ("PYTHONUTF8", "1"),
        ("PYTHONIOENCODING", "utf-8"),
        // A skill's folder stays as its author published it: digests are made of it.
        ("PYTHONDONTWRITEBYTECODE", "1"),
    ];
    let own = own.map(|(name, value)| (name.into(), value.into()));
    job.environment.iter().cloned().chain(own).collect()
}

/// How a process that nobody killed ended.
pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    return crate::unix::exit_of(status);
    #[cfg(not(unix))]
    return Exit::Code(status.code().unwrap_or(-1));
}
