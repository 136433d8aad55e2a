//! Samples of every rule: what is caught, what comes close and is honest, and what is hostile and not caught.
//!
//! A line of `tests/fixtures/samples/CODE.txt` is `hit` (found), `block` (found, and blocks), `near` (nothing is found),
//! `mild` (whatever is found does not block) or `miss`, the part, the language and the text, in
//! which `\n`, `\r`, `\t`, `\\` and `\u{…}` are read as escapes. `{+}` stands for nothing, so that a file holds no
//! text that looks like somebody's key.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use metier_safety::{Part, Scan, Verdict, codes};

struct Sample {
    kind: String,
    part: String,
    language: String,
    text: String,
}

fn samples(code: &str) -> Vec<Sample> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/samples/{code}.txt"));
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.splitn(4, " | ").collect();
            Sample {
                kind: fields[0].to_owned(),
                part: fields[1].to_owned(),
                language: fields[2].to_owned(),
                text: unescaped(&fields[3].replace("{+}", "")),
            }
        })
        .collect()
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next().unwrap();
        rest = &rest[at + 2..];
        match escape {
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            'u' => {
                let end = rest.find('}').unwrap();
                plain
                    .push(char::from_u32(u32::from_str_radix(&rest[1..end], 16).unwrap()).unwrap());
                rest = &rest[end + 1..];
            }
            other => plain.push(other),
        }
    }
    plain + rest
}

fn verdict(sample: &Sample) -> Verdict {
    let mut scan = Scan::new();
    match sample.part.as_str() {
        "front" => scan.skill_file("SKILL.md", &format!("---\n{}\n---\n", sample.text)),
        "body" => scan.file(Part::Body, "SKILL.md", &sample.text),
        "tools" => scan.file(Part::Tools, "tools.yaml", &sample.text),
        "script" => scan.file(Part::Script, "scripts/a.py", &sample.text),
        "file" => scan.file_name(&sample.text),
        other => panic!("no part is called {other}"),
    }
    scan.finish()
}

#[test]
fn each_rule_catches_what_it_says_and_leaves_the_honest_alone() {
    let mut wrong = Vec::new();
    let mut table = String::new();
    for code in codes::ALL {
        let samples = samples(code.id);
        let count = |kind: &str| samples.iter().filter(|sample| sample.kind == kind).count();
        for sample in &samples {
            let verdict = verdict(sample);
            let found: Vec<&str> = verdict.codes().iter().map(|code| code.id).collect();
            let as_wanted = match sample.kind.as_str() {
                "hit" => found.contains(&code.id),
                "block" => found.contains(&code.id) && verdict.is_blocked(),
                "mild" => !verdict.is_blocked(),
                "near" => found.is_empty(),
                _ => !found.contains(&code.id),
            };
            if !as_wanted {
                wrong.push(format!(
                    "{code} {} {}: {found:?} in {:?}",
                    sample.kind, sample.part, sample.text
                ));
            }
        }
        let languages: BTreeSet<&str> = samples
            .iter()
            .map(|sample| sample.language.as_str())
            .collect();
        if count("hit") < 6 || count("near") < 6 || languages.len() < 2 {
            wrong.push(format!("{code} has too few samples"));
        }
        let languages: Vec<&str> = languages.into_iter().collect();
        writeln!(
            table,
            "{} {:22} caught {:2}, honest {:2}, not caught {}  [{}]",
            code.id,
            code.name,
            count("hit") + count("block"),
            count("near") + count("mild"),
            count("miss"),
            languages.join(" ")
        )
        .unwrap();
        for sample in samples.iter().filter(|sample| sample.kind == "miss") {
            writeln!(
                table,
                "      not caught: {}",
                sample
                    .text
                    .replace('\n', " ")
                    .chars()
                    .take(80)
                    .collect::<String>()
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}\n", wrong.join("\n"));
    insta::assert_snapshot!(table);
}
