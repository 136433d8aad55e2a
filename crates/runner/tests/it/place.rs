//! Where a script stands and where it runs.

use metier_runner::{EnvLookup, Interpreters, Job, ScriptKind};
use serde_json::json;

use crate::stage::{Stage, go, json, patient};

#[tokio::test]
async fn awkward_paths_are_only_paths() {
    for name in [
        "it's a \"test\" $(touch x) & 100% ball/run it.py",
        "球体/脚本.py",
        "`touch x`; touch x\n/--help.py",
        "-c/%PATH%.sh",
    ] {
        let stage = Stage::new(name, "");
        let mut job = stage.job();
        let source = if job.program.kind == ScriptKind::Shell {
            "echo '{\"ok\": true}'"
        } else {
            "print('{\"ok\": true}')"
        };
        std::fs::write(stage.path(name), source).unwrap();
        job.working_dir = stage.path(name).parent().unwrap().to_path_buf();
        let report = go(job, &patient()).await;
        assert_eq!(json(&report), &json!({ "ok": true }), "{name}");
        assert!(!stage.path("x").exists());
        assert_eq!(
            std::fs::read_dir(stage.path(name).parent().unwrap())
                .unwrap()
                .count(),
            1
        );
    }
}

#[tokio::test]
async fn it_runs_in_its_folder_every_time() {
    let stage = Stage::python("import json, os\nprint(json.dumps(os.getcwd()))\n");
    let folder = stage.folder.path().canonicalize().unwrap();
    for _ in 0..3 {
        let report = stage.run().await;
        assert_eq!(json(&report), &json!(folder));
    }
}

#[tokio::test]
async fn a_relative_script_is_read_from_the_working_directory() {
    let stage = Stage::new("scripts/-x.py", "import sys\nprint(len(sys.argv))\n");
    let lookup = EnvLookup::new([("PATH", std::env::var("PATH").unwrap())]);
    let program = Interpreters::default()
        .resolve("scripts/-x.py".as_ref(), None, &lookup)
        .unwrap();
    let mut job = Job::new(program, stage.folder.path());
    job.environment = lookup.vars().collect();
    assert_eq!(json(&go(job, &patient()).await), &json!(1));
}

#[tokio::test]
async fn neither_line_endings_nor_the_executable_bit_stop_python() {
    let stage =
        Stage::python("#!/nowhere\r\nimport json\r\nprint(json.dumps({'success': True}))\r\n");
    assert_eq!(json(&stage.run().await), &json!({ "success": true }));
}

#[tokio::test]
async fn a_shell_script_with_crlf_is_told_so() {
    let stage = Stage::new(
        "go.sh",
        "x=1\r\nif [ \"$x\" = 1 ]; then\r\n  echo ok\r\nfi\r\n",
    );
    let report = stage.run().await;
    assert!(report.crlf_hint);
    assert!(report.failure().unwrap().contains("CRLF line endings"));
    let report = Stage::new("go.sh", "exit 3\n").run().await;
    assert_eq!(
        report.failure().unwrap(),
        "the script ended with exit code 3"
    );
}
