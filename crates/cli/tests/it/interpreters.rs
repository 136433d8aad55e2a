//! Interpreters that were named and cannot be used are told before a tool needs them.

use crate::command::{fake_interpreters, metier, mixed, placeless, run, said, write};

#[test]
fn an_unusable_python_option_ends_every_command_at_once() {
    let folder = mixed();
    write(folder.path().join("plain"), "");
    for (python, wrong) in [
        ("nowhere/python", "`nowhere/python` does not exist"),
        ("./plain", "`./plain` is not executable"),
        ("skills/good", "`skills/good` is a folder"),
        ("no-such-python", "`no-such-python` is not on the PATH"),
    ] {
        for arguments in [
            &["serve", "--port", "0"][..],
            &["stdio"],
            &["call", "echo"],
            &["info", "good"],
            &["connect-client", "cursor"],
        ] {
            let arguments = [arguments, &["--python", python, "skills"]].concat();
            let text = run(folder.path(), &arguments);
            let wanted = format!(
                "exit 2\n--- stdout\n--- stderr\nerror: --python: {wrong}; name a program that can be executed"
            );
            assert!(text.starts_with(&wanted), "{arguments:?}\n{text}");
        }
    }
}

#[test]
fn what_a_variable_or_the_file_names_is_a_warning_and_the_doctor_s_business() {
    let folder = mixed();
    let bin = fake_interpreters(folder.path(), &["python3", "bash"]);
    write(
        folder.path().join("metier.toml"),
        "[interpreters]\nmaya = 'no/mayapy'\njs = 'no-node'\n",
    );
    let said_by = |arguments: &[&str]| {
        let output = metier(folder.path())
            .env("PATH", &bin)
            .env("DCC_MCP_PYTHON_EXECUTABLE", "/nowhere/python")
            .args(arguments)
            .output()
            .unwrap();
        placeless(&said(&output), folder.path())
    };
    // No tool is there that could show it by failing.
    write(
        folder.path().join("notes/style/SKILL.md"),
        "---\nname: style\ndescription: How shots are named.\n---\n",
    );
    insta::assert_snapshot!(said_by(&["doctor", "notes"]));
    insta::assert_snapshot!("stdio", said_by(&["stdio", "notes"]));
    // A command that runs nothing does not speak of it.
    let list = said_by(&["list", "notes"]);
    assert!(!list.contains("warning"), "{list}");
}

#[test]
fn an_interpreter_with_arguments_and_one_for_nothing_are_told() {
    let folder = mixed();
    write(
        folder.path().join("metier.toml"),
        "[interpreters]\njs = 'node -n'\nrb = 'bash'\n",
    );
    let doctor = run(folder.path(), &["doctor", "skills/good"]);
    for text in [
        "interpreters.js: `node -n` is not on the PATH",
        "name the program alone: it gets no arguments here",
        "note: nothing here uses interpreters.rb: no skill is for an application `rb`",
    ] {
        assert!(doctor.contains(text), "{text}: {doctor}");
    }
    assert!(!doctor.contains("interpreters.js:\n"), "{doctor}");
}

#[test]
fn a_python_of_the_settings_names_its_place() {
    let folder = mixed();
    write(folder.path().join("metier.toml"), "python = 'bin/python'\n");
    let doctor = run(folder.path(), &["doctor", "skills/good"]);
    assert!(
        doctor.contains("settings: metier.toml:1:1: python: `bin/python` does not exist"),
        "{doctor}"
    );
    let output = metier(folder.path())
        .env("METIER_PYTHON", "also/nowhere")
        .args(["stdio", "skills/good"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(
        text.starts_with("exit 0")
            && text.contains("warning: METIER_PYTHON: `also/nowhere` does not exist"),
        "{text}"
    );
}

#[test]
fn python_on_the_command_line_is_for_the_scripts_of_applications_too() {
    let folder = tempfile::tempdir().unwrap();
    let bin = fake_interpreters(folder.path(), &["mayapy", "filepy", "optionpy"]);
    write(
        folder.path().join("rig/SKILL.md"),
        "---\nname: rig\ndescription: Does it.\nmetadata: {dcc-mcp: {dcc: maya, tools: tools.yaml}}\n---\n",
    );
    write(
        folder.path().join("rig/tools.yaml"),
        "tools: [{name: go, source_file: scripts/go.py}]\n",
    );
    write(folder.path().join("rig/scripts/go.py"), "");
    let runs_with = |file: &str, options: &[&str]| {
        write(folder.path().join("metier.toml"), file);
        let output = metier(folder.path())
            .env("PATH", &bin)
            .args(["call", "rig__go"])
            .args(options)
            .arg(folder.path())
            .output()
            .unwrap();
        said(&output)
    };
    let both = "python = 'filepy'\n[interpreters]\nmaya = 'mayapy'\n";
    for (file, options, expected) in [
        (both, &[][..], "mayapy"),
        (both, &["--python", "optionpy"], "optionpy"),
        ("python = 'filepy'\n", &[], "filepy"),
        ("python = 'filepy'\n", &["--python", "optionpy"], "optionpy"),
    ] {
        let told = runs_with(file, options);
        assert!(
            told.contains(&format!("{expected} 9.9")),
            "{expected}: {told}"
        );
    }
}
