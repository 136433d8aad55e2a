//! Scripts that are programs behave inside an application as they do outside.

use metier_tool::ToolOutput;
use serde_json::json;

use crate::application::{Application, none, object};

async fn ran(app: &Application, script: &str) -> ToolOutput {
    app.run(script, json!({"n": 1})).await.unwrap()
}

/// `sys.exit(main())`: what the program prints is its answer, and what `main` returns is how it ended.
#[tokio::test]
async fn what_the_main_of_a_program_returns_is_its_exit_code() {
    let app = Application::start();
    let ending = "if __name__ == '__main__':\n    sys.exit(main())\n";
    for parameters in ["", "argv=sys.argv[1:]"] {
        let program = |status: &str| {
            format!(
                "import json, sys\ndef main({parameters}):\n    print(json.dumps({{'got': json.load(sys.stdin)}}))\n    return {status}\n{ending}"
            )
        };
        for fine in ["0", "None"] {
            let output = ran(&app, &program(fine)).await;
            assert!(!output.is_error, "{output:?}");
            assert_eq!(object(&output), json!({"got": {"n": 1}}));
        }
        let output = ran(&app, &program("3")).await;
        assert!(output.is_error, "{output:?}");
        let told = object(&output);
        assert_eq!(
            (&told["success"], &told["got"]),
            (&json!(false), &json!({"n": 1}))
        );
        assert_eq!(told["message"], "the script ended with exit code 3");
    }
    let words = format!("import sys\ndef main():\n    print('no scene')\n    return 4\n{ending}");
    assert_eq!(
        object(&ran(&app, &words).await)["message"],
        "the script ended with exit code 4; it printed: no scene"
    );
    let silent = format!("import sys\ndef main():\n    return 4\n{ending}");
    assert!(ran(&app, &silent).await.is_error);
    // Without any of that a number is an answer.
    let number = ran(&app, "def main():\n    return 4\n").await;
    assert_eq!(object(&number), json!({"result": 4}));
    let truth = ran(
        &app,
        &format!("import sys\ndef main():\n    return True\n{ending}"),
    )
    .await;
    assert_eq!(object(&truth), json!({"result": true}));
}

#[tokio::test]
async fn the_standard_streams_are_those_of_a_program() {
    let app = Application::start();
    for body in [
        "sys.stdout.reconfigure(encoding='utf-8')\nsys.stdin.reconfigure(encoding='utf-8')\nsys.stderr.reconfigure(errors='replace')\nprint(json.dumps({'a': json.load(sys.stdin)['n']}))",
        "print(json.dumps({'a': json.loads(sys.stdin.buffer.read())['n']}))",
        "sys.stdout.buffer.write(json.dumps({'a': json.load(sys.stdin)['n']}).encode())",
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('{\"a\": 1}')\nsys.stdout.flush()",
        "out = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')\nout.write('{\"a\": 1}')\nout.close()",
        "io.TextIOWrapper(sys.stderr.buffer).write('x\\n')\nprint('{\"a\": 1}')",
        "assert sys.stdout.encoding.lower() == sys.stdin.encoding.lower() == 'utf-8'\nprint('{\"a\": 1}')",
    ] {
        let output = ran(&app, &format!("import io, json, sys\n{body}\n")).await;
        assert!(!output.is_error, "{body}: {output:?}");
        assert_eq!(object(&output), json!({"a": 1}), "{body}");
    }
    let output = ran(&app, "print('\u{7403} \\udc80')\n").await;
    assert_eq!(
        object(&output),
        json!({"success": true, "message": "\u{7403} ?"})
    );
}

#[tokio::test]
async fn an_object_that_cannot_count_is_a_failure_there_too() {
    let app = Application::start();
    for (printed, word) in [
        (
            r#"{"success": false, "success": true}"#,
            "`success` stands twice",
        ),
        (r#"{"success": false,}"#, "looks like JSON but is not"),
        (
            r#"{"success": false, "message": "cut he"#,
            "looks like JSON but is not",
        ),
        (
            "{\"step\": 1}\n{\"success\": false, \"items\": [1,",
            "looks like JSON but is not",
        ),
        ("{\n  \"success\": false,\n  \"a\": 1\n", "in the midst"),
        ("step 1\n{'success': False}", "looks like JSON but is not"),
    ] {
        for end in ["", "\n"] {
            let output = ran(&app, &format!("print({printed:?}, end={end:?})\n")).await;
            assert!(
                output.is_error && output.joined_text().contains(word),
                "{printed}: {output:?}"
            );
        }
    }
    for (printed, value) in [
        ("{\"n\": 1}\nbye", json!({"n": 1})),
        ("{3 of 3}\n{\"n\": 1}\n{bye}", json!({"n": 1})),
        ("{3 of 3}", json!({"success": true, "message": "{3 of 3}"})),
        (
            "{\"a\": {\"b\": 1}, \"c\": {\"b\": 1}}",
            json!({"a": {"b": 1}, "c": {"b": 1}}),
        ),
    ] {
        let output = ran(&app, &format!("print({printed:?})\n")).await;
        assert_eq!(object(&output), value, "{printed}");
    }
}

/// A forked process has the adapter's signal handlers, its listening socket and its answers, and none of them is its own.
#[cfg(unix)]
#[tokio::test]
async fn a_process_that_a_script_forks_and_ends_does_not_detach_the_application() {
    let app = Application::start();
    for body in [
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n        return {'r': pool.map(abs, [-1, 2])}",
        "    child = multiprocessing.get_context('fork').Process(target=time.sleep, args=(600,))\n    child.start()\n    time.sleep(0.1)\n    child.terminate()\n    child.join()\n    return {'r': child.exitcode}",
        "    child = os.fork()\n    if child == 0:\n        return {'r': 'from the child'}\n    os.waitpid(child, 0)\n    return {'r': 'from the parent'}",
        "    child = os.fork()\n    if child == 0:\n        sys.exit(1)\n    os.waitpid(child, 0)\n    return {'r': 'from the parent'}",
    ] {
        let script = format!("import multiprocessing, os, sys, time\ndef main(**k):\n{body}\n");
        let output = ran(&app, &script).await;
        assert!(!output.is_error, "{body}: {output:?}");
        assert_ne!(object(&output)["r"], "from the child");
        assert!(app.door().exists(), "{body}");
    }
    let after = app
        .run("def main():\n    return {'a': 1}\n", none())
        .await
        .unwrap();
    assert_eq!(object(&after), json!({"a": 1}));
}
