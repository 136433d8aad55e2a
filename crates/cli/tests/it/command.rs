//! Runs the built command with an environment of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// The repository's fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/skills")
        .canonicalize()
        .unwrap()
}

/// The command, with an empty home and only the machine's path. `folder` is the working directory,
/// so that paths in the output are short and the same everywhere.
pub(crate) fn metier(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metier"));
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.join("no-home"))
        .stdin(Stdio::null());
    command
}

/// A server on a pipe over the folder `skills`, and both ends of it.
pub(crate) fn on_a_pipe(
    folder: &Path,
    options: &[&str],
) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut command = metier(folder);
    command.stdin(Stdio::piped());
    let mut server = quiet_server(command, &[&["stdio"], options].concat());
    let input = server.stdin.take().unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    (server, input, output)
}

/// A server on a socket over the folder `skills`; it says its address on standard output.
pub(crate) fn on_a_socket(folder: &Path, options: &[&str]) -> Child {
    let arguments = [&["serve", "--port", "0"], options].concat();
    quiet_server(metier(folder), &arguments)
}

fn quiet_server(mut command: Command, arguments: &[&str]) -> Child {
    command
        .args(arguments)
        .arg("skills")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The line that answers the request of this number; the lines before it are passed over.
pub(crate) fn answered(output: &mut BufReader<ChildStdout>, id: u32) -> String {
    let mut line = String::new();
    while !line.contains(&format!("\"id\":{id}")) {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "no answer");
    }
    line
}

/// What a finished command said, in one text for a snapshot.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> String {
    said(&metier(folder).args(arguments).output().unwrap())
}

/// A text without the places of this machine.
pub(crate) fn placeless(text: &str, folder: &Path) -> String {
    text.replace(&*folder.canonicalize().unwrap().to_string_lossy(), "FOLDER")
        .replace(&*folder.to_string_lossy(), "FOLDER")
        .replace(env!("CARGO_BIN_EXE_metier"), "METIER")
}

/// The standard output of a command that must print JSON.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Writes a file and the folders it needs.
pub(crate) fn write(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A folder `bin` with interpreters that only say who they are, and nothing else on the path.
#[cfg(unix)]
pub(crate) fn fake_interpreters(folder: &Path, names: &[&str]) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = folder.join("bin");
    for name in names {
        let path = bin.join(name);
        write(&path, &format!("#!/bin/sh\necho '{name} 9.9'\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

/// A folder with a good skill, a broken one, and one whose tools file has a bad entry.
pub(crate) fn mixed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| {
        let path = folder.path().join("skills").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let skill = |name: &str| {
        format!(
            "---\nname: {name}\ndescription: The {name} skill.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
        )
    };
    file("good/SKILL.md", &skill("good"));
    file(
        "good/tools.yaml",
        "tools:\n  - name: echo\n    source_file: scripts/run.py\n    input_schema: {type: object, required: [n], properties: {n: {type: integer}}}\n",
    );
    file(
        "good/scripts/run.py",
        "import json, sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n",
    );
    file(
        "broken/SKILL.md",
        "---\nname: broken\ndescription: [unclosed\n---\n",
    );
    file("half/SKILL.md", &skill("half"));
    file(
        "half/tools.yaml",
        "tools:\n  - 5\n  - name: fine\n    source_file: scripts/run.py\n",
    );
    file("half/scripts/run.py", "print('{}')\n");
    folder
}
