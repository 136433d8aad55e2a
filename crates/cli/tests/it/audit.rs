//! The audit log.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::{metier, mixed, run, write};

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn call(folder: &Path, tool: &str, arguments: &str) -> i32 {
    let output = metier(folder)
        .args([
            "call",
            "--audit-log",
            "log.jsonl",
            tool,
            "--args",
            arguments,
        ])
        .arg("skills")
        .output()
        .unwrap();
    output.status.code().unwrap()
}

#[test]
fn every_call_is_a_line_without_its_arguments() {
    let folder = mixed();
    let file = folder.path().join("log.jsonl");
    assert_eq!(
        call(
            folder.path(),
            "good__echo",
            r#"{"n": 3, "secret": "xyzzy"}"#
        ),
        0
    );
    assert_eq!(
        call(
            folder.path(),
            "good__echo",
            r#"{"secret": "xyzzy", "n": 3}"#
        ),
        0
    );
    call(folder.path(), "nothing_of_the_kind", "{}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("xyzzy") && !text.contains("secret"),
        "{text}"
    );

    let lines = lines(&file);
    let facts: Vec<Value> = lines
        .iter()
        .map(|line| {
            json!([
                line["tool"],
                line["outcome"],
                line["exit"],
                line["bytes"].is_u64()
            ])
        })
        .collect();
    assert_eq!(
        facts,
        [
            json!(["load_skill", "ok", null, false]),
            json!(["good__echo", "ok", 0, true]),
            json!(["load_skill", "ok", null, false]),
            json!(["good__echo", "ok", 0, true]),
            json!(["nothing_of_the_kind", "unknown", null, false]),
        ]
    );
    // Two processes, one key: the same arguments have the same digest, which is no plain one.
    let digest = lines[1]["arguments"].as_str().unwrap();
    assert_eq!(lines[3]["arguments"], digest);
    assert!(digest.starts_with("hmac-sha256:"), "{digest}");
    assert!(lines[1]["at_ms"].as_u64().unwrap() > 1_700_000_000_000);
    assert!(lines[1]["ms"].is_u64() && lines[1]["who"].is_null());

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for file in [file, folder.path().join("log.jsonl.key")] {
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }
}

#[test]
fn it_is_off_unless_a_file_is_named_and_the_file_is_named_from_the_settings() {
    let folder = mixed();
    run(folder.path(), &["call", "good__echo", "skills"]);
    assert!(!folder.path().join("log.jsonl").exists());
    write(
        folder.path().join("metier.toml"),
        "[audit]\nfile = \"below/log.jsonl\"\nsize = \"1 KiB\"\n",
    );
    let text = run(folder.path(), &["call", "good__echo", "skills"]);
    assert!(
        text.starts_with("exit 2") && text.contains("audit.file") && text.contains("log.jsonl"),
        "{text}"
    );
    std::fs::create_dir(folder.path().join("below")).unwrap();
    // A command that runs nothing writes nothing.
    run(folder.path(), &["list", "skills"]);
    assert!(!folder.path().join("below/log.jsonl").exists());
    for _ in 0..8 {
        run(folder.path(), &["call", "good__echo", "skills"]);
    }
    assert!(folder.path().join("below/log.jsonl.1").exists());
    let size = folder
        .path()
        .join("below/log.jsonl")
        .metadata()
        .unwrap()
        .len();
    assert!(size <= 1 << 10);
}

#[cfg(target_os = "linux")]
#[test]
fn it_tells_who_called_and_how_it_ended_in_both_eras() {
    use std::process::Stdio;

    use crate::http_client::{Client, call};

    let folder = mixed();
    write(
        folder.path().join("skills/good/scripts/run.py"),
        "import json, sys\nn = json.load(sys.stdin)['n']\nprint('x' * n)\nsys.exit(n % 4)\n",
    );
    let mut server = metier(folder.path())
        .args(["serve", "--port", "0", "--load", "good"])
        .args(["--audit-log", "log.jsonl", "skills"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut client = Client::of(&mut server);
    let mut other = client.another();
    for arguments in [r#"{"n":4}"#, r#"{"n":7}"#, r#"{"n":"x"}"#] {
        client.exchange(&call(5, "good__echo", arguments));
    }
    other.exchange(&call(5, "good__echo", r#"{"n":4}"#));
    client.call_stateless("good__echo", r#"{"n":8}"#);
    client.exchange(&call(6, "half__fine", "{}"));
    server.kill().unwrap();
    server.wait().unwrap();

    let all = lines(&folder.path().join("log.jsonl"));
    let called: Vec<_> = all
        .iter()
        .filter(|line| line["tool"] != "load_skill")
        .collect();
    let facts: Vec<Value> = called
        .iter()
        .map(|line| json!([line["tool"], line["outcome"], line["exit"], line["bytes"]]))
        .collect();
    assert_eq!(
        facts,
        [
            json!(["good__echo", "ok", 0, 5]),
            json!(["good__echo", "error", 3, 8]),
            json!(["good__echo", "invalid", null, null]),
            json!(["good__echo", "ok", 0, 5]),
            json!(["good__echo", "ok", 0, 9]),
            json!(["half__fine", "not_loaded", null, null]),
        ]
    );
    let who: Vec<_> = called
        .iter()
        .map(|line| line["who"].as_str().unwrap())
        .collect();
    assert!(who[0].starts_with("session:"), "{who:?}");
    assert!([1, 2, 5].iter().all(|&n| who[n] == who[0]), "{who:?}");
    assert!(
        who[3].starts_with("session:") && who[3] != who[0],
        "{who:?}"
    );
    assert_eq!(who[4], "client:t");
    let digest = |n: usize| called[n]["arguments"].as_str().unwrap();
    assert_eq!(digest(0), digest(3));
    assert_ne!(digest(0), digest(1));
}
