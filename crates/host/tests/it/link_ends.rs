//! How a call through the link comes to an end that nobody wished for.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use metier_host::{HostLink, LinkLimits};
use metier_tool::{BoxFuture, CancelSignal, Cancellation, HostExecutor as _, ToolError};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::application::{Application, context, none, object, until};

/// Fires when told to.
struct Signal(watch::Receiver<bool>);

impl CancelSignal for Signal {
    fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    fn cancelled(&self) -> BoxFuture<'static, ()> {
        let mut fired = self.0.clone();
        Box::pin(async move {
            drop(fired.wait_for(|fired| *fired).await);
        })
    }
}

/// Says `begun` by a file, then waits until `go` is there.
const WAITS: &str = "import os, time\n\
    def main():\n    \
        open('begun', 'w').close()\n    \
        for _ in range(2000):\n        \
            if os.path.exists('go'):\n            \
                return {'went': True}\n        \
            time.sleep(0.01)\n";

#[tokio::test]
async fn nobody_is_attached() {
    let folder = tempfile::tempdir().unwrap();
    let app = Application::start();
    let script = app.write("scripts/bake.py", WAITS);
    let link = HostLink::new(folder.path().join("door.json"));
    let error = link
        .execute(app.job(&script, none()), context())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the tool `bake` needs the application: no application is attached: the file that its adapter writes is not there; start the adapter in the application (`metier host-adapter` prints it)");
}

#[tokio::test]
async fn an_application_that_died_leaves_a_file_that_opens_nothing() {
    let mut app = Application::start();
    app.process.kill().unwrap();
    app.process.wait().unwrap();
    let error = app.run(WAITS, none()).await.unwrap_err();
    insta::assert_snapshot!(error, @"the tool `bake` needs the application: no application is attached: its adapter does not answer (it may have ended without taking its file away); start it again");
}

#[tokio::test]
async fn an_application_that_dies_in_the_middle_is_told() {
    let app = Application::start();
    let error = app
        .run("import os\ndef main():\n    os._exit(3)\n", none())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the application ended, or closed the connection, before it answered");
}

#[cfg(unix)]
#[tokio::test]
async fn an_application_that_is_killed_tells_the_call_that_runs_and_those_that_wait() {
    let mut app = Application::start();
    let script = app.write("scripts/bake.py", WAITS);
    let spawn = |app: &Application| {
        let (link, job) = (app.link.clone(), app.job(&script, none()));
        tokio::spawn(async move { link.execute(job, context()).await })
    };
    let running = spawn(&app);
    until(|| app.path("begun").exists()).await;
    let waiting = spawn(&app);
    tokio::task::yield_now().await;
    assert!(app.end("KILL"));
    insta::assert_snapshot!(running.await.unwrap().unwrap_err(), @"the application ended, or closed the connection, before it answered");
    // The kill may come before the second call is through the door.
    let error = waiting.await.unwrap().unwrap_err().to_string();
    assert!(
        error == "the application ended, or closed the connection, before it answered"
            || error
                .starts_with("the tool `bake` needs the application: no application is attached"),
        "{error}"
    );
}

#[tokio::test]
async fn a_wrong_secret_is_refused_and_a_foreign_address_is_not_spoken_to() {
    let app = Application::start();
    let script = app.write("scripts/bake.py", WAITS);
    let mut door: Value = serde_json::from_slice(&std::fs::read(app.door()).unwrap()).unwrap();
    door["secret"] = json!("guessed");
    let other = app.folder.path().join("other.json");
    let said = async |door: &Value| {
        std::fs::write(&other, door.to_string()).unwrap();
        HostLink::new(&other)
            .execute(app.job(&script, none()), context())
            .await
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(said(&door).await, @"the application refused the call: the secret is not the one in the file of this application");
    door["address"] = json!("192.0.2.1:80");
    insta::assert_snapshot!(said(&door).await, @"the tool `bake` needs the application: the attached application names the address 192.0.2.1:80; only this machine's own (127.0.0.1) is accepted");
    door["metier_host"] = json!(2);
    insta::assert_snapshot!(said(&door).await, @"the tool `bake` needs the application: the attached application speaks version 2 of the adapter; this is version 1");
    insta::assert_snapshot!(said(&json!([])).await, @"the tool `bake` needs the application: the file of the attached application is not one that the adapter writes: invalid length 0, expected struct Door with 4 elements at line 1 column 2");
    let error = HostLink::new(app.folder.path())
        .execute(app.job(&script, none()), context())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the tool `bake` needs the application: the file of the attached application is not one that the adapter writes: it is no regular file");
    assert!(!app.path("begun").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_user_alone_and_goes_with_the_application() {
    use std::os::unix::fs::PermissionsExt as _;

    let mut app = Application::start();
    let mode = std::fs::metadata(app.door()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(app.link.probe().await.unwrap().name, "python");
    assert!(app.end("TERM") && !app.door().exists());

    // What a terminal sends for control-C.
    let mut app = Application::start();
    assert!(app.end("INT") && !app.door().exists());
}

#[tokio::test]
async fn whatever_a_script_returns_or_raises_the_application_goes_on() {
    let app = Application::start();
    let said = async |script: &str| match app.run(script, none()).await {
        Ok(output) => {
            assert!(output.is_error, "{script}: {output:?}");
            output.joined_text()
        }
        Err(error) => panic!("{script}: {error}"),
    };
    let deep =
        "def main(**k):\n    a = []\n    for i in range(200000):\n        a = [a]\n    return a\n";
    insta::assert_snapshot!(said(deep).await, @"ValueError: the answer is not JSON: it is too deep, or holds itself");
    let rather_deep =
        "def main():\n    a = []\n    for i in range(300):\n        a = [a]\n    return a\n";
    insta::assert_snapshot!(said(rather_deep).await, @"ValueError: the answer is not JSON that can be sent: it is over 100 levels deep");
    let itself = "def main():\n    a = []\n    a.append(a)\n    return a\n";
    insta::assert_snapshot!(said(itself).await, @"ValueError: the answer is not JSON: Circular reference detected");
    let nan = "def main():\n    return {'loss': float('nan')}\n";
    insta::assert_snapshot!(said(nan).await, @"ValueError: the answer is not JSON: Out of range float values are not JSON compliant");
    let long = "def main():\n    return 10 ** 400\n";
    insta::assert_snapshot!(said(long).await, @"ValueError: the answer is not JSON that can be sent: a number has over 300 digits");
    let mute = "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError('no words')\n\
        def main():\n    raise Mute()\n";
    insta::assert_snapshot!(said(mute).await, @"Mute: Mute");
    let unwritable = "class Odd:\n    def __str__(self):\n        raise RuntimeError('no words')\n\
        def main():\n    return Odd()\n";
    insta::assert_snapshot!(said(unwritable).await, @"RuntimeError: no words");
    insta::assert_snapshot!(said("async def main():\n    return 1\n").await, @"TypeError: main returned a coroutine; it must return the answer itself");
    insta::assert_snapshot!(said("def main():\n    yield 1\n").await, @"TypeError: main returned a generator; it must return the answer itself");
    insta::assert_snapshot!(said("def main():\n    raise KeyboardInterrupt('stop')\n").await, @"KeyboardInterrupt: stop");

    let odd = "import sys, types\n\
        def main():\n    \
            sys.modules['odd_one'] = types.ModuleType('odd_one')\n    \
            sys.modules['odd_one'].__file__ = 5\n    \
            sys.stderr.write('::progress:: {\"progress\": NaN}\\n')\n    \
            return {'name': 'a\\udc80b'}\n";
    let output = app.run(odd, none()).await.unwrap();
    assert_eq!(object(&output), json!({"name": "a?b"}));
}

#[tokio::test]
async fn an_application_that_was_out_of_files_takes_calls_again() {
    let app = Application::start();
    let hoard = app.write(
        "scripts/hoard.py",
        "import os, time\n\
         def main():\n    \
             held = []\n    \
             try:\n        \
                 while True:\n            \
                     held.append(os.open('/dev/null', os.O_RDONLY))\n    \
             except OSError:\n        \
                 pass\n    \
             os.close(held.pop())\n    \
             open('begun', 'w').close()\n    \
             held.append(os.open('/dev/null', os.O_RDONLY))\n    \
             for _ in range(2000):\n        \
                 if os.path.exists('go'):\n            \
                     break\n        \
                 time.sleep(0.01)\n    \
             for one in held:\n        \
                 os.close(one)\n    \
             return {'held': len(held)}\n",
    );
    let (link, job) = (app.link.clone(), app.job(&hoard, none()));
    let first = tokio::spawn(async move { link.execute(job, context()).await });
    until(|| app.path("begun").exists()).await;
    let script = app.write("scripts/bake.py", "def main():\n    return {'ran': True}\n");
    let (link, job) = (app.link.clone(), app.job(&script, none()));
    let second = tokio::spawn(async move { link.execute(job, context()).await });
    app.write("go", "");
    assert!(!first.await.unwrap().unwrap().is_error);
    // The one that came meanwhile was taken when there was room again.
    assert_eq!(
        object(&second.await.unwrap().unwrap()),
        json!({"ran": true})
    );
    let third = app
        .run("def main():\n    return {'ran': 3}\n", none())
        .await;
    assert_eq!(object(&third.unwrap()), json!({"ran": 3}));
}

#[tokio::test]
async fn the_deadline_gives_the_answer_up_and_the_application_goes_on() {
    let app = Application::start();
    let script = app.write("scripts/bake.py", WAITS);
    let mut impatient = context();
    impatient.deadline = Some(Duration::from_millis(50));
    let error = app
        .link
        .execute(app.job(&script, none()), impatient)
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the application did not finish within 0.05 s; what it had begun may still go on there");
    app.write("go", "");
    let output = app
        .link
        .execute(app.job(&script, none()), context())
        .await
        .unwrap();
    assert_eq!(object(&output), json!({"went": true}));
}

#[tokio::test]
async fn a_call_that_is_given_up_before_it_began_never_begins() {
    let app = Application::with_limits(LinkLimits::default());
    let busy = app.write("scripts/busy.py", WAITS);
    let late = app.write(
        "scripts/late.py",
        "def main():\n    open('late-ran', 'w').close()\n",
    );
    let (link, job) = (app.link.clone(), app.job(&busy, none()));
    let first = tokio::spawn(async move { link.execute(job, context()).await });
    until(|| app.path("begun").exists()).await;

    let (fire, fired) = watch::channel(false);
    let mut cancelled = context();
    cancelled.cancel = Cancellation::new(Arc::new(Signal(fired)));
    let (link, job) = (app.link.clone(), app.job(&late, none()));
    let second = tokio::spawn(async move { link.execute(job, cancelled).await });
    fire.send(true).unwrap();
    assert_eq!(second.await.unwrap(), Err(ToolError::Cancelled));

    app.write("go", "");
    assert_eq!(
        object(&first.await.unwrap().unwrap()),
        json!({"went": true})
    );
    // A third call comes after the second in the queue, so the second had its chance.
    let third = app
        .run("def main():\n    return {'third': True}\n", none())
        .await
        .unwrap();
    assert_eq!(object(&third), json!({"third": true}));
    assert!(!app.path("late-ran").exists());
}

#[tokio::test]
async fn an_application_that_does_not_begin_is_busy() {
    let mut limits = LinkLimits::default();
    limits.begin = Duration::from_millis(50);
    let app = Application::with_limits(limits);
    let script = app.write("scripts/bake.py", WAITS);
    let (link, job) = (HostLink::new(app.door()), app.job(&script, none()));
    let first = tokio::spawn(async move { link.execute(job, context()).await });
    until(|| app.path("begun").exists()).await;
    let error = app
        .link
        .execute(app.job(&script, none()), context())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the application is busy: it did not begin within 0.05 s, and nothing was run");
    app.write("go", "");
    first.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let mut limits = LinkLimits::default();
    limits.answer = 1_000;
    let app = Application::with_limits(limits);
    let error = app
        .run("def main():\n    return 'x' * 100000\n", none())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the answer is longer than 1000 bytes; let the script write a file and answer with its path");
}

#[tokio::test]
async fn a_stranger_at_the_address_is_not_understood() {
    let app = Application::start();
    let script = app.write("scripts/bake.py", WAITS);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let door = app.folder.path().join("stranger.json");
    std::fs::write(
        &door,
        json!({"metier_host": 1, "address": address, "secret": "s"}).to_string(),
    )
    .unwrap();
    let stranger = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
    });
    let error = HostLink::new(door)
        .execute(app.job(&script, none()), context())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the application answered with something that is no reply");
    stranger.join().unwrap();
}
