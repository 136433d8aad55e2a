//! Every way in which a script can fail, as a client reads it: one clear message, and no path of this machine.

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use metier_catalog::CatalogSettings;
use metier_runner::{EnvLookup, Gate};
use serde_json::json;

use crate::bench_folder::Bench;

type Settings = fn(&mut CatalogSettings);
type Folder = fn(&Path);

struct Way {
    what: &'static str,
    script: &'static str,
    settings: Settings,
    /// Done to the skill's folder after the load.
    then: Folder,
}

const fn way(what: &'static str, script: &'static str) -> Way {
    Way {
        what,
        script,
        settings: |_| (),
        then: |_| (),
    }
}

const fn with(what: &'static str, settings: Settings) -> Way {
    Way {
        settings,
        ..way(what, "print('{}')")
    }
}

const fn after(what: &'static str, then: Folder) -> Way {
    Way {
        then,
        ..way(what, "print('{}')")
    }
}

fn python(settings: &mut CatalogSettings, value: &str) {
    settings.run.interpreters.python = Some(value.into());
}

/// Makes a file of the skill that is a program or is not.
fn program(name: &str, text: &str, mode: u32) -> String {
    let path = std::env::temp_dir().join(format!("metier-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

const SCRIPT: &str = "scripts/run.py";

#[rustfmt::skip]
const WAYS: [Way; 25] = [
    after("script gone", |skill| std::fs::remove_file(skill.join(SCRIPT)).unwrap()),
    after("script is a folder", |skill| {
        std::fs::remove_file(skill.join(SCRIPT)).unwrap();
        std::fs::create_dir(skill.join(SCRIPT)).unwrap();
    }),
    after("script is a link out of the skill", |skill| {
        std::fs::remove_file(skill.join(SCRIPT)).unwrap();
        symlink("/etc/hostname", skill.join(SCRIPT)).unwrap();
    }),
    after("script is a link in a circle", |skill| {
        std::fs::remove_file(skill.join(SCRIPT)).unwrap();
        symlink("run.py", skill.join(SCRIPT)).unwrap();
    }),
    after("script is a pipe", |skill| {
        std::fs::remove_file(skill.join(SCRIPT)).unwrap();
        let made = std::process::Command::new("mkfifo").arg(skill.join(SCRIPT)).status();
        assert!(made.unwrap().success());
    }),
    after("skill gone", |skill| std::fs::remove_dir_all(skill).unwrap()),
    with("interpreter not found", |settings| python(settings, "/opt/studio/bin/python9")),
    with("interpreter is a folder", |settings| python(settings, "/usr")),
    with("interpreter not executable", |settings| python(settings, &program("plain", "x", 0o644))),
    with("interpreter is no program", |settings| python(settings, &program("text", "not a program", 0o755))),
    with("interpreter whose own is gone", |settings| python(settings, &program("shebang", "#!/opt/nothing\n", 0o755))),
    with("nothing on the path", |settings| settings.run.environment = EnvLookup::new([("PATH", "/nowhere")])),
    with("host needed", |settings| settings.run.require_host = true),
    with("queue full", |settings| settings.run.gate = Gate::new(1).with_queue(0, 0)),
    way("module missing", "import maya_of_nobody"),
    way("syntax", "def ("),
    way("exit code", "import sys; sys.exit(3)"),
    way("signal", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
    Way { settings: |settings| settings.run.limits.deadline = Duration::from_millis(300), ..way("time", "import time; time.sleep(600)") },
    Way { settings: |settings| settings.run.limits.output_bytes = 64, ..way("size", "print('x' * 4096)") },
    way("bad JSON", "print('{\"a\": }')"),
    way("python's repr", "print({'success': False})"),
    way("JSON too deep", "print('{\"a\":' * 100000 + '1' + '}' * 100000)"),
    way("bytes that are no text, and a failure", "import os; os.write(1, b'a\\xff\\xfeb'); os._exit(1)"),
    way("file not permitted", "raise PermissionError(13, 'Permission denied')"),
];

#[tokio::test]
async fn every_way_to_fail_has_one_clear_message_without_paths() {
    let mut all = String::new();
    for way in &WAYS {
        let bench = Bench::with(|settings| {
            settings.run.limits.grace = Duration::from_millis(50);
            (way.settings)(settings);
        });
        let tools = "tools:\n  - name: go\n    affinity: main\n    source_file: scripts/run.py\n";
        bench.skill_with_tools("box", tools, way.script);
        bench.discover();
        bench.catalog.load_skill("box").await.unwrap();
        (way.then)(&bench.path().join("box"));
        // A full queue needs something that runs.
        let (held, arguments) = (bench.dispatcher.clone(), json!({}));
        let answer = if way.what == "queue full" {
            bench.file(
                "box/scripts/run.py",
                "import time; open('on', 'w'); time.sleep(600)",
            );
            let first = metier_catalog::CallRequest::new("box__go", None);
            let running = tokio::spawn(async move { held.call(first).await });
            while !bench.path().join("box/on").exists() {
                tokio::task::yield_now().await;
            }
            let answer = bench.output("box__go", arguments).await;
            running.abort();
            answer
        } else {
            bench.output("box__go", arguments).await
        };
        assert!(
            answer.is_error,
            "{}: {:.500}",
            way.what,
            format!("{answer:?}")
        );
        // The words of the script itself pass as they are.
        let text = answer.joined_text();
        let (ours, own) = text.split_once("\n\n").unwrap_or((&text, ""));
        let temporary = std::env::temp_dir();
        for place in [
            bench.path(),
            &temporary,
            Path::new("/opt"),
            Path::new("/usr/"),
            Path::new("/etc"),
        ] {
            let place = place.to_str().unwrap();
            assert!(!ours.contains(place), "{}: {ours}", way.what);
        }
        let ours = ours.replace(&format!("metier-{}-", std::process::id()), "");
        // Of a trace the last line is the script's account; what stands above differs between Pythons.
        let last = own.lines().last().unwrap_or_default();
        let shown: String = last.chars().take(60).collect();
        let own = if shown.is_empty() {
            String::new()
        } else {
            format!(" | {shown}")
        };
        writeln!(all, "{}: {ours}{own}", way.what).unwrap();
    }
    insta::assert_snapshot!(all);
}
