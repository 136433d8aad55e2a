//! Which interpreter reads a script, and how a wrong one is told.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use metier_runner::{EnvLookup, Interpreters, Program, ResolveError, ScriptKind};
use serde_json::json;
use tempfile::TempDir;

use crate::stage::{Stage, go, json, patient, python};

/// A folder of empty programs.
fn programs(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    folder
}

fn resolve(
    interpreters: &Interpreters,
    script: &str,
    host: Option<&str>,
    lookup: &EnvLookup,
) -> Result<Program, ResolveError> {
    interpreters.resolve(Path::new(script), host, lookup)
}

/// The interpreter that is chosen, relative to the folder.
fn chosen(
    folder: &TempDir,
    interpreters: &Interpreters,
    script: &str,
    host: Option<&str>,
    lookup: &EnvLookup,
) -> String {
    let program = resolve(interpreters, script, host, lookup).unwrap();
    program
        .interpreter
        .strip_prefix(folder.path())
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_path_with_only_python3_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    symlink(python(), folder.path().join("python3")).unwrap();

    let stage =
        Stage::python("import json, sys\nprint(json.dumps({'echo': json.load(sys.stdin)}))\n");
    let lookup = EnvLookup::new([("PATH", folder.path())]);
    let mut job = stage.job();
    job.program = resolve(
        &Interpreters::default(),
        stage.path("go.py").to_str().unwrap(),
        None,
        &lookup,
    )
    .unwrap();
    assert_eq!(job.program.interpreter, folder.path().join("python3"));
    job.environment = lookup.vars().collect();
    assert_eq!(json(&go(job, &patient()).await), &json!({ "echo": {} }));
}

#[test]
fn the_order_for_python_is_option_variable_environment_path() {
    let folder = programs(&[
        "option",
        "variable",
        "venv/bin/python",
        "path/python",
        "path/python3",
        "js",
        "maya",
    ]);
    let at = |name: &str| folder.path().join(name);
    let mut vars = vec![("PATH", at("path"))];
    let pick = |interpreters: &Interpreters, vars: &[(&str, PathBuf)]| {
        chosen(
            &folder,
            interpreters,
            "go.py",
            Some("maya"),
            &EnvLookup::new(vars.iter().map(|(name, value)| (*name, value))),
        )
    };
    let mut interpreters = Interpreters::default();
    assert_eq!(pick(&interpreters, &vars), "path/python3");
    vars.push(("VIRTUAL_ENV", at("venv")));
    assert_eq!(pick(&interpreters, &vars), "venv/bin/python");
    vars.push(("DCC_MCP_PYTHON_EXECUTABLE", at("variable")));
    assert_eq!(pick(&interpreters, &vars), "variable");
    interpreters.python = Some(at("option"));
    assert_eq!(pick(&interpreters, &vars), "option");
    // Letter case does not count in the name of an application, unless two differ by it alone.
    interpreters
        .by_host
        .insert("Maya".to_owned(), at("venv/bin/python"));
    assert_eq!(pick(&interpreters, &vars), "venv/bin/python");
    interpreters.by_host.insert("maya".to_owned(), at("maya"));
    assert_eq!(pick(&interpreters, &vars), "maya");
    interpreters.python_for_hosts = true;
    assert_eq!(pick(&interpreters, &vars), "option");
    interpreters.python = None;
    assert_eq!(pick(&interpreters, &vars), "maya");
}

#[test]
fn every_extension_has_its_interpreter() {
    let folder = programs(&["bash", "cmd", "powershell", "node", "lua", "python"]);
    let lookup = EnvLookup::new([("PATH", folder.path())]);
    let mut lines = Vec::new();
    for script in [
        "a.py", "a.SH", "a.bash", "a.bat", "a.cmd", "a.ps1", "a.js", "a.lua",
    ] {
        let program = resolve(&Interpreters::default(), script, None, &lookup).unwrap();
        let interpreter = program
            .interpreter
            .strip_prefix(folder.path())
            .unwrap()
            .display()
            .to_string();
        lines.push(format!("{script}: {interpreter} {:?}", program.arguments));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    a.py: python []
    a.SH: bash []
    a.bash: bash []
    a.bat: cmd ["/D", "/C"]
    a.cmd: cmd ["/D", "/C"]
    a.ps1: powershell ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"]
    a.js: node []
    a.lua: lua []
    "#);
}

#[test]
fn a_host_script_needs_a_host() {
    let folder = programs(&["mayabatch", "lua"]);
    let lookup = EnvLookup::new([
        ("PATH", folder.path()),
        (
            "DCC_MCP_MAYA_LT_INTERPRETER",
            &folder.path().join("mayabatch"),
        ),
    ]);
    let none = Interpreters::default();
    assert_eq!(
        chosen(&folder, &none, "a.mel", Some("maya-lt"), &lookup),
        "mayabatch"
    );
    assert_eq!(
        chosen(&folder, &none, "a.lua", Some("maya-lt"), &lookup),
        "mayabatch"
    );
    assert_eq!(chosen(&folder, &none, "a.lua", None, &lookup), "lua");
    assert_eq!(
        resolve(&none, "a.mel", Some("maya-lt"), &lookup)
            .unwrap()
            .kind,
        ScriptKind::HostScript
    );
    let error = resolve(&none, "a.ms", Some("3dsmax"), &lookup).unwrap_err();
    insta::assert_snapshot!(error, @"`.ms` scripts need a host application: connect a host, or set DCC_MCP_3DSMAX_INTERPRETER to its command line interpreter");
}

#[test]
fn relative_entries_of_the_path_do_not_count() {
    let folder = programs(&["python3"]);
    let lookup = EnvLookup::new([("PATH", ".::bin")]).in_folder(folder.path());
    assert!(matches!(
        resolve(&Interpreters::default(), "a.py", None, &lookup),
        Err(ResolveError::NotFound { .. })
    ));
}

#[test]
fn a_wrong_override_is_named_and_never_passed_over() {
    let folder = programs(&["path/python3", "tool"]);
    std::fs::write(folder.path().join("text"), "").unwrap();
    let lookup = |name: &str, value: &Path| {
        EnvLookup::new([
            ("PATH", folder.path().join("path")),
            (name, value.to_path_buf()),
        ])
        .in_folder(folder.path())
    };
    let mut messages = Vec::new();
    for (name, value) in [
        ("DCC_MCP_PYTHON_EXECUTABLE", Path::new("missing/bin/python")),
        (
            "DCC_MCP_PYTHON_EXECUTABLE",
            &folder.path().join("missing/bin/python"),
        ),
        ("DCC_MCP_PYTHON_EXECUTABLE", &folder.path().join("path")),
        ("DCC_MCP_PYTHON_EXECUTABLE", &folder.path().join("text")),
        ("DCC_MCP_PYTHON_EXECUTABLE", Path::new("python9")),
        ("VIRTUAL_ENV", &folder.path().join("venv")),
    ] {
        let error =
            resolve(&Interpreters::default(), "a.py", None, &lookup(name, value)).unwrap_err();
        let message = error.to_string();
        assert!(
            !message.contains(folder.path().to_str().unwrap()),
            "{message}"
        );
        assert!(
            error
                .operator_detail()
                .unwrap()
                .contains(value.to_str().unwrap())
        );
        messages.push(message.replace(
            folder.path().file_name().unwrap().to_str().unwrap(),
            "FOLDER",
        ));
    }
    let interpreters = Interpreters {
        python: Some("./nothing".into()),
        ..Interpreters::default()
    };
    messages.push(
        resolve(&interpreters, "a.py", None, &lookup("A", Path::new("a")))
            .unwrap_err()
            .to_string(),
    );
    let mut interpreters = Interpreters::default();
    interpreters
        .by_extension
        .insert("js".to_owned(), "nodejs".into());
    messages.push(
        resolve(&interpreters, "a.js", None, &lookup("A", Path::new("a")))
            .unwrap_err()
            .to_string(),
    );
    insta::assert_snapshot!(messages.join("\n"), @r"
    cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `missing/bin/python` does not exist; correct it or remove it
    cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `…/missing/bin/python` does not exist; correct it or remove it
    cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `…/FOLDER/path` is a folder; correct it or remove it
    cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `…/FOLDER/text` is not executable; correct it or remove it
    cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `python9` is not on the PATH; correct it or remove it
    cannot use the interpreter from VIRTUAL_ENV: `…/venv/bin/python` does not exist; correct it or remove it
    cannot use the interpreter from the setting `python` (--python): `./nothing` does not exist; correct it or remove it
    cannot use the interpreter from interpreters.js: `nodejs` is not on the PATH; correct it or remove it
    ");

    let relative = resolve(
        &Interpreters::default(),
        "a.py",
        None,
        &lookup("DCC_MCP_PYTHON_EXECUTABLE", Path::new("./tool")),
    );
    assert!(relative.unwrap().interpreter.is_absolute());
}

#[test]
fn nothing_on_the_path_names_what_was_tried_and_the_cure() {
    let lookup = EnvLookup::new([("PATH", "")]);
    let messages: Vec<_> = ["a.py", "a.sh", "a.ps1", "a.lua", "a.txt", "Makefile"]
        .map(|script| {
            resolve(&Interpreters::default(), script, None, &lookup)
                .unwrap_err()
                .to_string()
        })
        .to_vec();
    insta::assert_snapshot!(messages.join("\n"), @r"
    no Python interpreter found: looked for `python3`, `python` on the PATH; install one or set DCC_MCP_PYTHON_EXECUTABLE or --python
    no shell interpreter found: looked for `bash` on the PATH; install one or set interpreters.sh in the configuration
    no PowerShell interpreter found: looked for `pwsh`, `powershell` on the PATH; install one or set interpreters.ps1 in the configuration
    `.lua` scripts need a host application or a `lua` on the PATH: install one, or name an interpreter as `interpreters.lua` in the configuration
    `a.txt` is no script that can be run: expected one of .py, .sh, .bash, .bat, .cmd, .ps1, .js, .lua, .mel, .ms, .hscript
    `Makefile` is no script that can be run: expected one of .py, .sh, .bash, .bat, .cmd, .ps1, .js, .lua, .mel, .ms, .hscript
    ");
}
