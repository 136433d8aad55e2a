//! What a script started in sessions of its own: it goes when the script is cut off, and stays when the script ends.

use std::sync::Arc;
use std::time::Duration;

use metier_runner::{Exit, Limits, Quiet, run};
use tokio_util::sync::CancellationToken;

use crate::stage::{Stage, go, gone, is_alive, patient, pids};

/// Starts a program in a session of its own, one in a session below that, and one by forking twice; then does what is
/// said.
fn leaving(then: &str) -> Stage {
    Stage::python(&format!(
        "import os, subprocess, sys, time\n\
         def tell(): open('pids.part', 'a').write(f'{{os.getpid()}}\\n')\n\
         def told(): return len(open('pids.part').readlines()) if os.path.exists('pids.part') else 0\n\
         for depth in (1, 2):\n\
         \x20   if os.fork() == 0:\n\
         \x20       for _ in range(depth):\n\
         \x20           os.setsid() if os.getpid() != os.getsid(0) else None\n\
         \x20           if depth == 2 and os.fork() == 0: os.setsid(); tell(); time.sleep(600)\n\
         \x20           if depth == 2: break\n\
         \x20       tell(); time.sleep(600)\n\
         first = os.fork()\n\
         if first == 0:\n\
         \x20   os.setsid()\n\
         \x20   if os.fork() == 0: tell(); time.sleep(600)\n\
         \x20   os._exit(0)\n\
         os.waitpid(first, 0)\n\
         while told() < 4: time.sleep(0.01)\n\
         os.rename('pids.part', 'pids')\n\
         {then}\n"
    ))
}

#[tokio::test]
async fn cancel_ends_all_that_descends_from_a_script() {
    let stage = leaving("time.sleep(600)");
    let report = stage.cancel_at("pids", &patient()).await;
    assert_eq!(report.exit, Exit::Cancelled);
    for pid in pids(&stage.path("pids"), 4).await {
        gone(pid).await;
    }
}

#[tokio::test]
async fn the_deadline_ends_what_is_deaf_too() {
    let stage = leaving("time.sleep(600)");
    let deaf = std::fs::read_to_string(stage.path("go.py")).unwrap();
    let deaf = format!("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{deaf}");
    std::fs::write(stage.path("go.py"), deaf).unwrap();
    let limits = Limits {
        deadline: Duration::from_secs(3),
        grace: Duration::from_millis(100),
        ..Limits::default()
    };
    let report = go(stage.job(), &limits).await;
    assert!(matches!(report.exit, Exit::DeadlineExceeded { .. }));
    for pid in pids(&stage.path("pids"), 4).await {
        assert!(!is_alive(pid));
    }
}

#[tokio::test]
async fn a_dropped_future_ends_all_that_descends_from_a_script() {
    let stage = leaving("time.sleep(600)");
    let job = stage.job();
    let call = tokio::spawn(async move {
        run(job, &patient(), CancellationToken::new(), Arc::new(Quiet)).await
    });
    let ids = pids(&stage.path("pids"), 4).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    for pid in ids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_script_that_ends_by_itself_leaves_them() {
    let stage = leaving("print('{}')\nsys.stdout.flush()\nos._exit(0)");
    let report = stage.run().await;
    assert_eq!(report.exit, Exit::Code(0));
    for pid in pids(&stage.path("pids"), 4).await {
        assert!(is_alive(pid));
        let pid = nix::unistd::Pid::from_raw(pid.try_into().unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::SIGKILL).unwrap();
    }
}

/// They are asked before they are killed, as the script itself is.
#[tokio::test]
async fn a_program_in_a_session_of_its_own_may_say_goodbye() {
    let stage = Stage::python(
        "import subprocess, sys, time\n\
         subprocess.Popen([sys.executable, 'helper.py'], start_new_session=True)\n\
         time.sleep(600)\n",
    );
    std::fs::write(
        stage.path("helper.py"),
        "import signal, sys, time\n\
         def tidy(*_):\n    time.sleep(0.2)\n    open('tidied', 'w').close()\n    sys.exit(0)\n\
         signal.signal(signal.SIGTERM, tidy)\n\
         open('ready', 'w').close()\n\
         while True:\n    time.sleep(0.05)\n",
    )
    .unwrap();
    let limits = Limits {
        grace: Duration::from_secs(20),
        ..patient()
    };
    let report = stage.cancel_at("ready", &limits).await;
    assert_eq!(report.exit, Exit::Cancelled);
    assert!(stage.path("tidied").exists(), "the grace is for it too");
}

/// What a script starts when it is asked to end has no parent any more when the script has ended.
#[tokio::test]
async fn what_is_started_on_the_way_out_goes_too() {
    let stage = Stage::python(
        "import os, signal, subprocess, sys, time\n\
         def leave(*_):\n\
         \x20   left = subprocess.Popen(['sleep', '600'], start_new_session=True)\n\
         \x20   open('pids.part', 'w').write(f'{left.pid}\\n')\n\
         \x20   os.rename('pids.part', 'pids')\n\
         \x20   print('{}', flush=True)\n\
         \x20   os._exit(0)\n\
         signal.signal(signal.SIGTERM, leave)\n\
         open('ready', 'w').close()\n\
         time.sleep(600)\n",
    );
    let report = stage.cancel_at("ready", &patient()).await;
    assert_eq!(report.exit, Exit::Cancelled);
    for pid in pids(&stage.path("pids"), 1).await {
        assert!(!is_alive(pid));
    }
}

/// A program that forks and ends all the time, each time in a session of its own.
#[tokio::test]
async fn what_hops_from_one_process_to_the_next_is_caught() {
    let stage = Stage::python(
        "import os, signal, time\n\
         if os.fork() == 0:\n\
         \x20   signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
         \x20   os.setsid()\n\
         \x20   until = time.monotonic() + 60\n\
         \x20   while time.monotonic() < until:\n\
         \x20       if os.fork(): os._exit(0)\n\
         \x20       os.setsid()\n\
         \x20       open('trace', 'a').write('x')\n\
         \x20       time.sleep(0.01)\n\
         \x20   os._exit(0)\n\
         while not os.path.exists('trace'): time.sleep(0.01)\n\
         time.sleep(600)\n",
    );
    let report = stage.cancel_at("trace", &patient()).await;
    assert_eq!(report.exit, Exit::Cancelled);
    // Whatever runs there runs in the folder.
    let folder = stage.folder.path().canonicalize().unwrap();
    let here = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.unwrap().path();
        (std::fs::read_link(process.join("cwd")).ok()? == folder).then_some(process)
    });
    assert_eq!(
        here.collect::<Vec<_>>(),
        [""; 0].map(std::path::PathBuf::from)
    );
}
