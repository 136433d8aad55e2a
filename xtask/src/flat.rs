//! Ten thousand calls of a shell script leave the server as it was: memory, file descriptors, threads, children.

use std::fs;

use crate::metadata::Metadata;
use crate::script_server::ScriptServer;
use crate::steps::Report;

const CALLS: u32 = 10_000;
/// Until all that is made once has been made: threads, buffers, caches.
const FIRST: u32 = 1_000;
const AT_ONCE: u32 = 8;
/// An allocator gives pages back when it likes.
const SLACK_KIB: u64 = 4 << 10;

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
    let grown = after.memory_kib.saturating_sub(before.memory_kib);
    if grown > SLACK_KIB.max(before.memory_kib / 10) {
        return Err(format!("memory grew by {grown} KiB"));
    }
    // The pool for work that blocks has as many threads as there was such work at once, and lets them go again.
    let threads = before.threads + AT_ONCE as usize;
    for (what, before, after) in [
        ("file descriptors", before.files, after.files),
        ("threads", threads, after.threads),
        ("children", before.children, after.children),
    ] {
        if after > before {
            return Err(format!("{what} went from {before} to {after}"));
        }
    }
    Ok(())
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
#[derive(Debug)]
struct Held {
    memory_kib: u64,
    files: usize,
    threads: usize,
    children: usize,
}

impl Held {
    fn by(id: u32) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("/proc/{id}: {error}");
        let folder = format!("/proc/{id}");
        let status = fs::read_to_string(format!("{folder}/status")).map_err(wrong)?;
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let count = |name: &str| {
            let entries = fs::read_dir(format!("{folder}/{name}")).map_err(wrong)?;
            Ok::<_, String>(entries.count())
        };
        let mut children = 0;
        for task in fs::read_dir(format!("{folder}/task")).map_err(wrong)? {
            let file = task.map_err(wrong)?.path().join("children");
            // Not every kernel tells, and a thread may have ended.
            let text = fs::read_to_string(file).unwrap_or_default();
            children += text.split_whitespace().count();
        }
        Ok(Self {
            memory_kib: memory.ok_or("no VmRSS")?,
            files: count("fd")?,
            threads: count("task")?,
            children,
        })
    }
}
