//! Every way in which a script can fail, as a client reads it: what happened, one clear message, the cure, and
//! no path of this machine in what Metier says. What the script said follows, as it is.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_catalog::{CallRequest, CatalogSettings};
use metier_runner::{EnvLookup, Gate};
use metier_tool::{CallEvents, LogLine, ProgramEnd, Progress, ToolOutput};
use serde_json::json;

use crate::bench_folder::Bench;

type Settings = fn(&mut CatalogSettings);
type Folder = fn(&Path);

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// No program was started.
    Refused,
    /// A program ended by itself.
    Exit(i32),
    /// A program was ended.
    Ended,
}
use Kind::{Ended, Exit, Refused};

struct Way {
    what: &'static str,
    script: &'static str,
    settings: Settings,
    /// Done to the skill's folder after the load.
    then: Folder,
    kind: Kind,
    /// All that Metier says; it ends with the cure, where there is one.
    words: &'static str,
    cure: &'static str,
    /// The heading of what the script said, and the end of that.
    own: Option<(&'static str, &'static str)>,
}

const SAID: &str = "error output:\n";
const SCRIPT: &str = "scripts/run.py";

/// A failure of the script `print('{}')`.
const fn refused(what: &'static str, words: &'static str, cure: &'static str) -> Way {
    let (settings, then): (Settings, Folder) = (|_| (), |_| ());
    Way {
        what,
        script: "print('{}')",
        settings,
        then,
        kind: Refused,
        words,
        cure,
        own: None,
    }
}

impl Way {
    const fn set(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    const fn after(self, then: Folder) -> Self {
        Self { then, ..self }
    }

    const fn python(self, script: &'static str, kind: Kind) -> Self {
        Self {
            script,
            kind,
            ..self
        }
    }

    const fn saying(self, heading: &'static str, end: &'static str) -> Self {
        Self {
            own: Some((heading, end)),
            ..self
        }
    }

    /// The file name of the script: one that begins with a `#` is a shell's.
    fn file(&self) -> &'static str {
        if self.script.starts_with('#') {
            "scripts/run.sh"
        } else {
            SCRIPT
        }
    }
}

fn python(settings: &mut CatalogSettings, value: &str) {
    settings.run.interpreters.python = Some(value.into());
}

/// The folder of the programs.
fn programs() -> String {
    format!("metier-failures-{}", std::process::id())
}

/// A file that is a program or is not, and its path.
fn program(name: &str, text: &str, mode: u32) -> String {
    let folder = std::env::temp_dir().join(programs());
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn instead(skill: &Path, make: impl Fn(PathBuf)) {
    std::fs::remove_file(skill.join(SCRIPT)).unwrap();
    make(skill.join(SCRIPT));
}

#[rustfmt::skip]
const WAYS: [Way; 32] = [
    refused("script gone", "script not found: scripts/run.py", "")
        .after(|skill| instead(skill, |_| ())),
    refused("script is a folder", "the script cannot be run: `scripts/run.py` is not a file", "")
        .after(|skill| instead(skill, |script| std::fs::create_dir(script).unwrap())),
    refused("script is a link out of the skill", "the script cannot be run: `scripts/run.py` is outside the skill folder", "")
        .after(|skill| instead(skill, |script| symlink("/etc/hostname", script).unwrap())),
    refused("script is a link in a circle", "the script cannot be run: cannot read `scripts/run.py`: filesystem loop or indirection limit (e.g. symlink loop)", "")
        .after(|skill| instead(skill, |script| symlink("run.py", script).unwrap())),
    refused("script is a pipe", "the script cannot be run: `scripts/run.py` is not a file", "")
        .after(|skill| instead(skill, |script| {
            assert!(std::process::Command::new("mkfifo").arg(script).status().unwrap().success());
        })),
    refused("skill gone", "the script cannot be run: the skill folder is gone or was replaced", "")
        .after(|skill| std::fs::remove_dir_all(skill).unwrap()),
    refused("interpreter not found", "cannot use the interpreter from the setting `python` (--python): `…/studio/bin/python9` does not exist", "; correct it or remove it")
        .set(|settings| python(settings, "/opt/studio/bin/python9")),
    refused("interpreter is a folder", "cannot use the interpreter from the setting `python` (--python): `…/usr` is a folder", "; correct it or remove it")
        .set(|settings| python(settings, "/usr")),
    refused("interpreter not permitted", "cannot use the interpreter from the setting `python` (--python): `…/plain` is not executable", "; correct it or remove it")
        .set(|settings| python(settings, &program("plain", "x", 0o644))),
    refused("interpreter is no file", "cannot use the interpreter from the setting `python` (--python): `…/null` is not executable", "; correct it or remove it")
        .set(|settings| python(settings, "/dev/null")),
    refused("interpreter is no program", "the interpreter `text` for Python scripts (from the setting `python` (--python)) is not a program that can be executed here", "; correct it or remove it")
        .set(|settings| python(settings, &program("text", "echo no program", 0o755))),
    refused("interpreter is empty", "the interpreter `empty` for Python scripts (from the setting `python` (--python)) is not a program that can be executed here", "; correct it or remove it")
        .set(|settings| python(settings, &program("empty", "", 0o755))),
    refused("interpreter's head alone", "the interpreter `head` for Python scripts (from the setting `python` (--python)) is not a program that can be executed here", "; correct it or remove it")
        .set(|settings| python(settings, &program("head", "\x7fELF\x02\x01\x01", 0o755))),
    refused("interpreter whose own is gone", "the interpreter `shebang` for Python scripts (from the setting `python` (--python)) cannot be started: the program that its first line names is not there", "; correct it or remove it")
        .set(|settings| python(settings, &program("shebang", "#!/opt/nothing\n", 0o755))),
    refused("interpreter whose own is not permitted", "the interpreter `closed` for Python scripts (from the setting `python` (--python)) is not a program that can be executed here", "; correct it or remove it")
        .set(|settings| { let own = program("own", "", 0o644); python(settings, &program("closed", &format!("#!{own}\n"), 0o755)); }),
    refused("nothing on the path", "no Python interpreter found: looked for `python3`, `python` on the PATH", "; install one or set DCC_MCP_PYTHON_EXECUTABLE or --python")
        .set(|settings| settings.run.environment = EnvLookup::new([("PATH", "/nowhere")])),
    refused("host needed", "the tool `go` needs a host: it needs the application's main thread, and no application is attached to this server", "; whoever runs it starts the adapter that `metier host-adapter` prints in the application and names its file with --attach")
        .set(|settings| settings.run.require_host = true),
    refused("queue full", "the server is busy: all places for scripts are taken, and 0 calls wait already, which is all that may", "; try again in a few seconds")
        .set(|settings| settings.run.gate = Gate::new(1).with_queue(0, 0)),
    refused("module missing", "the script ended with exit code 1", "")
        .python("import maya_of_nobody", Exit(1)).saying(SAID, "ModuleNotFoundError: No module named 'maya_of_nobody'"),
    refused("syntax", "the script ended with exit code 1", "")
        .python("def (", Exit(1)).saying(SAID, "SyntaxError: invalid syntax"),
    refused("exit code", "the script ended with exit code 3", "")
        .python("import sys; sys.exit(3)", Exit(3)),
    refused("signal", "the script was killed by SIGSEGV (signal 11)", "")
        .python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", Ended),
    refused("time", "the script was still running at its time limit of 0.3 s and was ended", "")
        .python("import time; time.sleep(600)", Ended)
        .set(|settings| settings.run.limits.deadline = Duration::from_millis(300)),
    refused("size", "its output is over the limit of 64 bytes: 3969 bytes were dropped", "; write large results to a file and print where it is")
        .python("print('x' * 4096)", Exit(0)).saying("beginning of the output:\n", "xxxxxxx")
        .set(|settings| settings.run.limits.output_bytes = 64),
    refused("bad JSON", "its output looks like JSON but is not: expected value at line 1 column 7", "")
        .python("print('{\"a\": }')", Exit(0)).saying("output:\n", "{\"a\": }"),
    refused("python's repr", "its output looks like JSON but is not: it is Python's own spelling of a dict", "; print json.dumps(...) of it")
        .python("print({'success': False})", Exit(0)).saying("output:\n", "{'success': False}"),
    refused("JSON too deep", "its output looks like JSON but is not: it is nested deeper than 128 levels", "")
        .python("print('{\"a\":' * 100000 + '1' + '}' * 100000)", Exit(0)).saying("end of the output:\n", "}}}}"),
    refused("a failure and a success in one object", "its output looks like JSON but is not: `success` stands twice in its object, so that which one counts cannot be told", "")
        .python("print('{\"success\": false, \"message\": \"x\", \"succ\\\\u0065ss\": true}')", Exit(0)).saying("output:\n{\"success\": false", ": true}"),
    refused("bytes that are no text, and a failure", "the script ended with exit code 1", "")
        .python("import os; os.write(1, b'a\\xff\\xfeb'); os._exit(1)", Exit(1)).saying("output:\n", "a\u{fffd}\u{fffd}b"),
    // The words of a script and of what reads it pass as they are, with the places in them.
    refused("python's trace", "the script ended with exit code 1", "")
        .python("import json; json.loads('{')", Exit(1)).saying(SAID, "line 1 column 2 (char 1)"),
    refused("shell's error", "the script ended with exit code 127", "")
        .python("#!/bin/sh\nno_such_command\n", Exit(127)).saying(SAID, "/scripts/run.sh: line 2: no_such_command: command not found"),
    refused("a result that is another", "the result of `box__go` does not match its output schema:\n- at: expected integer, found the text ITS-OWN", "")
        .python("import json; print(json.dumps({'at': __file__}))", Exit(0)).saying("the result was:\n", "/scripts/run.py\"}"),
];

/// How the program ended, if one did.
#[derive(Default)]
struct End(Mutex<Option<ProgramEnd>>);

impl CallEvents for End {
    fn progress(&self, _: Progress) {}
    fn log(&self, _: LogLine) {}
    fn program_ended(&self, end: &ProgramEnd) {
        *self.0.lock().unwrap() = Some(end.clone());
    }
}

async fn called(bench: &Bench) -> (ToolOutput, Kind) {
    let end = Arc::new(End::default());
    let mut request = CallRequest::new("box__go", Some(json!({})));
    request.events = Arc::<End>::clone(&end);
    let answer = bench.dispatcher.call(request).await.unwrap();
    let kind = match &*end.0.lock().unwrap() {
        None => Refused,
        Some(end) => end.exit_code.map_or(Ended, Exit),
    };
    (answer, kind)
}

/// The answer to a call while another one runs for ever.
async fn called_beside_another(bench: &Bench) -> (ToolOutput, Kind) {
    let endless = "import time; open('on', 'w'); time.sleep(600)";
    bench.file("box/scripts/run.py", endless);
    let dispatcher = bench.dispatcher.clone();
    let first = tokio::spawn(async move {
        let request = CallRequest::new("box__go", None);
        dispatcher.call(request).await
    });
    while !bench.path().join("box/on").exists() {
        tokio::task::yield_now().await;
    }
    let answer = called(bench).await;
    first.abort();
    answer
}

#[tokio::test]
async fn every_way_to_fail_has_one_clear_message_without_paths() {
    for way in &WAYS {
        let what = way.what;
        let bench = Bench::with(|settings| {
            settings.run.limits.grace = Duration::from_millis(50);
            (way.settings)(settings);
        });
        let file = way.file();
        let tools = format!(
            "tools:\n  - name: go\n    affinity: main\n    source_file: {file}\n    output_schema: {{type: object, properties: {{at: {{type: integer}}}}}}\n"
        );
        bench.skill_with_tools("box", &tools, way.script);
        bench.file(&format!("box/{file}"), way.script);
        bench.discover();
        bench.catalog.load_skill("box").await.unwrap();
        (way.then)(&bench.path().join("box"));
        let (answer, kind) = if what == "queue full" {
            called_beside_another(&bench).await
        } else {
            called(&bench).await
        };
        assert!(answer.is_error, "{what}: {:.500}", format!("{answer:?}"));
        assert_eq!(kind, way.kind, "{what}: {answer:?}");
        let text = answer.joined_text();
        let (ours, own) = text.split_once("\n\n").unwrap_or((&text, ""));
        // What a result holds is quoted; the place in it is the script's word.
        let script = bench.path().canonicalize().unwrap().join("box").join(file);
        let ours = ours.replace(&format!("\"{}\"", script.display()), "ITS-OWN");
        let shown = ours.replace(&format!("{}/", programs()), "");
        assert_eq!(shown, format!("{}{}", way.words, way.cure), "{what}");
        let temporary = std::env::temp_dir();
        let places = [bench.path(), &temporary].map(|place| place.to_str().unwrap());
        for place in places.into_iter().chain(["/opt", "/usr/", "/etc", "/dev"]) {
            assert!(!ours.contains(place), "{what}: {ours}");
        }
        match way.own {
            None => assert_eq!(own, "", "{what}"),
            Some((heading, end)) => {
                assert!(own.starts_with(heading), "{what}: {own}");
                assert!(own.trim_end().ends_with(end), "{what}: {own}");
            }
        }
    }
    std::fs::remove_dir_all(std::env::temp_dir().join(programs())).unwrap();
}
