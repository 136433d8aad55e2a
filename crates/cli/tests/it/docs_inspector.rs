//! What the documents have the Inspector call is there: their command is taken apart, and the call made without the
//! Inspector, which needs a package registry.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::command::{answered, fixtures, metier};

/// The calls of the Inspector in a document, each as its words.
fn calls(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    joined
        .lines()
        .filter(|line| line.starts_with("npx @modelcontextprotocol/inspector --cli"))
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

fn after<'w>(words: &'w [String], option: &str) -> &'w str {
    let at = words.iter().position(|word| word == option).unwrap();
    &words[at + 1]
}

#[test]
fn the_calls_of_the_inspector_in_the_documents_work() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = 0;
    for document in ["docs/getting-started.md", "docs/getting-started.zh.md"] {
        let path = fixtures().join("../..").join(document);
        for words in calls(&std::fs::read_to_string(path).unwrap()) {
            // What stands behind `--` is the server's; all that is the Inspector's comes before.
            let server = words.iter().position(|word| word == "--").unwrap();
            let (own, server) = words.split_at(server);
            assert_eq!(server[1], "metier", "{document}: {words:?}");
            let argument = after(own, "--tool-arg").split_once('=').unwrap();
            let arguments = json!({ argument.0: argument.1 });
            let mut process = metier(folder.path())
                .args(server[2..].iter().map(|word| {
                    let demo = fixtures().join("demo");
                    word.replace("fixtures/skills/demo", demo.to_str().unwrap())
                }))
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let mut input = process.stdin.take().unwrap();
            let mut output = std::io::BufReader::new(process.stdout.take().unwrap());
            for message in [
                json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
                json!({"jsonrpc": "2.0", "id": 2, "method": after(own, "--method"), "params": {
                    "name": after(own, "--tool-name"), "arguments": arguments}}),
            ] {
                writeln!(input, "{message}").unwrap();
            }
            let answer: Value = serde_json::from_str(&answered(&mut output, 2)).unwrap();
            assert_eq!(answer["result"]["isError"], false, "{document}: {answer}");
            drop(input);
            process.wait().unwrap();
            made += 1;
        }
    }
    assert!(made >= 2, "only {made} were found");
}
