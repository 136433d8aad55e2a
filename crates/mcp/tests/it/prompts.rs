//! Skills as prompts, and completions.

use serde_json::{Value, json};

use crate::agreement::heard;
use crate::skill_folder::{bench, both, error, write};

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

/// Both ways to a skill's instructions, each without the line that it adds to them.
#[tokio::test]
async fn a_prompt_is_filled_as_the_tool_fills_the_same_skill() {
    let bench = bench();
    let body = "$mesh|$size|$mesh2|$other|$$|$$mesh|$0|$1|$2|$ARGUMENTS[1]|$ARGUMENTS[7]|$ARGUMENTS|$5.00|{baseDir}|$";
    for (name, names) in [
        ("fill", "mesh, size"),
        ("bare", ""),
        ("whole", "[arguments, size]"),
    ] {
        let head = format!("---\nname: {name}\ndescription: x\narguments: {names}\n---\n\n\n");
        write(
            bench.root(),
            &format!("{name}/SKILL.md"),
            format!("{head}{body}\n"),
        );
        let skill = format!("{name}-unused/SKILL.md");
        let head = head.replace(&format!("name: {name}"), &format!("name: {name}-unused"));
        write(bench.root(), &skill, format!("{head}No place.\n"));
    }
    bench.rediscover();
    let client = bench.session().await;
    for (skill, arguments, line) in [
        ("fill", json!({}), ""),
        ("fill", json!({"mesh": "a"}), "a"),
        ("fill", json!({"size": "2"}), "\"\" 2"),
        ("fill", json!({"size": "2", "mesh": "a"}), "a 2"),
        ("fill", json!({"size": "", "mesh": ""}), "\"\" \"\""),
        (
            "fill",
            json!({"mesh": "$1 $size", "size": "$mesh"}),
            "\"$1 $size\" $mesh",
        ),
        (
            "fill",
            json!({"mesh": "it's \"q\" \\ c:\\x"}),
            "\"it's \\\"q\\\" \\\\ c:\\\\x\"",
        ),
        (
            "fill",
            json!({"mesh": "a\u{a0}b\r\nc", "size": "3"}),
            "\"a\u{a0}b\r\nc\" 3",
        ),
        ("fill", json!({"arguments": "it's 2 $0"}), "it's 2 $0"),
        ("bare", json!({"arguments": "'a b' $1 c"}), "'a b' $1 c"),
        ("bare", json!({"arguments": " "}), " "),
        (
            "whole",
            json!({"arguments": "a b", "size": "7"}),
            "\"a b\" 7",
        ),
    ] {
        for skill in [skill.to_owned(), format!("{skill}-unused")] {
            let params = json!({"name": skill, "arguments": arguments});
            let prompt = both(&bench, &client, "prompts/get", params).await;
            let prompt = &prompt.answer["result"]["messages"][0]["content"]["text"];
            let (_, prompt) = prompt.as_str().unwrap().split_once("\n\n").unwrap();
            let call = json!({"name": "skill", "arguments": {"skill_name": skill, "args": line}});
            let tool = both(&bench, &client, "tools/call", call).await;
            let tool = &tool.answer["result"]["content"][0]["text"];
            let (tool, _) = tool.as_str().unwrap().rsplit_once("\n\n(Files of").unwrap();
            assert_eq!(prompt, tool, "{skill} {arguments}");
        }
    }
    let params = json!({"name": "fill", "arguments": {"arguments": "a", "size": "2"}});
    let told = error(&bench, &client, "prompts/get", params).await;
    assert!(
        told.contains("pass it alone, or mesh, size without it"),
        "{told}"
    );
    let params = json!({"name": "fill", "arguments": {"other": "a"}});
    let told = error(&bench, &client, "prompts/get", params).await;
    assert!(told.contains("expected mesh, size, arguments"), "{told}");
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

/// The prompts from before a torn save stay, also where the skill itself was read again meanwhile.
#[tokio::test]
async fn a_save_that_breaks_the_prompts_keeps_those_from_before() {
    let bench = bench();
    let skill =
        "---\nname: more\ndescription: x\nmetadata:\n  dcc-mcp:\n    prompts: prompts.yaml\n---\n";
    write(bench.root(), "more/SKILL.md", skill);
    let prompts = |template: &str| format!("prompts:\n- name: greet\n  template: {template}\n");
    write(bench.root(), "more/prompts.yaml", prompts("one"));
    bench.rediscover();
    let client = bench.session().await;
    let greeting = async || {
        let got = both(
            &bench,
            &client,
            "prompts/get",
            json!({"name": "more__greet"}),
        )
        .await;
        got.answer["result"]["messages"][0]["content"]["text"].clone()
    };
    // That it is so is told of the skill until the file is mended.
    let kept = || {
        let states = bench.catalog.text_states(&["more"]);
        let mut found = Vec::new();
        states[0].as_ref().unwrap().add_findings(&mut found);
        let kept = found.iter().filter(|found| found.code.id == "MT162");
        let files = kept.map(|kept| kept.location().unwrap().file.clone());
        files.collect::<Vec<_>>()
    };
    assert_eq!(greeting().await, "one");
    assert!(kept().is_empty());
    for broken in ["prompts: [", "prompt: []", "prompts: {}"] {
        write(bench.root(), "more/prompts.yaml", broken);
        bench.rediscover();
        assert_eq!(greeting().await, "one", "{broken}");
        assert_eq!(kept(), ["more/prompts.yaml"], "{broken}");
    }
    std::fs::remove_file(bench.root().join("more/prompts.yaml")).unwrap();
    bench.rediscover();
    assert_eq!(greeting().await, "one");
    write(bench.root(), "more/prompts.yaml", prompts("two"));
    bench.rediscover();
    assert_eq!(greeting().await, "two");
    assert!(kept().is_empty());
    // An empty list is what its author says.
    write(bench.root(), "more/prompts.yaml", "prompts: []");
    bench.rediscover();
    error(
        &bench,
        &client,
        "prompts/get",
        json!({"name": "more__greet"}),
    )
    .await;
}

/// The next notices, as far as there are any before this one.
async fn notices_until(stream: &metier_mcp::NoticeStream, last: &str) -> Vec<String> {
    let mut heard = Vec::new();
    loop {
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), stream.next());
        let notice = next.await.expect("a notice").unwrap();
        let notice: Value = serde_json::from_slice(&notice).unwrap();
        let method = notice["method"].as_str().unwrap();
        let what = method.trim_start_matches("notifications/");
        heard.push(what.trim_end_matches("/list_changed").to_owned());
        if heard.last().is_some_and(|it| it == last) {
            return heard;
        }
    }
}

#[tokio::test]
async fn an_edited_prompt_is_seen_by_the_next_look_and_told() {
    let bench = bench();
    let text =
        "---\nname: more\ndescription: x\nmetadata:\n  dcc-mcp:\n    prompts: 'p/*.yaml'\n---\n";
    let prompt =
        |name: &str, text: &str| format!("prompts: [{{name: {name}, template: {text}}}]\n");
    write(bench.root(), "more/SKILL.md", text);
    write(bench.root(), "more/p/a.yaml", prompt("greet", "Hi"));
    bench.rediscover();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let got = async || {
        let params = json!({"name": "more__greet"});
        let got = client.request("prompts/get", params).await;
        got.answer["result"]["messages"][0]["content"]["text"].clone()
    };
    let listed = async || {
        let list = client.request("prompts/list", json!({})).await;
        let prompts = list.answer["result"]["prompts"].as_array().unwrap().iter();
        let names = prompts.filter_map(|prompt| prompt["name"].as_str());
        let names = names.filter_map(|name| name.strip_prefix("more__"));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        (listed().await, got().await),
        (vec!["greet".to_owned()], json!("Hi"))
    );

    // A read is a look as well as a list.
    write(
        bench.root(),
        "more/p/a.yaml",
        prompt("greet", "Good morning"),
    );
    assert_eq!(got().await, "Good morning");
    assert_eq!(
        notices_until(&stream, "prompts").await,
        ["resources", "prompts"]
    );
    // A file that was not there, and what another list finds.
    write(bench.root(), "more/p/b.yaml", prompt("part", "Bye"));
    client.request("skills/list", json!({})).await;
    assert_eq!(
        notices_until(&stream, "prompts").await,
        ["resources", "prompts"]
    );
    assert_eq!(listed().await, ["greet", "part"]);
    let complete = json!({
        "ref": {"type": "ref/resource", "uri": "skill://{+path}"},
        "argument": {"name": "path", "value": "more/p"},
    });
    std::fs::remove_file(bench.root().join("more/p/b.yaml")).unwrap();
    client.request("completion/complete", complete).await;
    assert_eq!(
        notices_until(&stream, "prompts").await,
        ["resources", "prompts"]
    );
    assert_eq!(listed().await, ["greet"]);

    // Other bytes that say the same are no other prompts, and neither is another body.
    write(
        bench.root(),
        "more/p/a.yaml",
        format!("# !\n{}", prompt("greet", "Good morning")),
    );
    assert_eq!(listed().await, ["greet"]);
    write(bench.root(), "more/SKILL.md", format!("{text}\nMore.\n"));
    bench.rediscover();
    let told = heard(&bench, &stream, 1).await;
    let resources = "notifications/resources/list_changed";
    assert!(
        !told.is_empty() && told.iter().all(|it| it == resources),
        "{told:?}"
    );
    // An edit that comes with another SKILL.md is one.
    write(bench.root(), "more/SKILL.md", text);
    write(
        bench.root(),
        "more/p/a.yaml",
        prompt("greet", "Good evening"),
    );
    bench.rediscover();
    notices_until(&stream, "prompts").await;
    assert_eq!(got().await, "Good evening");
    // A save that breaks a file keeps its prompts; a list that holds none is what its author says.
    write(bench.root(), "more/p/a.yaml", "prompts: {");
    assert_eq!(listed().await, ["greet"]);
    write(bench.root(), "more/p/a.yaml", "prompts: []");
    assert!(listed().await.is_empty());
    notices_until(&stream, "prompts").await;
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
