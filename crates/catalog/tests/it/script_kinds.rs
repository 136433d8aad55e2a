//! Every kind of script, as its interpreter is started: what stands on the command line, and what on standard input.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use metier_catalog::CatalogSettings;
use metier_runner::EnvLookup;
use serde_json::{Value, json};

use crate::bench_folder::Bench;
use crate::script_cases::{facts, skill};

/// The extension, who runs it, and what comes before the script.
#[rustfmt::skip]
const KINDS: [(&str, &str, &[&str]); 12] = [
    ("py", "python3", &[]),
    ("sh", "bash", &[]),
    ("bash", "bash", &[]),
    ("bat", "cmd", &["/D", "/C"]),
    ("cmd", "cmd", &["/D", "/C"]),
    ("ps1", "pwsh", &["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"]),
    ("js", "node", &[]),
    ("lua", "maya", &[]),
    ("mel", "maya", &[]),
    ("ms", "maya", &[]),
    ("hscript", "maya", &[]),
    ("PY", "python3", &[]),
];

/// A program that tells how it was started.
fn teller(folder: &Path, name: &str) {
    let python = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable, end='')"])
        .output()
        .unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    let text = format!(
        "#!{python}\nimport json, os, sys\nprint(json.dumps({{'name': os.path.basename(sys.argv[0]), 'argv': sys.argv[1:], 'read': json.load(sys.stdin)}}))\n"
    );
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

async fn bench(programs: &Path, change: fn(&mut CatalogSettings)) -> Bench {
    for name in ["python3", "bash", "cmd", "pwsh", "node", "maya"] {
        teller(programs, name);
    }
    let bench = Bench::with(|settings| {
        settings.run.environment = EnvLookup::new([
            ("PATH", programs.to_owned()),
            ("DCC_MCP_MAYA_INTERPRETER", programs.join("maya")),
        ]);
        change(settings);
    });
    let tools: Vec<String> = (0..)
        .zip(KINDS)
        .map(|(n, (extension, ..))| {
            bench.file(&format!("box/scripts/t{n}.{extension}"), "");
            format!("  - {{name: t{n}, source_file: scripts/t{n}.{extension}}}")
        })
        .collect();
    bench.skill("box", &["dcc: maya", "tools: tools.yaml"]);
    bench.file("box/tools.yaml", &format!("tools:\n{}\n", tools.join("\n")));
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    bench
}

#[tokio::test]
async fn every_kind_is_started_as_it_wants_and_reads_its_arguments() {
    let given = json!({"text": "& calc \"%PATH%\" --x", "n": 3});
    let options = ["--text", "& calc \"%PATH%\" --x", "--n", "3"];
    for argv in [false, true] {
        let programs = tempfile::tempdir().unwrap();
        let change: fn(&mut CatalogSettings) = if argv {
            |settings| settings.run.argv = true
        } else {
            |_| ()
        };
        let bench = bench(programs.path(), change).await;
        for (n, (extension, program, before)) in (0..).zip(KINDS) {
            let told = bench.structured(&format!("box__t{n}"), given.clone()).await;
            assert_eq!(told["name"], program, "{extension}");
            assert_eq!(told["read"], given, "{extension}");
            let script = bench.path().canonicalize().unwrap();
            let script = script.join(format!("box/scripts/t{n}.{extension}"));
            let mut wanted: Vec<&str> = before.to_vec();
            wanted.push(script.to_str().unwrap());
            // What stands on the command line of a batch file is read as commands.
            if argv && !matches!(extension, "bat" | "cmd") {
                wanted.extend(options);
            }
            assert_eq!(told["argv"], json!(wanted), "{extension}, argv: {argv}");
        }
    }
}

/// What fits no command line does not take the rest along, and is named: in the note, and to a script's author too when
/// the script ended over its command line.
#[tokio::test]
async fn what_is_no_option_is_named_and_the_rest_is_passed() {
    let told = "import json, sys\nprint(json.dumps({'argv': sys.argv[1:], 'read': len(sys.stdin.read())}))\n";
    let parsed = "import argparse\nit = argparse.ArgumentParser()\nit.add_argument('--vast', required=True)\nit.parse_args()\n";
    let bench = skill(
        |settings| settings.run.argv = true,
        &[("told.py", told), ("parsed.py", parsed)],
    )
    .await;
    let given = json!({"name": "a", "vast": "x".repeat(200_000), "x y": 1, "k".repeat(200_000): 1, "tags": [1], "none": null});
    let output = bench.output("box__told", given.clone()).await;
    assert_eq!(facts(&output)["argv"], json!(["--name", "a"]));
    assert!(facts(&output)["read"].as_u64() > Some(400_000));
    let note = output.meta["dcc"]["note"].as_str().unwrap();
    for part in [
        "on standard input alone, not on the command line: `",
        "`vast` (over 8 KiB)",
        "`x y` (no name of an option)",
        "kkk…` (no name of an option)",
        "`tags` (a list)",
    ] {
        assert!(note.contains(part), "{part}: {note}");
    }
    assert!(!note.contains("`none`") && !note.contains("`name`") && note.len() < 400);
    let fits = bench.output("box__told", json!({"name": "a"})).await;
    assert_eq!(fits.meta.get("dcc"), None);
    let many: serde_json::Map<_, _> = (0..50).map(|n| (format!("n{n}"), json!([]))).collect();
    let many = bench.output("box__told", Value::Object(many)).await;
    let note = many.meta["dcc"]["note"].as_str().unwrap();
    assert!(note.ends_with("(a list), and 45 more"), "{note}");
    let failed = bench.output("box__parsed", given).await;
    let text = failed.joined_text();
    assert!(
        failed.is_error && text.contains("`vast` (over 8 KiB)"),
        "{text}"
    );
    assert!(!text.contains("`argv = true`"), "it is set: {text}");
}

#[tokio::test]
async fn without_the_interpreter_each_kind_names_what_it_needs() {
    let programs = tempfile::tempdir().unwrap();
    let bench = bench(programs.path(), |settings| {
        settings.run.environment = EnvLookup::new([("PATH", "/nowhere")]);
    })
    .await;
    let mut said = Vec::new();
    for (n, (extension, ..)) in (0..).zip(KINDS) {
        let output = bench.output(&format!("box__t{n}"), Value::Null).await;
        assert!(output.is_error, "{extension}");
        said.push(format!(".{extension}: {}", output.joined_text()));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    .py: no Python interpreter found: looked for `python3`, `python` on the PATH; install one or set DCC_MCP_PYTHON_EXECUTABLE or --python
    .sh: no shell interpreter found: looked for `bash` on the PATH; install one or set interpreters.sh in the configuration
    .bash: no shell interpreter found: looked for `bash` on the PATH; install one or set interpreters.bash in the configuration
    .bat: no batch interpreter found: looked for `cmd` on the PATH; install one or set interpreters.bat in the configuration
    .cmd: no batch interpreter found: looked for `cmd` on the PATH; install one or set interpreters.cmd in the configuration
    .ps1: no PowerShell interpreter found: looked for `pwsh`, `powershell` on the PATH; install one or set interpreters.ps1 in the configuration
    .js: no JavaScript interpreter found: looked for `node` on the PATH; install one or set interpreters.js in the configuration
    .lua: `.lua` scripts need a host application or a `lua` on the PATH: install one, connect a host, set DCC_MCP_MAYA_INTERPRETER, or name an interpreter as `interpreters.lua` in the configuration
    .mel: `.mel` scripts need a host application: connect a host, or set DCC_MCP_MAYA_INTERPRETER to its command line interpreter
    .ms: `.ms` scripts need a host application: connect a host, or set DCC_MCP_MAYA_INTERPRETER to its command line interpreter
    .hscript: `.hscript` scripts need a host application: connect a host, or set DCC_MCP_MAYA_INTERPRETER to its command line interpreter
    .PY: no Python interpreter found: looked for `python3`, `python` on the PATH; install one or set DCC_MCP_PYTHON_EXECUTABLE or --python
    ");
}
