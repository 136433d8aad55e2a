//! Two numbered cases from the field on every route: the command, a server on a pipe, a server on a socket.

use std::io::{Read as _, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::command::{answered, metier, on_a_pipe, on_a_socket, write};
use crate::http_client::{Client, INITIALIZE, call};

fn skill(folder: &Path, name: &str, tools: &str, script: &str) {
    let skill = folder.join("skills").join(name);
    write(
        skill.join("SKILL.md"),
        &format!(
            "---\nname: {name}\ndescription: The {name} skill.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
        ),
    );
    write(skill.join("tools.yaml"), tools);
    write(skill.join("scripts/go.py"), script);
}

/// The results of the same calls on each route, as `[structuredContent, text]`.
fn everywhere(folder: &Path, name: &str, calls: &[Value]) -> Vec<(&'static str, Vec<Value>)> {
    let tool = format!("{name}__go");
    let of = |result: &Value| {
        if result["isError"] == true {
            result["content"][0]["text"].clone()
        } else {
            result["structuredContent"].clone()
        }
    };
    let command = calls.iter().map(|arguments| {
        let output = metier(folder)
            .args(["call", "--json", &tool, "--args", &arguments.to_string()])
            .arg("skills")
            .output()
            .unwrap();
        of(&serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}")))
    });
    let command = command.collect();

    let (mut server, mut input, mut output) = on_a_pipe(folder, &["--load", name]);
    writeln!(input, "{INITIALIZE}").unwrap();
    let mut pipe = Vec::new();
    for (id, arguments) in (1_u32..).zip(calls) {
        writeln!(input, "{}", call(id, &tool, &arguments.to_string())).unwrap();
        let answer: Value = serde_json::from_str(&answered(&mut output, id)).unwrap();
        pipe.push(of(&answer["result"]));
    }
    drop(input);
    output.read_to_string(&mut String::new()).unwrap();
    assert!(server.wait().unwrap().success());

    let mut server = on_a_socket(folder, &["--load", name]);
    let mut client = Client::of(&mut server);
    let socket = calls.iter().map(|arguments| {
        let answer = client.exchange(&call(9, &tool, &arguments.to_string()));
        let start = answer
            .find("{\"jsonrpc\"")
            .unwrap_or_else(|| panic!("{answer}"));
        let mut values = serde_json::Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        of(&values.next().unwrap().unwrap()["result"])
    });
    let socket = socket.collect();
    server.kill().unwrap();
    server.wait().unwrap();
    vec![("call", command), ("stdio", pipe), ("serve", socket)]
}

#[test]
fn case_059_defaults_are_shown_and_never_filled_in_and_patterns_look_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let tools = "tools:
  - name: go
    source_file: scripts/go.py
    input_schema:
      $schema: https://example.com/draft-77
      type: object
      properties:
        radius: {type: number, default: 1.5, minimum: 0}
        label: {type: string, pattern: '^(?!x).*$'}
        when: {type: string, format: date-time}
";
    let script = "import json, sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n";
    skill(folder.path(), "dialect", tools, script);
    let calls = [
        json!({}),
        json!({"when": "soon", "label": "a"}),
        json!({"radius": -1}),
        json!({"label": "xyz"}),
    ];
    for (route, got) in everywhere(folder.path(), "dialect", &calls) {
        assert_eq!(got[0], json!({"got": {}}), "{route}");
        assert_eq!(
            got[1],
            json!({"got": {"when": "soon", "label": "a"}}),
            "{route}"
        );
        for (answer, name) in [(&got[2], "radius"), (&got[3], "label")] {
            let text = answer
                .as_str()
                .unwrap_or_else(|| panic!("{route}: {answer}"));
            assert!(
                text.starts_with("invalid arguments") && text.contains(name),
                "{route}: {text}"
            );
        }
    }
    let checked = metier(folder.path())
        .args(["list", "skills"])
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn case_103_a_script_runs_in_its_skill_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let script = "import json, os\nhere = os.getcwd()\nprint(json.dumps({'cwd': os.path.basename(here), 'same': os.path.samefile(here, os.environ['DCC_MCP_SKILL_DIR']), 'beside': sorted(os.listdir('.'))}))\n";
    skill(
        folder.path(),
        "cwd",
        "tools:\n  - name: go\n    source_file: scripts/go.py\n",
        script,
    );
    let expected =
        json!({"cwd": "cwd", "same": true, "beside": ["SKILL.md", "scripts", "tools.yaml"]});
    let calls = [json!({}), json!({}), json!({})];
    for (route, got) in everywhere(folder.path(), "cwd", &calls) {
        assert_eq!(
            got,
            [expected.clone(), expected.clone(), expected.clone()],
            "{route}"
        );
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(
        left.len(),
        1,
        "nothing is written where the server stands: {left:?}"
    );
}
