//! A server is killed at any moment, and two of them share a state.
//!
//! The counts are small here; `cargo xtask ci --full` sets `METIER_KILLS` and
//! `METIER_HAMMER_SECONDS`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use metier::persistence::parse_state;
use serde_json::Value;

use crate::persist_server::{Server, skills};

const NAMES: [&str; 5] = ["k0", "k1", "k2", "k3", "k4"];

type Set = BTreeSet<String>;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// The skills in the file, which must be whole.
fn kept(folder: &Path) -> Set {
    let Ok(bytes) = std::fs::read(folder.join("state/python/loaded.json")) else {
        return Set::new();
    };
    let parsed = parse_state(&bytes);
    assert_eq!(
        parsed.faults,
        [""; 0],
        "{}",
        String::from_utf8_lossy(&bytes)
    );
    for group in &parsed.state.active_groups {
        let skill = group.split_once(':').unwrap().0;
        assert!(parsed.state.skill(skill).is_some(), "{group} is a mixture");
    }
    parsed.state.skills.into_iter().map(|it| it.name).collect()
}

/// Loads or unloads a skill; the answer, where there was one.
fn toggle(server: &mut Server, now: &mut Set, name: &str) -> Option<Value> {
    if now.remove(name) {
        server.unload(name)
    } else {
        now.insert(name.to_owned());
        server.load(name)
    }
}

/// Whether an answer says that a restart may not know of it, because the disk is slow.
fn is_unsaved(answer: &Value) -> bool {
    let found = answer["result"]["structuredContent"]["diagnostics"].as_array();
    found.is_some_and(|found| found.iter().any(|it| it["code"] == "MT509"))
}

fn loaded(server: &mut Server) -> Set {
    let tools = server.tools();
    let skills = tools.iter().filter_map(|tool| tool.split_once("__"));
    skills.map(|(skill, _)| skill.to_owned()).collect()
}

/// What came of some lives: how many answers promised that the change survives, which each of them
/// must keep, and how many said that it may not.
fn lives(kills: u64, seed: u64) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &NAMES);
    let mut numbers = Numbers(seed);
    let (mut promised, mut unsaved) = (0, 0);
    for life in 0..kills {
        let before = kept(path);
        let mut server = Server::start(path, &["--persist", "skills"]);
        assert_eq!(loaded(&mut server), before, "life {life}");
        let pid = server.child.id().to_string();
        let delay = Duration::from_micros(numbers.below(50_000));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(delay);
            std::process::Command::new("kill")
                .args(["-9", &pid])
                .status()
        });
        // Every state that the server was in since the last answer that promised it, and the one that
        // it was asked for last.
        let mut states = vec![before.clone()];
        let mut now = before;
        loop {
            let name = NAMES[usize::try_from(numbers.below(5)).unwrap()];
            let answer = toggle(&mut server, &mut now, name);
            match &answer {
                None => {}
                Some(answer) if is_unsaved(answer) => unsaved += 1,
                Some(_) => {
                    promised += 1;
                    states.clear();
                }
            }
            states.push(now.clone());
            if answer.is_none() {
                break;
            }
        }
        assert!(killer.join().unwrap().unwrap().success());
        server.child.wait().unwrap();
        let left = kept(path);
        assert!(
            states.contains(&left),
            "life {life}: {left:?} is none of {states:?}"
        );
    }
    (promised, unsaved)
}

#[test]
fn whatever_moment_it_is_killed_at_what_was_answered_survives() {
    const AT_ONCE: u64 = 4;
    let kills = from_environment("METIER_KILLS").unwrap_or(12);
    let done: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|worker| scope.spawn(move || lives(kills / AT_ONCE, 17 + worker)))
            .collect();
        workers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let promised: usize = done.iter().map(|(promised, _)| promised).sum();
    let unsaved: usize = done.iter().map(|(_, unsaved)| unsaved).sum();
    eprintln!(
        "{kills} kills, {promised} answers that survived; {unsaved} said that the disk was slow"
    );
    assert!(promised > 0, "nothing was loaded in time");
}

#[test]
fn two_servers_on_one_state_keep_what_each_of_them_loads() {
    let seconds = from_environment("METIER_HAMMER_SECONDS").unwrap_or(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a0", "a1", "a2", "b0", "b1", "b2"]);
    // Both begin with nothing, so that neither takes over what the other has loaded.
    let servers = [0, 1].map(|_| Server::start(path, &["--persist", "skills"]));
    let done = AtomicBool::new(false);
    let began = Instant::now();
    let (sets, reads) = std::thread::scope(|scope| {
        let hammers: Vec<_> = servers
            .into_iter()
            .zip([["a0", "a1", "a2"], ["b0", "b1", "b2"]])
            .map(|(mut server, names)| {
                scope.spawn(move || {
                    let mut numbers = Numbers(names[0].len() as u64);
                    let (mut now, mut rounds) = (Set::new(), 0);
                    while rounds < 20 || began.elapsed() < Duration::from_secs(seconds) {
                        let name = names[usize::try_from(numbers.below(3)).unwrap()];
                        assert!(toggle(&mut server, &mut now, name).is_some());
                        rounds += 1;
                    }
                    if now.is_empty() {
                        assert!(toggle(&mut server, &mut now, names[0]).is_some());
                    }
                    server.end();
                    now
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let mut reads = 0_u64;
            while !done.load(Ordering::Relaxed) {
                kept(path);
                reads += 1;
            }
            reads
        });
        let sets: Vec<Set> = hammers.into_iter().map(|it| it.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        (sets, reader.join().unwrap())
    });
    assert!(reads > 0);
    let all: Set = sets.into_iter().flatten().collect();
    assert_eq!(kept(path), all);
}
