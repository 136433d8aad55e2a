//! What tells the processes of one run from all others, whatever became of their parents: a word in their environment.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that holds it.
const VARIABLE: &str = "METIER_RUN";

/// So much of an environment is looked through.
const MOST: u64 = 4 << 20;

/// A word that no other run on this machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // The keys of a hash are random in each process.
        let random = RandomState::new().build_hasher().finish();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{number}-{random:016x}", std::process::id()))
    }

    /// The entry of the environment.
    pub(crate) fn entry(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.0.clone().into())
    }

    /// Whether a process was started with it. One of another user, or that has gone, was not.
    pub(crate) fn is_on(&self, process: i32) -> bool {
        let mut environment = Vec::new();
        let read = File::open(format!("/proc/{process}/environ"))
            .and_then(|file| file.take(MOST).read_to_end(&mut environment));
        let wanted = format!("{VARIABLE}={}", self.0);
        read.is_ok()
            && environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_bears_its_own_mark_alone() {
        let (mark, other) = (Mark::new(), Mark::new());
        assert_ne!(mark, other);
        let mut child = Command::new("cat")
            .envs([mark.entry()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id().try_into().unwrap();
        // What answers is the program, with its environment.
        writeln!(child.stdin.as_mut().unwrap()).unwrap();
        let mut answer = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut answer)
            .unwrap();
        assert!(mark.is_on(id) && !other.is_on(id));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!mark.is_on(id));
        assert!(!mark.is_on(std::process::id().try_into().unwrap()));
    }
}
