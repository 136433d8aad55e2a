//! Every command that the documents show is run.
//!
//! Looked at are the fences marked `sh` or `console` of the READMEs, SECURITY.md, CONTRIBUTING.md and docs/. Of a
//! `sh` fence the lines that begin with `metier ` are run, of a `console` fence those that begin with
//! `$ metier `, and `cargo run --release --` is `metier`; a trailing backslash goes on in the next line. They run in a shell, in a folder of
//! the document's own that holds a copy of `fixtures`, one after the other.
//!
//! Two comments directly before a fence say more: `<!-- file: PATH -->` writes the fence to a file
//! of that folder, `<!-- exit: N -->` says how the commands in it end when that is not with 0.
//!
//! A subcommand that is not built yet is skipped with the rest of its fence, provided that it is in
//! [`PENDING`]; any other unknown one fails.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::command::fixtures;
use crate::docs_connect::is_run;

/// Subcommands that the documents describe and that come with changes of their own. An entry that
/// is built already does no harm: its commands are run.
const PENDING: &[&str] = &[];

fn repository() -> PathBuf {
    fixtures().join("../..").canonicalize().unwrap()
}

/// A fence with what stands before it.
#[derive(Debug, Default)]
struct Fence {
    line: usize,
    language: String,
    text: Vec<String>,
    file: Option<String>,
    exit: i32,
}

fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    let mut next = Fence::default();
    for (index, line) in text.lines().enumerate() {
        let words = line.trim();
        if let Some(mut fence) = open.take() {
            if words == "```" {
                fences.push(fence);
            } else {
                fence.text.push(line.to_owned());
                open = Some(fence);
            }
        } else if let Some(language) = words.strip_prefix("```") {
            next.line = index + 1;
            language.clone_into(&mut next.language);
            open = Some(std::mem::take(&mut next));
        } else if let Some(note) = words
            .strip_prefix("<!--")
            .and_then(|rest| rest.strip_suffix("-->"))
        {
            match note.trim().split_once(": ") {
                Some(("file", path)) => next.file = Some(path.to_owned()),
                Some(("exit", code)) => next.exit = code.parse().unwrap(),
                _ => {}
            }
        } else if !words.is_empty() {
            next = Fence::default();
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

/// The `metier` commands of a fence, continued lines joined.
fn commands(fence: &Fence) -> Vec<String> {
    let prompt = match fence.language.as_str() {
        "sh" => "",
        "console" => "$ ",
        _ => return Vec::new(),
    };
    let mut lines = fence.text.iter();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix(prompt) else {
            continue;
        };
        let mut command = command.to_owned();
        while let Some(begun) = command.strip_suffix('\\') {
            command = format!("{begun}{}", lines.next().map_or("", |line| line.trim()));
        }
        // How to run it without installing it.
        if let Some(arguments) = command.strip_prefix("cargo run --release -- ") {
            command = format!("metier {arguments}");
        }
        if command.starts_with("metier ") {
            found.push(command);
        }
    }
    found
}

fn subcommand(command: &str) -> &str {
    command.split_whitespace().nth(1).unwrap_or_default()
}

/// The subcommands that this build has.
fn built() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_metier"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let list = help.split("Commands:").nth(1).unwrap();
    list.lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == "__pycache__" {
        } else if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A shell in the document's folder that finds the built command by its name.
fn shell(folder: &Path, command: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_metier")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(binary.to_owned()).chain(std::env::split_paths(&path)),
    )
    .unwrap();
    let mut shell = Command::new("bash");
    shell
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder.join("home"))
        .stdin(Stdio::null());
    shell
}

fn run(folder: &Path, command: &str) -> Output {
    match subcommand(command) {
        // Any free port, because documents are checked side by side.
        "serve" => serve(folder, command),
        // Without a client there is nothing to read, and it ends.
        _ => shell(folder, command).output().unwrap(),
    }
}

/// Starts a server, waits for its URL and stops it.
fn serve(folder: &Path, command: &str) -> Output {
    let command = command.replacen("metier serve", "exec metier serve --port 0", 1);
    let mut child = shell(folder, &command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut url = String::new();
    stdout.read_line(&mut url).unwrap();
    if url.starts_with("http://") {
        let stopped = Command::new("kill")
            .arg(child.id().to_string())
            .status()
            .unwrap();
        assert!(stopped.success());
    }
    let mut output = child.wait_with_output().unwrap();
    stdout.read_to_string(&mut url).unwrap();
    output.stdout = url.into_bytes();
    output
}

/// Runs a document; returns how many commands ran and which were skipped.
fn follow(document: &Path, built: &[String]) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(document).unwrap();
    let name = document.file_name().unwrap().to_string_lossy().into_owned();
    let folder = tempfile::tempdir().unwrap();
    copy(&fixtures(), &folder.path().join("fixtures/skills"));
    std::fs::create_dir(folder.path().join("home")).unwrap();
    let (mut ran, mut skipped, mut faults) = (0, Vec::new(), String::new());
    for fence in fences(&text) {
        if let Some(path) = &fence.file {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, fence.text.join("\n") + "\n").unwrap();
            continue;
        }
        for command in commands(&fence) {
            let verb = subcommand(&command);
            if !built.iter().any(|known| known == verb) {
                assert!(
                    PENDING.contains(&verb),
                    "{name}:{}: `{command}`: no such subcommand",
                    fence.line
                );
                skipped.push(verb.to_owned());
                break;
            }
            ran += 1;
            let output = run(folder.path(), &command);
            if output.status.code() != Some(fence.exit) {
                let _ = write!(
                    faults,
                    "\n{name}:{}: `{command}` ended with {}, not {}\n{}{}",
                    fence.line,
                    output.status,
                    fence.exit,
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                );
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    (ran, skipped)
}

#[test]
fn every_command_in_the_documents_runs() {
    let built = built();
    assert!(built.iter().any(|name| name == "serve"), "{built:?}");
    let documents = documents();
    let done: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = documents
            .iter()
            .map(|document| scope.spawn(|| follow(document, &built)))
            .collect();
        running
            .into_iter()
            .map(|document| {
                document
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    let ran: usize = done.iter().map(|(ran, _)| ran).sum();
    let mut skipped: Vec<_> = done.into_iter().flat_map(|(_, skipped)| skipped).collect();
    skipped.sort();
    // A change that makes the documents' commands invisible to this test must not pass it.
    assert!(ran >= 25, "only {ran} commands were found and run");
    eprintln!("{ran} commands ran; skipped until they are built: {skipped:?}");
}

/// Whatever people read first, in both languages; rules are generated and have tests of their own.
fn documents() -> Vec<PathBuf> {
    let repository = repository();
    let mut documents: Vec<PathBuf> = [
        "README.md",
        "README.zh.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "fixtures/skills/demo/README.md",
    ]
    .iter()
    .map(|name| repository.join(name))
    .collect();
    let readmes = std::fs::read_dir(repository.join("crates")).unwrap();
    documents.extend(readmes.map(|entry| entry.unwrap().path().join("README.md")));
    let below = std::fs::read_dir(repository.join("docs")).unwrap();
    documents.extend(
        below
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
    );
    documents.sort();
    for wanted in [
        "docs/getting-started.zh.md",
        "docs/skill-author-guide.zh.md",
    ] {
        assert!(documents.contains(&repository.join(wanted)), "{wanted}");
    }
    documents
}

#[test]
fn no_command_stands_where_none_is_run() {
    let mut unseen = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for fence in fences(&text) {
            if matches!(fence.language.as_str(), "sh" | "console" | "toml") || fence.file.is_some()
            {
                continue;
            }
            let begins = ["metier ", "$ metier ", "cargo run --release -- "];
            let shown = fence.text.iter().map(|line| line.trim_start());
            let shown = shown.filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
            unseen.extend(
                shown
                    .filter(|line| !is_run(line))
                    .map(|line| format!("{}: {line}", document.display())),
            );
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
}

#[test]
fn the_scripts_of_the_demo_skills_run_by_hand_as_their_readme_shows() {
    let text = std::fs::read_to_string(fixtures().join("demo/README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy(&fixtures(), &folder.path().join("fixtures/skills"));
    let shown: Vec<Fence> = fences(&text)
        .into_iter()
        .filter(|fence| fence.language == "sh")
        .collect();
    assert_eq!(shown.len(), 1);
    for fence in shown {
        let script = format!("set -e -o pipefail\n{}", fence.text.join("\n"));
        let mut shell = shell(folder.path(), &script);
        let output = shell.env("TMPDIR", folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.matches("\"success\": true").count(), 3, "{said}");
    }
}

/// How a heading is linked to: its words in lower case, `-` for each blank, no other signs.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for piece in text.split("](").skip(1) {
            let target = piece.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with('<') {
                continue;
            }
            seen += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let led_to = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let is_there = led_to.exists()
                && (anchor.is_empty()
                    || std::fs::read_to_string(&led_to)
                        .is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor)));
            if !is_there {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(seen > 60, "only {seen} links were found");
}
