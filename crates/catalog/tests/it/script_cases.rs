//! What goes wrong with the start and the life of scripts: one test for each numbered case from the field, as a
//! caller sees it. The ways in which a run can end are tested one by one in `runner`.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use metier_catalog::{CallRequest, CatalogSettings};
use metier_runner::{EnvLookup, EnvironmentPolicy, Gate};
use metier_tool::ToolOutput;
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

/// A loaded skill `box` with a tool for each script, named by its file.
pub(crate) async fn skill(
    change: impl FnOnce(&mut CatalogSettings),
    scripts: &[(&str, &str)],
) -> Bench {
    let bench = Bench::with(change);
    let tool = |(file, _): &(&str, &str)| {
        let name = file.split('.').next().unwrap();
        format!("  - {{name: {name}, source_file: scripts/{file}}}\n")
    };
    let tools: String = scripts.iter().map(tool).collect();
    bench.skill("box", &["tools: tools.yaml"]);
    bench.file("box/tools.yaml", &format!("tools:\n{tools}"));
    for (file, text) in scripts {
        bench.file(&format!("box/scripts/{file}"), text);
    }
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    bench
}

pub(crate) fn facts(output: &ToolOutput) -> Value {
    output.structured.clone().map_or(Value::Null, Value::Object)
}

#[tokio::test]
async fn case_092_hang_and_time_limit() {
    let scripts = [
        ("sleep.py", "import time\ntime.sleep(3600)\n"),
        (
            "deaf.py",
            "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(3600)\n",
        ),
        ("quick.py", "print('{\"quick\": true}')\n"),
    ];
    let bench = skill(
        |settings| {
            settings.run.limits.deadline = Duration::from_secs(3);
            settings.run.limits.grace = Duration::from_millis(200);
        },
        &scripts,
    )
    .await;
    let hanging = ["box__sleep", "box__deaf"].map(|tool| {
        let dispatcher = bench.dispatcher.clone();
        tokio::spawn(async move { dispatcher.call(CallRequest::new(tool, None)).await.unwrap() })
    });
    let pid = bench.path().join("box/pid");
    while std::fs::read_to_string(&pid).unwrap_or_default().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(!bench.output("box__quick", json!({})).await.is_error);
    for call in hanging {
        let output = call.await.unwrap();
        assert_eq!(
            output.joined_text(),
            "the script was still running at its time limit of 3 s and was ended"
        );
    }
    let pid = std::fs::read_to_string(pid).unwrap();
    assert!(
        !Path::new("/proc").join(pid).exists(),
        "gone, and no zombie"
    );
}

#[tokio::test]
async fn case_093_stdin_not_read() {
    let bench = skill(|_| (), &[("go.sh", "echo '{\"success\": true}'\n")]).await;
    for run in 0..100 {
        let pad = "x".repeat(1_000_000);
        let output = bench.output("box__go", json!({"pad": pad})).await;
        assert_eq!(facts(&output), json!({"success": true}), "run {run}");
    }
}

#[tokio::test]
async fn case_094_stdin_must_end() {
    let prompt = "import sys\nsys.stdin.readline()\ntry:\n    input()\n    print('more')\nexcept EOFError:\n    print('{\"ended\": true}')\n";
    let bench = skill(|_| (), &[("all.py", ECHO), ("prompt.py", prompt)]).await;
    let all = bench.structured("box__all", json!({"n": 1})).await;
    assert_eq!(all, json!({"got": {"n": 1}}));
    let prompt = bench.structured("box__prompt", json!({})).await;
    assert_eq!(prompt, json!({"ended": true}));
}

#[tokio::test]
async fn case_095_interpreter_choice() {
    let real = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable, end='')"])
        .output()
        .unwrap();
    let only = tempfile::tempdir().unwrap();
    symlink(
        String::from_utf8(real.stdout).unwrap(),
        only.path().join("python3"),
    )
    .unwrap();
    let with = async |variables: Vec<(&'static str, String)>| {
        let change = |settings: &mut CatalogSettings| {
            settings.run.environment = EnvLookup::new(variables).in_folder("/");
        };
        let bench = skill(change, &[("go.py", ECHO)]).await;
        bench.output("box__go", json!({"n": 1})).await
    };
    let path = only.path().to_str().unwrap().to_owned();
    assert_eq!(
        facts(&with(vec![("PATH", path.clone())]).await),
        json!({"got": {"n": 1}})
    );
    for (variables, words) in [
        (
            vec![("PATH", String::new())],
            "no Python interpreter found: looked for `python3`, `python` on the PATH; install one or set DCC_MCP_PYTHON_EXECUTABLE or --python",
        ),
        (
            vec![
                ("PATH", path.clone()),
                ("DCC_MCP_PYTHON_EXECUTABLE", "missing/bin/python".into()),
            ],
            "cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `missing/bin/python` does not exist; correct it or remove it",
        ),
        (
            vec![
                ("PATH", path.clone()),
                ("DCC_MCP_PYTHON_EXECUTABLE", "/usr/lib".into()),
            ],
            "cannot use the interpreter from DCC_MCP_PYTHON_EXECUTABLE: `…/lib` is a folder; correct it or remove it",
        ),
    ] {
        let output = with(variables).await;
        assert!(output.is_error);
        assert_eq!(output.joined_text(), words);
    }
}

#[tokio::test]
async fn case_096_awkward_script_paths() {
    let bench = Bench::new();
    let folder = "it's \"so\" $(touch x) `touch x` & 100% 球; #1\\n";
    bench.file(
        &format!("{folder}/SKILL.md"),
        "---\nname: awkward\ndescription: x\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    bench.file(&format!("{folder}/tools.yaml"), "tools:\n  - {name: py, source_file: scripts/run it $1.py}\n  - {name: sh, source_file: \"scripts/-c 'x'.sh\"}\n");
    bench.file(
        &format!("{folder}/scripts/run it $1.py"),
        "print('{\"ran\": 1}')\n",
    );
    bench.file(
        &format!("{folder}/scripts/-c 'x'.sh"),
        "echo '{\"ran\": 2}'\n",
    );
    bench.discover();
    bench.catalog.load_skill("awkward").await.unwrap();
    assert_eq!(
        bench.structured("awkward__py", json!({})).await,
        json!({"ran": 1})
    );
    assert_eq!(
        bench.structured("awkward__sh", json!({})).await,
        json!({"ran": 2})
    );
    for place in [
        bench.path().join(folder).join("x"),
        bench.path().join("x"),
        "x".into(),
    ] {
        assert!(!place.exists(), "{}", place.display());
    }
}

#[tokio::test]
async fn case_097_crlf_and_no_exec_bit() {
    let bench = skill(
        |_| (),
        &[
            (
                "sh.sh",
                "#!/nowhere/bash\r\nx=1\r\nif [ \"$x\" = 1 ]; then\r\n  echo ok\r\nfi\r\n",
            ),
            ("py.py", "#!/nowhere/python\r\nprint('{\"ran\": true}')\r\n"),
        ],
    )
    .await;
    for script in ["sh.sh", "py.py"] {
        let path = bench.path().join("box/scripts").join(script);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o644)).unwrap();
    }
    assert_eq!(
        bench.structured("box__py", json!({})).await,
        json!({"ran": true})
    );
    let sh = bench.output("box__sh", json!({})).await;
    assert!(
        sh.is_error && sh.joined_text().contains("CRLF line endings"),
        "{sh:?}"
    );
}

#[tokio::test]
async fn case_098_environment_leak() {
    const SHOW: &str = "import json, os\nprint(json.dumps({'names': sorted(os.environ)}))\n";
    let seen = async |allowed: &[&str]| {
        let change = |settings: &mut CatalogSettings| {
            let path = std::env::var("PATH").unwrap();
            let variables = [
                ("PATH", path.as_str()),
                ("HOME", "/projects/anna"),
                ("TMPDIR", "/tmp"),
                ("LANG", "C.UTF-8"),
                ("DCC_MCP_SHOT", "010"),
                ("DEMO_API_KEY", "k"),
                ("STUDIO_CREDS", "c"),
                ("MAYA_LOCATION", "app"),
            ];
            settings.run.environment = EnvLookup::new(variables);
            let policy = allowed
                .iter()
                .try_fold(EnvironmentPolicy::default(), |policy, name| {
                    policy.allow(name)
                });
            settings.run.environment_policy = policy.unwrap();
        };
        let bench = skill(change, &[("show.py", SHOW)]).await;
        bench.structured("box__show", json!({})).await["names"].to_string()
    };
    let usual = seen(&[]).await;
    for name in [
        "PATH",
        "HOME",
        "TMPDIR",
        "LANG",
        "DCC_MCP_SHOT",
        "DCC_MCP_SKILL_DIR",
    ] {
        assert!(usual.contains(&format!("\"{name}\"")), "{name}: {usual}");
    }
    for name in ["DEMO_API_KEY", "STUDIO_CREDS", "MAYA_LOCATION"] {
        assert!(!usual.contains(name), "{name}: {usual}");
    }
    let wider = seen(&["MAYA_*"]).await;
    assert!(
        wider.contains("MAYA_LOCATION") && !wider.contains("STUDIO_CREDS"),
        "{wider}"
    );
}

#[tokio::test]
async fn case_100_many_calls_at_once() {
    let script = "import json, os, sys, time\nn = json.load(sys.stdin)['n']\nopen(f'at-{os.getpid()}', 'w').close()\nbeside = len([f for f in os.listdir('.') if f.startswith('at-')])\ntime.sleep(0.02)\nos.remove(f'at-{os.getpid()}')\nprint(json.dumps({'n': n, 'beside': beside}))\n";
    let bench = skill(
        |settings| settings.run.gate = Gate::new(4),
        &[("go.py", script)],
    )
    .await;
    let handles = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut before = 0;
    for round in 0..4 {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let dispatcher = bench.dispatcher.clone();
                let request = CallRequest::new("box__go", Some(json!({"n": n})));
                tokio::spawn(async move { dispatcher.call(request).await.unwrap() })
            })
            .collect();
        for (n, call) in calls.into_iter().enumerate() {
            let answer = facts(&call.await.unwrap());
            assert_eq!(answer["n"], n, "the answer of another");
            assert!(answer["beside"].as_u64().unwrap() <= 4, "too many at once");
        }
        if round == 0 {
            before = handles();
        }
    }
    // Other tests of this process hold some for a while.
    let patience = Instant::now();
    while handles() > before + 16 {
        assert!(
            patience.elapsed() < Duration::from_secs(30),
            "handles are left over"
        );
        tokio::task::yield_now().await;
    }
}
