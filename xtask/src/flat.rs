//! Ten thousand calls of a shell script leave the server as it was: memory, file descriptors, threads, children.
//!
//! What counts as having grown is set by what a sound server shows. In the release build, its own memory grew by 0.4
//! to 1 MiB from call 1,000 to call 11,000, nearly all of it before call 2,500; descriptors stood at 13 to 15 and children
//! at one, the watchdog, at every look. So one descriptor or one child more is a failure, and 2 MiB are, which is 210
//! bytes for each call.
//!
//! That the check can fail was tried by leaking on purpose at the start of each run of a script, in that build: a
//! descriptor (`file descriptors went from 1015 to 11015`), 16 KiB (`memory grew by 196348 KiB (20106 bytes a call)`), 400
//! bytes (`memory grew by 5772 KiB (591 bytes a call)`), and a child that is never waited for (`children went from
//! 1001 to 11001`).

use std::fs;

use crate::metadata::Metadata;
use crate::script_server::ScriptServer;
use crate::steps::Report;

const CALLS: u32 = 10_000;
/// Until all that is made once has been made: threads, buffers, caches.
const FIRST: u32 = 2_500;
const AT_ONCE: u32 = 8;
/// An allocator gives pages back when it likes.
const SLACK_KIB: u64 = 2 << 10;

pub(crate) fn run(metadata: &Metadata) -> Report {
    if !cfg!(target_os = "linux") {
        return Report::skipped("what a process holds is read from /proc");
    }
    match measure(metadata) {
        Ok(()) => Report::passed(),
        Err(why) => Report::failed(why),
    }
}

fn measure(metadata: &Metadata) -> Result<(), String> {
    let mut server = ScriptServer::start(metadata)?;
    calls(&mut server, FIRST)?;
    let before = Held::by(server.id())?;
    calls(&mut server, CALLS)?;
    let after = Held::by(server.id())?;
    println!("after {FIRST} calls: {before:?}\nafter {CALLS} more: {after:?}");
    let grown = after.grown_since(&before);
    if grown.is_empty() {
        Ok(())
    } else {
        Err(grown.join(", "))
    }
}

fn calls(server: &mut ScriptServer, count: u32) -> Result<(), String> {
    for _ in 0..AT_ONCE {
        server.call()?;
    }
    for _ in AT_ONCE..count {
        server.answer()?;
        server.call()?;
    }
    for _ in 0..AT_ONCE {
        server.answer()?;
    }
    Ok(())
}

/// What a process holds.
#[derive(Debug, Clone)]
struct Held {
    /// What it has asked for itself: pages of its program and of libraries come and go with their use.
    memory_kib: u64,
    files: usize,
    threads: usize,
    /// Those that have ended and were not waited for among them.
    children: usize,
}

impl Held {
    fn by(id: u32) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("/proc/{id}: {error}");
        let folder = format!("/proc/{id}");
        let status = fs::read_to_string(format!("{folder}/status")).map_err(wrong)?;
        let memory = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let count = |name: &str| {
            let entries = fs::read_dir(format!("{folder}/{name}")).map_err(wrong)?;
            Ok::<_, String>(entries.count())
        };
        Ok(Self {
            memory_kib: memory.ok_or("no RssAnon")?,
            files: count("fd")?,
            threads: count("task")?,
            children: children_of(id)?,
        })
    }

    /// What is more than it was, as a sentence each.
    fn grown_since(&self, before: &Self) -> Vec<String> {
        let mut grown = Vec::new();
        let memory = self.memory_kib.saturating_sub(before.memory_kib);
        if memory > SLACK_KIB {
            let each = memory * 1024 / u64::from(CALLS);
            grown.push(format!("memory grew by {memory} KiB ({each} bytes a call)"));
        }
        // The pool for work that blocks has as many threads as there was such work at once, and lets them go again.
        let threads = before.threads + AT_ONCE as usize;
        for (what, before, after) in [
            ("file descriptors", before.files, self.files),
            ("threads", threads, self.threads),
            ("children", before.children, self.children),
        ] {
            if after > before {
                grown.push(format!("{what} went from {before} to {after}"));
            }
        }
        grown
    }
}

/// The processes whose parent this is. `/proc/ID/task/*/children` is not there in every kernel, and a check that then sees
/// none would pass for ever.
fn children_of(id: u32) -> Result<usize, String> {
    let entries = fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    let parent = id.to_string();
    let is_child = |entry: fs::DirEntry| {
        // One that has gone meanwhile is no child.
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // State and parent stand behind the name, which is in parentheses and may hold any character.
        let (_, rest) = stat.rsplit_once(')')?;
        (rest.split_whitespace().nth(1)? == parent).then_some(())
    };
    Ok(entries.flatten().filter_map(is_child).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: Held = Held {
        memory_kib: 8_288,
        files: 13,
        threads: 11,
        children: 1,
    };

    #[test]
    fn what_a_sound_server_shows_passes() {
        let later = Held {
            memory_kib: 8_716,
            threads: 12,
            ..SOUND
        };
        assert_eq!(later.grown_since(&SOUND), [""; 0]);
    }

    #[test]
    fn each_leak_fails_alone() {
        let calls = u64::from(CALLS);
        for (leak, said) in [
            (
                Held {
                    memory_kib: SOUND.memory_kib + 16 * calls,
                    ..SOUND
                },
                "memory grew by 160000 KiB (16384 bytes a call)",
            ),
            (
                Held {
                    memory_kib: SOUND.memory_kib + calls / 4,
                    ..SOUND
                },
                "memory grew by 2500 KiB (256 bytes a call)",
            ),
            (
                Held { files: 14, ..SOUND },
                "file descriptors went from 13 to 14",
            ),
            (
                Held {
                    threads: 20,
                    ..SOUND
                },
                "threads went from 19 to 20",
            ),
            (
                Held {
                    children: 2,
                    ..SOUND
                },
                "children went from 1 to 2",
            ),
        ] {
            assert_eq!(leak.grown_since(&SOUND), [said]);
        }
    }

    /// A child that has ended and was not waited for is what a forgotten one looks like.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_that_has_ended_counts_until_it_is_waited_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        while !fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        let with = children_of(std::process::id()).unwrap();
        child.wait().unwrap();
        // Other tests of this process may have children too.
        assert!(with >= 1);
        assert!(!std::path::Path::new(&stat).exists());
    }
}
