//! Skills as texts: SEP-2640, resources, prompts and files for installers, all from one snapshot.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use metier_mcp::Incoming;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::bench::{Bench, Client, Heard};

const BODY: &str = "---\nname: bake\ndescription: Bakes. And more.\nversion: 1.10\narguments: [path]\n---\n\n# Bake $path from {baseDir}\n";

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A skill with files of every kind beside the two of the bench.
fn bench() -> Bench {
    let bench = Bench::new();
    let root = bench.root();
    write(root, "bake/SKILL.md", BODY);
    write(root, "bake/references/a b.md", "# é\r\n");
    write(root, "bake/references/deep/x.json", "{}");
    write(root, "bake/assets/dot.png", b"\x89PNG\r\n\x1a\n\0\xff");
    write(root, "bake/nul.txt", b"a\0b");
    write(root, "bake/.git/config", "secret");
    write(
        root,
        "Illegal/SKILL.md",
        "---\nname: Illegal_Name\ndescription: x\n---\n",
    );
    write(
        root,
        "hidden/SKILL.md",
        "---\nname: hidden\ndescription: x\nuser-invocable: false\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n---\nHi\n",
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", root.join("bake/out.txt")).unwrap();
    bench.rediscover();
    bench
}

/// The same request in both eras, which must agree but for what an era adds.
async fn both(bench: &Bench, client: &Client<'_>, method: &str, params: Value) -> Heard {
    let legacy = client.request(method, params.clone()).await;
    let modern = bench.modern(method, params).await;
    assert_eq!(
        (legacy.status, modern.status),
        (200, 200),
        "{method}: {}",
        modern.raw
    );
    let mut stripped = modern.answer.clone();
    if let Some(result) = stripped.get_mut("result").and_then(Value::as_object_mut) {
        assert_eq!(
            result.remove("resultType"),
            Some(json!("complete")),
            "{method}"
        );
        result.remove("ttlMs");
        result.remove("cacheScope");
        let meta = result["_meta"].as_object_mut().unwrap();
        meta.remove("io.modelcontextprotocol/serverInfo");
        if meta.is_empty() {
            result.remove("_meta");
        }
    }
    assert_eq!(
        without_place(&legacy.answer),
        without_place(&stripped),
        "{method}"
    );
    legacy
}

/// Where in the text something was wrong depends on what an era adds to it.
fn without_place(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(Value::String(message)) = answer.pointer_mut("/error/message")
        && let Some((what, _)) = message.split_once(" at line ")
    {
        *message = what.to_owned();
    }
    answer
}

async fn error(bench: &Bench, client: &Client<'_>, method: &str, params: Value) -> String {
    let heard = both(bench, client, method, params).await;
    assert_eq!(heard.code(), -32602, "{}", heard.raw);
    heard.answer["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn bytes_of(content: &Value) -> Vec<u8> {
    match &content["blob"] {
        Value::String(blob) => STANDARD.decode(blob).unwrap(),
        _ => content["text"].as_str().unwrap().as_bytes().to_vec(),
    }
}

fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[tokio::test]
async fn every_skill_is_listed_with_its_files_and_says_why_not() {
    let bench = bench();
    let client = bench.session().await;
    let heard = both(&bench, &client, "skills/list", json!({})).await;
    let result = &heard.answer["result"];
    let uris: Vec<_> = result["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["uri"].clone())
        .collect();
    assert_eq!(
        uris,
        [
            "skill://bake/SKILL.md",
            "skill://one/SKILL.md",
            "skill://two/SKILL.md"
        ]
    );
    insta::assert_snapshot!(result["skills"][0]);
    insta::assert_snapshot!(result["_meta"]);
    let modern = bench.modern("skills/list", json!({})).await;
    assert_eq!(
        (
            &modern.answer["result"]["ttlMs"],
            &modern.answer["result"]["cacheScope"]
        ),
        (&json!(0), &json!("public"))
    );

    let got = both(
        &bench,
        &client,
        "skills/get",
        json!({"uri": "skill://bake/SKILL.md"}),
    )
    .await;
    assert_eq!(got.answer["result"]["skill"], result["skills"][0]);
    let unlisted = both(
        &bench,
        &client,
        "skills/get",
        json!({"uri": "skill://hidden/SKILL.md"}),
    )
    .await;
    assert_eq!(
        unlisted.answer["result"]["skill"]["frontmatter"]["name"],
        "hidden"
    );
    for uri in [
        "skill://nope/SKILL.md",
        "skill://bake/nul.txt",
        "skill://bake",
        "file:///etc/passwd",
        "skill://bake/../one/SKILL.md",
    ] {
        error(&bench, &client, "skills/get", json!({"uri": uri})).await;
    }
    let why = error(
        &bench,
        &client,
        "skills/get",
        json!({"uri": "skill://Illegal_Name/SKILL.md"}),
    )
    .await;
    assert!(why.contains("not served"), "{why}");
    error(
        &bench,
        &client,
        "skills/list",
        json!({"cursor": "nonsense"}),
    )
    .await;
    error(&bench, &client, "skills/get", json!({})).await;
}

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
            assert_eq!(content["_meta"]["dcc"]["digest"], file["digest"]);
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
            resource["_meta"]["dcc"]["digest"],
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
    insta::assert_snapshot!(listed.answer["result"]["resources"][0]);
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
    insta::assert_snapshot!(read("skill://bake").await);
    insta::assert_snapshot!(read("skill://bake/references").await);
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
        after
            .to_string()
            .contains(content["_meta"]["dcc"]["digest"].as_str().unwrap())
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
async fn a_skill_that_is_too_large_is_left_out_with_the_reason() {
    let bench = bench();
    for n in 0..513 {
        write(bench.root(), &format!("two/many/{n}.txt"), "x");
    }
    write(bench.root(), "one/big.bin", vec![7; 16 * 1024 * 1024]);
    let client = bench.session().await;
    let list = both(&bench, &client, "skills/list", json!({})).await;
    assert_eq!(list.answer["result"]["skills"].as_array().unwrap().len(), 1);
    insta::assert_snapshot!(list.answer["result"]["_meta"]);
    let listed = client.request("resources/list", json!({})).await;
    assert_eq!(
        listed.answer["result"]["resources"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    for method in ["skills/get", "resources/read"] {
        let why = error(
            &bench,
            &client,
            method,
            json!({"uri": "skill://two/SKILL.md"}),
        )
        .await;
        assert!(why.contains("512 files"), "{why}");
    }
    let loaded = client
        .call("load_skill", json!({"skill_name": "two"}))
        .await;
    assert_eq!(
        loaded.answer["result"]["isError"], false,
        "it stays usable as tools"
    );
}

#[tokio::test]
async fn a_name_found_twice_is_served_under_the_label_of_its_root() {
    let bench = bench();
    let other = tempfile::tempdir().unwrap();
    write(
        other.path(),
        "one/SKILL.md",
        "---\nname: one\ndescription: The other one.\n---\nOther\n",
    );
    let roots = [bench.root().to_owned(), other.path().to_owned()];
    bench.catalog.discover(&roots, None);
    let client = bench.session().await;
    let list = both(&bench, &client, "skills/list", json!({})).await;
    let uris: Vec<_> = list.answer["result"]["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        uris,
        [
            "skill://bake/SKILL.md",
            "skill://explicit-2/one/SKILL.md",
            "skill://one/SKILL.md",
            "skill://two/SKILL.md"
        ]
    );
    let read = both(&bench, &client, "resources/read", json!({"uri": uris[1]})).await;
    assert!(read.raw.contains("Other"));
    both(
        &bench,
        &client,
        "resources/directory/read",
        json!({"uri": "skill://explicit-2/one"}),
    )
    .await;
    let prompts = client.request("prompts/list", json!({})).await;
    assert_eq!(prompts.raw.matches(r#""name":"one""#).count(), 1);
}

#[tokio::test]
async fn pages_walk_through_every_skill_once() {
    let bench = bench();
    for n in 0..120 {
        write(
            bench.root(),
            &format!("s{n:03}/SKILL.md"),
            format!("---\nname: s{n:03}\ndescription: x\n---\n"),
        );
    }
    bench.rediscover();
    let client = bench.session().await;
    let mut seen = Vec::new();
    let mut cursor = json!(null);
    loop {
        let params = if cursor.is_null() {
            json!({})
        } else {
            json!({"cursor": cursor})
        };
        let page = both(&bench, &client, "skills/list", params).await;
        let skills = page.answer["result"]["skills"].as_array().unwrap().clone();
        assert!(skills.len() <= 50);
        seen.extend(
            skills
                .iter()
                .map(|skill| skill["uri"].as_str().unwrap().to_owned()),
        );
        cursor = page.answer["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let mut sorted = seen.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((seen.len(), sorted.len()), (123, 123));
    let resources = client.request("resources/list", json!({})).await;
    assert_eq!(
        resources.answer["result"]["resources"]
            .as_array()
            .unwrap()
            .len(),
        123
    );
    assert!(resources.answer["result"]["nextCursor"].is_null());
}

#[tokio::test]
async fn prompts_are_the_skills_that_a_person_may_invoke() {
    let bench = bench();
    let client = bench.session().await;
    let list = both(&bench, &client, "prompts/list", json!({})).await;
    insta::assert_snapshot!(list.answer["result"]["prompts"]);
    let got = both(
        &bench,
        &client,
        "prompts/get",
        json!({"name": "bake", "arguments": {"path": "a b"}}),
    )
    .await;
    insta::assert_snapshot!(got.answer["result"]);
    for params in [
        json!({"name": "hidden"}),
        json!({"name": "nope"}),
        json!({}),
        json!({"name": "bake", "arguments": {"path": 7}}),
    ] {
        error(&bench, &client, "prompts/get", params).await;
    }
    let templates = both(&bench, &client, "resources/templates/list", json!({})).await;
    insta::assert_snapshot!(templates.answer["result"]);
}

#[tokio::test]
async fn a_skill_brings_prompts_along() {
    let bench = bench();
    let text =
        "---\nname: more\ndescription: x\nmetadata:\n  dcc-mcp:\n    prompts: prompts.yaml\n---\n";
    write(bench.root(), "more/SKILL.md", text);
    let prompts = "prompts:\n- name: greet\n  description: Greets.\n  template: 'Hi {{who}}, {{ other }} {{who'\n  arguments: [{name: who, required: true}]\n- name: broken\n";
    write(bench.root(), "more/prompts.yaml", prompts);
    bench.rediscover();
    let client = bench.session().await;
    let list = both(&bench, &client, "prompts/list", json!({})).await;
    let prompts = list.answer["result"]["prompts"].as_array().unwrap();
    insta::assert_snapshot!(
        prompts
            .iter()
            .find(|prompt| prompt["name"] == "more__greet")
            .unwrap()
    );
    let params = json!({"name": "more__greet", "arguments": {"who": "{{who}}"}});
    let got = both(&bench, &client, "prompts/get", params).await;
    assert_eq!(
        got.answer["result"]["messages"][0]["content"]["text"],
        "Hi {{who}}, {{ other }} {{who"
    );
    let missing = error(
        &bench,
        &client,
        "prompts/get",
        json!({"name": "more__greet"}),
    )
    .await;
    assert!(missing.contains("arguments.who"), "{missing}");
    error(
        &bench,
        &client,
        "prompts/get",
        json!({"name": "more__broken"}),
    )
    .await;
}

#[tokio::test]
async fn completions_know_skills_files_and_nothing_made_up() {
    let bench = bench();
    let client = bench.session().await;
    let ask = async |reference: Value, name: &str, value: &str| {
        both(
            &bench,
            &client,
            "completion/complete",
            json!({"ref": reference, "argument": {"name": name, "value": value}}),
        )
        .await
        .answer["result"]["completion"]
            .clone()
    };
    let files = json!({"type": "ref/resource", "uri": "skill://{+path}"});
    insta::assert_snapshot!(ask(files.clone(), "path", "b").await);
    insta::assert_snapshot!(ask(files.clone(), "path", "bake/ref").await);
    let prompt = json!({"type": "ref/prompt", "name": "bake"});
    assert_eq!(
        ask(prompt.clone(), "skill", "t").await["values"],
        json!(["two"])
    );
    assert_eq!(
        ask(prompt.clone(), "tool", "load_").await["values"],
        json!(["load_skill", "unload_skill"])
    );
    assert_eq!(
        ask(prompt, "path", "x").await,
        json!({"total": 0, "hasMore": false, "values": []})
    );
    for reference in [
        json!({"type": "ref/prompt", "name": "nope"}),
        json!({"type": "ref/resource", "uri": "x"}),
        json!({"type": "ref/other"}),
    ] {
        error(
            &bench,
            &client,
            "completion/complete",
            json!({"ref": reference, "argument": {"name": "a", "value": ""}}),
        )
        .await;
    }
}

#[tokio::test]
async fn the_name_header_of_a_read_repeats_its_uri() {
    let bench = bench();
    let body =
        crate::bench::modern_request("resources/read", json!({"uri": "skill://bake/SKILL.md"}));
    for (name, status) in [
        ("skill://bake/SKILL.md", 200),
        ("skill://one/SKILL.md", 400),
    ] {
        let headers = [
            ("mcp-protocol-version", crate::bench::MODERN),
            ("mcp-method", "resources/read"),
            ("mcp-name", name),
        ];
        assert_eq!(bench.modern_with(&body, &headers).await.status, status);
    }
    let early = Incoming::new(r#"{"jsonrpc":"2.0","id":1,"method":"skills/list"}"#);
    assert_eq!(bench.send(early).await.status, 400, "not before initialize");
}
