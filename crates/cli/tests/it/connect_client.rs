//! `metier connect-client`.

use std::path::Path;

use crate::command::{json, metier, mixed, placeless, run, said, write};

pub(crate) fn connect(folder: &Path, arguments: &[&str]) -> String {
    let output = metier(folder)
        .arg("connect-client")
        .args(arguments)
        .output()
        .unwrap();
    placeless(&said(&output), folder)
}

#[test]
fn the_entry_for_each_client() {
    let folder = mixed();
    let all: Vec<String> = ["claude-code", "cursor", "vscode", "inspector"]
        .iter()
        .flat_map(|client| {
            [
                connect(folder.path(), &[client, "skills"]),
                connect(
                    folder.path(),
                    &[client, "--url", "http://127.0.0.1:8765/mcp"],
                ),
            ]
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn json_for_programs() {
    let folder = mixed();
    let output = metier(folder.path())
        .args([
            "connect-client",
            "vscode",
            "--json",
            "--url",
            "http://localhost:1/mcp",
        ])
        .output()
        .unwrap();
    insta::assert_json_snapshot!(json(&output));
}

#[test]
fn options_and_the_settings_file_travel_along() {
    let folder = mixed();
    write(folder.path().join("metier.toml"), "app = 'maya'\n");
    let said = connect(
        folder.path(),
        &[
            "cursor",
            "--strict",
            "--capability",
            "usd",
            "--timeout",
            "60",
            "skills",
        ],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn a_new_file_is_made_and_an_old_one_kept() {
    let folder = mixed();
    insta::assert_snapshot!(connect(folder.path(), &["claude-code", "--write", "skills"]), @"
    exit 0
    --- stdout
    .mcp.json
    --- stderr
    added `metier`
    ");
    let first = std::fs::read_to_string(folder.path().join(".mcp.json")).unwrap();
    insta::assert_snapshot!(placeless(&first, folder.path()), @r#"
    {
      "mcpServers": {
        "metier": {
          "type": "stdio",
          "command": "METIER",
          "args": ["stdio", "FOLDER/skills"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(connect(folder.path(), &["claude-code", "--write", "skills"]), @"
    exit 0
    --- stdout
    .mcp.json
    --- stderr
    it was there already; nothing was changed
    ");
    insta::assert_snapshot!(
        connect(folder.path(), &["claude-code", "--write", "--url", "http://localhost:1/mcp"]),
        @"
    exit 0
    --- stdout
    .mcp.json
    --- stderr
    replaced `metier`; the old file is kept as .mcp.json.bak
    "
    );
    let kept = std::fs::read_to_string(folder.path().join(".mcp.json.bak")).unwrap();
    assert_eq!(kept, first);
    let output = metier(folder.path())
        .args([
            "connect-client",
            "claude-code",
            "--write",
            "--json",
            "skills",
        ])
        .output()
        .unwrap();
    let value = json(&output);
    assert_eq!(value["change"], "replaced", "{value}");
    // The copy before makes room: there is one, of what stood there before the last writing.
    assert_eq!(value["backup"], ".mcp.json.bak", "{value}");
    let kept = std::fs::read_to_string(folder.path().join(".mcp.json.bak")).unwrap();
    assert!(kept.contains("http://localhost:1/mcp"), "{kept}");
    let names = std::fs::read_dir(folder.path()).unwrap();
    let copies = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".mcp") || name.starts_with(".metier"));
    assert_eq!(copies.count(), 2);
}

#[cfg(unix)]
#[test]
fn the_users_file_keeps_its_bytes_its_rights_and_its_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = mixed();
    let home = folder.path().join("no-home");
    let real = folder.path().join("dotfiles/mcp.json");
    let before = "{\n    // servers of mine\n    \"servers\": {\n        \"other\": {\"type\": \"http\", \"url\": \"http://x\"}, // keep\n    },\n    \"inputs\": [],\n}\n";
    write(&real, before);
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = home.join(".config/Code/User/mcp.json");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let output = metier(folder.path())
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .args([
            "connect-client",
            "vscode",
            "--write",
            "--scope",
            "user",
            "skills",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let after = std::fs::read_to_string(&real).unwrap();
    insta::assert_snapshot!(placeless(&after, folder.path()), @r#"
    {
        // servers of mine
        "servers": {
            "other": {"type": "http", "url": "http://x"}, // keep
            "metier": {
                "type": "stdio",
                "command": "METIER",
                "args": ["stdio", "FOLDER/skills"],
            },
        },
        "inputs": [],
    }
    "#);
    // What was there is there still, line by line.
    let mut rest = after.lines();
    for line in before.lines() {
        assert!(rest.any(|new| new == line), "{line:?} is gone: {after}");
    }
    assert!(link.symlink_metadata().unwrap().is_symlink());
    let rights = real.metadata().unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o640);
    let kept = std::fs::read_to_string(link.with_file_name("mcp.json.bak")).unwrap();
    assert_eq!(kept, before);
    // Nothing half-made is left behind.
    let left: Vec<_> = std::fs::read_dir(real.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn what_cannot_be_edited_stays_as_it_is() {
    let folder = mixed();
    let file = folder.path().join(".cursor/mcp.json");
    write(&file, "{\"mcpServers\": [\n");
    insta::assert_snapshot!(connect(folder.path(), &["cursor", "--write", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: .cursor/mcp.json: not valid JSON: Unterminated array on line 1 column 16; nothing was changed
    ");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "{\"mcpServers\": [\n"
    );
    assert_eq!(
        std::fs::read_dir(file.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
#[cfg(unix)]
fn a_protected_file_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = mixed();
    let file = folder.path().join("mcp.json");
    write(&file, "{\"mcpServers\": {}}\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    insta::assert_snapshot!(connect(folder.path(), &["inspector", "--write", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: mcp.json: it is write-protected; make it writable (or check it out), then run this again; nothing was changed
    ");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "{\"mcpServers\": {}}\n"
    );
    assert!(!folder.path().join("mcp.json.bak").exists());
}

#[test]
fn a_command_that_is_shown_can_be_pasted() {
    let folder = mixed();
    let told = connect(
        folder.path(),
        &["inspector", "--name", "my skills", "skills"],
    );
    assert!(told.contains("--server 'my skills' --method"), "{told}");
}

#[test]
fn usage() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["connect-client", "cursor", "--url", "localhost:1"]), @"
    exit 2
    --- stdout
    --- stderr
    error: --url localhost:1: expected the URL that `metier serve` prints, like http://127.0.0.1:8765/mcp
    ");
    insta::assert_snapshot!(run(folder.path(), &["connect-client", "cursor", "--url", "http://localhost:1/mcp", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: with --url, skills and settings are those of the server that runs there; give them to `metier serve`
    ");
    insta::assert_snapshot!(run(folder.path(), &["connect-client", "inspector", "--scope", "user"]), @"
    exit 2
    --- stdout
    --- stderr
    error: --scope user: the Inspector has no file of its own; leave the option out
    ");
}

#[test]
fn variables_that_the_client_will_not_see_are_told() {
    let folder = mixed();
    let output = metier(folder.path())
        .env("DCC_MCP_SKILL_PATHS", "skills")
        .args(["connect-client", "cursor"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(
        text.contains("does not see this shell's DCC_MCP_SKILL_PATHS"),
        "{text}"
    );
}

#[test]
fn skills_to_load_are_handed_on() {
    let folder = mixed();
    let output = metier(folder.path())
        .args([
            "connect-client",
            "cursor",
            "--load",
            "good",
            "--load",
            "half",
            "skills",
        ])
        .output()
        .unwrap();
    let entry = &json(&output)["mcpServers"]["metier"]["args"];
    let arguments: Vec<&str> = entry
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    assert_eq!(
        arguments[..5],
        ["stdio", "--load", "good", "--load", "half"]
    );
    let text = run(
        folder.path(),
        &[
            "connect-client",
            "cursor",
            "--url",
            "http://127.0.0.1:1",
            "--load",
            "good",
        ],
    );
    assert!(
        text.starts_with("exit 2") && text.contains("give them to `metier serve`"),
        "{text}"
    );
}

#[test]
fn every_option_of_the_server_is_handed_on() {
    let folder = mixed();
    write(folder.path().join("metier.toml"), "app = 'maya'\n");
    let output = metier(folder.path())
        .args([
            "connect-client",
            "cursor",
            "--watch",
            "--persist",
            "--state-dir",
            "kept",
        ])
        .args([
            "--memory",
            "--memory-database",
            "memory.sqlite3",
            "--stubs",
            "none",
        ])
        .args(["--confirm", "destructive", "--env", "SHOT", "skills"])
        .output()
        .unwrap();
    let text = placeless(&said(&output), folder.path());
    insta::assert_snapshot!(text);
    // A server that runs already has its own.
    let text = connect(
        folder.path(),
        &["cursor", "--url", "http://localhost:1/mcp"],
    );
    assert!(text.starts_with("exit 0"), "{text}");
    let text = connect(
        folder.path(),
        &["cursor", "--url", "http://localhost:1/mcp", "--watch"],
    );
    assert!(text.contains("give them to `metier serve`"), "{text}");
}

#[test]
fn no_path_leads_through_a_folder_that_may_go() {
    let folder = mixed();
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    write(folder.path().join("metier.toml"), "");
    let output = metier(&sub)
        .args([
            "connect-client",
            "cursor",
            "--root",
            "..",
            "--audit-log",
            "../audit.jsonl",
        ])
        .args([
            "--state-dir",
            "../kept/../state",
            "--memory-database",
            "../memory.sqlite3",
        ])
        .args(["--attach", "../door.json", "../skills", "../skills/good"])
        .output()
        .unwrap();
    let entry = &json(&output)["mcpServers"]["metier"]["args"];
    let real = folder.path().canonicalize().unwrap();
    let mut paths = 0;
    for word in entry.as_array().unwrap() {
        let word = word.as_str().unwrap();
        assert!(!word.contains("..") && !word.contains("sub"), "{entry}");
        paths += usize::from(word.starts_with(&*real.to_string_lossy()));
    }
    assert_eq!(paths, 8, "{entry}");
    // What is handed on works from elsewhere, and without the folder.
    std::fs::remove_dir(&sub).unwrap();
    let words = entry.as_array().unwrap().iter().skip(1);
    let output = metier(Path::new("/"))
        .arg("stdio")
        .args(words.map(|word| word.as_str().unwrap()))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_name_can_be_shown_and_typed() {
    let folder = mixed();
    for name in ["", " ", "a\nb", "\u{1b}[31m", &"a".repeat(65)] {
        let said = connect(folder.path(), &["cursor", "--name", name, "skills"]);
        assert!(
            said.starts_with("exit 2") && said.contains("error: --name \""),
            "{said}"
        );
    }
    insta::assert_snapshot!(connect(folder.path(), &["cursor", "--name", "a\nb", "skills"]), @r#"
    exit 2
    --- stdout
    --- stderr
    error: --name "a\nb": expected 1 to 64 characters without line ends, and no blank at the edges
    "#);
    let said = connect(folder.path(), &["cursor", "--name", "灯光 2", "skills"]);
    assert!(said.starts_with("exit 0"), "{said}");
}
