//! The files of skills: every surface says the same of them, and nothing else is read.

use std::fs;

use serde_json::{Value, json};

use crate::agreement::heard;
use crate::skill_folder::{BODY, bench, both, bytes_of, digest, error, timeless, write};

#[tokio::test]
async fn what_is_read_is_what_the_manifest_says_on_every_surface() {
    let bench = bench();
    let client = bench.session().await;
    let list = client.request("skills/list", json!({})).await;
    let listed = client.request("resources/list", json!({})).await;
    let index = bench.server.agent_skills("index.json").await.unwrap();
    let index: Value = serde_json::from_slice(&index.bytes).unwrap();
    let skills = list.answer["result"]["skills"].as_array().unwrap();
    for (at, skill) in skills.iter().enumerate() {
        for file in skill["resources"].as_array().unwrap() {
            let uri = file["uri"].as_str().unwrap();
            let read = both(&bench, &client, "resources/read", json!({"uri": uri})).await;
            let content = &read.answer["result"]["contents"][0];
            let bytes = bytes_of(content);
            assert_eq!(
                (digest(&bytes), bytes.len()),
                (
                    file["digest"].as_str().unwrap().to_owned(),
                    usize::try_from(file["size"].as_u64().unwrap()).unwrap()
                ),
                "{uri}"
            );
            assert_eq!(
                content["_meta"]["io.modelcontextprotocol.skills/digest"],
                file["digest"]
            );
            assert_eq!(content["uri"], uri);
            let path = uri.strip_prefix("skill://").unwrap();
            assert_eq!(
                bench.server.agent_skills(path).await.unwrap().bytes,
                bytes,
                "{uri}"
            );
        }
        let resource = &listed.answer["result"]["resources"][at];
        assert_eq!(resource["uri"], skill["uri"]);
        assert_eq!(
            resource["_meta"]["io.modelcontextprotocol.skills/digest"],
            index["skills"][at]["digest"]
        );
        assert_eq!(resource["description"], skill["frontmatter"]["description"]);
        let manifest = format!("skill://{}/_manifest", resource["name"].as_str().unwrap());
        let read = both(&bench, &client, "resources/read", json!({"uri": manifest})).await;
        let manifest: Value =
            serde_json::from_slice(&bytes_of(&read.answer["result"]["contents"][0])).unwrap();
        let digests = |files: &Value, key: &str| -> Vec<Value> {
            files
                .as_array()
                .unwrap()
                .iter()
                .map(|file| file[key].clone())
                .collect()
        };
        assert_eq!(
            digests(&manifest["files"], "hash"),
            digests(&skill["resources"], "digest")
        );
    }
    assert_eq!(
        listed.answer["result"]["resources"]
            .as_array()
            .unwrap()
            .len(),
        skills.len()
    );
    insta::assert_snapshot!(timeless(&listed.answer["result"]["resources"][0]));
    insta::assert_snapshot!(index["skills"][0]);
    let whole = both(
        &bench,
        &client,
        "resources/read",
        json!({"uri": "skill://index.json"}),
    )
    .await;
    insta::assert_snapshot!(
        whole.answer["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
    );
}

#[tokio::test]
async fn nothing_outside_of_a_skill_and_nothing_hidden_is_read() {
    let bench = bench();
    let client = bench.session().await;
    for uri in [
        "skill://bake/../one/SKILL.md",
        "skill://bake/%2e%2e/one/SKILL.md",
        "skill://bake/references/..%2f..%2fone/SKILL.md",
        "skill://bake/.git/config",
        "skill://bake/%2egit/config",
        "skill://bake/out.txt",
        "skill://bake/references",
        "skill://bake/SKILL.md/",
        "skill://bake/references/",
        "skill://index.json/",
        "skill://bake/_manifest/",
        "skill://bake//etc/passwd",
        "skill://bake/nul.txt%00",
        "skill://bake/C:%5cx",
        "skill://BAKE/SKILL.md",
        "skill://bake/skill.md",
        "skill:///etc/passwd",
        "file:///etc/passwd",
        "/etc/passwd",
        "",
    ] {
        let heard = both(&bench, &client, "resources/read", json!({"uri": uri})).await;
        assert_eq!(heard.code(), -32602, "{uri}");
        assert_eq!(heard.answer["error"]["data"]["uri"], uri);
        let root = bench.root().to_string_lossy();
        assert!(
            !heard.raw.contains(&*root),
            "no path of the server: {}",
            heard.raw
        );
        let path = uri.strip_prefix("skill://").unwrap_or(uri);
        assert!(bench.server.agent_skills(path).await.is_none(), "{uri}");
    }
    let png = client
        .request(
            "resources/read",
            json!({"uri": "skill://bake/assets/dot.png"}),
        )
        .await;
    insta::assert_snapshot!(png.answer["result"]["contents"][0]);
    let text = client
        .request(
            "resources/read",
            json!({"uri": "skill://bake/references/a%20b.md"}),
        )
        .await;
    insta::assert_snapshot!(text.answer["result"]["contents"][0]);
}

#[tokio::test]
async fn folders_are_read_one_level_at_a_time() {
    let bench = bench();
    let client = bench.session().await;
    let read = async |uri: &str| {
        both(
            &bench,
            &client,
            "resources/directory/read",
            json!({"uri": uri}),
        )
        .await
        .answer["result"]["resources"]
            .clone()
    };
    insta::assert_snapshot!(timeless(&read("skill://bake").await));
    insta::assert_snapshot!(timeless(&read("skill://bake/references").await));
    assert_eq!(
        read("skill://bake/references/").await,
        read("skill://bake/references").await
    );
    for uri in [
        "skill://bake/SKILL.md",
        "skill://bake/nope",
        "skill://nope",
        "skill://bake/.git",
        "skill://bake/refer",
    ] {
        error(
            &bench,
            &client,
            "resources/directory/read",
            json!({"uri": uri}),
        )
        .await;
    }
}

#[tokio::test]
async fn a_changed_file_is_told_of_before_its_new_bytes_go_out() {
    let bench = bench();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let entry = async || {
        client
            .request("skills/get", json!({"uri": "skill://bake/SKILL.md"}))
            .await
            .answer["result"]["skill"]["resources"]
            .clone()
    };
    let before = entry().await;
    write(bench.root(), "bake/nul.txt", "longer than it was");
    let read = client
        .request("resources/read", json!({"uri": "skill://bake/nul.txt"}))
        .await;
    let content = &read.answer["result"]["contents"][0];
    assert_eq!(content["text"], "longer than it was");
    let notice = tokio::time::timeout(std::time::Duration::from_secs(20), stream.next())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        notice,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#
    );
    let after = entry().await;
    assert_ne!(before, after);
    assert!(
        after.to_string().contains(
            content["_meta"]["io.modelcontextprotocol.skills/digest"]
                .as_str()
                .unwrap()
        )
    );
    fs::remove_file(bench.root().join("bake/nul.txt")).unwrap();
    error(
        &bench,
        &client,
        "resources/read",
        json!({"uri": "skill://bake/nul.txt"}),
    )
    .await;
    write(bench.root(), "bake/new.txt", "new");
    let new = client
        .request("resources/read", json!({"uri": "skill://bake/new.txt"}))
        .await;
    assert_eq!(new.answer["result"]["contents"][0]["text"], "new");
}

#[tokio::test]
async fn front_matter_and_bytes_agree_although_nobody_watches() {
    let bench = bench();
    let client = bench.session().await;
    let described = async || {
        let list = client.request("skills/list", json!({})).await;
        list.answer["result"]["skills"][0]["frontmatter"]["description"].clone()
    };
    // Edited before the first look, and once more after it.
    for text in ["Bakes twice.", "Bakes thrice, at least."] {
        write(
            bench.root(),
            "bake/SKILL.md",
            BODY.replace("Bakes. And more.", text),
        );
        assert_eq!(described().await, text);
        let read = client
            .request("resources/read", json!({"uri": "skill://bake/SKILL.md"}))
            .await;
        assert!(read.raw.contains(text));
    }
    write(bench.root(), "bake/SKILL.md", BODY);
    let prompt = client.request("prompts/get", json!({"name": "bake"})).await;
    assert_eq!(prompt.answer["result"]["description"], "Bakes. And more.");
}

#[tokio::test]
async fn a_new_skill_is_announced_and_a_loaded_one_is_not() {
    let bench = bench();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    client
        .call("load_skill", json!({"skill_name": "one"}))
        .await;
    write(
        bench.root(),
        "later/SKILL.md",
        "---\nname: later\ndescription: x\n---\n",
    );
    bench.rediscover();
    let mut wanted = vec![
        "prompts/list_changed",
        "resources/list_changed",
        "tools/list_changed",
    ];
    while !wanted.is_empty() {
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), stream.next());
        let notice = next.await.expect("a notice").unwrap();
        let notice = String::from_utf8(notice.to_vec()).unwrap();
        wanted.retain(|wanted| !notice.contains(wanted));
    }
}

#[tokio::test]
async fn each_file_says_for_whom_it_is_and_how_old_it_is() {
    let bench = bench();
    let text = "---\nname: quiet\ndescription: x\ndisable-model-invocation: true\n---\n";
    write(bench.root(), "quiet/SKILL.md", text);
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_764_476_729);
    for path in ["quiet/SKILL.md", "bake/SKILL.md", "bake/nul.txt"] {
        let file = fs::File::options()
            .write(true)
            .open(bench.root().join(path));
        file.unwrap().set_modified(then).unwrap();
    }
    bench.rediscover();
    let client = bench.session().await;
    let list = both(&bench, &client, "resources/list", json!({})).await;
    let of = |list: &Value, uri: &str| {
        let list = list["result"]["resources"].as_array().unwrap().clone();
        let mut found = list.into_iter().filter(|entry| entry["uri"] == uri);
        found.next().unwrap()["annotations"].clone()
    };
    assert_eq!(
        of(&list.answer, "skill://bake/SKILL.md"),
        json!({"audience": ["user", "assistant"], "priority": 1.0, "lastModified": "2025-11-30T04:25:29Z"})
    );
    assert_eq!(
        of(&list.answer, "skill://quiet/SKILL.md")["audience"],
        json!(["user"])
    );
    let folder = async |uri: &str| {
        let read = both(
            &bench,
            &client,
            "resources/directory/read",
            json!({"uri": uri}),
        )
        .await;
        read.answer
    };
    assert_eq!(
        of(&folder("skill://bake").await, "skill://bake/nul.txt"),
        json!({"audience": ["user", "assistant"], "lastModified": "2025-11-30T04:25:29Z"})
    );
    assert_eq!(
        of(&folder("skill://bake").await, "skill://bake/references"),
        json!(null)
    );
    let hidden = of(&folder("skill://hidden").await, "skill://hidden/SKILL.md");
    assert_eq!(hidden["audience"], json!(["assistant"]));
    // A file that is touched is the same file; one with other bytes is as old as they are.
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let touched = || {
        let path = bench.root().join("bake/nul.txt");
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    };
    touched();
    let now = of(&folder("skill://bake").await, "skill://bake/nul.txt");
    assert_eq!(now["lastModified"], "2025-11-30T04:25:29Z");
    write(bench.root(), "bake/nul.txt", b"b\0");
    touched();
    let now = of(&folder("skill://bake").await, "skill://bake/nul.txt");
    assert_eq!(now["lastModified"], "1970-01-01T00:00:00Z");
    let told = heard(&bench, &stream, 0).await;
    assert_eq!(told, ["notifications/resources/list_changed"]);
}
