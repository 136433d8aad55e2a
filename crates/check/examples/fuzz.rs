//! Feeds the check with random bytes and with mutations of everything that is committed.
//!
//! `cargo run --release -p metier-check --example fuzz -- front-matter|tools-file SECONDS SEED` ends with
//! a panic at the first input that breaks what holds for any input, and prints that input's number.
#![allow(
    dead_code,
    clippy::cloned_ref_to_slice_refs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::format_collect,
    reason = "it shares the functions of the tests, and a panic is what it looks for"
)]

#[path = "../tests/it/fuzz_targets.rs"]
mod fuzz_targets;
#[path = "../tests/it/literate.rs"]
mod literate;

use std::time::{Duration, Instant};

use fuzz_targets::{
    Random, front_matter, mutated, random_bytes, skill_files, tools_file, tools_files,
};

fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (target, inputs): (fn(&[u8]), _) = match words.first() {
        Some(&"front-matter") => (front_matter, skill_files()),
        Some(&"tools-file") => (tools_file, tools_files()),
        _ => {
            println!("usage: fuzz front-matter|tools-file SECONDS SEED");
            return std::process::ExitCode::from(2);
        }
    };
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let time = Duration::from_secs(number(1).unwrap_or(60));
    let mut random = Random(number(2).unwrap_or(1));
    let began = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut tried = 0_u64;
    while began.elapsed() < time {
        let mut input = if tried.is_multiple_of(4) {
            random_bytes(&mut random)
        } else {
            inputs[random.below(inputs.len())].clone()
        };
        for _ in 0..random.below(4) {
            input = mutated(&input, &mut random);
        }
        let at = Instant::now();
        if std::panic::catch_unwind(|| target(&input)).is_err() {
            println!("input {tried}: {}", input.escape_ascii());
            return std::process::ExitCode::FAILURE;
        }
        slowest = slowest.max(at.elapsed());
        tried += 1;
    }
    println!("{tried} inputs, the slowest {} ms", slowest.as_millis());
    std::process::ExitCode::SUCCESS
}
