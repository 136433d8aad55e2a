//! `metier doctor`.

use std::path::Path;

use crate::command::{fake_interpreters, json, metier, mixed, placeless, said, write};

fn doctor(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let bin = fake_interpreters(folder, &["python3", "bash"]);
    let output = metier(folder)
        .env("PATH", &bin)
        .envs(variables.iter().copied())
        .arg("doctor")
        .args(arguments)
        .output()
        .unwrap();
    placeless(&said(&output), folder)
}

#[test]
fn a_healthy_folder() {
    let folder = mixed();
    insta::assert_snapshot!(doctor(folder.path(), &[], &["skills/good"]));
}

#[test]
fn what_would_fail_has_a_cure() {
    let folder = mixed();
    write(
        folder.path().join("skills/rig/SKILL.md"),
        "---\nname: rig\ndescription: Rigs.\nmetadata:\n  dcc-mcp:\n    dcc: maya\n    depends: nowhere\n    tools: tools.yaml\n---\n",
    );
    write(
        folder.path().join("skills/rig/tools.yaml"),
        "tools:\n\
         \x20 - {name: bind, source_file: scripts/bind.mel}\n\
         \x20 - {name: lost, source_file: scripts/lost.py, required_capabilities: [scene]}\n\
         \x20 - {name: web, source_file: scripts/web.js}\n\
         \x20 - {name: inside, source_file: scripts/web.js, requires_in_process: true}\n",
    );
    write(folder.path().join("skills/rig/scripts/bind.mel"), "");
    write(folder.path().join("skills/rig/scripts/web.js"), "");
    write(
        folder.path().join("metier.toml"),
        "pyhton = 'x'\nroots = ['nowhere']\n",
    );
    let variables = [
        ("METIER_CAPABILITES", "usd"),
        ("METIER_LIMITS_DEADLINE", "soon"),
        ("DCC_MCP_EMBED_API_KEY", "sesame"),
    ];
    insta::assert_snapshot!(doctor(
        folder.path(),
        &variables,
        &["--with-defaults", "skills"]
    ));
}

#[test]
fn a_schema_that_no_call_can_meet_fails() {
    let folder = mixed();
    write(
        folder.path().join("skills/good/tools.yaml"),
        "tools:\n  - name: echo\n    source_file: scripts/run.py\n    input_schema: {type: object, properties: {text: {}}, \
         required: [txt], additionalProperties: false}\n",
    );
    let said = doctor(folder.path(), &[], &["skills/good"]);
    assert!(
        said.starts_with("exit 1")
            && said
                .contains("tool good__echo: no call fits `input_schema`: `required` names `txt`")
            && said.contains("did you mean `text`?"),
        "{said}"
    );
}

#[test]
fn a_shell_script_with_line_endings_of_another_system_fails() {
    let folder = mixed();
    for (script, ending) in [("run.py", "\r\n"), ("told.sh", "\r\n"), ("fine.sh", "\n")] {
        write(
            folder.path().join("skills/good/scripts").join(script),
            &["#!/bin/sh", "echo hi", ""].join(ending),
        );
    }
    write(
        folder.path().join("skills/good/tools.yaml"),
        "tools:\n  - source_file: scripts/run.py\n    name: run\n  - source_file: scripts/told.sh\n    name: told\n  - source_file: scripts/fine.sh\n    name: fine\n",
    );
    let said = doctor(folder.path(), &[], &["skills/good"]);
    assert!(
        said.contains(
            "tool good__told: `scripts/told.sh` has CRLF line endings, which a shell cannot read\n    save it with LF line endings"
        ) && said.contains("1 thing would fail"),
        "{said}"
    );
}

#[test]
fn json_for_programs() {
    let folder = mixed();
    let bin = fake_interpreters(folder.path(), &["python3"]);
    let output = metier(folder.path())
        .env("PATH", &bin)
        .args(["doctor", "--json", "skills"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    insta::assert_json_snapshot!(json(&output), {
        ".interpreters[].path" => "…/bin/python3",
        ".roots[].path" => "skills",
    });
}

#[test]
fn one_interpreter_that_lacks_is_one_thing_to_mend() {
    let folder = mixed();
    let bin = fake_interpreters(folder.path(), &["bash"]);
    let tools = ["a", "b", "c", "d", "e"]
        .map(|tool| format!("  - {{name: {tool}, source_file: scripts/run.py}}\n"))
        .concat();
    write(
        folder.path().join("skills/good/tools.yaml"),
        &format!("tools:\n{tools}"),
    );
    let output = metier(folder.path())
        .env("PATH", &bin)
        .args(["doctor", "skills/good"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(
        text.contains(
            "  tool good__a, tool good__b, tool good__c and 2 more: no Python interpreter found"
        ) && text.matches("no Python interpreter found").count() == 1
            && text.ends_with("5 things would fail\n"),
        "{text}"
    );
}
