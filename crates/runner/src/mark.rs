//! What tells the processes of one run from all others, whatever became of their parents: a word in their environment.
//!
//! A program of a run may be a server itself and start runs of its own. These bear the words of both, so that whoever cuts
//! off the outer one finds them when the inner server has no time left for it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::tree::Known;

/// The variable that holds it.
const VARIABLE: &str = "METIER_RUN";

/// So much of an environment is looked through.
const MOST: u64 = 4 << 20;

/// So much of the words around this process is handed on: no chain of servers that mean to start each other is as long.
const MOST_AROUND: usize = 4_096;

/// What the environments that were looked into say, of the processes that were there at the last look. What a process was
/// started with stays, and whoever starts another program in its place hands the word on or is known by it already. Of
/// hundreds of processes with long environments a look at each, for each of the runs that end together, would hold up
/// everybody.
static READ: Mutex<BTreeMap<Known, Option<String>>> = Mutex::new(BTreeMap::new());

/// A word that no other run on this machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    own: String,
    /// The words of the runs that this process belongs to itself.
    around: Option<String>,
}

impl Mark {
    pub(crate) fn new() -> Self {
        let around = std::env::var(VARIABLE).ok();
        Self::within(around.filter(|words| words.len() <= MOST_AROUND))
    }

    fn within(around: Option<String>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // The keys of a hash are random in each process.
        let random = RandomState::new().build_hasher().finish();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            own: format!("{}-{number}-{random:016x}", std::process::id()),
            around,
        }
    }

    /// The entry of the environment.
    pub(crate) fn entry(&self) -> (OsString, OsString) {
        let words = self.around.iter().chain([&self.own]);
        let words: Vec<&str> = words.map(String::as_str).collect();
        (VARIABLE.into(), words.join(" ").into())
    }

    /// Those of `wanted` that were started with it; `all` are the processes that there are. One of another user was not.
    pub(crate) fn borne_by(&self, wanted: &[Known], all: &BTreeSet<Known>) -> Vec<Known> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.retain(|known, _| all.contains(known));
        let mut borne = Vec::new();
        for known in wanted {
            let words = match read.get(known) {
                Some(words) => words,
                // Nothing is kept of one that is just becoming another program, whose environment is not there yet.
                None => match environment_of(known.id) {
                    Some(environment) => read.entry(*known).or_insert(words_in(&environment)),
                    None => continue,
                },
            };
            if words.as_ref().is_some_and(|words| self.is_among(words)) {
                borne.push(*known);
            }
        }
        borne
    }

    fn is_among(&self, words: &str) -> bool {
        words.split(' ').any(|word| word == self.own)
    }
}

/// The environment of a process, where there is one to be read.
fn environment_of(process: i32) -> Option<Vec<u8>> {
    let mut environment = Vec::new();
    let file = File::open(format!("/proc/{process}/environ")).ok()?;
    file.take(MOST).read_to_end(&mut environment).ok()?;
    Some(environment).filter(|environment| !environment.is_empty())
}

/// The words that stand in an environment, if there are any.
fn words_in(environment: &[u8]) -> Option<String> {
    let mut entries = environment.split(|byte| *byte == 0);
    let words = entries.find_map(|entry| {
        let value = entry.strip_prefix(VARIABLE.as_bytes())?;
        value.strip_prefix(b"=")
    })?;
    String::from_utf8(words.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_bears_its_own_mark_alone() {
        let (outer, other) = (Mark::new(), Mark::new());
        assert_ne!(outer, other);
        // As a server sees it that was started with the first.
        let (_, words) = outer.entry();
        let inner = Mark::within(words.into_string().ok());
        let mut child = Command::new("cat")
            .envs([inner.entry()])
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
        let known = |id| Known::of(&crate::proc_table::read(id).unwrap());
        let own = known(std::process::id().try_into().unwrap());
        let wanted = [own, known(id)];
        let borne = |mark: &Mark| mark.borne_by(&wanted, &BTreeSet::from(wanted));
        assert_eq!(borne(&outer), [known(id)]);
        assert_eq!(borne(&inner), [known(id)]);
        assert!(borne(&other).is_empty());
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
