//! The processes of a script, told by the session that it leads, and by descent where it is cut off.
//!
//! A shell with job control (`set -m`) puts its children into groups of their own, so the group alone
//! is not all that a script started. Its session is: only a program that opens one of its own leaves it,
//! and that is how a program says that it means to stay after a script that came to its end. No call of the system
//! lists a session, so on Linux `/proc` is read; elsewhere the leader's group has to do.
//!
//! A script that is cut off, at its deadline, on cancel, or because its server is gone, came to no end that anything
//! could be left behind by: then all that descends from it goes as well (on Linux), in whatever session. For that it is told
//! to take in orphans, which keeps a program that forked twice among its descendants while it runs. What a script starts
//! on its way out, when it has been asked to end, has lost it as a parent before anybody looks: that is told by the mark
//! that each run has in its environment.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

#[cfg(target_os = "linux")]
use crate::mark::Mark;
#[cfg(target_os = "linux")]
use crate::proc_table as processes;
#[cfg(target_os = "linux")]
use crate::tree::{self, Known};

/// How often a session is looked through for what was started while it was being killed. A process
/// that was sent SIGKILL starts nothing more, so one look more than there are generations is enough.
const LOOKS: usize = 64;

/// So many looks in a row that find nothing tell that nothing is there: one that forks and ends may be between both.
#[cfg(target_os = "linux")]
const QUIET: usize = 3;

/// The session that a script leads.
#[derive(Debug)]
pub(crate) struct Session {
    leader: Pid,
    /// When the leader started: its id can be somebody else's once the session is gone.
    #[cfg(target_os = "linux")]
    started: Option<u64>,
    /// When it was seen to start; `None` if nobody saw it.
    #[cfg(target_os = "linux")]
    since: Option<std::time::Instant>,
    /// What descended from the leader when the script was cut off, and is to go with it.
    #[cfg(target_os = "linux")]
    descent: BTreeSet<Known>,
    /// What all that it starts has in its environment, unless it takes that away.
    #[cfg(target_os = "linux")]
    mark: Option<Mark>,
}

impl Session {
    /// The session of a process that was just started, or is at any rate not collected yet.
    pub(crate) fn of(leader: i32) -> Self {
        Self {
            leader: Pid::from_raw(leader),
            #[cfg(target_os = "linux")]
            started: processes::read(leader).map(|process| process.started),
            #[cfg(target_os = "linux")]
            since: Some(std::time::Instant::now()),
            #[cfg(target_os = "linux")]
            descent: BTreeSet::new(),
            #[cfg(target_os = "linux")]
            mark: None,
        }
    }

    /// The same, and its processes bear this mark.
    #[cfg(target_os = "linux")]
    pub(crate) fn marked(self, mark: Mark) -> Self {
        Self {
            mark: Some(mark),
            ..self
        }
    }

    /// The session of a process that may have run for long.
    pub(crate) fn reported(leader: i32) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            since: None,
            ..Self::of(leader)
        }
    }

    /// From now on what descends from the leader belongs to the session. The leader must not be collected yet: what it
    /// started is its own for as long as it is there.
    #[cfg(target_os = "linux")]
    pub(crate) fn cut_off(&mut self) {
        let leader = processes::read(self.leader.as_raw())
            .filter(|process| self.started.is_none_or(|then| process.started == then));
        if let Some(leader) = leader {
            let age = self.since.map(|since| since.elapsed());
            self.descent.extend(tree::below(Known::of(&leader), age));
        }
    }

    /// Descent is not known here.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "nothing is known here")]
    pub(crate) fn cut_off(&mut self) {}

    /// Whether a process is left, the leader included unless it is dead.
    pub(crate) fn is_left(&self) -> bool {
        match self.members() {
            Some(members) => !members.is_empty(),
            None => killpg(self.leader, None) != Err(Errno::ESRCH),
        }
    }

    /// Sends a signal to every process of the session, once.
    pub(crate) fn signal(&self, signal: Signal) {
        match self.members() {
            Some(members) => {
                for member in members {
                    // One that has ended meanwhile needs no signal.
                    _ = kill(Pid::from_raw(member), signal);
                }
            }
            None => _ = killpg(self.leader, signal),
        }
    }

    /// Kills every process of the session, and what these start meanwhile.
    pub(crate) fn kill(&self) {
        let mut killed = Vec::new();
        for _ in 0..LOOKS {
            let Some(members) = self.members() else {
                _ = killpg(self.leader, Signal::SIGKILL);
                return;
            };
            let before = killed.len();
            for member in members {
                if !killed.contains(&member) {
                    _ = kill(Pid::from_raw(member), Signal::SIGKILL);
                    killed.push(member);
                }
            }
            if killed.len() == before {
                return;
            }
        }
        tracing::warn!("a script starts programs faster than they can be killed");
    }

    /// Stops the leader, so that it neither ends nor starts anything, and kills all that descends from it: what loses
    /// its parent becomes a child of the leader and is found by the next look. Then kills the session.
    pub(crate) fn kill_tree(&mut self) {
        #[cfg(target_os = "linux")]
        if self.is_led() {
            _ = kill(self.leader, Signal::SIGSTOP);
            let mut killed = BTreeSet::new();
            for _ in 0..LOOKS {
                self.cut_off();
                if killed == self.descent {
                    break;
                }
                for known in self.descent.difference(&killed) {
                    known.signal(Signal::SIGKILL);
                }
                killed.clone_from(&self.descent);
            }
        }
        self.kill();
    }

    /// Kills what bears the mark of the run, wherever it is, until nothing is found: for a script that was cut off, whose
    /// leader has gone.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill_marked(&self) {
        let Some(mark) = &self.mark else { return };
        let mut quiet = 0;
        for _ in 0..LOOKS {
            // Nothing that it started is older, and this process has no mark of one that it started itself.
            let Some(table) = processes::since(self.leader.as_raw(), None) else {
                return;
            };
            let (mut all, mut younger) = (BTreeSet::new(), Vec::new());
            for process in table.filter(|process| !process.is_dead) {
                let known = Known::of(&process);
                all.insert(known);
                if self.started.is_none_or(|then| process.started >= then) {
                    younger.push(known);
                }
            }
            let marked = mark.borne_by(&younger, &all);
            let found = !marked.is_empty();
            // At once: what forks and ends all the time is not there any more in a moment.
            for known in marked {
                known.signal(Signal::SIGKILL);
            }
            quiet = if found { 0 } else { quiet + 1 };
            if quiet == QUIET {
                return;
            }
        }
        tracing::warn!("a script that was cut off starts programs faster than they can be killed");
    }

    /// Whether the leader is there, alive.
    #[cfg(target_os = "linux")]
    fn is_led(&self) -> bool {
        processes::read(self.leader.as_raw()).is_some_and(|process| {
            !process.is_dead && self.started.is_none_or(|then| process.started == then)
        })
    }

    /// The living processes of the session, and what else is to go with it; `None` where the system cannot tell.
    #[cfg(target_os = "linux")]
    fn members(&self) -> Option<Vec<i32>> {
        let mut members = self.of_session()?;
        let below = self.descent.iter().filter(|known| known.is_alive());
        members.extend(below.map(|known| known.id));
        members.sort_unstable();
        members.dedup();
        Some(members)
    }

    #[cfg(target_os = "linux")]
    fn of_session(&self) -> Option<Vec<i32>> {
        let leader = self.leader.as_raw();
        if let (Some(now), Some(then)) = (processes::read(leader), self.started)
            && now.started != then
        {
            // The id was given to another process, which it is only when nothing of the session is left.
            return Some(Vec::new());
        }
        let members = processes::since(leader, self.since.map(|since| since.elapsed()))?
            .filter(|process| process.session == leader && !process.is_dead)
            // Nothing in the session can be older than its leader.
            .filter(|process| self.started.is_none_or(|then| process.started >= then))
            .map(|process| process.id);
        Some(members.collect())
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "nothing is known here")]
    fn members(&self) -> Option<Vec<i32>> {
        None
    }
}
