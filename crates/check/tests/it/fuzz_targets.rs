//! Any bytes give an answer: functions over bytes, a corpus of everything that is committed, and seeded
//! mutations of it.
//!
//! The tests drive them for a moment and `examples/fuzz.rs` for as long as one likes; a
//! coverage-guided fuzzer can call the same functions.

use std::path::Path;

use metier_check::{CheckOptions, CheckReport, Verdict, check};
use metier_diagnostics::LineIndex;
use metier_diagnostics::render::{concise, full, github, json_lines, junit};

use crate::literate::sections;

/// A SKILL.md of any bytes.
pub(crate) fn front_matter(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "SKILL.md", bytes);
    holds(folder.path());
}

/// A tools file of any bytes.
pub(crate) fn tools_file(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "SKILL.md",
        b"---\nname: fuzz\ndescription: F.\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
    );
    write(folder.path(), "tools.yaml", bytes);
    write(folder.path(), "scripts/bake.py", b"");
    holds(folder.path());
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join("fuzz").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// What holds for any input.
fn holds(folder: &Path) {
    let paths = [folder.to_owned()];
    let strict = check(&paths, &CheckOptions::default());
    let lenient = check(&paths, &CheckOptions::default().lenient());
    let loads = |report: &CheckReport| {
        report
            .skills
            .iter()
            .any(|skill| skill.verdict == Verdict::Loaded)
    };
    assert_eq!(strict.skills.len(), 1, "what is found has a verdict");
    assert!(
        !loads(&strict) || loads(&lenient),
        "what strict accepts, lenient accepts"
    );
    for report in [&strict, &lenient] {
        let rejected = report.with_verdict(Verdict::Rejected) > 0;
        assert!(
            !rejected || !report.findings.is_empty(),
            "a rejection has a reason"
        );
        let shown = report.shown();
        let source = |file: &str| std::fs::read_to_string(file).ok();
        for diagnostic in &shown {
            for label in &diagnostic.labels {
                let place = &label.location;
                let Some(text) = source(&place.file) else {
                    continue;
                };
                if !place.span.is_empty() {
                    assert!(text.get(place.span.clone()).is_some(), "{diagnostic}");
                    assert_eq!(
                        LineIndex::new(&text).position(place.span.start),
                        (place.line, place.column),
                        "{diagnostic}"
                    );
                }
            }
        }
        // No rendering panics, and none prints a finding as two.
        let lines = concise(&shown);
        assert_eq!(lines.lines().count(), shown.len());
        assert_eq!(github(&shown).lines().count(), shown.len());
        assert_eq!(json_lines(&shown).lines().count(), shown.len());
        assert!(full(&shown, &source, false).is_empty() == shown.is_empty());
        assert!(junit(&shown, []).ends_with("</testsuites>\n"));
    }
}

/// The corpus: every SKILL.md and tools file of the fixtures, the specification and the pages.
fn corpus(is_wanted: fn(&str) -> bool) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inputs = Vec::new();
    for place in ["../loader/tests/fixtures", "../../fixtures/skills"] {
        collect(&root.join(place), is_wanted, &mut inputs);
    }
    for place in ["../../fixtures/spec", "../loader/src/pages"] {
        let mut paths: Vec<_> = std::fs::read_dir(root.join(place))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            let document = std::fs::read_to_string(path).unwrap();
            let blocks = sections(&document)
                .into_iter()
                .flat_map(|section| section.blocks);
            let wanted = blocks.filter(|block| block.is_file() && is_wanted(block.about()));
            inputs.extend(wanted.map(|block| block.bytes()));
        }
    }
    inputs.retain(|bytes| bytes.len() < 20_000);
    inputs.sort();
    inputs.dedup();
    inputs
}

fn collect(folder: &Path, is_wanted: fn(&str) -> bool, inputs: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, is_wanted, inputs);
        } else if is_wanted(&path.to_string_lossy()) {
            inputs.push(std::fs::read(path).unwrap());
        }
    }
}

/// A small generator with a fixed beginning (`SplitMix64`), so that every run tries the same.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound.max(1) as u64).unwrap()
    }
}

/// Pieces that mean something to YAML, Markdown or Unicode.
const PIECES: [&[u8]; 24] = [
    b"---\n",
    b"\n",
    b": ",
    b"- ",
    b"\t",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!!x ",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"'",
    b"|\n",
    b"#",
    b"\r\n",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\xE2\x80\xAE",
    "灯".as_bytes(),
    b"name: ",
    b"description: ",
];

pub(crate) fn mutated(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                let end = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
        }
    }
    bytes
}

/// Up to 2,000 bytes of any value.
pub(crate) fn random_bytes(random: &mut Random) -> Vec<u8> {
    let length = random.below(2000);
    let byte = |random: &mut Random| u8::try_from(random.below(256)).unwrap();
    (0..length).map(|_| byte(random)).collect()
}

/// The corpus of [`front_matter`].
pub(crate) fn skill_files() -> Vec<Vec<u8>> {
    corpus(|name| name.to_ascii_lowercase().ends_with("skill.md"))
}

/// The corpus of [`tools_file`].
pub(crate) fn tools_files() -> Vec<Vec<u8>> {
    corpus(|name| name.ends_with("tools.yaml"))
}
