//! What a script sees of the world.

use std::collections::BTreeSet;

use metier_runner::EnvironmentPolicy;
use serde_json::json;

use crate::stage::{Stage, go, json, patient};

#[tokio::test]
async fn only_what_the_policy_lets_through_is_seen() {
    let stage = Stage::python("import json, os\nprint(json.dumps(sorted(os.environ)))\n");
    let mut job = stage.job();
    let path = std::env::var_os("PATH").unwrap();
    let server = [
        ("DEMO_API_KEY", "k-123"),
        ("STUDIO_CREDS", "c-456"),
        ("MAYA_LOCATION", "app"),
        ("LC_ALL", "C"),
        ("HOME", "/"),
    ];
    let server = server.map(|(name, value)| (name.into(), value.into()));
    job.environment =
        EnvironmentPolicy::default().filter(server.into_iter().chain([("PATH".into(), path)]));
    job.environment
        .push(("DCC_MCP_TOOL_NAME".into(), "go".into()));
    let report = go(job, &patient()).await;
    let names: BTreeSet<String> = serde_json::from_value(json(&report).clone()).unwrap();
    for name in [
        "PATH",
        "HOME",
        "LC_ALL",
        "DCC_MCP_TOOL_NAME",
        "PYTHONUTF8",
        "PYTHONIOENCODING",
    ] {
        assert!(names.contains(name), "{name} is missing in {names:?}");
    }
    for name in [
        "DEMO_API_KEY",
        "STUDIO_CREDS",
        "MAYA_LOCATION",
        "CARGO_MANIFEST_DIR",
    ] {
        assert!(!names.contains(name), "{name} leaked");
    }
}

#[tokio::test]
async fn chinese_is_printed_in_a_c_locale() {
    let stage =
        Stage::python("import json\nprint(json.dumps({'text': '球体'}, ensure_ascii=False))\n");
    let mut job = stage.job();
    job.environment.push(("LC_ALL".into(), "C".into()));
    job.environment
        .push(("PYTHONIOENCODING".into(), "ascii".into()));
    let report = go(job, &patient()).await;
    assert_eq!(json(&report), &json!({ "text": "球体" }));
}

#[tokio::test]
async fn importing_a_neighbour_leaves_the_folder_as_it_was() {
    let stage = Stage::python("import neighbour\nprint(neighbour.N)\n");
    std::fs::write(stage.path("neighbour.py"), "N = 7\n").unwrap();
    let report = stage.run().await;
    assert_eq!(json(&report), &serde_json::json!(7));
    let mut names: Vec<_> = std::fs::read_dir(stage.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["go.py", "neighbour.py"]);
}
