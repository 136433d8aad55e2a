//! The thread that waits for quiet.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::settings::WatchSettings;
use super::{State, lock};

/// What the thread is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// Something may have changed.
    Changed,
    /// The watcher is gone.
    Stop,
}

/// Where the system does not watch, looking takes a share of the time of at most one in so many.
const LEAST_REST: u32 = 20;

/// A stream of changes that never ends is read after this many debounce times.
const LONGEST_WAIT: u32 = 3;

pub(super) fn start(
    state: Weak<Mutex<State>>,
    signals: Receiver<Signal>,
    settings: WatchSettings,
) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("metier-watch".to_owned())
        .spawn(move || {
            let mut pause = settings.poll;
            while wait(&state, &signals, settings.debounce, pause) {
                let Some(state) = state.upgrade() else {
                    return;
                };
                let begun = Instant::now();
                lock(&state).reload();
                pause = settings.poll.max(begun.elapsed() * LEAST_REST);
            }
        })
}

/// Waits for a change and then for quiet; false when the watcher is gone.
fn wait(
    state: &Weak<Mutex<State>>,
    signals: &Receiver<Signal>,
    debounce: Duration,
    pause: Duration,
) -> bool {
    let is_limited = state
        .upgrade()
        .is_some_and(|state| lock(&state).eyes.limit().is_some());
    let first = if is_limited {
        signals.recv_timeout(pause)
    } else {
        signals.recv().map_err(|_| RecvTimeoutError::Disconnected)
    };
    match first {
        Ok(Signal::Changed) => {}
        Err(RecvTimeoutError::Timeout) => return true,
        Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
    }
    let last = Instant::now() + debounce * LONGEST_WAIT;
    loop {
        let left = last.saturating_duration_since(Instant::now());
        let quiet = debounce.min(left);
        if quiet == Duration::ZERO {
            return true;
        }
        match signals.recv_timeout(quiet) {
            Ok(Signal::Changed) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
