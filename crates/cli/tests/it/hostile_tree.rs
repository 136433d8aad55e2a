//! One tree of everything that can lie in a folder of skills: every reading of it comes to its end, each
//! SKILL.md is loaded or rejected with a reason, and the healthy skill beside is what it is alone.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc::channel;
use std::time::Duration;

use metier::diagnostics::{Diagnostic, Severity};
use metier::loader::{ParseMode, Root, RootLabel, scan};
use serde_json::Value;

use crate::command::{json, metier, write};

/// Long enough for a busy machine; nothing waits for it when all is well.
const BOUND: Duration = Duration::from_mins(2);

/// Names that steer a terminal, that turn the writing direction, and one as long as a name may be.
const STEERS: &str = "a\u{1b}[31m\u{7}\n";
const TURNS: &str = "a\u{202e}ecaf";
const NOT_UTF8: &[u8] = b"caf\xE9";

fn longest() -> String {
    "l".repeat(255)
}

fn front(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: The {name} skill.\n{more}---\n")
}

const TOOLS: &str = "metadata: {dcc-mcp: {tools: tools.yaml}}\n";

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn good(root: &Path) {
    write(root.join("good/SKILL.md"), &front("good", TOOLS));
    write(
        root.join("good/tools.yaml"),
        "tools:\n- name: echo\n  description: Echoes.\n  source_file: scripts/echo.py\n",
    );
    write(root.join("good/scripts/echo.py"), "print('{}')\n");
}

/// The tree, and what has to live as long as it does.
fn tree(root: &Path) -> UnixListener {
    good(root);
    let skill = |name: &str, bytes: &[u8]| {
        std::fs::create_dir_all(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("SKILL.md"), bytes).unwrap();
    };
    let folder = |name: &str| std::fs::create_dir_all(root.join(name)).unwrap();

    // What SKILL.md can be besides a file.
    pipe(&root.join("pipe/SKILL.md"));
    folder("socket");
    let socket = UnixListener::bind(root.join("socket/SKILL.md")).unwrap();
    folder("link-lost");
    symlink("gone.md", root.join("link-lost/SKILL.md")).unwrap();
    folder("link-loop");
    symlink("SKILL.md", root.join("link-loop/SKILL.md")).unwrap();
    folder("link-device");
    symlink("/dev/zero", root.join("link-device/SKILL.md")).unwrap();
    folder("folder/SKILL.md");
    skill("unreadable", front("unreadable", "").as_bytes());
    let none = std::fs::Permissions::from_mode(0o0);
    std::fs::set_permissions(root.join("unreadable/SKILL.md"), none).unwrap();

    // What a SKILL.md can hold.
    skill("mark", ["\u{FEFF}", &front("mark", "")].concat().as_bytes());
    let wide: Vec<u8> = front("wide", "")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    skill("wide", &wide);
    skill("nul", b"---\nname: nul\ndescription: a\0b\n---\n\0\0");
    skill("crlf", front("crlf", "").replace('\n', "\r\n").as_bytes());
    skill("cr", front("cr", "").replace('\n', "\r").as_bytes());
    skill("empty", b"");
    let large = format!("license: {}\n", "x".repeat(2 * 1024 * 1024));
    skill("large", front("large", &large).as_bytes());
    let deep = format!("x: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    skill("deep", front("deep", &deep).as_bytes());
    let stairs: Vec<String> = (0..1000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth % 400)))
        .collect();
    skill("stairs", front("stairs", &stairs.concat()).as_bytes());

    // What can lie beside a healthy one.
    skill("deep-tools", front("deep-tools", TOOLS).as_bytes());
    write(
        root.join("deep-tools/tools.yaml"),
        &format!("tools:\n- {}\n", "{a: ".repeat(10_000)),
    );
    skill("odd-files", front("odd-files", TOOLS).as_bytes());
    symlink("/dev/zero", root.join("odd-files/tools.yaml")).unwrap();
    pipe(&root.join("odd-files/metadata/depends.md"));
    skill("odd-scripts", front("odd-scripts", TOOLS).as_bytes());
    write(
        root.join("odd-scripts/tools.yaml"),
        "tools:\n- name: piped\n- {name: zero, source_file: scripts/zero.py}\n- {name: fine, source_file: scripts/fine.py}\n",
    );
    write(root.join("odd-scripts/scripts/fine.py"), "print('{}')\n");
    pipe(&root.join("odd-scripts/scripts/piped.py"));
    symlink("/dev/zero", root.join("odd-scripts/scripts/zero.py")).unwrap();
    symlink("..", root.join("odd-scripts/scripts/up")).unwrap();

    // Names.
    for name in [STEERS, TURNS, &longest()] {
        skill(name, front("named", "").as_bytes());
    }
    let odd = root.join(OsStr::from_bytes(NOT_UTF8));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("SKILL.md"), front("odd-name", "")).unwrap();
    skill("odd-names-inside", front("odd-names-inside", "").as_bytes());
    for name in [STEERS.as_bytes(), NOT_UTF8, longest().as_bytes()] {
        let path = root
            .join("odd-names-inside/scripts")
            .join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    // Folders in each other, until no path is long enough to name the last.
    skill("long-way", front("long-way", "").as_bytes());
    let dig = "d=$(printf 'd%.0s' {1..200}); for i in {1..30}; do mkdir \"$d\" && cd -P \"$d\" || exit 1; done; echo x > f.py";
    let dug = Command::new("bash")
        .args(["-c", dig])
        .current_dir(root.join("long-way"))
        .status();
    assert!(dug.unwrap().success());

    // Crowds, and ways that go in circles.
    folder("crowd");
    skill("crowd-inside", front("crowd-inside", "").as_bytes());
    folder("crowd-inside/scripts");
    for number in 0..5000 {
        std::fs::write(root.join(format!("crowd/{number}.txt")), "").unwrap();
        std::fs::write(root.join(format!("crowd-inside/scripts/{number}.txt")), "").unwrap();
    }
    symlink(".", root.join("circle")).unwrap();
    symlink("..", root.join("crowd/up")).unwrap();
    socket
}

/// `path: loaded` or `path: rejected CODE …`, of all that the scan has a verdict on.
fn verdicts(root: &Path, mode: ParseMode) -> Vec<String> {
    let report = scan(&[Root::new(RootLabel::Explicit, root)], mode);
    let shown = |path: &str| {
        path.replace(&longest(), "LONGEST")
            .escape_debug()
            .to_string()
    };
    let errors = |found: &[Diagnostic]| -> String {
        let errors = found
            .iter()
            .filter(|about| about.severity == Severity::Error);
        errors.flat_map(|about| [" ", about.code.id]).collect()
    };
    let mut lines = Vec::new();
    for skill in &report.skills {
        let tools = skill.metadata.tools.len();
        let unusable = skill.unusable.as_ref().map_or("", |_| ", unusable");
        lines.push(format!(
            "{}: loaded, {tools} tools{unusable}",
            shown(&skill.display_path)
        ));
    }
    for shadowed in &report.shadowed {
        lines.push(format!("{}: shadowed", shown(&shadowed.skill.display_path)));
    }
    for rejected in &report.rejected {
        let why = errors(&rejected.diagnostics);
        assert!(!why.is_empty(), "{rejected}");
        lines.push(format!("{}: rejected{why}", shown(&rejected.display_path)));
    }
    for about in report.root_findings.iter().map(|found| &found.diagnostic) {
        lines.push(format!("({}) {}", about.code.id, shown(&about.message)));
    }
    lines.sort();
    lines
}

/// The output of a command that has to end.
fn ended(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = metier(folder);
    command.args(arguments);
    let (send, receive) = channel();
    std::thread::spawn(move || send.send(command.output().unwrap()));
    receive
        .recv_timeout(BOUND)
        .unwrap_or_else(|_| panic!("{arguments:?} does not come to its end"))
}

fn entry(list: &Value, name: &str) -> Value {
    let skills = list["skills"].as_array().unwrap().iter();
    let found = skills.clone().find(|skill| skill["name"] == name);
    let mut entry = found.unwrap().clone();
    // Where it lies is all that may differ.
    assert!(entry.as_object_mut().unwrap().remove("folder").is_some());
    entry
}

#[test]
fn whatever_lies_there_every_reading_ends_with_a_verdict_on_each() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    let _socket = tree(&root);
    let alone = tempfile::tempdir().unwrap();
    good(&alone.path().join("skills"));

    let is_root = std::fs::File::open(root.join("unreadable/SKILL.md")).is_ok();
    for (mode, name) in [
        (ParseMode::Lenient, "lenient"),
        (ParseMode::Strict, "strict"),
    ] {
        let (unreadable, others): (Vec<String>, Vec<String>) = verdicts(&root, mode)
            .into_iter()
            .partition(|line| line.starts_with("unreadable:"));
        if is_root {
            eprintln!("skipped: a file that cannot be read, because root reads every file");
        } else {
            assert_eq!(unreadable, ["unreadable: rejected MT117"]);
        }
        insta::assert_snapshot!(name, others.join("\n"));
    }

    for format in ["full", "concise", "json", "github", "sarif", "junit"] {
        for mode in ["--strict", "--lenient"] {
            let output = ended(
                folder.path(),
                &["check", mode, "--format", format, "skills"],
            );
            assert_eq!(output.status.code(), Some(1), "{format}");
            let data = String::from_utf8(output.stdout).unwrap();
            let steering: &[char] = match format {
                "full" | "concise" => &['\u{1b}', '\u{202e}', '\0'],
                // To programs a name is told as it is, as far as the form can hold it.
                "json" | "sarif" | "junit" => &['\u{1b}', '\0'],
                _ => &['\0'],
            };
            assert!(!data.contains(steering), "{format}");
            // Build servers are told of every skill that was checked.
            let is_found = data.contains("good/");
            assert_eq!(is_found, format == "junit", "{format}: {data}");
        }
    }
    let list = ["list", "--json", "skills"];
    let listed = json(&ended(folder.path(), &list));
    assert_eq!(
        entry(&listed, "good"),
        entry(&json(&ended(alone.path(), &list)), "good")
    );
    let rejected = listed["rejected"].as_array().unwrap();
    assert!(rejected.len() > 10, "{rejected:#?}");
}
