//! Over standard input and output: a program in Python that answers from a table.

use metier_loader::digest;
use metier_mcp_client::{ConnectFault, ConnectionState, Era, Remote, Target};
use serde_json::json;

use crate::scripted::{label, settings, skill};

const PROGRAM: &str = r#"
import json, os, sys
answers = json.loads(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    method = message["method"]
    if method == "resources/read":
        method = message["params"]["uri"]
    if method == "die":
        os._exit(3)
    result = answers.get(method)
    if result == "die":
        os._exit(3)
    elif result == "huge":
        sys.stdout.write("x" * 50_000_000 + "\n")
        continue
    elif result is None:
        answer["error"] = {"code": -32601, "message": "none"}
    else:
        answer["result"] = result
    print(json.dumps(answer), flush=True)
if len(sys.argv) > 2:
    open(sys.argv[2], "w").write(" ".join(sorted(os.environ)))
"#;

fn answers() -> serde_json::Value {
    let bake = skill("bake");
    json!({
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}},
            "serverInfo": {"name": "table", "version": "1"},
        },
        "skills/list": {"skills": [bake.entry()]},
        "resources/list": {"resources": []},
        bake.uri(): {"contents": [{"uri": bake.uri(), "text": bake.text()}]},
    })
}

fn python(answers: &serde_json::Value, more: &[&str]) -> Target {
    let mut command = vec![
        "python3".to_owned(),
        "-c".to_owned(),
        PROGRAM.to_owned(),
        answers.to_string(),
    ];
    command.extend(more.iter().map(|more| (*more).to_owned()));
    Target::program(command)
}

#[tokio::test]
async fn a_program_is_asked_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ended");
    let target = python(&answers(), &[mark.to_str().unwrap()]);
    let remote = Remote::connect(label(), &target, Era::Auto, settings())
        .await
        .unwrap();
    let opened = remote
        .connection()
        .open_skill(&skill("bake").uri())
        .await
        .unwrap();
    assert_eq!(
        opened.origin.digest,
        digest(skill("bake").text().as_bytes()).to_string()
    );
    let connection = remote.connection().clone();
    remote.leave().await;
    assert_eq!(connection.offer().state, ConnectionState::Disconnected);
    // It ended by itself when its input ended, and of the environment it saw what it needs.
    let seen = std::fs::read_to_string(&mark).unwrap();
    assert!(seen.split(' ').any(|name| name == "PATH"), "{seen}");
    assert!(!seen.contains("CARGO"), "{seen}");
}

#[tokio::test]
async fn a_program_that_dies_takes_its_skills_along() {
    let mut answers = answers();
    answers[skill("bake").uri()] = json!("die");
    let remote = Remote::connect(label(), &python(&answers, &[]), Era::Legacy, settings())
        .await
        .unwrap();
    assert!(
        remote
            .connection()
            .open_skill(&skill("bake").uri())
            .await
            .is_err()
    );
    assert_eq!(remote.connection().offer().state, ConnectionState::Closed);
}

/// A line without an end is dropped, and the request runs out of time.
#[tokio::test]
async fn a_huge_line_is_not_kept() {
    let mut answers = answers();
    answers[skill("bake").uri()] = json!("huge");
    let mut settings = settings();
    settings.bounds.request = std::time::Duration::from_secs(3);
    let remote = Remote::connect(label(), &python(&answers, &[]), Era::Legacy, settings)
        .await
        .unwrap();
    let fault = remote
        .connection()
        .open_skill(&skill("bake").uri())
        .await
        .unwrap_err();
    assert_eq!(fault.to_string(), "the server did not answer within 3 s");
}

#[tokio::test]
async fn a_program_that_is_none_is_said_so() {
    let settings = settings();
    let none = Target::program(["./no-such-program"]);
    let fault = Remote::connect(label(), &none, Era::Auto, settings.clone())
        .await
        .unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("./no-such-program cannot be started: "),
        "{fault}"
    );
    let empty = Target::program(Vec::<String>::new());
    assert!(matches!(
        Remote::connect(label(), &empty, Era::Auto, settings.clone())
            .await
            .unwrap_err(),
        ConnectFault::Start { .. }
    ));
    let silent = Target::program(["true"]);
    let fault = Remote::connect(label(), &silent, Era::Legacy, settings)
        .await
        .unwrap_err();
    assert!(matches!(fault, ConnectFault::Refused(_)), "{fault}");
}
