//! A sign of life while something takes long.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Work that is done by then needs no sign.
const PATIENCE: Duration = Duration::from_millis(500);
const FRAME: Duration = Duration::from_millis(120);
const FRAMES: [char; 4] = ['|', '/', '-', '\\'];

/// Whether a sign is shown now: only to a person, and only once the work has taken long enough.
fn is_shown(terminal: bool, dumb: bool, elapsed: Duration, patience: Duration) -> bool {
    terminal && !dumb && elapsed >= patience
}

/// Half a second, or what `METIER_PATIENCE_MS` says: tests would else depend on how fast the machine
/// is.
fn patience() -> Duration {
    std::env::var("METIER_PATIENCE_MS")
        .ok()
        .and_then(|text| text.parse().ok())
        .map_or(PATIENCE, Duration::from_millis)
}

/// Does the work. When it takes long and standard error is a terminal, a line there turns until it
/// is done, and is wiped away then.
pub(crate) fn around<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let terminal = std::io::stderr().is_terminal();
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let patience = patience();
    if !is_shown(terminal, dumb, patience, patience) {
        return work();
    }
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            let mut frames = FRAMES.iter().cycle();
            let mut pause = patience;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = FRAME;
                let elapsed = start.elapsed();
                if is_shown(terminal, dumb, elapsed, patience) {
                    let frame = frames.next().unwrap_or(&'-');
                    write(&format!("\r{frame} {what} … {} s", elapsed.as_secs()));
                }
            }
            if start.elapsed() >= patience {
                // To the start of the line, and wipe what is on it.
                write("\r\u{1b}[2K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    // A terminal that went away needs no sign.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_who_waits_sees_it() {
        let short = Duration::from_millis(499);
        let long = Duration::from_secs(3);
        assert!(is_shown(true, false, long, PATIENCE));
        assert!(is_shown(true, false, PATIENCE, PATIENCE));
        assert!(!is_shown(true, false, short, PATIENCE));
        assert!(!is_shown(false, false, long, PATIENCE));
        assert!(!is_shown(true, true, long, PATIENCE));
    }

    #[test]
    fn the_result_comes_through() {
        assert_eq!(around("working", || 42), 42);
    }
}
