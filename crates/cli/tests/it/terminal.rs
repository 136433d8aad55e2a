//! What is read over fits the terminal, and a pipe gets all of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use unicode_width::UnicodeWidthStr as _;

use crate::command::{run, write};

/// Runs the command with a terminal of so many columns as its standard output.
const ON_A_TERMINAL: &str = r"
import fcntl, os, pty, struct, sys, termios
columns, program = int(sys.argv[1]), sys.argv[2:]
here, there = pty.openpty()
fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
talk = there if os.environ.pop('TALK', '') else os.open(os.devnull, os.O_WRONLY)
child = os.fork()
if child == 0:
    os.close(here)
    os.dup2(there, 1)
    os.dup2(talk, 2)
    os.execv(program[0], program)
os.close(there)
said = b''
while True:
    try:
        part = os.read(here, 65536)
    except OSError:
        break
    if not part:
        break
    said += part
os.waitpid(child, 0)
sys.stdout.buffer.write(said)
";

fn on_a_terminal(folder: &Path, columns: usize, arguments: &[&str]) -> Vec<String> {
    seen(folder, columns, "", arguments)
}

/// The same with what is said, where `talk` is not empty.
fn seen(folder: &Path, columns: usize, talk: &str, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("python3")
        .env("TALK", talk)
        .args(["-c", ON_A_TERMINAL, &columns.to_string()])
        .arg(env!("CARGO_BIN_EXE_metier"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn skills() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, description) in [
        (
            "light",
            "Sets the lights of a shot, one after the other, and says which of them it has set and why.",
        ),
        (
            "deng",
            "灯光の設定をひとつずつ調整し、どの灯りを変えたのか、その理由とともに説明します。照明の作業に使います。",
        ),
    ] {
        write(
            folder.path().join(format!("skills/{name}/SKILL.md")),
            &format!(
                "---\nname: {name}\ndescription: {description}\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
            ),
        );
        write(
            folder.path().join(format!("skills/{name}/tools.yaml")),
            &format!(
                "tools:\n  - name: set\n    description: {description}\n    source_file: scripts/set.py\n"
            ),
        );
        write(
            folder.path().join(format!("skills/{name}/scripts/set.py")),
            "",
        );
    }
    folder
}

#[test]
fn the_last_column_ends_with_the_terminal() {
    let folder = skills();
    for arguments in [
        &["list", "--no-config", "skills"][..],
        &["search", "--no-config", "lights", "skills"],
        &["info", "--no-config", "deng", "skills"],
        &["discover", "--no-config", "lights", "skills"],
    ] {
        let whole = run(folder.path(), arguments);
        for columns in [80, 60] {
            let lines = on_a_terminal(folder.path(), columns, arguments);
            assert!(
                lines.len() > 1 || arguments[1..].contains(&"lights"),
                "{lines:?}"
            );
            assert!(lines.iter().any(|line| line.contains('…')), "{lines:?}");
            for line in &lines {
                // Where a skill lies and what a script is are not cut.
                let is_place = line.contains("location") || line.contains("script ");
                assert!(line.width() <= columns || is_place, "{columns}: {line}");
            }
        }
        // The table has its own measure, whatever terminal there is.
        let widest = whole
            .lines()
            .map(unicode_width::UnicodeWidthStr::width)
            .max()
            .unwrap();
        assert!(widest > 80, "{whole}");
    }
}

/// Text that is read and acted upon is not cut but goes on in the next line.
#[test]
fn prose_is_wrapped_to_the_terminal() {
    let folder = skills();
    write(
        folder.path().join("skills/light/tools.yaml"),
        "tools:\n  - name: set\n    source_file: scripts/set.py\n    required_capabilities: [filesystem.read, usd, network.fetch]\n",
    );
    write(
        folder.path().join("metier.toml"),
        "[interpreters]\nabsent-application = '/usr/bin/env'\n",
    );
    for arguments in [
        &["doctor", "skills"][..],
        &["check", "--explain", "MT207"],
        &["check", "--explain", "all"],
        &["doctor", "--no-config", "skills/deng/scripts"],
    ] {
        let whole = run(folder.path(), arguments);
        assert!(
            whole.lines().any(|line| line.width() > 80),
            "a pipe has one form: {whole}"
        );
        for columns in [80, 50] {
            let lines = seen(folder.path(), columns, "yes", arguments);
            let mut is_example = false;
            for line in &lines {
                let is_fence = line.starts_with("```");
                is_example ^= is_fence;
                // A place, which is one word, stays whole.
                let is_place = line.trim().contains('/');
                assert!(
                    is_example || is_fence || is_place || line.width() <= columns,
                    "{columns}: {line}"
                );
            }
            // Nothing is lost, but for the table of interpreters, whose last column is cut.
            let words = |text: &str| {
                let lines = text.lines().filter(|line| !line.starts_with("  Python"));
                let words = lines.flat_map(str::split_whitespace).map(ToOwned::to_owned);
                words.collect::<BTreeSet<_>>()
            };
            let (_, said) = whole.split_once("--- stdout\n").unwrap();
            let said = words(&said.replace("--- stderr\n", ""));
            let shown = words(&lines.join("\n"));
            let lost: Vec<&String> = said
                .difference(&shown)
                // Where a home is differs between the two.
                .filter(|word| !word.contains("no-home"))
                .collect();
            assert!(lost.is_empty(), "{columns}: {lost:?}");
        }
    }
}
