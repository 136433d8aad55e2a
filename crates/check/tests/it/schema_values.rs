//! Each key of both files with each kind of value: the schemas and the check agree on all of them.

use std::collections::BTreeMap;
use std::fs;

use metier_check::{CheckOptions, check};
use metier_diagnostics::Severity;
use metier_loader::format::{skill_schema, tools_schema};
use serde_json::{Value, json};

use crate::schemas::{compiled, is_exception};

/// What an author may write in the place of any value.
fn values() -> Vec<Value> {
    let long = |length: usize| json!("y".repeat(length));
    vec![
        Value::Null,
        json!(""),
        json!(" "),
        json!("x"),
        json!("a b"),
        json!("a-b"),
        json!("a--b"),
        json!("A_b"),
        json!("a,b"),
        json!("no"),
        json!("YES"),
        json!("true"),
        json!("1"),
        json!("1.10"),
        json!("main"),
        json!("async"),
        json!("{\"type\": \"object\"}"),
        json!("\u{e9}"),
        long(70),
        long(600),
        long(1100),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(60),
        json!(u64::MAX),
        json!([]),
        json!(["a"]),
        json!([null]),
        json!([""]),
        json!([1]),
        json!([[1]]),
        json!([{}]),
        json!({}),
        json!({"a": 1}),
        json!({"name": "x"}),
        json!([{"name": "x"}]),
        json!({"type": "object"}),
        json!({"type": "string"}),
    ]
}

/// The keys that the schema names at this place, and one that it does not know.
fn keys(schema: &Value, owner: Option<&str>) -> Vec<String> {
    let place = owner.map_or("/properties".to_owned(), |owner| {
        format!("/$defs/{owner}/properties")
    });
    let known = schema.pointer(&place).unwrap().as_object().unwrap();
    known.keys().cloned().chain(["colour".to_owned()]).collect()
}

/// A skill with the two files.
struct Pair {
    front: Value,
    tools: Value,
}

fn pairs() -> Vec<Pair> {
    let (skill, tools) = (skill_schema(), tools_schema());
    let plain = json!({"tools": [{"name": "t", "source_file": "scripts/s.py"}]});
    let with = json!({"dcc-mcp": {"tools": "tools.yaml"}});
    let mut pairs = Vec::new();
    let mut front = |key: &str, value: Value| {
        let mut front = json!({"name": "", "description": "Does it.", "metadata": with});
        front[key] = value;
        pairs.push(Pair {
            front,
            tools: plain.clone(),
        });
    };
    for value in values() {
        for key in keys(&skill, None) {
            front(&key, value.clone());
        }
        for key in keys(&skill, Some("DccFields")) {
            front("metadata", json!({"dcc-mcp": {(key.as_str()): value}}));
            front("metadata", json!({(format!("dcc-mcp.{key}")): value}));
        }
        front("metadata", json!({"dcc-mcp": value}));
    }
    let mut file = |tools: Value| {
        let front = json!({"name": "", "description": "Does it.", "metadata": with});
        pairs.push(Pair { front, tools });
    };
    for value in values() {
        for key in keys(&tools, Some("ToolFields")) {
            let mut tools = plain.clone();
            tools["tools"][0][key.as_str()] = value.clone();
            file(tools);
        }
        for (owner, place) in [("Annotations", "annotations"), ("NextTools", "next-tools")] {
            for key in keys(&tools, Some(owner)) {
                let mut tools = plain.clone();
                tools["tools"][0][place] = json!({(key.as_str()): value});
                file(tools);
            }
        }
        for key in keys(&tools, Some("GroupFields")) {
            let mut tools = plain.clone();
            tools["groups"] = json!([{"name": "g"}]);
            tools["groups"][0][key.as_str()] = value.clone();
            file(tools);
        }
        file(json!({"tools": value}));
        file(json!({"tools": ["t", value]}));
        file(json!({"tools": ["t"], "groups": value}));
        file(json!({"tools": ["t"], "groups": [value]}));
        file(json!({"tools": ["t"], "colour": value}));
    }
    pairs
}

/// What the check reads at a tool without calling it unknown, an editor has to know as well.
#[test]
fn every_key_of_a_tool_stands_in_the_schema() {
    let known = keys(&tools_schema(), Some("ToolFields"));
    for key in [
        "read_only_hint",
        "read-only-hint",
        "destructive_hint",
        "idempotent_hint",
        "open_world_hint",
        "deferred_hint",
        "enforce_thread_affinity",
        "job_strategy",
        "intent",
        "tool_role",
        "risk",
        "side_effects",
        "produces",
        "requires",
        "call_examples",
    ] {
        assert!(known.iter().any(|known| known == key), "{key}");
    }
}

#[test]
fn each_key_with_each_value_is_valid_or_an_error_in_both() {
    let mut pairs = pairs();
    let folder = tempfile::tempdir().unwrap();
    for (number, pair) in pairs.iter_mut().enumerate() {
        let skill = folder.path().join(format!("s{number}"));
        if pair.front["name"] == "" {
            pair.front["name"] = json!(format!("s{number}"));
        }
        fs::create_dir_all(skill.join("scripts")).unwrap();
        fs::write(skill.join("scripts/s.py"), "").unwrap();
        let front = serde_yaml::to_string(&pair.front).unwrap();
        fs::write(skill.join("SKILL.md"), format!("---\n{front}---\n")).unwrap();
        let tools = serde_yaml::to_string(&pair.tools).unwrap();
        fs::write(skill.join("tools.yaml"), tools).unwrap();
    }
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let mut errors: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for finding in &report.findings {
        let found = &finding.diagnostic;
        if found.severity == Severity::Error
            && let Some(place) = found.location()
        {
            let parts: Vec<&str> = place.file.rsplit('/').take(2).collect();
            let file = format!("{}/{}", parts[1], parts[0]);
            errors.entry(file).or_default().push(found.code.id);
        }
    }
    let schemas = [compiled(skill_schema()), compiled(tools_schema())];
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (number, pair) in pairs.iter().enumerate() {
        // A tools file that the front matter does not name is not read.
        let is_read = pair.front.pointer("/metadata/dcc-mcp/tools") == Some(&json!("tools.yaml"));
        let files = [
            ("SKILL.md", &pair.front, true),
            ("tools.yaml", &pair.tools, is_read),
        ];
        for (schema, (file, value, is_read)) in schemas.iter().zip(files) {
            let codes = errors
                .remove(&format!("s{number}/{file}"))
                .unwrap_or_default();
            // A path that the system takes for none at all is about another file, too.
            let is_beyond = |code: &&str| is_exception(code) || *code == "MT203";
            if !is_read || codes.iter().any(is_beyond) {
                continue;
            }
            compared += 1;
            let is_valid = schema.validate(value).is_ok();
            if is_valid != codes.is_empty() {
                wrong.push(format!(
                    "{file}: valid {is_valid}, errors {codes:?}: {value}"
                ));
            }
        }
    }
    wrong.dedup();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 5_000, "{compared}");
}
