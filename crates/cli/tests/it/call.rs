//! `metier call`.

use std::io::Write as _;
use std::process::Stdio;

use crate::command::{metier, mixed, run, said};

#[test]
fn loads_what_it_needs_and_prints_the_result() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["call", "good__echo", "--args", r#"{"n": "3"}"#, "skills"]), @r#"
    exit 0
    --- stdout
    {"got":{"n":3}}
    --- stderr
    "#);
    insta::assert_snapshot!(run(
        folder.path(),
        &["call", "echo", "--json", "--args", r#"{"n": 3}"#, "skills"]
    ));
}

#[test]
fn arguments_from_a_file_and_from_standard_input() {
    let folder = mixed();
    std::fs::write(folder.path().join("args.json"), r#"{"n": 7}"#).unwrap();
    let text = run(
        folder.path(),
        &["call", "echo", "--args", "@args.json", "skills"],
    );
    assert!(text.contains(r#"{"got":{"n":7}}"#), "{text}");
    let mut child = metier(folder.path())
        .args(["call", "echo", "--args", "-", "skills"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(br#"{"n": 8}"#)
        .unwrap();
    let text = said(&child.wait_with_output().unwrap());
    assert!(text.contains(r#"{"got":{"n":8}}"#), "{text}");
}

#[test]
fn failures_have_their_exit_codes() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["call", "good__echo", "skills"]), @r"
    exit 1
    --- stdout
    invalid arguments for `good__echo`:
    - n: required, but absent
    --- stderr
    ");
    insta::assert_snapshot!(run(folder.path(), &["call", "good__ecoh", "skills"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: unknown tool: good__ecoh (did you mean `good__echo`?)
    ");
    insta::assert_snapshot!(run(folder.path(), &["call", "echo", "--args", "{n: 3}", "skills"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: --args: not JSON: key must be a string at line 1 column 2
    ");
    let list = run(folder.path(), &["call", "echo", "--args", "[1]", "skills"]);
    assert!(
        list.starts_with("exit 2") && list.contains("must be an object"),
        "{list}"
    );
}
