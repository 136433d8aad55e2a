//! Skills as prompts, and completions.

use serde_json::{Value, json};

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
