//! Skills over MCP (SEP-2640): the list, single entries, what is left out and why.

use metier_mcp::Incoming;
use serde_json::json;

use crate::bench::{Bench, LATEST};
use crate::skill_folder::{bench, both, error, write};

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
async fn a_name_found_twice_is_listed_once_and_served_under_the_label_of_its_root() {
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
    let listed = [
        "skill://bake/SKILL.md",
        "skill://one/SKILL.md",
        "skill://two/SKILL.md",
    ];
    assert_eq!(uris, listed);
    // Its front matter says a name under which the other skill's tools are called.
    let left_out = &list.answer["result"]["_meta"]["dcc"]["left_out"]["explicit-2/one"];
    assert!(
        left_out.as_str().unwrap().contains("comes first"),
        "{list:?}"
    );
    let resources = client.request("resources/list", json!({})).await;
    let index = json!({"uri": "skill://index.json"});
    let index = both(&bench, &client, "resources/read", index).await;
    for (list, name) in [
        (&resources.raw, r#""name":"one""#),
        (&index.raw, r#"\"name\":\"one\""#),
    ] {
        assert_eq!(list.matches(name).count(), 1, "{list}");
        assert!(!list.contains("explicit-2"), "{list}");
    }
    let copy = json!({"uri": "skill://explicit-2/one/SKILL.md"});
    let read = both(&bench, &client, "resources/read", copy.clone()).await;
    assert!(read.raw.contains("Other"));
    let got = both(&bench, &client, "skills/get", copy).await;
    assert_eq!(
        got.answer["result"]["skill"]["frontmatter"]["description"],
        "The other one."
    );
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
async fn a_known_skill_that_is_not_served_says_so_and_nothing_stands_in_for_it() {
    let bench = bench();
    let other = tempfile::tempdir().unwrap();
    let colon = "---\nname: notes\ndescription: The winner: with a colon\n---\n";
    write(bench.root(), "notes/SKILL.md", colon);
    let copy = "---\nname: notes\ndescription: The copy.\n---\n";
    write(other.path(), "notes/SKILL.md", copy);
    write(bench.root(), "broken/SKILL.md", "---\nname: [\n---\n");
    let roots = [bench.root().to_owned(), other.path().to_owned()];
    bench.catalog.discover(&roots, None);
    let client = bench.session().await;
    for list in ["skills/list", "resources/list", "prompts/list"] {
        let list = both(&bench, &client, list, json!({})).await;
        assert!(!list.raw.contains("The copy."), "{}", list.raw);
    }
    for (name, known) in [
        (
            "notes",
            "known and not served: its front matter is not valid YAML",
        ),
        ("broken", "found and rejected: "),
        ("nope", "there is no such skill"),
    ] {
        for method in ["resources/read", "skills/get"] {
            let uri = json!({"uri": format!("skill://{name}/SKILL.md")});
            let why = error(&bench, &client, method, uri).await;
            assert!(why.contains(known), "{method}: {why}");
        }
    }
}

/// Whoever looks for a skill finds why it is not there, also where nothing of it is served.
#[tokio::test]
async fn what_is_rejected_or_blocked_is_named_with_the_reason() {
    let bench = bench();
    let client = bench.session().await;
    let _ = both(&bench, &client, "skills/list", json!({})).await;
    let named = "---\nname: names\ndescription: x\n---\n";
    write(bench.root(), "names/SKILL.md", named);
    write(bench.root(), "names/n.md", "a\u{202e}b");
    write(bench.root(), "broken/SKILL.md", "---\nname: [\n---\n");
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    bench.rediscover();
    let list = both(&bench, &client, "skills/list", json!({})).await;
    let left_out = &list.answer["result"]["_meta"]["dcc"]["left_out"];
    for (name, code) in [("broken", "MT108"), ("names", "MT4")] {
        let why = left_out[name]
            .as_str()
            .unwrap_or_else(|| panic!("{left_out}"));
        assert!(
            why.starts_with("it was found and rejected: ") && why.contains("error["),
            "{why}"
        );
        assert!(
            why.contains(code) && !why.contains(bench.root().to_str().unwrap()),
            "{why}"
        );
    }
    let _ = crate::agreement::heard(&bench, &stream, 0).await;
    // That one more is rejected is news, as the list says it.
    write(bench.root(), "worse/SKILL.md", "---\n- x\n---\n");
    bench.rediscover();
    let heard = crate::agreement::heard(&bench, &stream, 1).await;
    assert_eq!(heard, ["notifications/resources/list_changed"]);
    for n in 0..120 {
        write(
            bench.root(),
            &format!("w{n:03}/SKILL.md"),
            "---\n- x\n---\n",
        );
    }
    bench.rediscover();
    let list = both(&bench, &client, "skills/list", json!({})).await;
    assert_eq!(list.answer["result"]["_meta"]["dcc"]["more_rejected"], 23);
}

#[tokio::test]
async fn a_disabled_skill_is_told_as_that_by_whatever_name_it_is_asked_for() {
    let bench = Bench::with_settings(|settings| {
        settings.disabled.insert("off".to_owned());
    });
    write(
        bench.root(),
        "off/SKILL.md",
        "---\nname: off\ndescription: x\n---\n",
    );
    bench.rediscover();
    let client = bench.session().await;
    let expected = "the skill `off` is disabled; whoever runs the server can enable it";
    for (method, params) in [
        ("resources/read", json!({"uri": "skill://off/SKILL.md"})),
        (
            "resources/read",
            json!({"uri": "skill://explicit-2/off/SKILL.md"}),
        ),
        ("resources/directory/read", json!({"uri": "skill://off"})),
        ("skills/get", json!({"uri": "skill://off/SKILL.md"})),
        ("prompts/get", json!({"name": "off"})),
        ("prompts/get", json!({"name": "off__one"})),
    ] {
        let why = error(&bench, &client, method, params.clone()).await;
        assert!(why.contains(expected), "{method} {params}: {why}");
    }
    let list = both(&bench, &client, "skills/list", json!({})).await;
    assert!(!list.raw.contains("off"), "{}", list.raw);
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

#[tokio::test]
async fn the_instructions_name_ways_in_that_there_are() {
    let usual = metier_mcp::McpConfig::default().instructions.unwrap();
    let told = usual.clone();
    let bench = Bench::with(|config| config.instructions = Some(told));
    let client = bench.session().await;
    let hello = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}});
    let legacy = bench.initialize(hello).await;
    let modern = bench.modern("server/discover", json!({})).await;
    for heard in [legacy, modern] {
        assert_eq!(heard.answer["result"]["instructions"], usual);
    }
    let tools = client.request("tools/list", json!({})).await;
    for tool in [
        "search_skills",
        "load_skill",
        "list_skills",
        "get_skill_info",
        "unload_skill",
    ] {
        assert!(usual.contains(tool), "{tool}");
        assert!(
            tools.raw.contains(&format!("\"name\":\"{tool}\"")),
            "{tool}"
        );
    }
    for uri in ["skill://index.json", "skill://one/SKILL.md"] {
        assert!(usual.contains(&uri.replace("one", "NAME")), "{uri}");
        both(&bench, &client, "resources/read", json!({"uri": uri})).await;
        let read = client.request("resources/read", json!({"uri": uri})).await;
        assert!(
            read.answer["result"]["contents"][0]["text"].is_string(),
            "{}",
            read.raw
        );
    }
}
