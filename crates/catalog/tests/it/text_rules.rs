//! Under which rules a model gets the instructions of a skill, whatever tool it asks.

use std::fs;

use metier_catalog::{CallRequest, ListingRequest};
use serde_json::json;

use crate::bench_folder::Bench;
use crate::texts::write;

/// What `skill` refuses a model is not to be had by another tool.
#[tokio::test]
async fn instructions_are_under_the_rules_of_activation() {
    let bench = Bench::new();
    for (name, more) in [
        ("person", "disable-model-invocation: true\n"),
        ("pathed", "paths: ['*.ma']\n"),
        ("free", ""),
    ] {
        let text = format!("---\nname: {name}\ndescription: x\n{more}---\nThe words.\n");
        write(&bench, &format!("{name}/SKILL.md"), text);
        write(&bench, &format!("{name}/more.md"), "More.\n");
    }
    bench.discover();
    let read = async |skill: &str, path: &str| {
        let arguments = json!({"skill_name": skill, "path": path});
        bench.output("read_skill_file", arguments).await
    };
    for (name, why) in [("person", "by a person"), ("pathed", "*.ma")] {
        let refused = read(name, "SKILL.md").await;
        let by_skill = bench.output("skill", json!({"skill": name})).await;
        assert!(
            refused.is_error && refused.joined_text().contains(why),
            "{refused:?}"
        );
        assert_eq!(refused, by_skill);
        assert!(!read(name, "more.md").await.is_error);
    }
    assert!(
        read("free", "SKILL.md")
            .await
            .joined_text()
            .contains("The words.")
    );
}

/// The copy that another skill of its name shadows has its own front matter, and the same rules.
#[tokio::test]
async fn the_instructions_of_a_shadowed_copy_are_under_the_same_rules() {
    let other = tempfile::tempdir().unwrap();
    let bench = Bench::new();
    for (name, more) in [
        ("person", "disable-model-invocation: true\n"),
        ("pathed", "paths: ['*.ma']\n"),
        ("free", ""),
    ] {
        bench.skill(name, &[]);
        let text = format!("---\nname: {name}\ndescription: x\n{more}---\nThe words.\n");
        let folder = other.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), &text).unwrap();
        fs::write(folder.join("copy.md"), &text).unwrap();
        fs::write(folder.join("more.md"), "More.\n").unwrap();
    }
    let roots = [bench.path(), other.path()].map(std::path::Path::to_owned);
    bench.catalog.discover(&roots, None);
    let read = async |skill: &str, path: &str| {
        let mut request = CallRequest::new(
            "read_skill_file",
            Some(json!({"skill_name": skill, "path": path})),
        );
        request.session = Some("s".to_owned());
        bench.dispatcher.call(request).await.unwrap()
    };
    for (name, why) in [("person", "by a person"), ("pathed", "*.ma")] {
        for named in [format!("explicit-2:{name}"), format!("explicit-2/{name}")] {
            for path in ["SKILL.md", "copy.md"] {
                let refused = read(&named, path).await;
                let text = refused.joined_text();
                assert!(
                    refused.is_error && text.contains(why) && text.contains(name),
                    "{named} {path}: {refused:?}"
                );
            }
            assert!(!read(&named, "more.md").await.is_error, "{named}");
        }
        // The one that comes first says nothing of that.
        assert!(!read(name, "SKILL.md").await.is_error, "{name}");
    }
    let words = async |skill: &str| read(skill, "SKILL.md").await.joined_text();
    assert!(words("explicit-2:free").await.contains("The words."));
    // A file that it is for was touched.
    let mut touching = ListingRequest::new();
    touching.session = Some("s".to_owned());
    touching.touched = vec!["scenes/a.ma".to_owned()];
    let _ = bench.catalog.skill_listing(&touching);
    assert!(words("explicit-2:pathed").await.contains("The words."));
    // What is switched off by its name is so wherever it lies.
    let mut standing = bench.catalog.standing();
    standing.disabled.insert("free".to_owned());
    bench.catalog.set_standing(standing);
    for named in ["free", "explicit-2:free", "explicit-2/free"] {
        let text = words(named).await;
        assert!(text.contains("is disabled"), "{named}: {text}");
    }
}

/// The first question behind an edit is answered from the edited file, so the rules of that one count.
#[tokio::test]
async fn the_rules_are_those_of_the_text_that_is_given() {
    let closed = "disable-model-invocation: true\n";
    let words = |more: &str| format!("---\nname: words\ndescription: x\n{more}---\nThe words.\n");
    for (tool, path) in [
        ("skill", None),
        ("read_skill_file", None),
        ("read_skill_file", Some("copy.md")),
    ] {
        let bench = Bench::new();
        write(&bench, "words/SKILL.md", words(""));
        write(&bench, "words/copy.md", words(closed));
        bench.discover();
        let ask = async || {
            let arguments = json!({"skill_name": "words", "path": path});
            let mut arguments = arguments.as_object().unwrap().clone();
            arguments.retain(|_, value| !value.is_null());
            bench.output(tool, arguments.into()).await
        };
        let first = ask().await;
        assert!(!first.is_error, "{tool}: {first:?}");
        write(&bench, "words/SKILL.md", words(closed));
        let refused = ask().await;
        assert!(
            refused.is_error && refused.joined_text().contains("by a person"),
            "{tool} {path:?}: {refused:?}"
        );
        write(&bench, "words/SKILL.md", words(""));
        write(&bench, "words/copy.md", words(""));
        let again = ask().await;
        // What somebody may have from now on, he has at once.
        assert!(!again.is_error, "{tool} {path:?}: {again:?}");
    }
}
