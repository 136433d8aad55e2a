//! One measurement of `skills/list` in a process of its own; `cargo xtask bench shelf` starts it.
//!
//! `list_skills times|memory FOLDER` prints one line of JSON. The sides of a ratio take turns in one process: a first
//! listing (of a new catalog, so that every file is hashed) and reading and hashing the same files plainly; a listing
//! of what is known and asking the system about the same files plainly.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it prints, and may stop at a broken disk"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use metier_catalog::{SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp::{Frame, Incoming, McpConfig, McpServer, Reply};
use serde_json::json;
use sha2::{Digest as _, Sha256};

const ROUNDS: usize = 5;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder] = words.as_slice() else {
        println!("usage: list_skills times|memory FOLDER");
        return std::process::ExitCode::from(2);
    };
    let folder = Path::new(folder);
    let figures = match what.as_str() {
        "times" => times(folder).await,
        "memory" => memory(folder).await,
        _ => {
            println!("usage: list_skills times|memory FOLDER");
            return std::process::ExitCode::from(2);
        }
    };
    println!("{figures}");
    std::process::ExitCode::SUCCESS
}

async fn times(folder: &Path) -> serde_json::Value {
    let mut first = Vec::new();
    let mut hashing = Vec::new();
    let mut known = server(folder);
    for _ in 0..ROUNDS {
        let (fresh, skills) = server(folder);
        let (taken, _) = timed(all_pages(&fresh)).await;
        first.push(taken);
        let start = Instant::now();
        hash_plainly(folder);
        hashing.push(start.elapsed());
        known = (fresh, skills);
    }
    let (server, skills) = known;
    let mut again = Vec::new();
    let mut asking = Vec::new();
    let mut answers = 0;
    for _ in 0..ROUNDS {
        let (taken, bytes) = timed(all_pages(&server)).await;
        again.push(taken);
        answers = bytes;
        let start = Instant::now();
        ask_plainly(folder);
        asking.push(start.elapsed());
    }
    let (files, bytes) = ask_plainly(folder);
    json!({
        "skills": skills,
        "files": files,
        "file_bytes": bytes,
        "answer_bytes": answers,
        "first_ms": median(first),
        "hashing_ms": median(hashing),
        "again_ms": median(again),
        "asking_ms": median(asking),
    })
}

/// Memory before anything was listed, and of a server that has listed everything twice.
async fn memory(folder: &Path) -> serde_json::Value {
    let (server, skills) = server(folder);
    let before = resident_kib();
    all_pages(&server).await;
    all_pages(&server).await;
    json!({ "skills": skills, "before_kib": before, "listed_kib": resident_kib() })
}

fn server(folder: &Path) -> (McpServer, usize) {
    let registry = ToolRegistry::new();
    let dispatcher = ToolDispatcher::new(registry.clone());
    let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher.clone());
    let found = catalog.discover(&[folder.to_owned()], None).skills;
    (
        McpServer::new(catalog, dispatcher, McpConfig::default()),
        found,
    )
}

async fn timed<T>(work: impl Future<Output = T>) -> (Duration, T) {
    let start = Instant::now();
    let result = work.await;
    (start.elapsed(), result)
}

/// Every page of `skills/list`, and how many bytes they were.
async fn all_pages(server: &McpServer) -> usize {
    const NEXT: &str = "\"nextCursor\":\"";
    let mut bytes = 0;
    let mut cursor = None;
    loop {
        let page = answer(server, cursor.as_deref()).await;
        bytes += page.len();
        let next = page.rfind(NEXT).and_then(|at| page.get(at + NEXT.len()..));
        let next = next.and_then(|rest| rest.split('"').next());
        match next {
            Some(next) => cursor = Some(next.to_owned()),
            None => return bytes,
        }
    }
}

async fn answer(server: &McpServer, cursor: Option<&str>) -> String {
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
    }});
    if let (Some(cursor), Some(params)) = (cursor, params.as_object_mut()) {
        params.insert("cursor".to_owned(), cursor.into());
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": params});
    let body = match server.receive(Incoming::new(body.to_string())) {
        Reply::Answer(answer) => answer.body,
        Reply::Exchange(mut exchange) => loop {
            if let Frame::Answer(answer) = exchange.next().await.expect("an answer") {
                break answer.body;
            }
        },
        Reply::Accepted => bytes::Bytes::new(),
    };
    let text = String::from_utf8(body.to_vec()).expect("JSON is UTF-8");
    assert!(text.contains("\"skills\":["), "{text}");
    text
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files
}

/// The least that a first listing has to do.
fn hash_plainly(folder: &Path) {
    for file in files(folder) {
        let bytes = fs::read(file).expect("a file");
        std::hint::black_box(Sha256::digest(bytes));
    }
}

/// The least that tells whether a file has changed; how many there are, with how many bytes.
fn ask_plainly(folder: &Path) -> (usize, u64) {
    let files = files(folder);
    let sizes = files
        .iter()
        .map(|file| fs::metadata(file).expect("a file").len());
    (files.len(), sizes.sum())
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .copied()
        .unwrap_or_default()
        .as_secs_f64()
        * 1e3
}

/// The memory that this process holds, in KiB; 0 where the system does not tell.
fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or(0)
}
