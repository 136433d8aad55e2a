//! What `skill` cannot open stands in no listing and no discovery, and the log says why.

use std::fs;

use metier_catalog::{ActivationRequest, Discover, ListedKind, ListingRequest};
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};
#[cfg(unix)]
use crate::log_lines::Captured;

/// The skills that one of the faces names.
fn listed(bench: &Bench) -> Vec<String> {
    let listing = bench.catalog.skill_listing(&ListingRequest::new());
    let for_all = bench.catalog.listing_for_all();
    assert_eq!(for_all.text, listing.text);
    for name in &listing.shown {
        assert!(listing.text.contains(&format!("- {name}")), "{listing:?}");
    }
    // What was used comes first.
    let mut shown = listing.shown;
    shown.sort();
    shown
}

async fn discovered(bench: &Bench, query: &str) -> (Vec<String>, String) {
    let answer = bench
        .structured("discover_skills", json!({"query": query, "limit": 20}))
        .await;
    let names = answer["hits"].as_array().unwrap().iter();
    let names = names.map(|skill| skill["name"].as_str().unwrap().to_owned());
    let notes = answer["notes"].as_array().cloned().unwrap_or_default();
    (names.collect(), json!(notes).to_string())
}

fn opens(bench: &Bench, name: &str) -> Result<(), String> {
    let activated = bench.catalog.activate_skill(&ActivationRequest::new(name));
    activated.map(|_| ()).map_err(|error| error.to_string())
}

fn crowd(bench: &Bench, name: &str) {
    for number in 0..513 {
        bench.file(&format!("{name}/crowd/{number}"), "");
    }
}

pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    bench.skill("good", &[]);
    bench.skill("many", &[]);
    crowd(&bench, "many");
    bench.skill_with_tools("large", "tools: [a]\n", ECHO);
    let large = bench.file("large/cache.bin", "");
    let large = fs::File::options().write(true).open(large).unwrap();
    large.set_len(16 << 20).unwrap();
    bench.file(
        "Odd_Name/SKILL.md",
        "---\nname: Odd_Name\ndescription: The odd skill.\n---\n",
    );
    bench.discover();
    bench
}

#[tokio::test]
async fn what_cannot_be_opened_is_neither_listed_nor_discovered_before_anybody_has_looked() {
    let bench = bench();
    assert_eq!(listed(&bench), ["good"]);
    let (found, _) = discovered(&bench, "the skill many large odd").await;
    assert_eq!(found, ["good"]);
    for (name, why, cure) in [
        ("many", "more than 512 files", None),
        (
            "large",
            "more than 16 MiB together",
            Some("load_skill(skill_name=\"large\")"),
        ),
        ("Odd_Name", "", None),
    ] {
        let refused = opens(&bench, name).unwrap_err();
        assert!(
            refused.contains("are not served") && refused.contains(why),
            "{refused}"
        );
        let (found, notes) = discovered(&bench, &format!("select:{name}")).await;
        assert!(
            found.is_empty() && notes.contains(why),
            "{name}: {found:?} {notes}"
        );
        if let Some(cure) = cure {
            assert!(refused.contains(cure), "{refused}");
        }
        // The same reason stands with the skill.
        let info = bench
            .structured("get_skill_info", json!({"skill_name": name}))
            .await;
        let reason = info["skill"]["not_served"].as_str().unwrap().to_owned();
        assert!(refused.contains(&reason), "{refused} / {reason}");
    }
    // A look says the same: nothing is another one by it.
    let generation = bench.catalog.snapshot().generation();
    let _ = bench.structured("list_skills", json!({})).await;
    assert_eq!(bench.catalog.snapshot().generation(), generation);
    assert_eq!(listed(&bench), ["good"]);
}

#[tokio::test]
async fn what_a_look_finds_is_a_generation_and_all_faces_follow() {
    let bench = bench();
    assert_eq!(listed(&bench), ["good"]);
    let catalog = &bench.catalog;
    // Mended: whoever asks by name has it at once, and so have the lists.
    fs::remove_dir_all(bench.path().join("many/crowd")).unwrap();
    let before = catalog.snapshot().generation();
    assert_eq!(opens(&bench, "many"), Ok(()));
    assert_eq!(catalog.snapshot().generation(), before + 1);
    assert_eq!(listed(&bench), ["good", "many"]);
    assert_eq!(discovered(&bench, "select:many").await.0, ["many"]);
    // Grown since the scan, and nobody has looked: the first look tells.
    crowd(&bench, "good");
    assert_eq!(listed(&bench), ["good", "many"]);
    let before = catalog.snapshot().generation();
    assert!(opens(&bench, "good").unwrap_err().contains("512 files"));
    assert_eq!(catalog.snapshot().generation(), before + 1);
    assert_eq!(listed(&bench), ["many"]);
    // A scan sees at once what the last one found too large.
    fs::remove_file(bench.path().join("large/cache.bin")).unwrap();
    bench.discover();
    assert_eq!(listed(&bench), ["large", "many"]);
    let found = catalog.discover_skills(Discover::new("select:large")).await;
    assert_eq!(found.unwrap().hits.len(), 1);
}

/// The skills that `tools/list` offers to load.
fn stubs(bench: &Bench) -> Vec<String> {
    let snapshot = bench.catalog.snapshot();
    let stubs = snapshot.tools().iter();
    let stubs = stubs.filter(|tool| tool.kind == ListedKind::Stub);
    stubs
        .map(|tool| tool.name.replace("__skill__", ""))
        .collect()
}

#[test]
fn a_skill_that_would_give_nothing_is_not_offered() {
    let bench = Bench::new();
    for name in ["good", "many"] {
        bench.skill(name, &[]);
    }
    bench.skill_with_tools("large", "tools: [a]\n", ECHO);
    crowd(&bench, "many");
    crowd(&bench, "large");
    bench.discover();
    // What has tools is loaded for them.
    assert_eq!(stubs(&bench), ["good", "large"]);
    assert_eq!(
        bench.catalog.unlisted().into_keys().collect::<Vec<_>>(),
        ["large", "many"]
    );
    let mut events = bench.catalog.subscribe();
    fs::remove_dir_all(bench.path().join("many/crowd")).unwrap();
    crowd(&bench, "good");
    let _ = bench.catalog.text_states(&["good", "large", "many"]);
    assert_eq!(stubs(&bench), ["large", "many"]);
    assert!(events.try_recv().unwrap().tools_changed);
    // Until it is mended, the words of before are no use.
    let text = fs::read_to_string(bench.path().join("many/SKILL.md")).unwrap();
    bench.file("many/SKILL.md", "---\nname: [\n---\n");
    let _ = bench.catalog.text_states(&["many"]);
    assert_eq!(stubs(&bench), ["large"]);
    bench.file("many/SKILL.md", &text);
    let _ = bench.catalog.text_states(&["many"]);
    assert_eq!(stubs(&bench), ["large", "many"]);
}

/// The last good version of a skill that stays broken does not come back with each save.
#[test]
fn a_save_that_leaves_a_skill_broken_is_no_news_of_tools() {
    let bench = Bench::new();
    bench.skill("good", &[]);
    bench.skill("words", &[]);
    bench.discover();
    let look = || drop(bench.catalog.text_states(&["good", "words"]));
    look();
    bench.file("words/SKILL.md", "no front matter");
    bench.discover();
    look();
    assert_eq!(stubs(&bench), ["good"]);
    let mut events = bench.catalog.subscribe();
    for text in [
        "none, in other words",
        "---\nname: [\n---\n",
        "\n\n",
        "---\n- x\n---\n",
    ] {
        bench.file("words/SKILL.md", text);
        bench.discover();
        assert_eq!(stubs(&bench), ["good"], "{text:?}");
        look();
        assert_eq!(stubs(&bench), ["good"], "{text:?}");
        while let Ok(event) = events.try_recv() {
            assert!(!event.tools_changed, "{text:?}");
        }
    }
    bench.skill("words", &[]);
    bench.discover();
    look();
    assert_eq!(stubs(&bench), ["good", "words"]);
}

#[tokio::test]
async fn a_broken_save_takes_a_skill_out_of_the_listing_until_it_is_mended() {
    let bench = Bench::new();
    bench.skill("good", &[]);
    bench.skill("words", &[]);
    bench.discover();
    let text = fs::read_to_string(bench.path().join("words/SKILL.md")).unwrap();
    bench.file("words/SKILL.md", "---\nname: [\n---\n");
    assert!(opens(&bench, "words").unwrap_err().contains("broken"));
    assert_eq!(listed(&bench), ["good"]);
    bench.file("words/SKILL.md", &text);
    assert_eq!(opens(&bench, "words"), Ok(()));
    assert_eq!(listed(&bench), ["good", "words"]);
}

#[cfg(unix)]
#[test]
fn the_log_names_each_file_that_is_left_out_once() {
    let log = Captured::start();
    let bench = Bench::new();
    bench.skill("words", &[]);
    bench.skill("many", &[]);
    crowd(&bench, "many");
    bench.file("words/.env", "");
    bench.file("words/x\n WARN forged\u{1b}[31m", "");
    std::os::unix::fs::symlink(".", bench.path().join("words/self")).unwrap();
    bench.file("words/__pycache__/x.pyc", "");
    std::os::unix::fs::symlink("/etc/hostname", bench.path().join("words/out.txt")).unwrap();
    std::os::unix::fs::symlink("nowhere", bench.path().join("words/gone.txt")).unwrap();
    bench.discover();
    let look = || bench.catalog.text_states(&["many", "words"]);
    let states = look();
    assert_eq!(
        log.taken(),
        [
            "WARN the files of the skill `many` are not served: the skill has more than 512 files",
            "INFO what is hidden or compiled in the skill `words` is not served: `.env`, `__pycache__`",
            "WARN `gone.txt` of the skill `words` is not served: it leads nowhere",
            "WARN `out.txt` of the skill `words` is not served: it leads out of the skill folder",
            "WARN `self` of the skill `words` is not served: it is a link to a folder",
            "WARN `x\\n WARN forged\\u{1b}[31m` of the skill `words` is not served: its name holds a backslash or a control character",
        ]
    );
    // What the lists say is the same.
    let left_out = &states[1].as_ref().unwrap().left_out;
    assert_eq!(left_out.len(), 6);
    assert_eq!(left_out["gone.txt"], "it leads nowhere");
    assert!(
        left_out.contains_key("x\\n WARN forged\\u{1b}[31m"),
        "{left_out:?}"
    );
    let _ = look();
    bench.discover();
    let _ = look();
    assert_eq!(log.taken(), [""; 0]);
    // Another one is told alone, also where the skill is another version.
    std::os::unix::fs::symlink("/etc", bench.path().join("words/etc")).unwrap();
    bench.file(
        "words/SKILL.md",
        "---\nname: words\ndescription: New.\n---\n",
    );
    let _ = look();
    assert_eq!(
        log.taken(),
        ["WARN `etc` of the skill `words` is not served: it leads out of the skill folder"]
    );
    fs::remove_dir_all(bench.path().join("many/crowd")).unwrap();
    let _ = look();
    crowd(&bench, "many");
    let _ = look();
    assert_eq!(
        log.taken(),
        ["WARN the files of the skill `many` are not served: the skill has more than 512 files"]
    );
}

/// A finding says what keeps a skill back wherever it lies; what its place does only the log says.
#[cfg(unix)]
#[test]
fn the_log_warns_of_a_shadowed_skill_that_has_no_uri() {
    let log = Captured::start();
    let bench = Bench::new();
    for (folder, name) in [("a", "shared"), ("b", "shared"), ("x", "explicit")] {
        let text = format!("---\nname: {name}\ndescription: D.\n---\n");
        bench.file(&format!("{folder}/SKILL.md"), &text);
    }
    bench.file(
        "Odd_Name/SKILL.md",
        "---\nname: Odd_Name\ndescription: The odd skill.\n---\n",
    );
    bench.discover();
    let _ = bench.catalog.text_states(&["shared"]);
    assert_eq!(
        log.taken(),
        [
            "INFO the files of the skill `Odd_Name` are not served: its name `Odd_Name` does not follow the pattern for skill names",
            "WARN the files of the skill `explicit/shared` are not served: its URI would lie inside the skill `explicit`",
        ]
    );
    bench.discover();
    let _ = bench.catalog.text_states(&["shared"]);
    assert_eq!(log.taken(), [""; 0]);
}

/// A client that reads makes a skill be looked at, and whoever swaps a file to and fro must not fill the log by that.
#[cfg(unix)]
#[test]
fn what_comes_and_goes_is_told_three_times() {
    let log = Captured::start();
    let bench = Bench::new();
    bench.skill("words", &[]);
    bench.discover();
    let (file, link) = (
        bench.file("words/a.txt", ""),
        bench.path().join("words/a.txt"),
    );
    let look = || drop(bench.catalog.text_states(&["words"]));
    let left_out = "WARN `a.txt` of the skill `words` is not served: it leads nowhere";
    let nested = "INFO MT601: `words/deep/SKILL.md` of the skill `words`: inside `words` a SKILL.md is a supporting file, no skill of its own";
    let whole =
        "WARN the files of the skill `words` are not served: the skill has more than 512 files";
    let last = " (this comes and goes, and is told no more)";
    for turn in 0..5 {
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        bench.file("words/deep/SKILL.md", "");
        look();
        let told = log.taken();
        crowd(&bench, "words");
        look();
        let told_of_all = log.taken();
        fs::remove_dir_all(bench.path().join("words/crowd")).unwrap();
        fs::remove_dir_all(bench.path().join("words/deep")).unwrap();
        fs::remove_file(&link).unwrap();
        bench.file("words/a.txt", "");
        look();
        assert_eq!(log.taken(), [""; 0], "{turn}");
        let end = if turn == 2 { last } else { "" };
        let lines = |lines: &[&str]| -> Vec<String> {
            let lines = lines.iter().filter(|_| turn < 3);
            lines.map(|line| format!("{line}{end}")).collect()
        };
        assert_eq!(told, lines(&[left_out, nested]), "{turn}");
        assert_eq!(told_of_all, lines(&[whole]), "{turn}");
    }
}

/// Nor by names that are new each time.
#[cfg(unix)]
#[test]
fn the_log_of_one_skill_has_an_end() {
    let log = Captured::start();
    let bench = Bench::new();
    bench.skill("words", &[]);
    bench.discover();
    for turn in 0..8 {
        for number in 0..90 {
            let link = bench.path().join(format!("words/{turn}-{number}"));
            std::os::unix::fs::symlink("nowhere", link).unwrap();
        }
        let _ = bench.catalog.text_states(&["words"]);
        for number in 0..90 {
            fs::remove_file(bench.path().join(format!("words/{turn}-{number}"))).unwrap();
        }
        let _ = bench.catalog.text_states(&["words"]);
    }
    let told = log.taken();
    assert_eq!(told.len(), 501);
    assert_eq!(
        told[500],
        "WARN of the skill `words` no more is told: its files go on changing"
    );
}

#[tokio::test]
async fn a_hundred_left_out_files_are_named() {
    let bench = Bench::new();
    bench.skill("words", &[]);
    for number in 0..105 {
        bench.file(&format!("words/.hidden-{number:03}"), "");
    }
    bench.discover();
    let list = bench.structured("list_skills", json!({})).await;
    let left_out = list["skills"][0]["left_out"].as_object().unwrap();
    assert_eq!(left_out.len(), 100);
    assert_eq!(
        left_out.get(".hidden-000"),
        Some(&Value::from("it is hidden"))
    );
}
