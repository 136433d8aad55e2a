//! What `/proc` says about processes.

use std::ops::RangeInclusive;
use std::time::Duration;

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// It has ended, and its parent has not collected it.
    pub(crate) is_dead: bool,
    /// When it started, in ticks since the system did.
    pub(crate) started: u64,
}

/// One process; `None` if there is no such process, or no `/proc`.
pub(crate) fn read(id: i32) -> Option<Process> {
    parse(
        id,
        &std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?,
    )
}

/// The processes that may have been started since this one was, this one included: at least those.
/// `None` if there is no `/proc`; without an `age` the whole table is looked at.
///
/// Ids are given out in order, so right after its start a process has few successors, and looking at
/// those is a hundred times cheaper than at the whole table.
pub(crate) fn since(id: i32, age: Option<Duration>) -> Option<Box<dyn Iterator<Item = Process>>> {
    if let Some(age) = age
        && let Some(ids) = successors(id, last_given()?, age)
    {
        return Some(Box::new(ids.filter_map(read)));
    }
    let entries = std::fs::read_dir("/proc").ok()?;
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Some(Box::new(ids.filter_map(read)))
}

/// The ids that were given out since this one, if they are few and cannot have gone round.
fn successors(id: i32, last: i32, age: Duration) -> Option<RangeInclusive<i32>> {
    /// Even the smallest table of ids is not gone through in this time.
    const SURELY_IN_ORDER: Duration = Duration::from_secs(1);
    const FEW: i32 = 64;

    let are_few = last >= id && last - id <= FEW;
    (are_few && age < SURELY_IN_ORDER).then_some(id..=last)
}

/// The id that was given out last.
fn last_given() -> Option<i32> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().last()?.parse().ok()
}

fn parse(id: i32, line: &str) -> Option<Process> {
    // The name stands in parentheses and may hold any character, these included.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(15)?.parse().ok()?;
    Some(Process {
        id,
        parent,
        session,
        is_dead,
        started,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_name() {
        let line = "71 (a) b) R 70 71 69 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9\n";
        let expected = Process {
            id: 71,
            parent: 70,
            session: 69,
            is_dead: false,
            started: 123_456,
        };
        assert_eq!(parse(71, line), Some(expected));
        assert!(parse(71, &line.replace(" R ", " Z ")).unwrap().is_dead);
        assert_eq!(parse(71, "71 (a) R 70"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let id = std::process::id().try_into().unwrap();
        let found = read(id).unwrap();
        assert!(found.started > 0 && !found.is_dead);
        for age in [None, Some(Duration::ZERO), Some(Duration::from_hours(1))] {
            assert!(since(id, age).unwrap().any(|process| process.id == id));
        }
    }

    #[test]
    fn ids_that_may_have_gone_round_are_not_counted_on() {
        let soon = Duration::from_millis(5);
        assert_eq!(successors(70, 75, soon), Some(70..=75));
        assert_eq!(successors(70, 75, Duration::from_secs(2)), None);
        assert_eq!(successors(70, 5_000, soon), None);
        assert_eq!(successors(70, 12, soon), None);
    }
}
