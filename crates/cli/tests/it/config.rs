//! `metier config show`, and that every layer counts.

use crate::command::{json, metier, mixed, placeless, run, said, write};

const FILE: &str = r#"# What this show needs.
app = "maya"
roots = ["skills"]
capabilities = ["usd", "scene.read"]
environment = ["MAYA_*"]
python = "tools/python"

[limits]
deadline = 60
output = "8 MiB"

[interpreters]
maya = "mayapy"
js = "deno"
"#;

/// The policies that stand in it would be off without a word.
#[cfg(unix)]
#[test]
fn a_file_that_is_there_and_cannot_be_read_ends_what_would_run_without_it() {
    type Make<'m> = &'m dyn Fn(&std::path::Path);
    let place = |folder: &std::path::Path| folder.join("metier.toml");
    let link: Make<'_> = &|file| std::os::unix::fs::symlink("/drive/that/is/late", file).unwrap();
    let circle: Make<'_> = &|file| std::os::unix::fs::symlink("metier.toml", file).unwrap();
    let pipe: Make<'_> = &|file| {
        let made = std::process::Command::new("mkfifo").arg(file).status();
        assert!(made.unwrap().success());
    };
    let inner: Make<'_> = &|file| std::fs::create_dir(file).unwrap();
    for (make, why) in [
        (
            link,
            "it is a link to /drive/that/is/late, which is not there; its drive may be late",
        ),
        (circle, "symbolic link"),
        (pipe, "this is no file"),
        (inner, "this is no file"),
    ] {
        let folder = mixed();
        // One further up does not stand in for it.
        let below = folder.path().join("show");
        std::fs::create_dir(&below).unwrap();
        write(place(folder.path()), "app = 'maya'\n");
        make(&place(&below));
        let said = run(
            &below,
            &["call", "good__echo", "--args", "{\"n\": 1}", "../skills"],
        );
        assert!(said.starts_with("exit 2") && said.contains(why), "{said}");
        let without = [
            "call",
            "--no-config",
            "good__echo",
            "--args",
            "{\"n\": 1}",
            "../skills",
        ];
        assert!(run(&below, &without).starts_with("exit 0"));
    }
}

#[test]
fn each_value_has_its_origin() {
    let folder = mixed();
    write(folder.path().join("metier.toml"), FILE);
    let output = metier(folder.path())
        .env("METIER_LIMITS_DEADLINE", "90")
        .env("METIER_INTERPRETERS_MAYA", "/opt/mayapy")
        .env("METIER_SKILL_TOOLS", "on")
        .args(["config", "show", "--capability", "rig"])
        .output()
        .unwrap();
    insta::assert_snapshot!(said(&output));
    let output = metier(folder.path())
        .env("METIER_STRICT", "yes")
        .args(["config", "show", "--json"])
        .output()
        .unwrap();
    insta::assert_json_snapshot!(json(&output));
}

#[test]
fn without_a_file() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["config", "show"]));
}

#[test]
fn the_nearest_file_above_counts_and_its_folders_are_its_own() {
    let folder = mixed();
    write(folder.path().join("metier.toml"), FILE);
    let below = folder.path().join("shots/010");
    std::fs::create_dir_all(&below).unwrap();
    let shown = run(&below, &["config", "show"]);
    assert!(shown.contains("../../metier.toml:3:1"), "{shown}");
    assert!(shown.contains("../../skills"), "{shown}");
    // The skills of its `roots` are found from there.
    let list = run(&below, &["list"]);
    assert!(list.contains("good"), "{list}");
    // PATHs replace them, as they replace the usual places.
    let list = run(&below, &["list", "."]);
    assert!(list.contains("0 skills"), "{list}");
    let none = run(&below, &["list", "--no-config"]);
    assert!(none.contains("0 skills"), "{none}");
}

#[test]
fn a_file_can_be_named() {
    let folder = mixed();
    write(folder.path().join("other/mine.toml"), "app = 'houdini'\n");
    let shown = run(
        folder.path(),
        &["config", "show", "--config", "other/mine.toml"],
    );
    assert!(shown.contains("other/mine.toml:1:1"), "{shown}");
    let output = metier(folder.path())
        .env("METIER_CONFIG", "other/mine.toml")
        .args(["config", "show"])
        .output()
        .unwrap();
    assert!(said(&output).contains("other/mine.toml:1:1"), "{output:?}");
    insta::assert_snapshot!(run(folder.path(), &["list", "--config", "nowhere.toml", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: nowhere.toml: there is no such file; name a TOML file that can be read
    ");
}

#[test]
fn faults_name_place_and_cure() {
    let folder = mixed();
    write(
        folder.path().join("metier.toml"),
        "capabilites = ['usd']\n\n[limits]\ndeadline = '5 minutes'\nprocesses = 0\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:1: unknown key `capabilites`; did you mean `capabilities`?
    error: metier.toml:4:12: `limits.deadline`: found the text `5 minutes`; expected whole seconds, 1 to 86400
    error: metier.toml:5:13: `limits.processes`: found the number 0; expected a number, 1 to 4096
    ");
    write(
        folder.path().join("metier.toml"),
        "skill_tools = 'sometimes'\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:15: `skill_tools`: found the text `sometimes`; expected auto, on or off
    ");
    write(folder.path().join("metier.toml"), "roots = [\n");
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:10: not valid TOML: unclosed array, expected `]`; mend the line
    ");
    write(
        folder.path().join("metier.toml"),
        "workspace_roots = ['nowhere']\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:20: workspace_roots nowhere: there is no such folder; make it or name another one
    ");
    write(folder.path().join("metier.toml"), "");
    let output = metier(folder.path())
        .env("METIER_LIMITS_OUTPUT", "4 MB")
        .args(["list", "skills"])
        .output()
        .unwrap();
    insta::assert_snapshot!(said(&output), @r#"
    exit 2
    --- stdout
    --- stderr
    error: METIER_LIMITS_OUTPUT: found `4 MB`; expected bytes, or a text like "4 MiB", up to 1 GiB
    "#);
    insta::assert_snapshot!(run(folder.path(), &["call", "echo", "--env", "A=B", "--root", "nowhere", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: --root nowhere: there is no such folder; make it or name another one
    error: --env A=B: `A=B` is no environment variable: expected a name, a name that ends in `*`, or `all`; correct it or leave it out
    ");
}

#[test]
fn settings_reach_the_script() {
    let folder = mixed();
    write(
        folder.path().join("skills/good/scripts/run.py"),
        "import json, os, sys\njson.load(sys.stdin)\nprint(json.dumps({'seen': os.environ.get('SHOT')}))\n",
    );
    let call = |folder: &std::path::Path| {
        let output = metier(folder)
            .env("SHOT", "010")
            .args(["call", "echo", "--args", r#"{"n": 1}"#, "skills"])
            .output()
            .unwrap();
        said(&output)
    };
    assert!(call(folder.path()).contains(r#"{"seen":null}"#));
    write(
        folder.path().join("metier.toml"),
        "environment = ['SHOT']\n",
    );
    let said = call(folder.path());
    assert!(said.contains(r#"{"seen":"010"}"#), "{said}");
    // An interpreter of the file is used, and an unusable one is an error that names it.
    write(folder.path().join("metier.toml"), "python = 'bin/python'\n");
    let said = call(folder.path());
    assert!(
        said.contains("cannot use the interpreter from the setting `python`"),
        "{}",
        placeless(&said, folder.path())
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_anybody_may_have_put_there_does_not_count() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = mixed();
    let shared = folder.path().join("shared");
    write(shared.join("metier.toml"), "python = '/tmp/evil'\n");
    std::fs::create_dir(shared.join("mine")).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = run(&shared.join("mine"), &["config", "show"]);
    assert!(!said.contains("evil"), "{said}");
    assert!(
        said.contains("warning: ../metier.toml is passed over"),
        "{said}"
    );
    let named = run(&shared, &["config", "show", "--config", "metier.toml"]);
    assert!(named.contains("evil"), "{named}");
}

#[test]
fn the_help_lists_every_setting() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["config", "show", "--help"]));
}

#[test]
fn a_misspelt_variable_is_told_and_stops_nothing() {
    let folder = mixed();
    let told = |arguments: &[&str]| {
        let output = metier(folder.path())
            .env("METIER_DEADLINE", "5")
            .env("METIER_CAPABILITES", "usd")
            .env("METIER_INTERPRETERS_MAYA", "python3")
            .args(arguments)
            .output()
            .unwrap();
        said(&output)
    };
    let near = "warning: the variable METIER_CAPABILITES means nothing; did you mean METIER_CAPABILITIES?\n";
    for arguments in [
        &["call", "good__echo", "--args", "{\"n\": 1}", "skills/good"][..],
        &["list", "skills/good"],
        &["check", "skills/good"],
        &["config", "show"],
    ] {
        let text = told(arguments);
        assert!(text.starts_with("exit 0"), "{arguments:?}\n{text}");
        assert_eq!(text.matches(near).count(), 1, "{arguments:?}\n{text}");
        assert_eq!(text.matches("means nothing").count(), 2, "{text}");
    }
    let doctor = told(&["doctor", "skills/good"]);
    assert_eq!(
        doctor.matches("METIER_CAPABILITES means nothing").count(),
        1,
        "{doctor}"
    );
}

#[test]
fn what_a_server_is_started_with_can_stand_in_the_file() {
    let folder = mixed();
    write(
        folder.path().join("metier.toml"),
        "watch = true\nstubs = 'none'\nconfirm = 'destructive'\nload = ['good']\nroots = ['skills']\n[http]\nport = 0\nallowed_hosts = ['farm']\nallowed_origins = ['https://tools.example']\n",
    );
    let shown = run(
        folder.path(),
        &["config", "show", "--stubs", "all", "--load", "half"],
    );
    for row in [
        "watch               true                      metier.toml:1:1",
        "stubs               all                       --stubs",
        "confirm             destructive               metier.toml:3:1",
        "load                half                      --load",
        "http.port           0                         metier.toml:7:1",
        "http.allowed_hosts  farm                      metier.toml:8:1",
        "http.allowed_origins  https://tools.example   metier.toml:9:1",
    ] {
        let words = |text: &str| {
            text.split_whitespace()
                .map(ToOwned::to_owned)
                .collect::<Vec<_>>()
        };
        assert!(
            shown.lines().any(|line| words(line) == words(row)),
            "{row}\n{shown}"
        );
    }
    for (line, fault) in [
        (
            "stubs = 'some'",
            "metier.toml:1:9: `stubs`: found the text `some`; expected all or none",
        ),
        (
            "confirm = true",
            "metier.toml:1:11: `confirm`: found true; expected never or destructive",
        ),
        (
            "load = 'all'",
            "metier.toml:1:8: `load`: found the text `all`; expected a list of names: `[\"all\"]`",
        ),
        (
            "environment = 'all'",
            "metier.toml:1:15: `environment`: found the text `all`; expected a list of names, names that end in `*`, or `all`: `[\"all\"]`",
        ),
        (
            "[http]\nport = 65536",
            "metier.toml:2:8: `http.port`: found the number 65536; expected a port, 0 to 65535",
        ),
        (
            "port = 1",
            "metier.toml:1:1: unknown key `port`; write `port` below `[http]`",
        ),
    ] {
        write(folder.path().join("metier.toml"), &format!("{line}\n"));
        let said = run(folder.path(), &["config", "show"]);
        assert!(said.contains(&format!("error: {fault}\n")), "{said}");
    }
    // Who travels with a project does not open the machine to others.
    write(
        folder.path().join("metier.toml"),
        "[http]\nhost = '0.0.0.0'\n",
    );
    let said = run(folder.path(), &["serve", "skills"]);
    assert!(
        said.starts_with("exit 2")
            && said.contains("metier.toml:2:1: http.host 0.0.0.0: this address can be reached"),
        "{said}"
    );
}

#[test]
fn an_entry_of_a_list_has_its_own_place() {
    let folder = mixed();
    write(
        folder.path().join("metier.toml"),
        "workspace_roots = [\n  'skills',\n  'nowhere',\n]\n",
    );
    let said = run(folder.path(), &["list", "skills"]);
    assert!(
        said.contains("metier.toml:3:3: workspace_roots nowhere"),
        "{said}"
    );
    // An option in its place has no line.
    let said = run(
        folder.path(),
        &["call", "x", "--root", "skills", "--root", "gone", "skills"],
    );
    assert!(
        said.contains("error: --root gone: there is no such folder"),
        "{said}"
    );
}

/// A database turns memory on and privacy turns it off; whoever asks whether it is on reads the answer in one row.
#[test]
fn whether_memory_is_on_is_shown_as_it_is_in_effect() {
    let folder = mixed();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (file, arguments, expected) in [
        ("", &[][..], "memory.enabled false default"),
        (
            "database = 'm.sqlite3'",
            &[],
            "memory.enabled true metier.toml:2:1",
        ),
        (
            "",
            &["--memory-database", "m.sqlite3"],
            "memory.enabled true --memory-database",
        ),
        (
            "enabled = false\ndatabase = 'm.sqlite3'",
            &[],
            "memory.enabled false metier.toml:2:1",
        ),
        (
            "enabled = false",
            &["--memory-database", "m.sqlite3"],
            "memory.enabled true --memory-database",
        ),
        (
            "enabled = true\nprivacy = true",
            &[],
            "memory.enabled false metier.toml:3:1",
        ),
        (
            "privacy = true",
            &["--memory-database", "m.sqlite3"],
            "memory.enabled false metier.toml:2:1",
        ),
    ] {
        write(
            folder.path().join("metier.toml"),
            &format!("[memory]\n{file}\n"),
        );
        let shown = run(
            folder.path(),
            &[&["config", "show"][..], arguments].concat(),
        );
        let shown: Vec<String> = shown.lines().map(words).collect();
        assert!(
            shown.iter().any(|row| row == expected),
            "{file}: {expected}\n{shown:#?}"
        );
    }
}
