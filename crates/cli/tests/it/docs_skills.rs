//! What docs/skills-over-mcp.md says a client may ask for is answered by a server of the demo skills.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::{fixtures, metier};
use crate::http_client::Client;

/// What stands in backquotes, of the first column of the table.
fn asked(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| row.split(" | ").next())
        .map(|cell| cell.split('`').skip(1).step_by(2).collect())
        .collect()
}

#[test]
fn every_question_of_the_page_is_answered() {
    let page = fixtures().join("../../docs/skills-over-mcp.md");
    let page = std::fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut server = metier(folder.path())
        .args(["serve", "--port", "0"])
        .arg(fixtures().join("demo"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut client = Client::of(&mut server);
    let mut questions = 0;
    for words in asked(&page) {
        questions += 1;
        if let Some(path) = words[0].strip_prefix("GET ") {
            let answer = client.get(path);
            assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
            continue;
        }
        let params = words
            .get(1)
            .map_or_else(|| json!({}), |uri| json!({"uri": uri}));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": words[0], "params": params});
        let answer = client.exchange(&body.to_string());
        let start = answer.find(r#"{"jsonrpc""#).unwrap();
        let end = answer.rfind('}').unwrap();
        let answer: Value = serde_json::from_str(&answer[start..=end]).unwrap();
        let result = answer["result"].as_object();
        let result = result.unwrap_or_else(|| panic!("{words:?}: {answer}"));
        let is_empty =
            |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.is_null();
        assert!(
            result
                .iter()
                .any(|(name, value)| !name.starts_with('_') && !is_empty(value)),
            "{words:?}: {answer}"
        );
    }
    assert_eq!(questions, 12);
    server.kill().unwrap();
    server.wait().unwrap();
}
