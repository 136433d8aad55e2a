//! `metier call`.

use std::io::Write as _;
use std::process::Stdio;

use crate::command::{fixtures, metier, mixed, run, said, write};

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

/// A skill whose tools file cannot be read at all.
fn unreadable_tools(folder: &std::path::Path) {
    write(
        folder.join("skills/light-bake/SKILL.md"),
        "---\nname: light-bake\ndescription: Bakes light.\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
    );
    write(
        folder.join("skills/light-bake/tools.yaml"),
        "tools:\n  - name: [bake\n",
    );
}

#[test]
fn a_broken_skill_is_named_with_its_fault() {
    let folder = mixed();
    unreadable_tools(folder.path());
    for tool in ["light_bake__bake", "light-bake__bake"] {
        let text = run(folder.path(), &["call", tool, "skills"]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(text.replace(tool, "TOOL"));
        }
    }
    insta::assert_snapshot!(
        "rejected",
        run(folder.path(), &["call", "broken__bake", "skills"])
    );
    // Alone, the name of a tool does not say which skill was meant.
    insta::assert_snapshot!("bare", run(folder.path(), &["call", "bake", "skills"]));
}

#[test]
fn a_skill_without_that_tool_says_which_it_has() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["call", "good__render", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unknown tool: good__render (did you mean `good__echo`?)
    ");
    insta::assert_snapshot!(run(folder.path(), &["call", "good__nothing-of-the-kind", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unknown tool: good__nothing-of-the-kind; in the skill `good`, the tool is good__echo
    ");
    insta::assert_snapshot!(run(folder.path(), &["call", "half__render", "skills"]));
}

#[test]
fn a_stub_is_no_tool() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["call", "__skill__good", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `__skill__good` stands for the skill `good` and is no tool; the tool is good__echo; `metier info good` says more
    ");
    insta::assert_snapshot!(run(folder.path(), &["call", "__skill__goood", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `__skill__goood` stands for a skill, and there is no skill `goood`; did you mean `good`?
    ");
}

#[test]
fn a_missing_workspace_names_its_option() {
    let arguments = [
        "call",
        "summarise_log",
        "--args",
        r#"{"file": "workspace://render.log"}"#,
        "--capability",
        "filesystem.read",
        "demo",
    ];
    insta::assert_snapshot!(run(&fixtures(), &arguments), @"
    exit 1
    --- stdout
    --- stderr
    error: file: no workspace roots; name a folder of the workspace with --root DIR
    ");
}

#[test]
fn a_forgotten_tool_is_noticed() {
    let folder = mixed();
    let text = run(folder.path(), &["call", "--args", "{}", "skills"]);
    assert!(
        text.starts_with("exit 2")
            && text.contains(
                "that is a folder, and the tool's name comes before it: metier call TOOL skills"
            ),
        "{text}"
    );
}

#[test]
fn a_name_alone_gets_the_nearest_as_well() {
    let folder = mixed();
    std::fs::remove_dir_all(folder.path().join("skills/broken")).unwrap();
    std::fs::remove_dir_all(folder.path().join("skills/half")).unwrap();
    insta::assert_snapshot!(run(folder.path(), &["call", "ecoh", "skills"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: unknown tool: ecoh (did you mean `echo`?)
    ");
}

#[test]
fn an_entry_that_was_left_out_is_told() {
    let folder = mixed();
    std::fs::remove_dir_all(folder.path().join("skills/broken")).unwrap();
    std::fs::remove_dir_all(folder.path().join("skills/half")).unwrap();
    write(
        folder.path().join("skills/good/tools.yaml"),
        "tools:\n  - name: echo\n    source_file: scripts/run.py\n  - name: twice\n    description: a\n    description: b\n",
    );
    for name in ["twice", "good__twice"] {
        let said = run(folder.path(), &["call", name, "skills"]);
        assert!(said.contains("good/tools.yaml:6:5"), "{said}");
        assert!(said.contains("MT210"), "{said}");
    }
}

#[test]
fn a_missing_capability_names_its_option() {
    let arguments = [
        "call",
        "summarise_log",
        "--args",
        r#"{"file": "workspace://render.log"}"#,
        "demo",
    ];
    insta::assert_snapshot!(run(&fixtures(), &arguments), @r"
    exit 1
    --- stdout
    --- stderr
    error: capability_missing: tool 'render_log__summarise_log' requires filesystem.read; add --capability filesystem.read, if this machine can do that
    ");
}

#[test]
fn what_a_failing_script_said_is_shown_once() {
    let folder = mixed();
    write(
        folder.path().join("skills/good/scripts/run.py"),
        "import sys\nprint('working on it', file=sys.stderr)\nsys.exit('no such frame')\n",
    );
    let arguments = ["call", "echo", "--args", r#"{"n": 1}"#, "skills"];
    insta::assert_snapshot!(run(folder.path(), &arguments), @r"
    exit 1
    --- stdout
    the script ended with exit code 1
    --- stderr
    working on it
    no such frame
    ");
    // A program that reads the answer gets all of it.
    let output = metier(folder.path()).args(arguments).arg("--json").output();
    let answer = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(answer.contains("no such frame"), "{answer}");
}

/// A skill whose tool `go` has this script.
fn skill_with(folder: &std::path::Path, script: &str, text: &str) {
    write(
        folder.join("one/SKILL.md"),
        "---\nname: one\ndescription: One tool.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        folder.join("one/tools.yaml"),
        &format!("tools:\n  - name: go\n    source_file: scripts/{script}\n"),
    );
    write(folder.join("one/scripts").join(script), text);
}

#[test]
fn the_end_of_long_error_output_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let many = "import sys\nfor n in range(5000): print('line', n, file=sys.stderr)\nsys.exit('the reason')\n";
    let long = "import sys\nsys.exit('x' * 6000 + ' the reason')\n";
    for script in [many, long] {
        skill_with(folder.path(), "go.py", script);
        let output = metier(folder.path())
            .args(["call", "one__go", "one"])
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.trim_end().ends_with("the reason"), "{}", said(&output));
        assert!(
            out.contains("end of the error output:") || out.contains("error output:"),
            "{out}"
        );
    }
}

/// The first question of everybody who has old scripts.
#[test]
fn a_script_that_reads_options_says_how_arguments_come() {
    let folder = tempfile::tempdir().unwrap();
    let argparse = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--shot', required=True)\n\
                    print(parser.parse_args().shot)\n";
    skill_with(folder.path(), "go.py", argparse);
    let call = ["call", "one__go", "--args", r#"{"shot": "sh010"}"#, "one"];
    let text = run(folder.path(), &call);
    assert!(text.starts_with("exit 1"), "{text}");
    assert!(text.contains("one JSON object on standard input"), "{text}");
    write(folder.path().join("metier.toml"), "argv = true\n");
    let text = run(folder.path(), &call);
    assert!(
        text.starts_with("exit 0") && text.contains("sh010"),
        "{text}"
    );
    // Who fails otherwise is told nothing of it.
    skill_with(
        folder.path(),
        "go.py",
        "raise SystemExit('no usage of that')\n",
    );
    let text = run(folder.path(), &call);
    assert!(
        text.starts_with("exit 1") && !text.contains("standard input"),
        "{text}"
    );
}

#[test]
fn a_script_of_a_host_in_a_skill_without_one_names_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    skill_with(folder.path(), "go.mel", "sphere;\n");
    insta::assert_snapshot!(run(folder.path(), &["call", "one__go", "one"]), @"
    exit 1
    --- stdout
    `.mel` scripts need a host application, and the skill is for `python`: write its host as `dcc` in SKILL.md, or name an interpreter as `interpreters.mel` in the configuration
    --- stderr
    ");
}

#[test]
fn what_a_script_prints_besides_its_result_is_talk() {
    let folder = mixed();
    write(
        folder.path().join("skills/good/scripts/run.py"),
        "print('looking at it')\nprint('still there')\nprint('{\"found\": 3}')\n",
    );
    let call = ["call", "echo", "--args", "{\"n\": 1}", "skills/good"];
    insta::assert_snapshot!(run(folder.path(), &call), @r#"
    exit 0
    --- stdout
    {"found":3}
    --- stderr
    looking at it
    still there
    "#);
    let said = run(folder.path(), &[&call[..], &["--json"]].concat());
    assert!(
        said.ends_with("--- stderr\n") && said.contains("looking at it"),
        "{said}"
    );
}

#[test]
fn a_name_that_several_skills_have_is_not_unknown() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["shot-notes", "plate-notes"] {
        run(folder.path(), &["new", name]);
    }
    let call = ["call", "count_words", "--args", r#"{"text": "a"}"#, "."];
    insta::assert_snapshot!(run(folder.path(), &call), @"
    exit 2
    --- stdout
    --- stderr
    error: 2 skills have a tool `count_words`; call one of them by its whole name: plate_notes__count_words, shot_notes__count_words
    ");
}

#[test]
fn a_broken_skill_ends_a_call_in_one_way() {
    let folder = mixed();
    write(
        folder.path().join("skills/broken/scripts/echo_more.py"),
        "print('{}')\n",
    );
    // With the skill's name or without it.
    for (tool, code) in [("broken__echo_more", "exit 1"), ("echo_more", "exit 1")] {
        let said = run(folder.path(), &["call", tool, "skills/broken"]);
        assert!(said.starts_with(code) && said.contains("MT108"), "{said}");
    }
    let said = run(folder.path(), &["call", "echo_more", "skills/good"]);
    assert!(said.starts_with("exit 2"), "{said}");
    // A name that another one is near to is a slip, whatever else is broken.
    for tool in ["good__ecoh", "ecoh"] {
        let said = run(folder.path(), &["call", tool, "skills"]);
        assert!(
            said.starts_with("exit 2") && said.contains("did you mean"),
            "{said}"
        );
    }
    // The same for an entry that is left out as for a file that is.
    write(
        folder.path().join("skills/half/tools.yaml"),
        "tools:\n  - 5\n",
    );
    for (tool, code) in [("half__bake_maps", "exit 1"), ("bake_maps", "exit 1")] {
        let said = run(folder.path(), &["call", tool, "skills/half"]);
        assert!(said.starts_with(code) && said.contains("MT220"), "{said}");
    }
}
