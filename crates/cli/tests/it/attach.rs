//! Main-thread tools that run in an application, through the adapter that the command prints.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::command::{metier, run, write};

/// A skill whose tools say that they need the main thread, each answering with its process.
fn skill(folder: &Path) {
    write(
        folder.join("skills/scene/SKILL.md"),
        "---\nname: scene\ndescription: Looks at the scene.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        folder.join("skills/scene/tools.yaml"),
        "tools:\n  - name: look\n    affinity: main\n  - name: outside\n    source_file: scripts/look.py\n  \
         - name: inside\n    requires_in_process: true\n    source_file: scripts/look.py\n",
    );
    write(
        folder.join("skills/scene/scripts/look.py"),
        "import json, os\n\
         def main(**given):\n    return {'process': os.getpid(), 'given': given}\n\
         if __name__ == '__main__':\n    print(json.dumps(main()))\n",
    );
}

/// The application, ended with the test.
struct Application(Child);

impl Drop for Application {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn start(folder: &Path) -> Application {
    let adapter = metier(folder).arg("host-adapter").output().unwrap();
    assert!(adapter.status.success(), "{adapter:?}");
    std::fs::write(folder.join("metier_host.py"), adapter.stdout).unwrap();
    let mut process = Command::new("python3")
        .current_dir(folder)
        .args(["metier_host.py", "door.json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = process.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    assert!(line.contains("--attach"), "{line:?}");
    Application(process)
}

#[test]
fn tools_of_the_main_thread_run_in_the_application_and_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let application = start(folder.path());
    let process = |tool: &str| {
        let arguments = [
            "call",
            tool,
            "--args",
            r#"{"n": 3}"#,
            "--json",
            "--attach",
            "door.json",
            "skills",
        ];
        let output = metier(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let answer = crate::command::json(&output);
        answer["structuredContent"].clone()
    };
    for tool in ["scene__look", "scene__inside"] {
        assert_eq!(
            process(tool),
            json!({"process": application.0.id(), "given": {"n": 3}}),
            "{tool}"
        );
    }
    assert_ne!(
        process("scene__outside")["process"],
        json!(application.0.id())
    );
}

#[test]
fn an_application_that_is_not_there_is_told_by_the_call_and_by_the_doctor() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    insta::assert_snapshot!(run(
        folder.path(),
        &["call", "scene__look", "--attach", "door.json", "skills"]
    ));
    let said = run(
        folder.path(),
        &["doctor", "--attach", "door.json", "skills"],
    );
    assert!(
        said.contains("--attach door.json: no application is attached")
            && said.matches("metier host-adapter").count() == 1,
        "{said}"
    );
    assert!(said.contains("metier host-adapter"), "{said}");

    let application = start(folder.path());
    let said = run(
        folder.path(),
        &["doctor", "--attach", "door.json", "skills"],
    );
    assert!(said.contains("attached application:\n  python\n"), "{said}");
    assert!(said.contains("interpreters:\n  Python  1 tool "), "{said}");
    assert!(!said.contains("none found"), "{said}");
    drop(application);
}

#[test]
fn without_an_application_the_call_is_refused_and_never_the_load() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    insta::assert_snapshot!(run(folder.path(), &["call", "scene__inside", "skills"]));
    insta::assert_snapshot!(run(
        folder.path(),
        &["call", "scene__look", "--require-host", "skills"]
    ));
}

#[test]
fn a_server_says_at_its_start_that_the_application_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let stdio = |arguments: &[&str]| {
        run(
            folder.path(),
            &[&["stdio"], arguments, &["skills"]].concat(),
        )
    };
    insta::assert_snapshot!(stdio(&["--attach", "door.json"]), @r"
    exit 0
    --- stdout
    --- stderr
    warning: --attach door.json: no application is attached: the file that its adapter writes is not there; start the adapter in the application (`metier host-adapter` prints it); until it answers, its tools refuse
    ");
    let application = start(folder.path());
    let said = stdio(&["--attach", "door.json"]);
    assert!(!said.contains("warning"), "{said}");
    drop(application);
}

#[test]
fn info_says_where_a_tool_runs_and_how_to_attach() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let said = run(folder.path(), &["info", "scene", "skills"]);
    for text in [
        "runs        on the application's main thread",
        "runs        inside its application alone",
        "--attach FILE",
        "metier host-adapter",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
}
