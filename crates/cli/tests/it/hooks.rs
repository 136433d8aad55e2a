//! Programs of `[[hooks]]` in metier.toml, on every way to a tool.

use std::path::Path;

use metier::HookEvent;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{json as json_of, metier, mixed, on_a_socket, placeless, run, said, write};
use crate::http_client::{Client, call, stateless_call};
use crate::stdio::Session;

/// Notes the event and refuses what its arguments name.
const POLICY: &str = r#"
import json, sys
event = json.load(sys.stdin)
with open("seen.jsonl", "a") as seen:
    seen.write(json.dumps(event) + "\n")
if event.get("arguments", {}).get("n") == 13 or event.get("skill_name") in sys.argv[1:]:
    print(json.dumps({"decision": "deny", "reason": "thirteen is unlucky", "hint": "take twelve"}))
"#;

/// A folder of skills (`needs-good` depends on `good`) with hooks for these events.
pub(crate) fn stage(hooks: &str) -> TempDir {
    let folder = mixed();
    write(folder.path().join("hooks/policy.py"), POLICY);
    write(folder.path().join("metier.toml"), hooks);
    write(
        folder.path().join("skills/needs-good/SKILL.md"),
        "---\nname: needs-good\ndescription: Needs good.\nmetadata:\n  dcc-mcp:\n    depends: [good]\n---\n",
    );
    folder
}

pub(crate) fn hook(event: &str, more: &str) -> String {
    format!(
        "[[hooks]]\nevent = '{event}'\ncommand = ['python3', 'hooks/policy.py'{more}]\ntimeout = 60\n\n"
    )
}

pub(crate) fn seen(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("seen.jsonl")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn events(folder: &Path) -> Vec<String> {
    let seen = seen(folder);
    let event = |event: &Value| event["event"].as_str().unwrap().to_owned();
    seen.iter().map(event).collect()
}

fn denial() -> Value {
    json!({"code": "denied", "reason": "thirteen is unlucky", "hint": "take twelve"})
}

#[test]
fn a_call_is_refused_with_reason_and_hint() {
    let folder = stage(&hook("before_tool_call", ""));
    insta::assert_snapshot!(run(folder.path(), &["call", "good__echo", "--args", "{\"n\": 13}", "skills"]), @"
    exit 1
    --- stdout
    denied by policy: thirteen is unlucky
    take twelve
    --- stderr
    ");
    let whole = metier(folder.path())
        .args([
            "call",
            "good__echo",
            "--json",
            "--args",
            "{\"n\": 13}",
            "skills",
        ])
        .output()
        .unwrap();
    assert_eq!(json_of(&whole)["structuredContent"], denial());
    let fine = run(
        folder.path(),
        &["call", "good__echo", "--args", "{\"n\": \"12\"}", "skills"],
    );
    assert!(fine.starts_with("exit 0"), "{fine}");
    // The program saw the arguments as the tool gets them.
    assert_eq!(
        seen(folder.path()).last().unwrap(),
        &json!({"event": "before_tool_call", "dcc_name": "python", "session_id": null,
            "tool_name": "good__echo", "skill_name": "good", "arguments": {"n": 12}})
    );
}

#[test]
fn the_program_starts_from_the_folder_of_its_file() {
    let folder = stage(&hook("before_tool_call", ""));
    let below = folder.path().join("skills/good");
    let refused = run(
        &below,
        &["call", "good__echo", "--args", "{\"n\": 13}", ".."],
    );
    assert!(refused.contains("thirteen is unlucky"), "{refused}");
    assert_eq!(seen(folder.path()).len(), 1);
}

#[test]
fn a_dependency_is_refused_whoever_loads_it() {
    let folder = stage(&hook("before_skill_load", ", 'good'"));
    let output = metier(folder.path())
        .args([
            "call",
            "load_skill",
            "--json",
            "--args",
            "{\"skill_name\": \"needs-good\"}",
            "skills",
        ])
        .output()
        .unwrap();
    let mut refused = denial();
    refused["skill_name"] = json!("good");
    assert_eq!(json_of(&output)["structuredContent"], refused);
    let seen_now = seen(folder.path());
    assert_eq!(seen_now[0]["dependency_of"], "needs-good");
    // The call of a tool loads its skill on the way.
    let call = run(
        folder.path(),
        &["call", "good__echo", "--args", "{\"n\": 1}", "skills"],
    );
    assert!(
        call.starts_with("exit 1")
            && call
                .contains("loading `good` was denied by policy: thirteen is unlucky\ntake twelve"),
        "{call}"
    );
    // What a server loads at its start is asked for as well.
    let output = metier(folder.path())
        .args(["stdio", "--load", "needs-good", "skills"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(
        text.contains("warning: --load needs-good: loading `good`, which `needs-good` needs, was denied by policy: thirteen is unlucky; take twelve"),
        "{text}"
    );
}

#[test]
fn a_search_is_refused() {
    let folder = stage(
        "[[hooks]]\nevent = 'before_search'\ncommand = ['bash', '-c', 'echo not today >&2; exit 2']\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["search", "echo", "skills"]), @"
    exit 1
    --- stdout
    --- stderr
    error: the search was denied by policy: not today
    ");
    for command in ["search", "discover"] {
        let said = metier(folder.path())
            .args([command, "echo", "--json", "skills"])
            .output()
            .unwrap();
        assert_eq!(said.status.code(), Some(1), "{command}");
        assert_eq!(
            json_of(&said),
            json!({"code": "denied", "reason": "not today"}),
            "{command}"
        );
    }
}

#[test]
fn all_eight_events_reach_the_program_over_stdio_in_both_eras() {
    let every: String = HookEvent::ALL
        .map(|event| hook(event.as_str(), ""))
        .concat();
    let folder = stage(&every);
    let mut session = Session::start(folder.path(), &["skills"]);
    session.initialize();
    session.call(1, "search_skills", &json!({"query": "echo"}));
    session.call(2, "load_skill", &json!({"skill_name": "good"}));
    let refused = session.call(3, "good__echo", &json!({"n": 13}));
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["structuredContent"], denial());
    assert_eq!(
        refused["content"][0]["text"],
        "denied by policy: thirteen is unlucky\ntake twelve"
    );
    session.send(&serde_json::from_str(&stateless_call(4, "good__echo", "{\"n\": 13}")).unwrap());
    assert_eq!(
        session.next_with("id")["result"]["structuredContent"],
        denial()
    );
    let (code, _, err) = session.end_of_input();
    assert_eq!(code, 0, "{err}");
    let expected = [
        "on_session_start",
        "before_search",
        "after_search",
        "before_skill_load",
        "after_skill_load",
        "before_tool_call",
        "after_tool_call",
        "on_session_start",
        "before_tool_call",
        "after_tool_call",
        "on_session_end",
        "on_session_end",
    ];
    assert_eq!(events(folder.path()), expected);
    let seen = seen(folder.path());
    assert_eq!(seen[6]["outcome"], "denied");
    assert_eq!(seen[7]["session_id"], "client:t");
    assert_eq!(seen[10]["reason"], "closed");
    assert_eq!(seen[11]["reason"], "shutdown");
}

#[test]
fn a_veto_arrives_over_http_in_both_eras() {
    let folder = stage(&hook("before_tool_call", ""));
    let mut server = on_a_socket(folder.path(), &["--load", "good"]);
    let mut client = Client::of(&mut server);
    let answers = [
        client.exchange(&call(1, "good__echo", "{\"n\":13}")),
        client.call_stateless("good__echo", "{\"n\":13}"),
    ];
    server.kill().unwrap();
    server.wait().unwrap();
    for answer in answers {
        assert!(
            answer.contains(&denial().to_string()) && answer.contains("\"isError\":true"),
            "{answer}"
        );
    }
}

#[test]
fn what_fails_decides_nothing_unless_it_must_not_be_skipped() {
    let hooks = |members: &str, script: &str| {
        let folder = stage(&format!(
            "[[hooks]]\nevent = 'before_tool_call'\ncommand = ['bash', '-c', '{script}']\n{members}"
        ));
        let text = run(
            folder.path(),
            &["call", "good__echo", "--args", "{\"n\": 1}", "skills"],
        );
        placeless(&text, folder.path())
    };
    let open = hooks("", "echo broken >&2; exit 3");
    assert!(
        open.starts_with("exit 0") && open.contains("broken"),
        "{open}"
    );
    let closed = hooks("fail_closed = true\n", "echo broken >&2; exit 3");
    assert!(closed.starts_with("exit 1"), "{closed}");
    assert!(
        closed.contains("denied by policy: a policy could not decide"),
        "{closed}"
    );
    let late = hooks("timeout = 0.2\n", "sleep 600");
    assert!(
        late.starts_with("exit 1") && late.contains("a policy did not decide in time"),
        "{late}"
    );
    let misspelt = hooks("", "echo \"{\\\"decison\\\": \\\"deny\\\"}\"");
    assert!(
        misspelt.starts_with("exit 0") && misspelt.contains("`decison`, which means nothing"),
        "{misspelt}"
    );
    let elsewhere = hooks("match = 'other__*'\nfail_closed = true\n", "exit 3");
    assert!(elsewhere.starts_with("exit 0"), "{elsewhere}");
    let skill = hooks("match = ['other', 'goo*']\nfail_closed = true\n", "exit 3");
    assert!(skill.starts_with("exit 1"), "{skill}");
}

#[test]
fn a_program_that_is_not_there_is_told_before_anything_depends_on_it() {
    let absent = "[[hooks]]\nevent = 'before_tool_call'\ncommand = ['no-such-program']\n";
    let folder = stage(absent);
    let text = run(
        folder.path(),
        &["call", "good__echo", "--args", "{\"n\": 1}", "skills"],
    );
    assert!(text.starts_with("exit 0"), "{text}");
    assert!(
        text.contains(
            "warning: metier.toml:1:1: hooks.command: `no-such-program` is not on the PATH"
        ),
        "{text}"
    );
    write(
        folder.path().join("metier.toml"),
        &format!(
            "{absent}fail_closed = true\n[[hooks]]\nevent = 'after_search'\ncommand = ['python3', 'gone.py']\n"
        ),
    );
    insta::assert_snapshot!(run(folder.path(), &["stdio", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:1: hooks.command: `no-such-program` is not on the PATH; correct `command`, or remove the hook
    ");
    let doctor = run(folder.path(), &["doctor", "skills/good"]);
    let hooks = doctor.split("hooks:").nth(1).unwrap_or_default();
    assert!(
        hooks.contains("before_tool_call  no-such-program  absent"),
        "{doctor}"
    );
    assert!(
        doctor.contains("metier.toml:5:1: hooks.command: `./gone.py` does not exist"),
        "{doctor}"
    );
    // A command that runs nothing does not mind.
    assert!(
        run(folder.path(), &["list", "skills"]).starts_with("exit"),
        "list"
    );
}

#[test]
fn a_hook_for_names_that_nothing_has_is_told() {
    let (calls, loads) = ("before_tool_call", "before_skill_load");
    for (event, pattern, fits) in [
        (calls, "good", true),
        (calls, "needs-good", true),
        (calls, "needs_good", true),
        (calls, "good__*", true),
        (calls, "goood__*", false),
        (calls, "echo", false),
        (loads, "needs_good", true),
        // Such a policy would never be asked: a load is about a skill alone.
        (loads, "good__*", false),
    ] {
        let folder = stage(&format!(
            "{}match = '{pattern}'\n",
            hook(event, "").trim_end().to_owned() + "\n"
        ));
        let call = run(folder.path(), &["call", "good__echo", "skills"]);
        assert_eq!(call.contains("hooks.match"), !fits, "{pattern}: {call}");
        let doctor = metier(folder.path())
            .args(["doctor", "--json", "skills"])
            .output()
            .unwrap();
        let doctor = json_of(&doctor);
        let told = doctor["problems"].to_string().contains("hooks.match");
        assert_eq!(told, !fits, "{pattern}: {}", doctor["problems"]);
    }
    // Of a list, the name that fits nothing is told and the other one is not.
    let folder = stage(&format!(
        "{}match = ['good__*', 'goood__*']\n",
        hook(calls, "").trim_end().to_owned() + "\n"
    ));
    let call = run(folder.path(), &["call", "good__echo", "skills"]);
    assert!(
        call.contains("is called `goood__*`") && call.contains("for the other names alone"),
        "{call}"
    );
}

#[test]
fn the_settings_and_the_doctor_show_hooks() {
    let folder = stage(&format!(
        "{}[[hooks]]\nevent = 'before_tool_call'\ncommand = ['./hooks/policy.py']\nmatch = 'good__*'\nfail_closed = true\n",
        hook("after_search", "")
    ));
    let shown = run(folder.path(), &["config", "show"]);
    let hooks: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("hooks"))
        .collect();
    insta::assert_snapshot!(hooks.join("\n"), @"
    hooks: after_search      python3 hooks/policy.py, 60 s                    metier.toml:1:1
    hooks: before_tool_call  ./hooks/policy.py for good__*, 5 s, fail closed  metier.toml:6:1
    ");
    let output = metier(folder.path())
        .args(["config", "show", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        json_of(&output)["hooks"][1],
        json!({"value": {"event": "before_tool_call", "command": ["./hooks/policy.py"], "match": ["good__*"],
            "timeout": 5.0, "fail_closed": true}, "source": "file", "place": "metier.toml:6:1"})
    );
    // It is there and may not be executed.
    let doctor = metier(folder.path())
        .args(["doctor", "--json", "skills/good"])
        .output()
        .unwrap();
    let doctor = json_of(&doctor);
    assert_eq!(doctor["hooks"][1]["program"], Value::Null);
    assert!(
        doctor["hooks"][0]["program"]
            .as_str()
            .unwrap()
            .ends_with("python3")
    );
    assert_eq!(
        doctor["problems"][0]["what"],
        "metier.toml:6:1: hooks.command: `./hooks/policy.py` is not executable"
    );
    assert!(events(folder.path()).is_empty(), "looking asks nobody");
}
