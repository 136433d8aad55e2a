//! `metier completions`.

use std::process::Command;

use crate::command::{json, metier};

#[test]
fn bash_completes_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let output = metier(folder.path())
        .args(["completions", "bash"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let script = folder.path().join("metier.bash");
    std::fs::write(&script, &output.stdout).unwrap();
    let ask = "source ./metier.bash; COMP_WORDS=(metier do); COMP_CWORD=1; _metier metier do metier; echo \"${COMPREPLY[*]}\"";
    let reply = Command::new("bash")
        .current_dir(folder.path())
        .args(["--norc", "-c", ask])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&reply.stdout),
        "doctor\n",
        "{reply:?}"
    );
}

#[test]
fn every_shell_has_one() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef metier"),
        ("fish", "complete -c metier"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let output = metier(folder.path())
            .args(["completions", shell, "--json"])
            .output()
            .unwrap();
        let value = json(&output);
        assert_eq!(value["shell"], shell);
        let script = value["script"].as_str().unwrap();
        assert!(
            script.contains(sign) && script.contains("connect-client"),
            "{shell}"
        );
    }
}
