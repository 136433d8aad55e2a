//! Every page of a rule is true: its example is found, and what it says to use instead is not.

use metier_check::every_code;
use metier_loader::ParseMode;

use crate::literate::{Section, checked, folder, sections};

/// What no file can show, with the reason.
const WITHOUT_EXAMPLE: [(&str, &str); 14] = [
    ("MT117", "needs a file that the system refuses"),
    ("MT151", "is about the list of roots"),
    ("MT152", "is about the list of roots"),
    ("MT153", "is about the list of roots"),
    ("MT156", "needs a name that is not text"),
    ("MT157", "needs a pipe or a socket"),
    ("MT158", "needs a folder that the system refuses"),
    ("MT162", "needs a file that was good before"),
    ("MT164", "needs a file of 64 MiB"),
    ("MT203", "needs a file that the system refuses"),
    ("MT507", "depends on what a server's host declares"),
    ("MT508", "needs a policy of a server"),
    ("MT509", "needs the disk of a server"),
    ("MT610", "needs hundreds of files or megabytes"),
];

#[test]
fn every_example_is_found_and_its_cure_is_not() {
    let mut wrong = Vec::new();
    for code in every_code() {
        let page = sections(&code.page());
        let section = |heading: &str| page.iter().find(|section| section.heading == heading);
        for heading in ["What it does", "Why is this bad?"] {
            if section(heading).is_none() {
                wrong.push(format!("{code}: no section `{heading}`"));
            }
        }
        let excused = WITHOUT_EXAMPLE.iter().any(|(id, _)| *id == code.id);
        let (Some(example), Some(cure)) = (section("Example"), section("Use instead")) else {
            if !excused {
                wrong.push(format!("{code}: no example, or no cure"));
            }
            continue;
        };
        if excused {
            wrong.push(format!("{code}: has an example and an excuse"));
        }
        let found = |section: &Section| -> Vec<String> {
            let folder = folder(&section.blocks);
            let report = checked(&folder, &[], ParseMode::Strict);
            report
                .findings
                .iter()
                .map(|finding| finding.diagnostic.code.id.to_owned())
                .collect()
        };
        let bad = found(example);
        if !bad.iter().any(|id| id == code.id) {
            wrong.push(format!("{code}: the example shows {bad:?}"));
        }
        let good = found(cure);
        if !good.is_empty() {
            wrong.push(format!("{code}: the cure shows {good:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
