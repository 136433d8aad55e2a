//! Who descends from a process, by what `/proc` says about parents.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::proc_table::{self as processes, Process};

/// A process that was seen, told from a later one of the same id by when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Known {
    pub(crate) id: i32,
    started: u64,
}

impl Known {
    pub(crate) fn of(process: &Process) -> Self {
        Self {
            id: process.id,
            started: process.started,
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        processes::read(self.id)
            .is_some_and(|process| !process.is_dead && process.started == self.started)
    }

    /// Sends a signal, unless the process has gone.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.is_alive() {
            _ = kill(Pid::from_raw(self.id), signal);
        }
    }
}

/// The living processes that descend from this one, without itself. `age` is how long ago it was started, if that is known.
pub(crate) fn below(root: Known, age: Option<Duration>) -> Vec<Known> {
    processes::since(root.id, age).map_or_else(Vec::new, |table| descent(root, table))
}

fn descent(root: Known, table: impl Iterator<Item = Process>) -> Vec<Known> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    // Nothing that descends from it can be older.
    for process in table.filter(|process| process.started >= root.started) {
        children.entry(process.parent).or_default().push(process);
    }
    let (mut found, mut open) = (BTreeSet::new(), vec![root.id]);
    while let Some(parent) = open.pop() {
        // Each is taken out, so that a table that was read while ids went round has no circle.
        for process in children.remove(&parent).unwrap_or_default() {
            open.push(process.id);
            if !process.is_dead && process.id != root.id {
                found.insert(Known::of(&process));
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(id: i32, parent: i32, started: u64) -> Process {
        Process {
            id,
            parent,
            session: id,
            is_dead: false,
            started,
        }
    }

    #[test]
    fn descent_crosses_sessions_and_ends_at_what_is_older() {
        let root = Known { id: 10, started: 5 };
        let dead = Process {
            is_dead: true,
            ..process(13, 10, 7)
        };
        let table = [
            process(14, 12, 9),
            process(1, 0, 0),
            process(10, 1, 5),
            process(11, 10, 6),
            process(12, 11, 8),
            dead,
            process(15, 10, 2),
            process(16, 1, 9),
        ];
        let ids: Vec<i32> = descent(root, table.into_iter())
            .iter()
            .map(|it| it.id)
            .collect();
        assert_eq!(ids, [11, 12, 14]);
    }

    #[test]
    fn a_table_that_goes_round_ends() {
        let root = Known { id: 10, started: 5 };
        let table = [process(10, 12, 5), process(11, 10, 6), process(12, 11, 6)];
        let ids: Vec<i32> = descent(root, table.into_iter())
            .iter()
            .map(|it| it.id)
            .collect();
        assert_eq!(ids, [11, 12]);
    }

    #[test]
    fn another_process_of_the_same_id_is_not_meant() {
        let own = processes::read(std::process::id().try_into().unwrap()).unwrap();
        let known = Known::of(&own);
        assert!(known.is_alive());
        let other = Known {
            started: own.started + 1,
            ..known
        };
        assert!(!other.is_alive());
    }
}
