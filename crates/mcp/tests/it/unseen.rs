//! What no client has seen is no news when it is another one; what one has asked for is.

use serde_json::json;

use crate::agreement::heard;
use crate::bench::Bench;
use crate::skill_folder::write;

const RESOURCES: &str = "notifications/resources/list_changed";

fn skill(description: &str, more: &str) -> String {
    format!("---\nname: one\ndescription: {description}\n{more}---\nBody.\n")
}

struct Shadowed {
    bench: Bench,
    other: tempfile::TempDir,
}

impl Shadowed {
    fn new() -> Self {
        let shadowed = Self {
            bench: Bench::new(),
            other: tempfile::tempdir().unwrap(),
        };
        write(
            shadowed.other.path(),
            "one/SKILL.md",
            skill("The other.", ""),
        );
        write(shadowed.other.path(), "one/more.md", "one");
        shadowed.discover();
        shadowed
    }

    fn discover(&self) {
        let roots = [self.bench.root(), self.other.path()].map(std::path::Path::to_owned);
        self.bench.catalog.discover(&roots, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_shadowed_skill_is_told_to_nobody_until_somebody_has_asked_for_it() {
    let shadowed = Shadowed::new();
    let bench = &shadowed.bench;
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let lists = async || {
        let mut seen = Vec::new();
        for list in ["skills/list", "resources/list", "prompts/list"] {
            seen.push(client.request(list, json!({})).await.answer);
        }
        seen
    };
    let first = lists().await;
    let _ = heard(bench, &stream, 0).await;
    let other = shadowed.other.path();
    let mut round = 0;
    let mut told = async || {
        shadowed.discover();
        assert_eq!(lists().await, first);
        round += 1;
        heard(bench, &stream, round).await
    };
    let edits: [(&str, &dyn Fn()); 4] = [
        ("its words", &|| {
            write(other, "one/SKILL.md", skill("Another.", ""));
        }),
        ("a file", &|| {
            write(other, "one/more.md", "two");
        }),
        ("a new file", &|| {
            write(other, "one/new.md", "two");
        }),
        ("who finds it", &|| {
            let more = "metadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n";
            write(other, "one/SKILL.md", skill("Another.", more));
        }),
    ];
    for (what, edit) in edits {
        edit();
        assert_eq!(told().await, [""; 0], "{what}");
    }
    let uri = "skill://explicit-2/one/SKILL.md";
    let got = client.request("skills/get", json!({"uri": uri})).await;
    assert_eq!(got.answer["result"]["skill"]["uri"], uri);
    for (what, edit) in edits {
        edit();
        let expected: &[&str] = if what == "a new file" || what == "a file" {
            // The files are what the last round made them.
            &[]
        } else {
            &[RESOURCES]
        };
        assert_eq!(told().await, expected, "{what}");
    }
    write(other, "one/more.md", "three");
    assert_eq!(told().await, [RESOURCES]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_is_found_by_name_alone_is_news_to_whoever_has_its_name() {
    let bench = Bench::new();
    let words = |description: &str| {
        let more =
            "user-invocable: false\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n";
        let text = skill(description, more).replace("name: one", "name: quiet");
        write(bench.root(), "quiet/SKILL.md", text);
        bench.rediscover();
    };
    words("First.");
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let _ = client.request("skills/list", json!({})).await;
    let _ = heard(&bench, &stream, 0).await;
    words("Second.");
    assert_eq!(heard(&bench, &stream, 1).await, [""; 0]);
    // Whoever asks before it is there knows its name as well.
    let arguments = json!({"skill_name": "quiet"});
    let read = client.call("read_skill_file", arguments).await;
    assert_ne!(read.answer["result"]["isError"], true, "{}", read.raw);
    words("Third.");
    assert_eq!(heard(&bench, &stream, 2).await, [RESOURCES]);
    std::fs::remove_dir_all(bench.root().join("quiet")).unwrap();
    bench.rediscover();
    assert_eq!(heard(&bench, &stream, 3).await, [RESOURCES]);
    words("Fourth.");
    assert_eq!(heard(&bench, &stream, 4).await, [RESOURCES]);
}

/// A skill that grows beyond the limits leaves the listing in the same generation as the lists.
#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_grows_too_large_leaves_the_listing_and_whoever_listens_is_told() {
    let bench = Bench::new();
    write(
        bench.root(),
        "words/SKILL.md",
        "---\nname: words\ndescription: Says.\n---\nBody.\n",
    );
    bench.rediscover();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let listing = async || {
        let heard = client
            .request("resources/read", json!({"uri": "metier://listing"}))
            .await;
        let text = heard.answer["result"]["contents"][0]["text"].clone();
        text.as_str().unwrap().to_owned()
    };
    assert!(listing().await.contains("- words"));
    let _ = heard(&bench, &stream, 0).await;
    let crowd = bench.root().join("words/crowd");
    for number in 0..513 {
        write(&crowd, &number.to_string(), "");
    }
    // The first look at its files is anybody's.
    let refused = client.call("skill", json!({"skill": "words"})).await;
    assert_eq!(refused.answer["result"]["isError"], true, "{}", refused.raw);
    assert!(!listing().await.contains("- words"));
    assert_eq!(
        heard(&bench, &stream, 1).await,
        ["notifications/prompts/list_changed", RESOURCES]
            .map(str::to_owned)
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    let reference = json!({"type": "ref/resource", "uri": "skill://{+path}"});
    let typed = json!({"name": "path", "value": "wor"});
    let asked = json!({"ref": reference, "argument": typed});
    let offered = client.request("completion/complete", asked).await;
    assert_eq!(offered.answer["result"]["completion"]["values"], json!([]));
    let told = bench.initialize(json!({"protocolVersion": crate::bench::LATEST, "capabilities": {}, "clientInfo": {"name": "late", "version": "0"}})).await;
    let instructions = told.answer["result"]["instructions"].as_str().unwrap();
    assert!(!instructions.contains("- words"), "{instructions}");
    std::fs::remove_dir_all(&crowd).unwrap();
    let opened = client.call("skill", json!({"skill": "words"})).await;
    assert_ne!(opened.answer["result"]["isError"], true, "{}", opened.raw);
    assert!(listing().await.contains("- words"));
}

/// Nobody follows the folders here either. A skill is found again in the moment in which it is missed.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_moved_or_replaced_is_no_news() {
    use std::fs::rename;
    use std::os::unix::fs::symlink;

    let bench = Bench::new();
    let root = bench.root();
    for name in ["one", "two"] {
        let text = skill("The same.", "").replace("name: one", &format!("name: {name}"));
        write(root, &format!("{name}/SKILL.md"), text);
    }
    bench.rediscover();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let lists = async || {
        let mut seen = Vec::new();
        for list in ["prompts/list", "resources/list", "skills/list"] {
            seen.push(client.request(list, json!({})).await.answer);
        }
        seen
    };
    let first = lists().await;
    let _ = heard(&bench, &stream, 0).await;
    let (one, aside) = (root.join("one"), root.join(".aside"));
    let edits: [(&str, &dyn Fn()); 5] = [
        ("another name", &|| rename(&one, root.join("uno")).unwrap()),
        ("and back", &|| rename(root.join("uno"), &one).unwrap()),
        ("a link", &|| {
            rename(&one, &aside).unwrap();
            symlink(".aside", &one).unwrap();
        }),
        ("a folder again", &|| {
            std::fs::remove_file(&one).unwrap();
            rename(&aside, &one).unwrap();
        }),
        ("a copy", &|| {
            // With the times of the files, which clients see.
            let mut copy = std::process::Command::new("cp");
            let copied = copy.arg("-Rp").arg(&one).arg(&aside).status();
            assert!(copied.unwrap().success());
            rename(&one, root.join(".old")).unwrap();
            rename(&aside, &one).unwrap();
        }),
    ];
    for (round, (what, edit)) in edits.into_iter().enumerate() {
        edit();
        assert_eq!(lists().await, first, "{what}");
        assert_eq!(heard(&bench, &stream, round + 1).await, [""; 0], "{what}");
    }
    // What really goes is told, and what comes back is told.
    let both = [RESOURCES, "notifications/prompts/list_changed"];
    rename(&one, &aside).unwrap();
    let gone = lists().await;
    assert_ne!(gone, first);
    assert_eq!(heard(&bench, &stream, 10).await, both);
    rename(&aside, &one).unwrap();
    assert_eq!(lists().await, first);
    assert_eq!(heard(&bench, &stream, 11).await, both);
}

/// The lists that say the same of the one behind it are no news.
#[tokio::test(flavor = "multi_thread")]
async fn a_shadowed_skill_that_takes_the_place_of_one_that_goes_is_told_where_it_differs() {
    let shadowed = Shadowed::new();
    let (bench, other) = (&shadowed.bench, shadowed.other.path());
    for root in [bench.root(), other] {
        write(root, "one/SKILL.md", skill("The same.", ""));
    }
    shadowed.discover();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let prompts = async || client.request("prompts/list", json!({})).await.answer;
    let files = async || client.request("skills/list", json!({})).await.answer;
    let (first, of_first) = (prompts().await, files().await);
    let _ = heard(bench, &stream, 0).await;
    let aside = bench.root().join(".aside");
    for (round, from, to) in [(1, "one", ".aside"), (2, ".aside", "one")] {
        std::fs::rename(bench.root().join(from), bench.root().join(to)).unwrap();
        assert_eq!(prompts().await, first, "{round}");
        assert_eq!(files().await == of_first, !aside.exists(), "{round}");
        assert_eq!(heard(bench, &stream, round).await, [RESOURCES], "{round}");
    }
}

/// What `skills/list` says of the skill of the second root that has the name of an earlier one.
fn why_left_out(list: &serde_json::Value) -> Option<&str> {
    let left_out = list.pointer("/result/_meta/dcc/left_out")?;
    left_out.get("explicit-2/one")?.as_str()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_shadowed_skill_back_is_said_before_its_place() {
    let shadowed = Shadowed::new();
    let (bench, other) = (&shadowed.bench, shadowed.other.path());
    let client = bench.session().await;
    let row = async || {
        let asked = json!({"status": "shadowed"});
        let heard = client.call("list_skills", asked).await;
        heard.answer["result"]["structuredContent"]["skills"][0].clone()
    };
    let list = async || client.request("skills/list", json!({})).await.answer;
    let place = "another skill of its name comes first; its own URI leads to this one";
    assert_eq!(why_left_out(&list().await), Some(place));
    write(other, "one/.hidden", "");
    assert_eq!(row().await["left_out"], json!({".hidden": "it is hidden"}));
    assert_eq!(row().await.get("not_served"), None);

    let crowd = other.join("one/crowd");
    (0..513).for_each(|number| write(&crowd, &number.to_string(), ""));
    let uri = json!({"uri": "skill://explicit-2/one/SKILL.md"});
    let got = client.request("skills/get", uri).await;
    let reason = "the skill has more than 512 files";
    assert!(got.raw.contains(reason), "{}", got.raw);
    assert_eq!(why_left_out(&list().await), Some(reason));
    assert_eq!(row().await["not_served"], reason);
    std::fs::remove_dir_all(&crowd).unwrap();
    assert_eq!(why_left_out(&list().await), Some(place));
}

/// Nobody follows the folders: whoever looks finds it, and then every surface says it and whoever listens is told.
#[tokio::test(flavor = "multi_thread")]
async fn a_shadowed_skill_that_is_gone_is_named_nowhere_and_told_once() {
    let shadowed = Shadowed::new();
    let (bench, other) = (&shadowed.bench, shadowed.other.path());
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let list = async || client.request("skills/list", json!({})).await.answer;
    let first = list().await;
    let _ = heard(bench, &stream, 0).await;
    write(other, "one/SKILL.md", "---\nname: [\n---\n");
    let broken = list().await;
    let why = why_left_out(&broken).unwrap();
    assert!(why.starts_with("its SKILL.md is broken"), "{why}");
    assert_eq!(heard(bench, &stream, 1).await, [RESOURCES]);

    std::fs::remove_dir_all(other.join("one")).unwrap();
    let gone = list().await;
    assert_eq!(why_left_out(&gone), None, "{gone}");
    assert_eq!(heard(bench, &stream, 2).await, [RESOURCES]);
    assert_eq!(list().await, gone);
    let asked = json!({"status": "shadowed"});
    let rows = client.call("list_skills", asked).await;
    assert_eq!(rows.answer["result"]["structuredContent"]["total"], 0);
    let uri = json!({"uri": "skill://explicit-2/one/SKILL.md"});
    let got = client.request("skills/get", uri).await;
    assert!(got.raw.contains("there is no such skill"), "{}", got.raw);
    assert_eq!(heard(bench, &stream, 3).await, [""; 0]);
    assert_eq!(first["result"]["skills"], gone["result"]["skills"]);
}
