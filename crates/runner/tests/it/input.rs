//! Standard input: all of it, whatever the script does with it, then the end.

use metier_runner::Exit;
use serde_json::json;

use crate::stage::{Stage, go, json, patient};

#[tokio::test]
async fn three_megabytes_each_way_do_not_block() {
    let stage = Stage::python(
        "import json, sys\n\
         sys.stderr.write('e' * 3_000_000 + '\\n')\n\
         sys.stdout.write('o' * 3_000_000 + '\\n')\n\
         sys.stdout.flush()\n\
         n = len(json.load(sys.stdin)['text'])\n\
         print(json.dumps({'read': n}))\n",
    );
    let mut job = stage.job();
    job.input
        .insert("text".into(), "x".repeat(3_000_000).into());
    let report = go(job, &patient()).await;
    assert_eq!(report.failure(), None);
    assert_eq!(json(&report), &json!({ "read": 3_000_000 }));
    assert!(report.noise.len() < 20_000 && report.noise.starts_with("ooo"));
    assert!(report.stderr_tail.cut);
}

#[tokio::test]
async fn a_script_may_leave_its_input_unread() {
    let stage = Stage::python("print('{\"success\": true}')\n");
    for _ in 0..20 {
        let mut job = stage.job();
        job.input
            .insert("text".into(), "x".repeat(1_000_000).into());
        let report = go(job, &patient()).await;
        assert_eq!(
            (report.failure(), json(&report)),
            (None, &json!({ "success": true }))
        );
    }
}

#[tokio::test]
async fn a_script_may_close_its_outputs_and_read_on() {
    let stage = Stage::python(
        "import os, sys, time\n\
         os.close(1); os.close(2)\n\
         data = sys.stdin.read()\n\
         open('read', 'w').write(str(len(data)))\n\
         os._exit(0)\n",
    );
    let mut job = stage.job();
    job.input
        .insert("text".into(), "x".repeat(3_000_000).into());
    let report = go(job, &patient()).await;
    assert_eq!(report.exit, Exit::Code(0));
    assert_eq!(
        std::fs::read_to_string(stage.path("read")).unwrap(),
        "3000011"
    );
}

#[tokio::test]
async fn the_end_follows_the_object() {
    let stage = Stage::python(
        "import json, sys\n\
         first = sys.stdin.readline()\n\
         try:\n    input()\n    print('got more')\n\
         except EOFError:\n    print(json.dumps({'first': first}))\n",
    );
    let report = stage.run().await;
    assert_eq!(json(&report), &json!({ "first": "{}" }));
}

#[tokio::test]
async fn arguments_stand_on_the_command_line_only_when_asked() {
    let stage = Stage::python("import json, sys\nprint(json.dumps(sys.argv[1:]))\n");
    let mut job = stage.job();
    job.input
        .insert("name".into(), "$(touch x) & \"y\" --".into());
    let report = go(job.clone(), &patient()).await;
    assert_eq!(json(&report), &json!([]));
    job.script_arguments = metier_runner::long_options(&job.input).options;
    let report = go(job, &patient()).await;
    assert_eq!(json(&report), &json!(["--name", "$(touch x) & \"y\" --"]));
}

/// The system has a limit for one argument, and one for all.
#[tokio::test]
async fn a_command_line_takes_what_fits() {
    let stage = Stage::python(
        "import json, sys\nprint(json.dumps([sys.argv[1:][::2], len(sys.stdin.read())]))\n",
    );
    let mut job = stage.job();
    for n in 0..400 {
        job.input
            .insert(format!("n{n}"), "x".repeat(8 << 10).into());
    }
    job.input
        .insert("vast".into(), "x".repeat(3_000_000).into());
    job.input.insert("z".into(), 5.into());
    let line = metier_runner::long_options(&job.input);
    let (passed, left) = (line.options.len() / 2, line.left_out.len());
    assert!(passed > 10 && left > 300, "{passed} and {left}");
    job.script_arguments = line.options;
    let report = go(job, &patient()).await;
    let told = json(&report);
    assert_eq!(told[0].as_array().unwrap().len(), passed);
    assert_eq!(told[0].as_array().unwrap().last(), Some(&json!("--z")));
    assert!(
        told[1].as_u64() > Some(6_000_000),
        "all of it is on standard input"
    );
}
