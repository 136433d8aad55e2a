//! A PATH that cannot be read is named, whatever the reason.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{mixed, said};

const COMMANDS: [&str; 5] = ["list", "serve", "stdio", "check", "doctor"];

/// The command as somebody to whom rights mean something: who may read everything is made nobody,
/// with a copy of the command that nobody can start.
fn as_somebody(folder: &Path, may_read_everything: bool) -> Command {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_metier"));
    if !may_read_everything {
        let mut command = Command::new(built);
        command.current_dir(folder);
        return command;
    }
    let copy = folder.join("metier");
    if !copy.exists() {
        // By another process: a file that this one writes is busy for as long as a test beside it starts a program.
        let copied = Command::new("cp").arg(built).arg(&copy).status().unwrap();
        assert!(copied.success());
    }
    let mut command = Command::new(copy);
    command.uid(65_534).gid(65_534).current_dir(folder);
    command
}

#[test]
fn rights_that_lack_are_named() {
    let folder = mixed();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open.clone()).unwrap();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let all = std::fs::read_dir(&closed).is_ok();
    for subcommand in COMMANDS {
        let output = as_somebody(folder.path(), all)
            .env_clear()
            .args([subcommand, "closed"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = said(&output);
        assert!(
            text.starts_with("exit 2")
                && text.contains("error: closed: the folder cannot be read: Permission denied"),
            "{subcommand}: {text}"
        );
    }
    std::fs::set_permissions(&closed, open).unwrap();
}

#[test]
fn a_link_that_leads_nowhere_is_told_from_a_missing_folder() {
    let folder = mixed();
    symlink("round", folder.path().join("round")).unwrap();
    for subcommand in COMMANDS {
        let text = crate::command::run(folder.path(), &[subcommand, "round"]);
        assert!(
            text.starts_with("exit 2") && text.contains("error: round: the folder cannot be read"),
            "{subcommand}: {text}"
        );
        let text = crate::command::run(folder.path(), &[subcommand, "skills/good/tools.yaml"]);
        assert!(
            text.starts_with("exit 2")
                && text.contains("error: skills/good/tools.yaml: this is a file"),
            "{subcommand}: {text}"
        );
    }
}

#[test]
fn a_file_that_nobody_may_read_is_left_out_with_the_reason_and_the_skill_served_without_it() {
    let folder = mixed();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let closed = folder.path().join("skills/good/notes.md");
    std::fs::write(&closed, "x").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let all = std::fs::read(&closed).is_ok();
    let run = |arguments: &[&str]| {
        let mut command = as_somebody(folder.path(), all);
        let command = command.env_clear().args(arguments).stdin(Stdio::null());
        command.output().unwrap()
    };
    let reason = "permission denied for `notes.md`";
    let listed = run(&["list", "--json", "skills"]);
    let list = crate::command::json(&listed);
    let good = list["skills"].as_array().unwrap().iter();
    let good = good.clone().find(|skill| skill["name"] == "good").unwrap();
    assert_eq!(good.get("not_served"), None);
    assert_eq!(good["left_out"]["notes.md"], reason);
    // The log has it as well, once.
    let logged = format!("`notes.md` of the skill `good` is not served: {reason}");
    assert_eq!(said(&listed).matches(&logged).count(), 1, "{listed:?}");
    let info = said(&run(&["info", "good", "skills"]));
    assert!(
        info.contains(reason) && info.contains("skill://good"),
        "{info}"
    );
    let check = said(&run(&["check", "--lenient", "skills/good"]));
    let message = format!("warning[MT611]: not served to clients: {reason}");
    assert!(check.contains(&message), "{check}");
    // A folder is no other thing.
    let folder = folder.path().join("skills/good/closed");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o000)).unwrap();
    let check = said(&run(&["check", "--lenient", "skills/good"]));
    let both = "permission denied for `closed`, permission denied for `notes.md`";
    let message = format!("warning[MT611]: not served to clients: {both}");
    assert!(
        check.contains(&message) && check.contains("let the user that the server runs as read it"),
        "{check}"
    );
    let list = crate::command::json(&run(&["list", "--json", "skills"]));
    let good = list["skills"].as_array().unwrap().iter();
    let good = good.clone().find(|skill| skill["name"] == "good").unwrap();
    assert_eq!(good["left_out"]["closed"], "permission denied for `closed`");
}
