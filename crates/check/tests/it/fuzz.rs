//! Any bytes give an answer, for a moment in every run of the tests.

use crate::fuzz_targets::{
    Random, front_matter, mutated, random_bytes, skill_files, tools_file, tools_files,
};
use crate::literate::{folder, sections};

/// How many mutations of each input are tried.
const MUTATIONS: usize = 3;

fn drive(inputs: &[Vec<u8>], seed: u64, target: fn(&[u8])) {
    let mut random = Random(seed);
    for input in inputs {
        target(input);
        for _ in 0..MUTATIONS {
            target(&mutated(input, &mut random));
        }
        target(&random_bytes(&mut random));
    }
}

#[test]
fn any_front_matter_gives_an_answer() {
    let inputs = skill_files();
    assert!(inputs.len() > 100, "{}", inputs.len());
    drive(&inputs, 1, front_matter);
}

#[test]
fn any_tools_file_gives_an_answer() {
    let inputs = tools_files();
    assert!(inputs.len() > 40, "{}", inputs.len());
    drive(&inputs, 2, tools_file);
}

#[test]
fn the_corpus_builds_as_written() {
    // A page whose blocks cannot be written would be passed over in silence otherwise.
    let page = "```text a/SKILL.md escaped\nx\\n\n```\n";
    let written = folder(&sections(page)[0].blocks);
    assert_eq!(
        std::fs::read(written.path().join("a/SKILL.md")).unwrap(),
        b"x\n"
    );
}
