//! Which files `metier connect-client --write` touches, and how.
#![cfg(unix)]

use crate::command::mixed;
use crate::connect_client::connect;

#[test]
fn what_is_no_plain_file_is_refused_and_never_waited_for() {
    let folder = mixed();
    let file = folder.path().join(".mcp.json");
    let write_it = || connect(folder.path(), &["claude-code", "--write", "skills"]);
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    insta::assert_snapshot!(write_it(), @"
    exit 2
    --- stdout
    --- stderr
    error: .mcp.json: it is no plain file; nothing was changed
    ");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(write_it().contains("it is no plain file"));
    std::fs::remove_file(&file).unwrap();
    // A file with a hole in it, of which nothing is read.
    let large = std::fs::File::create(&file).unwrap();
    large.set_len(1 << 40).unwrap();
    insta::assert_snapshot!(write_it(), @"
    exit 2
    --- stdout
    --- stderr
    error: .mcp.json: it is larger than 16 MiB; nothing was changed
    ");
}

#[test]
fn a_link_to_what_is_not_there_yet_stays_a_link() {
    let folder = mixed();
    let link = folder.path().join(".mcp.json");
    std::os::unix::fs::symlink("shared/mcp.json", &link).unwrap();
    let said = connect(folder.path(), &["claude-code", "--write", "skills"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    let text = std::fs::read_to_string(folder.path().join("shared/mcp.json")).unwrap();
    assert!(text.contains("mcpServers"), "{text}");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(".mcp.json", &link).unwrap();
    let said = connect(folder.path(), &["claude-code", "--write", "skills"]);
    assert!(said.starts_with("exit 2"), "{said}");
}

#[test]
fn a_projects_file_is_as_open_as_the_mask_lets_it_be() {
    use std::os::unix::fs::PermissionsExt as _;
    let rights = |mask: &str, scope: &str| {
        let folder = mixed();
        let status = std::process::Command::new("sh")
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .arg("-c")
            .arg(format!("umask {mask}; exec \"$0\" connect-client claude-code --write --scope {scope} skills"))
            .arg(env!("CARGO_BIN_EXE_metier"))
            .status()
            .unwrap();
        assert!(status.success());
        let name = if scope == "user" {
            ".claude.json"
        } else {
            ".mcp.json"
        };
        let made = folder.path().join(name).metadata().unwrap();
        made.permissions().mode() & 0o777
    };
    assert_eq!(rights("022", "project"), 0o644);
    assert_eq!(rights("007", "project"), 0o660);
    // The user's own may hold secrets of other servers one day.
    assert_eq!(rights("022", "user"), 0o600);
}
