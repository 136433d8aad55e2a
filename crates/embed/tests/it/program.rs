//! Another program as the embedder.

use std::process::Command;

use metier_embed::ProcessEmbedder;
use metier_search::Embedder;

/// Starts Python with a program that answers line by line.
fn start(program: &str) -> Result<ProcessEmbedder, metier_search::EmbedderError> {
    let mut command = Command::new("python3");
    command.args(["-u", "-c", program]);
    ProcessEmbedder::start(command)
}

const GOOD: &str = r#"
import json, sys
print(json.dumps({"dims": 2, "fingerprint": "test"}))
for line in sys.stdin:
    request = json.loads(line)
    if "fail" in request["texts"]:
        print(json.dumps({"error": "no such text"}))
    elif len(request["texts"]) > 100:
        print(json.dumps({"error": "too many texts at once"}))
    elif "odd" in request["texts"]:
        print(json.dumps({"vectors": [[1]]}))
    else:
        x = 1.0 if request["kind"] == "query" else 0.0
        print(json.dumps({"vectors": [[x, 1.0 - x] if t.isalpha() else [0.0, float(t)] for t in request["texts"]]}))
"#;

#[test]
fn texts_go_out_and_vectors_come_back() {
    let embedder = start(GOOD).unwrap();
    assert_eq!(
        (embedder.dims(), embedder.fingerprint().as_str()),
        (2, "process-1-test")
    );
    assert_eq!(
        embedder.embed(&["a", "b"]).unwrap(),
        [[0.0, 1.0], [0.0, 1.0]]
    );
    assert_eq!(embedder.embed_query("a").unwrap(), [1.0, 0.0]);
    assert_eq!(embedder.embed(&[]).unwrap().len(), 0);
}

#[test]
fn a_thousand_texts_are_asked_for_in_parts_and_in_order() {
    let texts: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = start(GOOD).unwrap().embed(&texts).unwrap();
    let expected: Vec<Vec<f32>> = (0..1000_u16)
        .map(|number| vec![0.0, number.into()])
        .collect();
    assert_eq!(vectors, expected);
}

#[test]
fn its_faults_are_errors_and_the_next_question_is_answered() {
    let embedder = start(GOOD).unwrap();
    assert!(
        embedder
            .embed(&["fail"])
            .unwrap_err()
            .to_string()
            .contains("no such text")
    );
    assert!(
        embedder
            .embed(&["odd"])
            .unwrap_err()
            .to_string()
            .contains("1 vectors for 1 texts")
    );
    assert_eq!(embedder.embed(&["a"]).unwrap().len(), 1);
}

#[test]
fn a_program_that_is_none_says_so() {
    let error = ProcessEmbedder::start(Command::new("metier-no-such-program")).unwrap_err();
    assert!(
        error.to_string().contains("could not be started"),
        "{error}"
    );
    assert!(
        start("print('hello')")
            .unwrap_err()
            .to_string()
            .contains("not understood")
    );
    assert!(
        start("pass")
            .unwrap_err()
            .to_string()
            .contains("ended without an answer")
    );
    let embedder = start("print('{\"dims\": 1, \"fingerprint\": \"x\"}')").unwrap();
    assert!(embedder.embed(&["a"]).is_err());
}
