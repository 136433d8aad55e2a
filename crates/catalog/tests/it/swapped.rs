//! A folder that is just being replaced when somebody asks: nobody follows the folders here.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_catalog::ActivationRequest;
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

const TOOLS: &str = "tools:\n  - {name: go, source_file: scripts/run.py}\n";

/// A skill of which a question finds nothing, because it is being replaced.
fn taken_out(what: &str) -> Bench {
    let bench = Bench::new();
    bench.skill("other", &[]);
    bench.skill_with_tools("words", TOOLS, ECHO);
    bench.discover();
    assert_eq!(names(&bench), ["other", "words"]);
    let there = bench.path().join("words").join(what);
    fs::rename(&there, bench.path().join(".aside")).unwrap();
    let states = bench.catalog.text_states(&["words"]);
    assert_eq!(states, [None], "{what:?}");
    assert_eq!(names(&bench), ["other"]);
    fs::rename(bench.path().join(".aside"), there).unwrap();
    bench
}

fn names(bench: &Bench) -> Vec<String> {
    let skills = bench.catalog.list_skills(None).into_iter();
    skills.map(|skill| skill.name).collect()
}

type Question = (&'static str, Value, fn(&Value) -> bool);

/// A question of any kind brings it back, and is answered with it.
#[tokio::test]
async fn a_skill_that_a_question_took_out_is_brought_back_by_the_next_one_that_finds_it() {
    let name = json!({"skill_name": "words"});
    let questions: [Question; 5] = [
        ("list_skills", json!({}), |answer| answer["total"] == 2),
        ("get_skill_info", name.clone(), |answer| {
            answer["skill"]["uri"] == "skill://words/SKILL.md"
        }),
        ("read_skill_file", name.clone(), |answer| {
            answer["uri"] == "skill://words/SKILL.md"
        }),
        ("skill", name.clone(), |answer| answer["name"] == "words"),
        ("load_skill", name, |answer| {
            answer["loaded"] == json!(["words"])
        }),
    ];
    for what in ["", "SKILL.md"] {
        for (tool, arguments, is_right) in &questions {
            let bench = taken_out(what);
            let answer = bench.structured(tool, arguments.clone()).await;
            assert!(is_right(&answer), "{what:?} {tool}: {answer}");
            assert_eq!(names(&bench), ["other", "words"], "{tool}");
        }
        let bench = taken_out(what);
        assert!(bench.catalog.text_states(&["words"])[0].is_some());
        let bench = taken_out(what);
        let activated = bench
            .catalog
            .activate_skill(&ActivationRequest::new("words"));
        assert!(activated.is_ok());
    }
}

/// Nobody looks at the files of a skill that its SKILL.md keeps back, and yet it is seen that it was mended.
#[tokio::test]
async fn a_skill_that_its_own_file_kept_back_is_found_mended_by_the_next_question() {
    let good = "---\nname: words\ndescription: Words.\n---\n";
    let long = format!(
        "---\nname: words\ndescription: {}\n---\n",
        "x".repeat(1_100)
    );
    let mark = format!("\u{feff}{good}");
    let blank = format!("\n{good}");
    for bad in [
        long.as_str(),
        mark.as_str(),
        blank.as_str(),
        "---\nname: words\ndescription: a b: c d\n---\n",
        "---\ndescription: Words.\n---\n",
        "---\nname: Bad_Name\ndescription: Words.\n---\n",
        "---\nname: 1234\ndescription: Words.\n---\n",
        "---\nname: words\ndescription: Words.\nlicense:\n---\n",
        "---\nname: [\n---\n",
        "---\n- no mapping\n---\n",
    ] {
        for is_shown_first in [false, true] {
            let bench = Bench::new();
            bench.skill("other", &[]);
            bench.file("words/SKILL.md", if is_shown_first { good } else { bad });
            bench.discover();
            let served = |name: &str| {
                let states = bench.catalog.text_states(&[name]);
                states[0].as_ref().is_some_and(|state| state.uri.is_some())
            };
            assert_eq!(served("words"), is_shown_first, "{bad:?}");
            bench.file("words/SKILL.md", bad);
            assert!(!served("words"), "{bad:?}");
            assert!(!served("words"), "{bad:?}");
            bench.file("words/SKILL.md", good);
            // Also where the question is about something else.
            let listed = bench.structured("list_skills", json!({})).await;
            assert_eq!(listed["total"], 2, "{bad:?}: {listed}");
            assert!(served("words"), "{bad:?}");
            let read = json!({"skill_name": "words"});
            let read = bench.structured("read_skill_file", read).await;
            assert_eq!(read["uri"], "skill://words/SKILL.md", "{bad:?}: {read}");
        }
    }
    let bench = Bench::new();
    bench.skill("other", &[]);
    let odd = bench.file("words/skill.md", good);
    bench.discover();
    let served = || {
        bench.catalog.text_states(&["words"])[0]
            .clone()
            .unwrap()
            .uri
    };
    assert_eq!(served(), None);
    fs::rename(odd, bench.path().join("words/SKILL.md")).unwrap();
    assert!(served().is_some());
}

/// What is kept back and stays as it is costs no discovery.
#[test]
fn a_skill_that_stays_kept_back_is_not_looked_for_again() {
    let bench = Bench::new();
    bench.skill("other", &[]);
    bench.file("words/SKILL.md", "---\nname: [\n---\n");
    bench.discover();
    let _ = bench.catalog.text_states(&["other"]);
    bench.skill("more", &[]);
    let _ = bench.catalog.text_states(&["other"]);
    // A discovery would have found the new one.
    assert_eq!(names(&bench), ["other"]);
}

/// What does not come back costs no discovery, and another change of the folders takes nothing from anybody.
#[test]
fn one_that_stays_away_is_not_looked_for_again_and_comes_when_it_is_there() {
    let bench = taken_out("");
    fs::remove_dir_all(bench.path().join("words")).unwrap();
    for name in ["one", "two"] {
        bench.skill(name, &[]);
    }
    // A discovery would have found these.
    let _ = bench.catalog.text_states(&["words", "other"]);
    assert_eq!(names(&bench), ["other"]);
    bench.skill("words", &[]);
    assert!(bench.catalog.text_states(&["words"])[0].is_some());
    assert_eq!(names(&bench), ["one", "other", "two", "words"]);
    bench.skill("three", &[]);
    let _ = bench.catalog.text_states(&["words", "other"]);
    assert_eq!(names(&bench), ["one", "other", "two", "words"]);
}

/// A folder that is written anew is there, then its SKILL.md is, and then that has its text: whoever asks in between does
/// not make it stay away.
#[test]
fn one_that_is_written_anew_comes_when_it_is_whole() {
    let bench = taken_out("SKILL.md");
    let ask = || bench.catalog.text_states(&["words"])[0].is_some();
    let file = bench.path().join("words/SKILL.md");
    let text = fs::read(&file).unwrap();
    for half in ["", "---\nname: words\n"] {
        fs::write(&file, half).unwrap();
        assert!(!ask(), "{half:?}");
        fs::remove_dir_all(bench.path().join("words")).unwrap();
        assert!(!ask(), "{half:?}");
        fs::create_dir(bench.path().join("words")).unwrap();
        assert!(!ask(), "{half:?}");
    }
    fs::write(&file, text).unwrap();
    assert!(ask());
    assert_eq!(names(&bench), ["other", "words"]);
}

/// One that is being replaced while another one's SKILL.md changes leaves with the discovery that this makes.
#[test]
fn what_leaves_because_another_skill_changed_comes_back_as_well() {
    let bench = Bench::new();
    for name in ["changed", "words"] {
        bench.skill(name, &[]);
    }
    bench.discover();
    let _ = bench.catalog.text_states(&["changed", "words"]);
    let aside = bench.path().join(".aside");
    fs::rename(bench.path().join("words"), &aside).unwrap();
    let text = "---\nname: changed\ndescription: Another.\n---\n";
    bench.file("changed/SKILL.md", text);
    let _ = bench.catalog.text_states(&["changed"]);
    assert_eq!(names(&bench), ["changed"]);
    fs::rename(&aside, bench.path().join("words")).unwrap();
    let _ = bench.catalog.text_states(&["changed"]);
    assert_eq!(names(&bench), ["changed", "words"]);
}

/// Several ask at once while a SKILL.md or its folder is replaced in one step: nobody is told that the skill is not served.
#[test]
fn whoever_asks_while_a_change_is_taken_over_waits_for_it() {
    const EDITS: usize = 12;
    let bench = Bench::new();
    for number in 0..30 {
        bench.skill(&format!("other-{number}"), &[]);
    }
    let words = |number: usize| format!("---\nname: words\ndescription: V{number}.\n---\n");
    bench.file("words/SKILL.md", &words(0));
    bench.file("words/more.md", "more");
    bench.discover();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut told = Vec::new();
                    while !is_done.load(Ordering::Acquire) {
                        let state = bench.catalog.text_states(&["words"]).remove(0);
                        told.extend(
                            state.map_or(Some("gone".to_owned()), |state| state.not_served),
                        );
                        let listed = bench.catalog.unlisted();
                        told.extend(listed.get("words").cloned());
                    }
                    told
                })
            })
            .collect();
        for number in 1..=EDITS {
            let next = bench.file(".next", &words(number));
            fs::rename(next, bench.path().join("words/SKILL.md")).unwrap();
            // Until it is taken over.
            let expected = format!("V{number}.");
            let is_known = || {
                let known = bench.catalog.get_skill_info("words");
                known.is_some_and(|known| known.summary.description == expected)
            };
            while !is_known() {
                std::thread::yield_now();
            }
        }
        is_done.store(true, Ordering::Release);
        for thread in asking {
            assert_eq!(thread.join().unwrap(), [""; 0]);
        }
    });
}
