//! Every command answers people and, with `--json`, programs; both answers are written down here.

use serde_json::Value;

use crate::command::{fake_interpreters, metier, mixed, placeless, said};

/// A command, and whether its answers are kept. A script for a shell changes with every option and
/// is not.
const COMMANDS: &[(&[&str], bool)] = &[
    (&["list", "skills"], true),
    (&["search", "good", "skills"], true),
    (&["discover", "good", "skills"], true),
    (&["listing", "skills"], true),
    (&["check", "skills"], true),
    (&["schema", "skill"], false),
    (&["call", "echo", "--args", r#"{"n": 1}"#, "skills"], true),
    (&["info", "good", "skills"], true),
    (&["deps", "skills"], true),
    (&["doctor", "skills"], true),
    (&["connect-client", "vscode", "skills"], true),
    (&["new", "bake-ao"], true),
    (&["completions", "bash"], false),
    (&["config", "show"], true),
    (&["host-adapter"], false),
    (&["state", "show"], true),
];

/// Those without, and why.
const WITHOUT: &[(&str, &str)] = &[
    (
        "serve",
        "its first line is the URL, and it ends with a signal",
    ),
    (
        "stdio",
        "its standard output is the protocol's, which is JSON",
    ),
    (
        "connect",
        "it needs a server; its own tests have both forms",
    ),
    ("help", "it is the help of the others"),
];

/// Figures that another weight in the search would change, and that say nothing about this command.
fn without_scores(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == "score" || name == "confidence" {
                    *value = Value::from("…");
                } else {
                    without_scores(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_scores),
        _ => {}
    }
}

/// One value, or one on each line.
fn values(text: &str) -> Vec<Value> {
    let read = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    read.map(|value| value.unwrap_or_else(|error| panic!("{error}: {text}")))
        .collect()
}

#[test]
fn every_command_has_both_forms() {
    for (arguments, kept) in COMMANDS {
        let answer = |json: bool| {
            let folder = mixed();
            let bin = fake_interpreters(folder.path(), &["bash"]);
            let python = std::process::Command::new("python3")
                .args(["-c", "import sys; print(sys.executable)"])
                .output()
                .unwrap();
            let python = String::from_utf8(python.stdout).unwrap();
            std::os::unix::fs::symlink(python.trim(), bin.join("python3")).unwrap();
            let mut command = metier(folder.path());
            command.env("PATH", &bin).args(*arguments);
            if json {
                command.arg("--json");
            }
            let output = command.output().unwrap();
            let version = said_version(python.trim());
            let text = placeless(&said(&output), folder.path()).replace(&version, "Python 3");
            let stdout = String::from_utf8(output.stdout).unwrap();
            (
                text,
                placeless(&stdout, folder.path()).replace(&version, "Python 3"),
            )
        };
        let name = arguments[0].replace('-', "_");
        let (text, _) = answer(false);
        let (told, json) = answer(true);
        let mut values = values(&json);
        assert!(!values.is_empty(), "{arguments:?}: {told}");
        values.iter_mut().for_each(without_scores);
        let exit = |text: &str| text.lines().next().map(str::to_owned);
        assert_eq!(exit(&text), exit(&told), "{arguments:?}");
        if *kept {
            insta::assert_snapshot!(format!("text_{name}"), text);
            insta::assert_json_snapshot!(format!("json_{name}"), values);
        }
    }
}

fn said_version(python: &str) -> String {
    let output = std::process::Command::new(python).arg("--version").output();
    String::from_utf8(output.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}

#[test]
fn no_command_is_left_out() {
    let folder = mixed();
    let output = metier(folder.path()).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let list = help.split("Commands:").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let mut known: Vec<&str> = COMMANDS.iter().map(|(words, _)| words[0]).collect();
    known.extend(WITHOUT.iter().map(|(name, _)| *name));
    let mut there: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter_map(|line| line.split(' ').next())
        .filter(|word| !word.is_empty())
        .collect();
    there.sort_unstable();
    known.sort_unstable();
    assert_eq!(there, known);
}
