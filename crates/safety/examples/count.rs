//! Counts.
use metier_safety::{Part, Scan};
use std::collections::BTreeMap;
fn main() {
    let show = std::env::args().nth(1).unwrap();
    let mut n = 0;
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    let mut outcome: BTreeMap<&str, usize> = BTreeMap::new();
    for path in std::io::stdin().lines() {
        let list = path.unwrap();
        n += 1;
        let mut scan = Scan::new();
        for path in list.split('\t') {
            let Ok(text) = std::fs::read_to_string(path) else {
                continue;
            };
            if path.to_lowercase().ends_with(".md") {
                scan.skill_file(path, &text)
            } else if path.ends_with("yaml") || path.ends_with("yml") {
                scan.file(Part::Tools, path, &text)
            } else {
                scan.file(Part::Script, path, &text)
            }
        }
        let v = scan.finish();
        *outcome.entry(v.outcome().as_str()).or_default() += 1;
        for c in v.codes() {
            *codes.entry(format!("{} {}", c.id, c.name)).or_default() += 1;
        }
        if show == "1" {
            for f in v.findings() {
                let l = f.location().unwrap();
                let t = std::fs::read_to_string(&l.file).unwrap_or_default();
                println!(
                    "{} {:?} {}:{} :: {:?}",
                    f.code,
                    f.severity,
                    l.file,
                    l.line,
                    t.get(l.span.clone())
                        .unwrap_or("")
                        .chars()
                        .take(140)
                        .collect::<String>()
                );
            }
        }
    }
    println!("{n} {outcome:?}");
    for (c, k) in codes {
        println!("{c} {k} {:.2}%", 100.0 * k as f64 / n as f64);
    }
}
