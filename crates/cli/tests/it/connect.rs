//! `metier connect`, against `metier serve` and `metier stdio`.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::command::{json, metier, on_a_socket, placeless, said, write};

const ERAS: [&str; 2] = ["legacy", "modern"];

/// A folder with skills that another server offers.
pub(crate) fn offered() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skills = folder.path().join("skills");
    write(
        skills.join("bake/SKILL.md"),
        "---\nname: bake\ndescription: Bakes a scene.\nallowed-tools: Bash(bake:*)\n---\nBake it, then look.\n",
    );
    write(skills.join("bake/references/tips.md"), "Tips.\n");
    write(
        skills.join("rig/SKILL.md"),
        "---\nname: rig\ndescription: Rigs a character.\ndisable-model-invocation: true\n---\nRig it.\n",
    );
    folder
}

/// A server on a socket, which ends with the value.
pub(crate) struct Served {
    server: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn of(folder: &Path) -> Self {
        use std::io::BufRead as _;
        let mut server = on_a_socket(folder, &["--watch"]);
        let mut stdout = std::io::BufReader::new(server.stdout.take().unwrap());
        let mut url = String::new();
        stdout.read_line(&mut url).unwrap();
        Self {
            server,
            url: url.trim().to_owned(),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn connect(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = metier(folder);
    command
        .env("METIER_MCP_SKILLS", "1")
        .args(["connect", "--label", "ours", "--state-dir", "state"])
        .args(arguments);
    command
}

fn answer(folder: &Path, arguments: &[&str]) -> Output {
    connect(folder, arguments).output().unwrap()
}

/// Both ways to reach a server over the folder's skills, with what follows for each.
fn ways<'a>(url: &'a str, era: &'a str) -> [Vec<&'a str>; 2] {
    let program = env!("CARGO_BIN_EXE_metier");
    [
        vec!["--era", era, url],
        vec!["--era", era, "--", program, "stdio", "skills"],
    ]
}

#[test]
fn every_way_lists_the_same() {
    let folder = offered();
    let served = Served::of(folder.path());
    for era in ERAS {
        for way in ways(&served.url, era) {
            let text = said(&answer(folder.path(), &way));
            let revision = if era == "legacy" {
                "2025-11-25"
            } else {
                "2026-07-28"
            };
            assert!(text.contains(revision), "{text}");
            let text = text.replace(revision, "REVISION");
            let out = text.split("--- stderr").next().unwrap();
            insta::allow_duplicates! {
                insta::assert_snapshot!("offered", out);
            }
        }
    }
}

#[test]
fn without_encryption_no_certificates_are_needed() {
    let folder = offered();
    let served = Served::of(folder.path());
    let mut command = connect(folder.path(), &[&served.url]);
    command.env("SSL_CERT_FILE", folder.path().join("none"));
    command.env("SSL_CERT_DIR", folder.path().join("none"));
    let output = command.output().unwrap();
    assert!(said(&output).contains("bake"), "{}", said(&output));
    let mut command = connect(folder.path(), &["https://127.0.0.1:1/mcp"]);
    command.env("SSL_CERT_FILE", folder.path().join("none"));
    command.env("SSL_CERT_DIR", folder.path().join("none"));
    insta::assert_snapshot!(said(&command.output().unwrap()), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no client for encrypted HTTP: unexpected error: No CA certificates were loaded from the system; install the certificates of the system (ca-certificates), or name a file of them in SSL_CERT_FILE
    ");
}

#[test]
fn a_program_reads_what_there_is() {
    let folder = offered();
    let served = Served::of(folder.path());
    let listed = json(&answer(folder.path(), &["--json", &served.url]));
    insta::assert_json_snapshot!("listed", listed);
    let shown = json(&answer(
        folder.path(),
        &["--json", "--skill", "bake", "--verify", &served.url],
    ));
    insta::assert_json_snapshot!("shown", shown);
}

/// Looked at, approved, used, changed by the server, refused, approved again, taken back.
#[test]
fn an_approval_holds_until_the_skill_changes() {
    let folder = offered();
    let here = folder.path();
    let program = env!("CARGO_BIN_EXE_metier");
    let on = |arguments: &[&str]| {
        let server = ["--", program, "stdio", "skills"];
        let output = answer(here, &[arguments, &server[..]].concat());
        let text = placeless(&said(&output), here);
        text.split("--- stderr").next().unwrap().to_owned()
    };
    let listed = || on(&[]).split_whitespace().collect::<Vec<_>>().join(" ");
    insta::assert_snapshot!("looked_at", on(&["--skill", "bake"]));
    insta::assert_snapshot!(
        "approved",
        on(&[
            "--skill",
            "ours:bake",
            "--approve",
            "--grant",
            "allowed-tools"
        ])
    );
    assert!(listed().contains("ours:bake approved "));
    let shown = answer(
        here,
        &[
            "--json", "--skill", "bake", "--", program, "stdio", "skills",
        ],
    );
    let instructions = json(&shown)["instructions"].as_str().unwrap().to_owned();
    assert!(
        instructions
            .starts_with("[text of another server: \"ours\", skill://bake/SKILL.md, sha256:")
    );
    write(
        here.join("skills/bake/references/tips.md"),
        "Worse tips, and more.\n",
    );
    write(here.join("skills/bake/scripts/run.sh"), "curl\n");
    insta::assert_snapshot!("changed", on(&[]));
    insta::assert_snapshot!("changed_skill", on(&["--skill", "bake"]));
    let shown = answer(
        here,
        &[
            "--json", "--skill", "bake", "--", program, "stdio", "skills",
        ],
    );
    assert_eq!(shown.status.code(), Some(1));
    let shown = json(&shown);
    assert!(shown.get("instructions").is_none() && shown["preview"].is_string());
    on(&["--skill", "bake", "--approve"]);
    assert!(listed().contains("ours:bake approved "));
    assert!(on(&["--skill", "bake", "--revoke"]).contains("is taken back"));
    assert!(on(&["--skill", "bake", "--revoke"]).contains("was not approved"));
    assert!(listed().contains("ours:bake not approved "));
}

#[test]
fn a_file_is_printed_as_it_is() {
    let folder = offered();
    let served = Served::of(folder.path());
    let file = |path: &str| {
        answer(
            folder.path(),
            &["--skill", "bake", "--file", path, &served.url],
        )
    };
    assert_eq!(file("references/tips.md").stdout, b"Tips.\n");
    let none = file("../rig/SKILL.md");
    assert_eq!(none.status.code(), Some(1));
    assert!(none.stdout.is_empty());
    assert!(
        String::from_utf8(none.stderr)
            .unwrap()
            .contains("is not in the skill's list of files")
    );
}

#[test]
fn with_the_flag_off_nothing_starts() {
    let folder = offered();
    let output = metier(folder.path())
        .args(["connect", "--json", "--", "touch", "started"])
        .output()
        .unwrap();
    insta::assert_snapshot!("switched_off", said(&output));
    assert!(!folder.path().join("started").exists());
}

#[test]
fn what_goes_wrong_is_said() {
    let folder = offered();
    let program = env!("CARGO_BIN_EXE_metier");
    let server = ["--", program, "stdio", "skills"];
    let said = |arguments: &[&str]| {
        let output = answer(folder.path(), arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        let last = text.lines().last().unwrap_or_default().to_owned();
        format!("{} {last}", output.status.code().unwrap())
    };
    let with = |arguments: &[&'static str]| [arguments, &server[..]].concat();
    let mut lines = vec![
        said(&["http://"]),
        said(&["--", "./no-such-program"]),
        said(&with(&["--skill", "bale"])),
        said(&with(&["--skill", "skill://bale/SKILL.md"])),
        said(&with(&["--skill", "rig", "--approve", "--grant", "hooks"])),
        said(&["--token-file", "none", "http://127.0.0.1:1/"]),
    ];
    let mut misnamed = metier(folder.path());
    misnamed.env("METIER_MCP_SKILLS", "1").args([
        "connect",
        "--label",
        "A b",
        "http://127.0.0.1:1/",
    ]);
    lines.push(
        String::from_utf8(misnamed.output().unwrap().stderr)
            .unwrap()
            .trim()
            .to_owned(),
    );
    std::fs::create_dir_all(folder.path().join("state")).unwrap();
    write(folder.path().join("state/mcp-approvals.json"), "{");
    lines.push(said(&server));
    write(folder.path().join("metier.toml"), "roots = [\"skills\"]\n");
    lines.push(said(&with(&["--cache", "skills/cache"])));
    let text = placeless(&lines.join("\n"), folder.path());
    insta::assert_snapshot!("goes_wrong", text);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("state/mcp-approvals.json")).unwrap(),
        "{"
    );
    let refused = said(&["http://127.0.0.1:1/mcp"]);
    assert!(
        refused.starts_with("2 error: the server cannot be connected: "),
        "{refused}"
    );
    assert!(
        refused.contains("is a server running there") && !refused.contains("::"),
        "{refused}"
    );
}

/// What was approved is shown and taken back without the server, which may be gone for good.
#[test]
fn approvals_are_shown_and_forgotten_without_their_server() {
    let folder = offered();
    let here = folder.path();
    let program = env!("CARGO_BIN_EXE_metier");
    let state = |arguments: &[&str]| {
        let mut command = metier(here);
        let command = command.args(["state", "approvals"]).args(arguments);
        placeless(
            &said(&command.args(["--state-dir", "state"]).output().unwrap()),
            here,
        )
    };
    let mut lines = vec![state(&["show"]), state(&["forget", "--all"])];
    assert!(!here.join("state").exists());
    for label in ["ours", "theirs"] {
        let server = ["--grant", "allowed-tools", "--", program, "stdio", "skills"];
        let mut approve = vec!["--label", label, "--skill", "bake", "--approve"];
        approve.extend(server);
        let mut command = metier(here);
        command.env("METIER_MCP_SKILLS", "1");
        command
            .args(["connect", "--state-dir", "state"])
            .args(approve);
        assert!(command.output().unwrap().status.success());
    }
    write(here.join("skills/bake/references/tips.md"), "Others.\n");
    answer(here, &["--", program, "stdio", "skills"]);
    for arguments in [
        &["show"][..],
        &["show", "--json"],
        &["export"],
        &["forget", "ours", "skill://rig/SKILL.md"],
        &["forget", "mine"],
        &["forget", "ours", "skill://bake/SKILL.md", "--json"],
        &["forget", "--all"],
        &["show"],
    ] {
        lines.push(format!("$ {}\n{}", arguments.join(" "), state(arguments)));
    }
    let twice = r#"{"version": 1, "servers": {"ours": {}, "theirs": {}, "ours": {}}}"#;
    write(here.join("state/mcp-approvals.json"), twice);
    lines.push(state(&["show"]));
    insta::assert_snapshot!("approvals", lines.join("\n"));
}

/// Eight persons, or one script with eight lines, approve at once: each approval counts.
#[test]
fn approvals_that_are_given_at_once_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..8).map(|number| format!("skill-{number}")).collect();
    for name in &names {
        let text =
            format!("---\nname: {name}\ndescription: Does the work of {name}.\n---\nDo it.\n");
        write(folder.path().join(format!("skills/{name}/SKILL.md")), &text);
    }
    let served = Served::of(folder.path());
    let with = |more: &[&str]| {
        let mut arguments = vec![served.url.as_str()];
        arguments.extend(more);
        connect(folder.path(), &arguments)
    };
    let running: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = with(&["--skill", name, "--approve"]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let listed = String::from_utf8(with(&[]).output().unwrap().stdout).unwrap();
    for name in &names {
        let line = listed
            .lines()
            .find(|line| line.starts_with(&format!("ours:{name} ")))
            .unwrap();
        assert!(line.contains(" approved "), "{listed}");
    }
}

#[test]
fn a_cache_is_filled_and_used() {
    let folder = offered();
    let served = Served::of(folder.path());
    for _ in 0..2 {
        let output = answer(
            folder.path(),
            &[
                "--cache",
                "cache",
                "--skill",
                "bake",
                "--verify",
                &served.url,
            ],
        );
        assert!(output.status.success(), "{output:?}");
    }
    let kept = std::fs::read_dir(folder.path().join("cache/ours"))
        .unwrap()
        .count();
    assert_eq!(kept, 2);
}

/// Whether a command is there and does what is needed.
fn can(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn the_host_examples_do_what_they_say() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-client/examples");
    let mut hosts = vec![vec![
        "python3".to_owned(),
        examples.join("host.py").display().to_string(),
    ]];
    let strip = "--experimental-strip-types";
    if can("node", &[strip, "-e", "0"]) {
        hosts.push(vec![
            "node".into(),
            strip.into(),
            "--no-warnings".into(),
            examples.join("host.ts").display().to_string(),
        ]);
    }
    for host in hosts {
        let folder = offered();
        let here = folder.path();
        let served = Served::of(here);
        let run = |name: &[&str]| {
            let output = Command::new(&host[0])
                .args(&host[1..])
                .args([env!("CARGO_BIN_EXE_metier"), &served.url])
                .args(name)
                .current_dir(here)
                .env("HOME", here.join("home"))
                .env_remove("METIER_MCP_SKILLS")
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run(&[]), "/other:bake: Bakes a scene.\n");
        assert_eq!(
            run(&["other:bake"]),
            "other:bake has to be approved by a person first\n"
        );
        let mut approve = metier(here);
        approve
            .env("METIER_MCP_SKILLS", "1")
            .env("HOME", here.join("home"))
            .args([
                "connect",
                "--label",
                "other",
                "--skill",
                "bake",
                "--approve",
                &served.url,
            ]);
        assert!(approve.output().unwrap().status.success());
        let text = run(&["other:bake"]);
        assert!(
            text.contains("\nBake it, then look.\n[end of sha256:"),
            "{text}"
        );
        assert!(text.ends_with("(not granted: allowed-tools)\n"), "{text}");
    }
}

#[test]
fn a_model_may_call_what_no_person_keeps_for_himself() {
    let folder = offered();
    let program = env!("CARGO_BIN_EXE_metier");
    let listed = json(&answer(
        folder.path(),
        &["--json", "--", program, "stdio", "skills"],
    ));
    let commands = listed["commands"].as_array().unwrap();
    let callable: Vec<&Value> = commands
        .iter()
        .filter(|it| it["model_invocable"] == true)
        .collect();
    assert_eq!(callable.len(), 1);
    assert_eq!(callable[0]["name"], "ours:bake");
}
