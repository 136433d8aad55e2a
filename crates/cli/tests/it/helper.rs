//! The Python helper for skill authors: its own tests, and its agreement with the server.

use std::path::{Path, PathBuf};
use std::process::Command;

use metier::workspace_roots::WorkspaceRoots;
use serde_json::{Value, json};

use crate::command::metier;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn python() -> Command {
    let mut command = Command::new("python3");
    // Without -B, running the tests would leave compiled files in the source tree.
    command.arg("-B").env("PYTHONUTF8", "1");
    command
}

#[test]
fn its_own_tests_pass() {
    let output = python()
        .args(["-m", "unittest", "metier_skill_test"])
        .current_dir(here("tests"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("OK"), "{said}");
}

/// A skill whose script uses the helper.
fn skill(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/probe");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    std::fs::create_dir(folder.path().join("root")).unwrap();
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: probe\ndescription: A probe.\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
    )
    .unwrap();
    std::fs::write(
        skill.join("tools.yaml"),
        "tools:\n  - name: probe\n    source_file: scripts/probe.py\n    required_capabilities: [filesystem.read]\n",
    )
    .unwrap();
    std::fs::write(skill.join("scripts/probe.py"), script).unwrap();
    std::fs::copy(
        here("assets/metier_skill.py"),
        skill.join("scripts/_metier_skill.py"),
    )
    .unwrap();
    folder
}

fn call(folder: &Path, arguments: &Value) -> (i32, Value, String) {
    let output = metier(folder)
        .args(["call", "probe", "--json", "--capability", "filesystem.read"])
        .args(["--root", "root", "--args", &arguments.to_string(), "skills"])
        .output()
        .unwrap();
    (
        output.status.code().unwrap_or(-1),
        serde_json::from_slice(&output.stdout).unwrap_or(Value::Null),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn arguments_progress_log_and_result_pass_through_the_runner() {
    let folder = skill(
        "from _metier_skill import *\n\
         def probe(name, count=1):\n\
         \x20   progress(1, 2, 'half')\n\
         \x20   log('a line')\n\
         \x20   print('a stray print')\n\
         \x20   return {'said': name * count, 'roots': len(roots())}\n\
         run(probe)\n",
    );
    let (code, result, said) = call(folder.path(), &json!({"name": "球", "count": 2}));
    assert_eq!(code, 0, "{result} {said}");
    assert_eq!(
        result["structuredContent"],
        json!({"success": true, "said": "球球", "roots": 1})
    );
    assert_eq!(said, "[1/2] half\na line\na stray print\n");
}

#[test]
fn a_failure_is_an_error_with_its_facts() {
    let folder = skill(
        "from _metier_skill import *\n\
         def probe(frame):\n\
         \x20   fail('frame is before the shot', first=1001)\n\
         run(probe)\n",
    );
    let (code, result, _) = call(folder.path(), &json!({"frame": 3}));
    assert_eq!((code, &result["isError"]), (1, &json!(true)));
    assert_eq!(
        result["structuredContent"],
        json!({"success": false, "message": "frame is before the shot", "first": 1001})
    );
    let (_, result, _) = call(folder.path(), &json!({"number": 3}));
    assert_eq!(
        result["structuredContent"]["error"]["unknown"],
        json!(["number"])
    );
}

#[test]
fn pictures_are_content() {
    let folder = skill(
        "from _metier_skill import *\n\
         run(lambda: content('a picture', image(b'abc'), width=3))\n",
    );
    let (code, result, _) = call(folder.path(), &json!({}));
    assert_eq!(code, 0);
    assert_eq!(
        result["content"][1],
        json!({"type": "image", "data": "YWJj", "mimeType": "image/png"})
    );
    assert_eq!(
        result["structuredContent"],
        json!({"success": true, "width": 3})
    );
}

/// Texts of every form; `ROOT` and `OUT` stand for folders.
const PATHS: &[&str] = &[
    "workspace://assets/hero.usd",
    "workspace://escape/../assets/hero.usd",
    "inside/../assets/./escape/../../assets",
    "inside/../assets",
    "workspace:/a",
    "WORKSPACE:///a/../b",
    " workspace://a ",
    "workspace:",
    "workspace://",
    "workspace://my%20shot/100%25",
    "workspace://%E7%90%83",
    "workspace://a%2fb",
    "workspace://a%5Cb",
    "workspace://a%00",
    "workspace://a%zz",
    "workspace://a%2",
    "workspace://%ff",
    "workspace://../x",
    "workspace://%2e%2e/x",
    "workspace://a/../../show/x",
    "workspace://a\\..\\..\\x",
    "workspace://...",
    "workspace://a/ /b",
    "workspace://a/C:/x",
    "a/b",
    "a\\b",
    "./a//b",
    "../x",
    "a/../../x",
    "~/a",
    "my%20shot/%2e%2e",
    "./take:1.usd",
    "take:1.usd",
    "球/x",
    "",
    " ",
    "C:x",
    "\\x",
    "a\0b",
    "tab\there/../../x",
    "C:\\x\\y",
    "c:/x",
    "\\\\server\\share",
    "//x",
    "/a/../b",
    "ROOT/x",
    "ROOT/../out/x",
    "ROOT/a/../b",
    "ROOT/escape/x",
    "OUT/x",
    "OUT/back/x",
    "file:///p/My%20Hero",
    "file://localhost/p",
    "FILE:/p/x",
    "file:p/x",
    "file://other/p",
    "file:",
    "file:///a%2fb",
    "file://ROOT/x",
    "http://x.invalid/a",
    "s3://b/x",
    "escape/x",
    "workspace://escape/x",
    "dangling",
    "inside/x",
    "loop/x",
    "file.txt/x",
    "OUT/../show/file.txt",
    "OUT/gone/../../show/file.txt",
];

#[cfg(unix)]
#[test]
fn paths_resolve_as_the_server_resolves_them() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (root, out) = (base.join("show"), base.join("out"));
    std::fs::create_dir_all(root.join("assets")).unwrap();
    std::fs::create_dir(&out).unwrap();
    std::fs::write(root.join("file.txt"), "").unwrap();
    for (target, link) in [
        ("../out", "escape"),
        ("../out/nothing", "dangling"),
        ("assets", "inside"),
        ("loop", "loop"),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    std::os::unix::fs::symlink(&root, out.join("back")).unwrap();
    let texts: Vec<String> = PATHS
        .iter()
        .map(|text| {
            text.replace("ROOT", root.to_str().unwrap())
                .replace("OUT", out.to_str().unwrap())
        })
        .collect();
    for given in [Vec::new(), vec![root.clone()]] {
        let roots = WorkspaceRoots::new(&given);
        let mut wanted = Vec::new();
        for text in &texts {
            for answer in [roots.resolve(text), roots.resolve_strict(text)] {
                wanted.push(match answer {
                    Ok(path) => json!({"path": path}),
                    Err(error) => json!({"refused": error.to_string()}),
                });
            }
        }
        let found = resolved(&texts, &given);
        assert_eq!(found.len(), wanted.len());
        for ((text, strict), (helper, server)) in texts
            .iter()
            .flat_map(|text| [(text, false), (text, true)])
            .zip(found.iter().zip(&wanted))
        {
            // The file system's own words differ between the two languages.
            let cut = |value: &Value| {
                let text = value.to_string();
                match text.split_once("leads:") {
                    Some((before, _)) => before.to_owned(),
                    None => text,
                }
            };
            assert_eq!(
                cut(helper),
                cut(server),
                "{text:?}, strict: {strict}, roots: {given:?}"
            );
        }
    }
}

/// What the helper says: for each text first the plain answer, then the strict one.
fn resolved(texts: &[String], roots: &[PathBuf]) -> Vec<Value> {
    let code = "\
        import json, sys\n\
        from metier_skill import WorkspaceError, arguments, resolve\n\
        def answer(text, strict):\n\
        \x20   try:\n\
        \x20       return {'path': resolve(text, strict=strict)}\n\
        \x20   except WorkspaceError as error:\n\
        \x20       return {'refused': str(error)}\n\
        print(json.dumps([answer(t, s) for t in arguments()['texts'] for s in (False, True)]))\n";
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input.json");
    std::fs::write(
        &input,
        json!({"texts": texts, "_workspace_roots": roots}).to_string(),
    )
    .unwrap();
    let output = python()
        .args(["-c", code])
        .env("PYTHONPATH", here("assets"))
        .current_dir(folder.path())
        .stdin(std::fs::File::open(input).unwrap())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}
