//! What no reader sees reaches no model by a name, a title or a description, whichever surface it looks at.

use metier_catalog::SkillTools;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::skill_folder::write;

/// Bits of hostile and of honest text. Two of the hidden ones never stand side by side here: long runs are blocked.
const HIDDEN: [&str; 14] = [
    "\u{200B}",
    "\u{2060}",
    "\u{FEFF}",
    "\u{AD}",
    "\u{202E}",
    "\u{2066}",
    "\u{61C}",
    "\u{FE0F}",
    "\u{FE0E}",
    "\u{3164}",
    "\u{180E}",
    "\u{200D}",
    "\u{E0041}",
    "\u{E0101}",
];
const SEEN: [&str; 6] = ["bakes", "灯光", "é", "1", "❤\u{FE0F}", "maps of"];

fn text() -> impl Strategy<Value = String> {
    let part = (0..SEEN.len(), proptest::option::of(0..HIDDEN.len()));
    proptest::collection::vec(part, 1..8).prop_map(|parts| {
        let parts = parts.into_iter().map(|(seen, hidden)| {
            let hidden = hidden.map_or("", |hidden| HIDDEN[hidden]);
            format!("{}{hidden}x ", SEEN[seen])
        });
        parts.collect()
    })
}

/// A character of those above that stands where nobody sees it.
fn hidden_in(text: &str) -> Option<char> {
    let chars: Vec<char> = text.chars().collect();
    let mut places = chars.iter().enumerate();
    let found = places.find(|(at, c)| {
        let behind_a_heart = *at > 0 && chars[at - 1] == '❤';
        let is_hidden = HIDDEN.iter().any(|hidden| hidden.starts_with(**c));
        is_hidden && !(behind_a_heart && **c == '\u{FE0F}')
    });
    found.map(|(_, c)| *c)
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

/// The answer of `tools/list` while the skill is not loaded.
async fn nothing_hidden_is_shown(words: &str) -> Value {
    let bench = Bench::with_settings(|settings| settings.skill_tools = SkillTools::On);
    let words = quoted(words);
    let root = bench.root();
    write(
        root,
        "bake/SKILL.md",
        format!(
            "---\nname: bake\ndescription: {words}\nargument-hint: {words}\nwhen_to_use: {words}\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n    tags: [{words}]\n    search-hint: {words}\n    prompts: prompts.yaml\n---\nBody.\n"
        ),
    );
    write(
        root,
        "bake/tools.yaml",
        format!(
            "tools:\n  - name: go\n    description: {words}\n    source_file: go.py\n    annotations: {{title: {words}}}\n    input_schema: {{type: object, properties: {{path: {{type: string, description: {words}}}}}}}\n"
        ),
    );
    write(root, "bake/go.py", "print('{}')\n");
    write(
        root,
        "bake/prompts.yaml",
        format!(
            "prompts: [{{name: a, description: {words}, template: The, arguments: [{{name: b, description: {words}}}]}}]\n"
        ),
    );
    bench.rediscover();
    let client = bench.session().await;
    let mut answers = Vec::new();
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "metier://listing"})),
        ("resources/read", json!({"uri": "skill://index.json"})),
    ] {
        answers.push((method, client.request(method, params).await.answer));
    }
    let information = json!({"name": "late", "version": "0"});
    let params = json!({"protocolVersion": crate::bench::LATEST, "capabilities": {}, "clientInfo": information});
    answers.push(("initialize", bench.initialize(params).await.answer));
    for (tool, arguments) in [
        ("list_skills", json!({})),
        ("search_skills", json!({"query": "bakes maps"})),
        ("get_skill_info", json!({"skill_name": "bake"})),
        ("discover_skills", json!({"query": "select:bake"})),
        ("skills_listing", json!({})),
        ("load_skill", json!({"skill_name": "bake"})),
    ] {
        answers.push((tool, client.call(tool, arguments).await.answer));
    }
    let loaded = client.request("tools/list", json!({})).await.answer;
    answers.push(("tools/list, loaded", loaded));
    let index = bench.server.agent_skills("index.json").await.unwrap();
    answers.push(("well-known", serde_json::from_slice(&index.bytes).unwrap()));
    for (surface, answer) in &answers {
        let mut rest = vec![answer];
        while let Some(value) = rest.pop() {
            match value {
                // Some answers are JSON in a text.
                Value::String(text) => assert_eq!(hidden_in(text), None, "{surface}: {text:?}"),
                Value::Array(items) => rest.extend(items),
                Value::Object(members) => rest.extend(members.values()),
                _ => {}
            }
        }
    }
    answers.swap_remove(0).1
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_seen_is_shown() {
    let listed = nothing_hidden_is_shown("a\u{200B}b ❤\u{FE0F} c\u{FE0F}").await;
    assert!(listed.to_string().contains("ab ❤\u{FE0F} c "), "{listed}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_surface_shows_what_no_reader_sees(words in text()) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(nothing_hidden_is_shown(&words));
    }
}
