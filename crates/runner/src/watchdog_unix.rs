//! The watchdog's socket: its end in the server, and the process at the other end.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::sys::signal::SigSet;
use nix::sys::socket::{MsgFlags, send};

use super::Watchdog;
use crate::session::Session;

/// How many times the end of a watchdog whose server is done with it is waited for, and how long.
const FAREWELL: (u32, std::time::Duration) = (40, std::time::Duration::from_millis(5));

/// What is said on the socket: the number of a run and the id of its leader, or zero at its end.
type Message = [[u8; 4]; 2];

fn message(number: u32, leader: i32) -> Message {
    [number.to_ne_bytes(), leader.to_ne_bytes()]
}

fn read_message([number, leader]: Message) -> (u32, i32) {
    (u32::from_ne_bytes(number), i32::from_ne_bytes(leader))
}

/// Who watches, and over what.
#[derive(Debug, Default)]
pub(super) struct Post {
    watch: Mutex<Watch>,
    runs: AtomicU32,
}

#[derive(Debug, Default)]
struct Watch {
    line: Option<Arc<Line>>,
    /// The leader of each run that has started and not ended: what a watchdog that comes later is told.
    running: BTreeMap<u32, i32>,
}

impl Post {
    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server's end.
#[derive(Debug)]
struct Line {
    socket: Option<UnixStream>,
    process: Mutex<Child>,
    is_dead: AtomicBool,
}

impl Line {
    /// Whether the process is gone: a message failed, or the system says so. A message is only sent
    /// at the end of a run, so a run that starts has to ask.
    fn is_dead(&self) -> bool {
        let ended = || {
            let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
            !matches!(process.try_wait(), Ok(None))
        };
        self.is_dead.load(Ordering::Relaxed) || ended()
    }

    fn say(&self, message: Message) {
        let Some(socket) = &self.socket else {
            return;
        };
        let said = say(socket.as_raw_fd(), message);
        if said.is_err() && !self.is_dead.swap(true, Ordering::Relaxed) {
            tracing::warn!("the watchdog was ended; the next script starts another one");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.socket.take();
        // It goes now that its standard input is at its end; nobody else would collect it.
        let process = self
            .process
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let (times, pause) = FAREWELL;
        for _ in 0..times {
            if !matches!(process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(pause);
        }
    }
}

/// A run that the watchdog is told about. Dropping it tells that the run has ended.
#[derive(Debug)]
pub(crate) struct Enlisted {
    post: Arc<Post>,
    /// Kept while the child may write to it, also when another one takes its place.
    line: Arc<Line>,
    number: u32,
}

impl Watchdog {
    /// Takes on a run that is about to start; `None` if no watchdog can be had now.
    pub(crate) fn enlist(&self) -> Option<Enlisted> {
        let number = self.post.runs.fetch_add(1, Ordering::Relaxed);
        let mut watch = self.post.watch();
        if watch.line.as_ref().is_none_or(|line| line.is_dead()) {
            match self.start() {
                Ok(started) => {
                    for (number, leader) in &watch.running {
                        started.say(message(*number, *leader));
                    }
                    watch.line = Some(Arc::new(started));
                }
                Err(error) => {
                    tracing::warn!(%error, "no watchdog: a server that is killed would leave its scripts behind");
                    return None;
                }
            }
        }
        let line = Arc::clone(watch.line.as_ref()?);
        Some(Enlisted {
            post: Arc::clone(&self.post),
            line,
            number,
        })
    }

    fn start(&self) -> io::Result<Line> {
        let (ours, theirs) = UnixStream::pair()?;
        #[cfg(target_vendor = "apple")]
        crate::unix::no_broken_pipe_signal(&ours)?;
        let (program, arguments) = &*self.program;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            // Not a folder that somebody wants to move or unmount.
            .current_dir("/")
            // Nothing that a terminal sends to the server's group is meant for it.
            .process_group(0)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(Line {
            process: Mutex::new(command.spawn()?),
            socket: Some(ours),
            is_dead: AtomicBool::new(false),
        })
    }
}

impl Enlisted {
    /// What the child has to report itself with, before it becomes another program.
    pub(crate) fn report(&self) -> Report {
        Report {
            socket: self.line.socket.as_ref().map(AsRawFd::as_raw_fd),
            number: self.number,
        }
    }

    /// Keeps the leader of the run, which has started.
    pub(crate) fn led_by(&self, leader: i32) {
        let mut watch = self.post.watch();
        watch.running.insert(self.number, leader);
        // What the child said went to the watchdog before this one.
        if let Some(now) = &watch.line
            && !Arc::ptr_eq(now, &self.line)
        {
            now.say(message(self.number, leader));
        }
    }
}

impl Drop for Enlisted {
    fn drop(&mut self) {
        let mut watch = self.post.watch();
        watch.running.remove(&self.number);
        let now = watch.line.as_ref().unwrap_or(&self.line);
        now.say(message(self.number, 0));
    }
}

/// A copy of what [`Enlisted`] knows, for the moment between fork and exec.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report {
    socket: Option<RawFd>,
    number: u32,
}

impl Report {
    /// Reports this process. Allocates nothing and takes no lock: it is called in a forked child.
    pub(crate) fn send(self, leader: i32) {
        if let Some(socket) = self.socket {
            // A watchdog that is gone is the server's affair.
            _ = say(socket, message(self.number, leader));
        }
    }
}

/// Never waits, and never raises SIGPIPE: said of each message, or of the socket where a system has no word
/// for a message.
fn say(socket: RawFd, message: Message) -> nix::Result<usize> {
    #[cfg(target_vendor = "apple")]
    let quiet = MsgFlags::empty();
    #[cfg(not(target_vendor = "apple"))]
    let quiet = MsgFlags::MSG_NOSIGNAL;
    send(
        socket,
        message.as_flattened(),
        MsgFlags::MSG_DONTWAIT | quiet,
    )
}

/// The watchdog process.
pub(super) fn watch() {
    // Whoever ends "all of them" politely means the server, which ends its scripts itself and then us.
    _ = SigSet::all().thread_block();
    let mut running = BTreeMap::new();
    let mut input = io::stdin().lock();
    let mut said: Message = [[0; 4]; 2];
    while input.read_exact(said.as_flattened_mut()).is_ok() {
        match read_message(said) {
            (number, 0) => _ = running.remove(&number),
            (number, leader) => _ = running.insert(number, Session::reported(leader)),
        }
    }
    for session in running.values_mut() {
        session.kill_tree();
    }
}
