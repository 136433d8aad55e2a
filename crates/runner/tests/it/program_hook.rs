//! Programs as handlers of events.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
use metier_runner::{EnvLookup, EnvironmentPolicy, Gate, ProgramHook, ProgramHookError};
use serde_json::{Map, Value, json};

use crate::stage::{Stage, gone, pids};

fn call(arguments: Map<String, Value>) -> Arc<HookContext> {
    Arc::new(HookContext::new(
        "maya",
        Some("s1".to_owned()),
        HookPayload::BeforeToolCall {
            tool_name: "scene__wipe".to_owned(),
            skill_name: Some("scene".to_owned()),
            arguments,
        },
    ))
}

fn hook(command: &[&str], folder: &Path) -> ProgramHook {
    let environment = EnvLookup::new([
        ("PATH", std::env::var("PATH").unwrap()),
        ("DEMO_SECRET", "sesame".to_owned()),
    ]);
    ProgramHook::new(command.iter().copied(), folder)
        .environment(environment, EnvironmentPolicy::default())
        .timeout(Duration::from_mins(1))
}

async fn asked(hook: ProgramHook, context: &Arc<HookContext>) -> Result<(), HookDeny> {
    let hooks = LifecycleHooks::new();
    hooks.register(hook.registration(HookEvent::BeforeToolCall));
    hooks.dispatch(context).await
}

#[tokio::test]
async fn the_event_goes_in_and_what_is_left_for_others_comes_out() {
    let stage = Stage::python(
        "import json, os, sys\nevent = json.load(sys.stdin)\n\
         print(json.dumps({'extra': {'saw': event, 'env': 'DEMO_SECRET' in os.environ, 'argv': sys.argv[1:], 'in': os.getcwd()}}))\n",
    );
    let context = call(Map::from_iter([("n".to_owned(), json!(1))]));
    context.set_extra("earlier", json!("x"));
    let program = hook(&["python3", "go.py", "-a", "b"], stage.folder.path());
    assert_eq!(asked(program, &context).await, Ok(()));
    assert_eq!(
        context.extra("saw").unwrap(),
        json!({"event": "before_tool_call", "dcc_name": "maya", "session_id": "s1", "tool_name": "scene__wipe",
            "skill_name": "scene", "arguments": {"n": 1}, "earlier": "x"})
    );
    assert_eq!(context.extra("env"), Some(json!(false)));
    assert_eq!(context.extra("argv"), Some(json!(["-a", "b"])));
    let folder = stage.folder.path().canonicalize().unwrap();
    assert_eq!(context.extra("in"), Some(json!(folder.to_str().unwrap())));
}

#[tokio::test]
async fn large_arguments_pass_whole_and_may_be_left_unread() {
    let context = call(Map::from_iter([(
        "text".to_owned(),
        json!("x".repeat(3 << 20)),
    )]));
    let stage = Stage::python(
        "import json, sys\nn = len(json.load(sys.stdin)['arguments']['text'])\nsys.exit(0 if n == 3 << 20 else 1)\n",
    );
    let folder = stage.folder.path();
    let reads = hook(&["python3", "go.py"], folder).fail_closed();
    assert_eq!(asked(reads, &context).await, Ok(()));
    let reads_nothing = hook(&["bash", "-c", "exit 0"], folder).fail_closed();
    assert_eq!(asked(reads_nothing, &context).await, Ok(()));
}

/// A burst of calls asks more programs than may run at once.
#[tokio::test]
async fn its_time_begins_when_it_has_its_turn() {
    let stage = Stage::new("go.sh", "touch began\nsleep 3\n");
    let folder = stage.folder.path();
    let gate = Gate::new(1);
    let long = hook(&["bash", "go.sh"], folder).gate(gate.clone());
    let context = call(Map::new());
    let first = tokio::spawn({
        let context = Arc::clone(&context);
        async move { asked(long, &context).await }
    });
    while !stage.path("began").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let quick = hook(&["true"], folder).timeout(Duration::from_millis(500));
    let hooks = LifecycleHooks::new();
    hooks.register(quick.gate(gate).registration(HookEvent::BeforeToolCall));
    let limit = hooks.handlers(HookEvent::BeforeToolCall)[0].limit.unwrap();
    let answer = tokio::time::timeout(limit, hooks.dispatch(&context)).await;
    assert_eq!(answer, Ok(Ok(())));
    assert_eq!(first.await.unwrap(), Ok(()));
}

/// A hook that has its place, and keeps it until the file `go` is there.
async fn holding(stage: &Stage, gate: &Gate) -> tokio::task::JoinHandle<Result<(), HookDeny>> {
    let wait = "touch began; while [ ! -e go ]; do sleep 0.01; done";
    let long = hook(&["sh", "-c", wait], stage.folder.path()).gate(gate.clone());
    let holding = tokio::spawn(async move { asked(long, &call(Map::new())).await });
    while !stage.path("began").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    holding
}

/// Whoever fills the queue would otherwise get past what refuses everything.
#[tokio::test]
async fn a_policy_for_which_there_is_no_room_refuses() {
    let stage = Stage::new("x", "");
    let gate = Gate::new(1).with_queue(0, 0);
    let holding = holding(&stage, &gate).await;
    let quick = hook(&["true"], stage.folder.path()).gate(gate);
    let denied = asked(quick, &call(Map::new())).await.unwrap_err();
    assert_eq!(denied.reason, "a policy did not decide in time");
    std::fs::write(stage.path("go"), "").unwrap();
    assert_eq!(holding.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn the_hooks_of_one_session_do_not_hold_up_those_of_another() {
    let stage = Stage::new("x", "");
    let gate = Gate::new(1);
    let holding = holding(&stage, &gate).await;
    let mut asking = Vec::new();
    for session in ["many", "many", "many", "many", "one"] {
        let write = format!("echo {session} >> order");
        let hook = hook(&["sh", "-c", &write], stage.folder.path()).gate(gate.clone());
        let mut context = Arc::into_inner(call(Map::new())).unwrap();
        context.session_id = Some(session.to_owned());
        let before = gate.waiting();
        asking.push(tokio::spawn(async move {
            asked(hook, &Arc::new(context)).await
        }));
        while gate.waiting() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    std::fs::write(stage.path("go"), "").unwrap();
    for asked in asking {
        assert_eq!(asked.await.unwrap(), Ok(()));
    }
    let order = std::fs::read_to_string(stage.path("order")).unwrap();
    let place = order.lines().position(|line| line == "one");
    assert_eq!(place, Some(1), "{order}");
    assert_eq!(holding.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn at_its_limit_it_ends_with_all_it_started() {
    let stage = Stage::new("go.sh", "sleep 600 & echo $! > child\nwait\n");
    let folder = stage.folder.path();
    let program = hook(&["bash", "go.sh"], folder).timeout(Duration::from_millis(500));
    let denied = asked(program, &call(Map::new())).await.unwrap_err();
    assert_eq!(denied.reason, "a policy did not decide in time");
    for child in pids(&stage.path("child"), 1).await {
        gone(child).await;
    }
}

#[tokio::test]
async fn what_it_is_not_for_does_not_start_it() {
    let stage = Stage::new("go.sh", "touch ran\nexit 2\n");
    let folder = stage.folder.path();
    let program = || hook(&["bash", "go.sh"], folder);
    let context = call(Map::new());
    assert_eq!(asked(program().only("rig__*"), &context).await, Ok(()));
    assert!(!stage.path("ran").exists());
    let both = program().only("rig__*").only("scene");
    assert!(asked(both, &context).await.is_err());
    assert!(stage.path("ran").exists());
}

#[tokio::test]
async fn a_missing_script_is_a_failure_and_no_refusal() {
    // Python ends with 2 over it, and so would refuse.
    let folder = tempfile::tempdir().unwrap();
    let program = || hook(&["python3", "-B", "gone.py"], folder.path());
    let script = folder.path().join("gone.py");
    assert_eq!(program().find(), Err(ProgramHookError::Script { script }));
    let context = call(Map::new());
    assert_eq!(asked(program(), &context).await, Ok(()));
    let denied = asked(program().fail_closed(), &context).await.unwrap_err();
    assert_eq!(denied.reason, "a policy could not decide");
}

#[tokio::test]
async fn an_answer_that_says_two_things_is_no_consent() {
    let context = call(Map::new());
    let refusals_alone = [
        r#"echo '{"decision": "deny", "decision": "allow"}'"#,
        r#"echo '{"decision": "deny"}'; echo '{}'"#,
        r#"echo '[{"decision": "deny"}]'"#,
        r#"echo '{"decision": "deny"'"#,
    ];
    for (script, denied) in [
        (r#"echo '{"decision": "allow"}'"#, false),
        (
            r#"echo '{"level": "info"}'; echo '{"decision": "allow"}'"#,
            false,
        ),
        (r#"echo '{"decision": "deny", "decision": "allow"}'"#, true),
        (
            r#"echo '{"decision": "deny"}'; echo '{"decision": "allow"}'"#,
            true,
        ),
        (r#"echo '{"decision": "deny"}'; echo '{}'"#, true),
        (r#"echo '[{"decision": "deny"}]'"#, true),
        (r#"echo '{"decision": null}'"#, true),
        (r#"echo '{"decision": "deny"'"#, true),
        // More than an answer may print, with the decision somewhere in it.
        (
            r#"yes | head -c 9000000; echo '{"decision": "deny"}'; yes | head -c 9000000"#,
            true,
        ),
    ] {
        let folder = std::env::temp_dir();
        let program = || hook(&["bash", "-c", script], &folder);
        // Refusals and nothing else refuse, and so does one object that says both; any other failure is told, and refuses where a failure does.
        let open = asked(program(), &context).await;
        assert_eq!(open.is_err(), refusals_alone.contains(&script), "{script}");
        let closed = asked(program().fail_closed(), &context).await;
        assert_eq!(closed.is_err(), denied, "{script}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_executable_needs_no_interpreter_to_be_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new("bin/policy", "#!/bin/sh\necho \"no $1\" >&2\nexit 2\n");
    let folder = stage.folder.path();
    let program = || hook(&["bin/policy", "go.py"], folder);
    assert!(matches!(
        program().find(),
        Err(ProgramHookError::Program { .. })
    ));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(stage.path("bin/policy"), executable).unwrap();
    let empty = hook(&[], folder);
    assert_eq!(empty.find(), Err(ProgramHookError::NoProgram));
    std::fs::write(stage.path("go.py"), "").unwrap();
    assert_eq!(program().find(), Ok(stage.path("bin/policy")));
    let denied = asked(program(), &call(Map::new())).await.unwrap_err();
    assert_eq!(denied.reason, "no go.py");
}
