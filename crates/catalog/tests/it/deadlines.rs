//! How long a tool may run: what its author writes, and what then happens to the script.

use std::fmt::Write as _;
use std::time::Duration;

use metier_catalog::CatalogSettings;
use serde_json::{Value, json};

use crate::bench_folder::Bench;

/// One tool for each way to write the hint, and one without.
fn tools(hints: &[&str]) -> String {
    let mut tools = String::from("tools:\n  - name: plain\n    source_file: scripts/run.py\n");
    for (n, hint) in hints.iter().enumerate() {
        writeln!(
            tools,
            "  - name: t{n}\n    source_file: scripts/run.py\n    timeout_hint_secs: {hint}"
        )
        .unwrap();
    }
    tools
}

#[tokio::test]
async fn a_hint_is_whole_seconds_and_anything_else_is_told_and_costs_nothing() {
    let hints: [(&str, Value); 19] = [
        ("120", json!(120)),
        ("\"120\"", json!(120)),
        ("120.0", json!(120)),
        ("0", json!(0)),
        ("18446744073709551615", json!(u64::MAX)),
        ("null", Value::Null),
        ("~", Value::Null),
        ("18446744073709551616", Value::Null),
        ("1e3", Value::Null),
        ("-5", Value::Null),
        ("-0.0", Value::Null),
        ("1.5", Value::Null),
        (".nan", Value::Null),
        ("NaN", Value::Null),
        (".inf", Value::Null),
        ("soon", Value::Null),
        ("true", Value::Null),
        ("[60]", Value::Null),
        ("{secs: 60}", Value::Null),
    ];
    let bench = Bench::new();
    let written: Vec<_> = hints.iter().map(|(written, _)| *written).collect();
    bench.skill_with_tools("box", &tools(&written), "print('{}')");
    bench.discover();
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "box"}))
        .await;
    let shown = info["skill"]["metadata"]["tools"].as_array().unwrap();
    assert_eq!(shown.len(), hints.len() + 1, "{info}");
    let snapshot = bench.catalog.snapshot();
    let told: Vec<_> = snapshot
        .operator_findings()
        .into_iter()
        .map(|(_, finding)| finding.message.clone())
        .collect();
    for ((written, wanted), tool) in hints.iter().zip(shown.iter().skip(1)) {
        assert_eq!(tool["timeout_hint_secs"], *wanted, "{written}");
        let name = tool["name"].as_str().unwrap();
        let fault = format!("`{name}: timeout_hint_secs` must be a whole number of seconds");
        let is_fault = wanted.is_null() && !matches!(*written, "null" | "~");
        assert_eq!(told.contains(&fault), is_fault, "{written}: {told:?}");
    }
    // A hint that means nothing leaves a tool that can be called.
    bench.catalog.load_skill("box").await.unwrap();
    for (n, (hint, _)) in hints.iter().enumerate() {
        let answer = bench.output(&format!("box__t{n}"), json!({})).await;
        assert!(!answer.is_error, "{hint}: {answer:?}");
    }
}

fn quick(settings: &mut CatalogSettings) {
    settings.run.limits.deadline = Duration::from_millis(200);
    settings.run.limits.grace = Duration::from_millis(50);
}

#[tokio::test]
async fn a_hint_binds_for_its_own_tool_and_no_other() {
    let bench = Bench::with(quick);
    // Whoever is hinted waits for what the test does after the others have met their limit.
    let script = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('{\"went\": true}')\n";
    bench.skill_with_tools("box", &tools(&["0", "300"]), script);
    bench.skill_with_tools("beside", &tools(&[]), script);
    bench.discover();
    for skill in ["box", "beside"] {
        bench.catalog.load_skill(skill).await.unwrap();
    }
    let dispatcher = bench.dispatcher.clone();
    let hinted = tokio::spawn(async move {
        let request = metier_catalog::CallRequest::new("box__t1", None);
        dispatcher.call(request).await.unwrap()
    });
    for short in ["box__plain", "box__t0", "beside__plain"] {
        let answer = bench.output(short, json!({})).await;
        assert_eq!(
            answer.joined_text(),
            "the script was still running at its time limit of 0.2 s and was ended",
            "{short}"
        );
    }
    assert!(!hinted.is_finished());
    bench.file("box/go", "");
    let answer = hinted.await.unwrap();
    assert_eq!(answer.structured.unwrap()["went"], true);
}

#[tokio::test]
async fn a_hint_over_the_bound_of_the_server_ends_at_the_bound() {
    let bench = Bench::with(|settings| {
        quick(settings);
        settings.run.longest_deadline = Duration::from_millis(400);
    });
    let script = "import time\ntime.sleep(600)\n";
    bench.skill_with_tools("box", &tools(&["300", "18446744073709551615"]), script);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    for tool in ["box__t0", "box__t1"] {
        let answer = bench.output(tool, json!({})).await;
        assert_eq!(
            answer.joined_text(),
            "the script was still running at its time limit of 0.4 s and was ended",
            "{tool}"
        );
    }
}
