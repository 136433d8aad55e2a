//! Scripts of every shape, run inside a Python that stays.

use std::sync::Arc;

use metier_tool::HostExecutor as _;
use serde_json::json;

use crate::application::{Application, Heard, listening, none, object, until};

#[tokio::test]
async fn main_gets_the_arguments_as_keywords_on_the_main_thread_of_a_process_that_stays() {
    let app = Application::start();
    let script = "import os, threading\n\
        def main(radius, name='ball'):\n    \
            on_main = threading.current_thread() is threading.main_thread()\n    \
            return {'success': True, 'radius': radius, 'name': name, 'main': on_main, 'pid': os.getpid()}\n";
    for _ in 0..2 {
        let output = app.run(script, json!({"radius": 2.5})).await.unwrap();
        assert_eq!(
            object(&output),
            json!({"success": true, "radius": 2.5, "name": "ball", "main": true, "pid": app.process.id()})
        );
        assert!(!output.is_error);
    }
}

#[tokio::test]
async fn what_is_printed_beside_the_answer_is_its_log() {
    let app = Application::start();
    let output = app
        .run(
            "def main():\n    print('warming up')\n    return [1, 2]\n",
            none(),
        )
        .await
        .unwrap();
    assert_eq!(object(&output), json!({"result": [1, 2]}));
    assert_eq!(json!(output.meta), json!({"dcc": {"log": "warming up"}}));
}

#[tokio::test]
async fn progress_and_log_lines_arrive_before_the_answer_and_in_order() {
    let app = Application::start();
    let script = app.write(
        "scripts/bake.py",
        "import sys\n\
         def main():\n    \
             sys.stderr.write('::progress:: {\"progress\": 1, \"total\": 2, \"message\": \"half\"}\\nhel')\n    \
             sys.stderr.write('lo\\n')\n    \
             sys.stderr.write('no end of line')\n",
    );
    let heard = Arc::new(Heard::default());
    let output = app
        .link
        .execute(app.job(&script, none()), listening(&heard))
        .await
        .unwrap();
    assert_eq!(object(&output), json!({"success": true, "message": ""}));
    assert_eq!(
        *heard.0.lock().unwrap(),
        ["1 of Some(2.0): Some(\"half\")", "hello", "no end of line"]
    );
}

#[tokio::test]
async fn a_script_that_raises_is_a_failure_with_its_trace_in_the_log() {
    let app = Application::start();
    let output = app
        .run(
            "def main(radius):\n    raise ValueError('the radius is negative')\n",
            json!({"radius": -1}),
        )
        .await
        .unwrap();
    assert!(output.is_error);
    assert_eq!(output.joined_text(), "ValueError: the radius is negative");
    let log = output.meta["dcc"]["log"].as_str().unwrap();
    assert!(log.contains("in main"), "{log}");

    let wrong = app
        .run("def main(radius):\n    return radius\n", json!({"size": 1}))
        .await
        .unwrap();
    assert!(
        wrong.is_error && wrong.joined_text().contains("size"),
        "{}",
        wrong.joined_text()
    );

    let broken = app.run("def main(:\n", none()).await.unwrap();
    assert!(
        broken.joined_text().starts_with("SyntaxError"),
        "{}",
        broken.joined_text()
    );
}

#[tokio::test]
async fn scripts_that_are_written_as_programs_work_as_they_are() {
    let app = Application::start();
    let as_main = "import json, sys\n\
        def main():\n    \
            given = json.load(sys.stdin)\n    \
            print('noise')\n    \
            print(json.dumps({'twice': given['n'] * 2}))\n\
        if __name__ == '__main__':\n    main()\n";
    let as_lines =
        "import json, sys\nprint(json.dumps({'twice': json.load(sys.stdin)['n'] * 2}))\n";
    for script in [as_main, as_lines] {
        let output = app.run(script, json!({"n": 21})).await.unwrap();
        assert_eq!(object(&output), json!({"twice": 42}), "{script}");
    }
    let output = app.run("print('only words')\n", none()).await.unwrap();
    assert_eq!(
        object(&output),
        json!({"success": true, "message": "only words"})
    );
    let output = app
        .run("import sys\nsys.exit('no selection')\n", none())
        .await
        .unwrap();
    assert!(output.is_error);
    assert!(
        output.joined_text().contains("no selection"),
        "{}",
        output.joined_text()
    );
}

#[tokio::test]
async fn an_edited_neighbour_is_read_anew_and_nothing_of_a_call_stays() {
    let app = Application::start();
    let script = "import os, sys\nimport shared_words\n\
        def main():\n    \
            return {'word': shared_words.WORD, 'here': os.path.basename(os.getcwd()), 'env': os.environ['DCC_MCP_TOOL_NAME']}\n";
    app.write("scripts/shared_words.py", "WORD = 'old'\n");
    let first = app.run(script, none()).await.unwrap();
    assert_eq!(
        object(&first),
        json!({"word": "old", "here": "skill", "env": "bake"})
    );
    app.write("scripts/shared_words.py", "WORD = 'newer'\n");
    let second = app.run(script, none()).await.unwrap();
    assert_eq!(object(&second)["word"], "newer");
    assert!(!app.path("scripts/__pycache__").exists());
    let left = app
        .run(
            "import os, sys\ndef main():\n    return {'env': os.environ.get('X_NONE'), 'twice': sys.path.count(os.path.dirname(__file__))}\n",
            none(),
        )
        .await
        .unwrap();
    assert_eq!(object(&left), json!({"env": null, "twice": 1}));
}

#[tokio::test]
async fn many_calls_at_once_are_answered_each_with_its_own() {
    let app = Application::start();
    let script = app.write("scripts/bake.py", "def main(n):\n    return {'n': n}\n");
    let calls: Vec<_> = (0..40)
        .map(|n| {
            let (link, job) = (app.link.clone(), app.job(&script, json!({"n": n})));
            tokio::spawn(async move { link.execute(job, crate::application::context()).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(object(&call.await.unwrap().unwrap()), json!({"n": n}));
    }
}

#[tokio::test]
async fn other_languages_are_refused_by_a_python_that_knows_none() {
    let app = Application::start();
    let script = app.write("scripts/bake.mel", "sphere;\n");
    let error = app
        .link
        .execute(app.job(&script, none()), crate::application::context())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the application refused the call: this application runs no .mel files"
    );
}

#[tokio::test]
async fn a_way_to_the_main_thread_that_fails_is_told_and_leaves_a_call_that_runs_alone() {
    let say = "def main():\n    return {'message': 'here'}\n";
    let run = async |on_main: &str| {
        let app = Application::with_on_main(on_main);
        match app.run(say, json!({})).await {
            Ok(output) => output.structured.unwrap()["message"].to_string(),
            Err(error) => error.to_string(),
        }
    };
    let broken = "def on_main(call): raise RuntimeError('no window is open')";
    insta::assert_snapshot!(run(broken).await, @"the application refused the call: the function that brings calls to its main thread failed: no window is open");
    let late = "def on_main(call):\n    call()\n    raise RuntimeError('too late')";
    insta::assert_snapshot!(run(late).await, @r#""here""#);
    let elsewhere = "def on_main(call): threading.Thread(target=call).start()";
    insta::assert_snapshot!(run(elsewhere).await, @r#""here""#);
}

#[tokio::test]
async fn calls_that_come_at_once_run_one_after_the_other_in_their_order() {
    let app = Application::start();
    // Tells how many wait, as the adapter itself counts them, until it is told to go on.
    let first = app.write(
        "scripts/first.py",
        "import gc, os, time\n\
         def main():\n    \
             [host] = [one for one in gc.get_objects() if type(one).__name__ == 'Host']\n    \
             while not os.path.exists('go'):\n        \
                 open('waiting.new', 'w').write(str(host._waiting.qsize()))\n        \
                 os.replace('waiting.new', 'waiting')\n        \
                 time.sleep(0.005)\n",
    );
    let script = app.write(
        "scripts/next.py",
        "import threading\n\
         def main(n):\n    \
             assert threading.current_thread() is threading.main_thread()\n    \
             open('order', 'a').write(f'{n} begins\\n')\n    \
             open('order', 'a').write(f'{n} ends\\n')\n",
    );
    let waiting = |count: usize| {
        let said = std::fs::read_to_string(app.path("waiting"));
        said.is_ok_and(|said| said == count.to_string())
    };
    let spawn = |job| {
        let link = app.link.clone();
        tokio::spawn(async move { link.execute(job, crate::application::context()).await })
    };
    let mut calls = vec![spawn(app.job(&first, none()))];
    until(|| waiting(0)).await;
    for n in 1..=5 {
        calls.push(spawn(app.job(&script, json!({"n": n}))));
        until(|| waiting(n)).await;
    }
    app.write("go", "");
    for call in calls {
        assert!(!call.await.unwrap().unwrap().is_error);
    }
    let order = std::fs::read_to_string(app.path("order")).unwrap();
    let wanted: Vec<String> = (1..=5)
        .flat_map(|n| [format!("{n} begins"), format!("{n} ends")])
        .collect();
    assert_eq!(order.lines().collect::<Vec<_>>(), wanted);
}

#[tokio::test]
async fn the_words_of_a_failure_and_what_was_printed_are_bounded() {
    let app = Application::start();
    let output = app
        .run("def main():\n    raise ValueError('ä' * 100_000)\n", none())
        .await
        .unwrap();
    let text = output.joined_text();
    assert!(text.len() < 9_000 && text.ends_with("ä…"), "{}", text.len());
    let log = output.meta["dcc"]["log"].as_str().unwrap();
    assert!(log.len() < 9_000 && log.starts_with('…'), "{}", log.len());
    assert!(json!(output.structured).to_string().len() < 9_000);

    let output = app
        .run(
            "def main():\n    print('x' * 100_000 + 'last')\n    return 1\n",
            none(),
        )
        .await
        .unwrap();
    let log = output.meta["dcc"]["log"].as_str().unwrap();
    assert!(
        log.len() < 17_000 && log.ends_with("xlast"),
        "{}",
        log.len()
    );
}
