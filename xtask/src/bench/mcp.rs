//! `cargo xtask bench mcp`: the server beside the official Rust SDK's, and beside a fixed answer of the same bytes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::figures::Bar;
use super::written::written;
use crate::interop::server::Server;
use crate::metadata::Metadata;
use crate::metier_binary;
use crate::process::{capture, cargo_at, root};
use crate::steps::Report;

const ROUNDS: usize = 5;
/// Each of them on a connection of its own.
const CLIENTS: usize = 20;

/// What one run of wrk saw.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
struct Load {
    per_second: f64,
    p50_us: f64,
    p99_us: f64,
    failed: u64,
}

/// The medians of a server.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Side {
    list: Load,
    call: Load,
}

/// A reading of `tools/list` to its last page.
#[expect(
    clippy::struct_field_names,
    reason = "the names are those of the probe's JSON"
)]
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
struct Pages {
    pages: usize,
    tools: usize,
    bytes: usize,
    first_page_bytes: usize,
    milliseconds: f64,
    first_half_ms_a_mb: f64,
    last_half_ms_a_mb: f64,
}

/// A server with so many skills, none of them loaded.
#[expect(
    clippy::struct_field_names,
    reason = "a row of the table, as the other benches have it"
)]
#[derive(Debug, Serialize)]
struct Skills {
    skills: usize,
    list: Pages,
    resident_kib: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Figures {
    ours: Side,
    rmcp: Side,
    fixed: Side,
    skills: Vec<Skills>,
    binary_bytes: u64,
    bars: Vec<Bar>,
}

pub(crate) fn run(json: bool) -> Report {
    match measured() {
        Ok(figures) if json => match serde_json::to_string_pretty(&figures) {
            Ok(text) => {
                println!("{text}");
                Report::passed()
            }
            Err(error) => Report::failed(error.to_string()),
        },
        Ok(figures) => {
            print(&figures);
            Report::passed()
        }
        Err(why) => Report::failed(why),
    }
}

fn measured() -> Result<Figures, String> {
    if Command::new("wrk")
        .arg("-v")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_err()
    {
        return Err(
            "`wrk` sends the requests and is not installed; on Debian, `apt install wrk`"
                .to_owned(),
        );
    }
    let metadata = Metadata::read()?;
    let bench = Bench::built(&metadata)?;
    let metier = metier_binary::build(&metadata, true)?;
    let [ours, rmcp, fixed] = bench.sides()?;
    let mut skills = Vec::new();
    for count in [1_000, 5_000, 10_000] {
        skills.push(bench.skills(&metier, &metadata.target_directory, count)?);
    }
    let binary_bytes = stripped_size(&metier, &bench.place)?;
    Ok(Figures {
        bars: bars(ours, rmcp, fixed, &skills, binary_bytes),
        ours,
        rmcp,
        fixed,
        skills,
        binary_bytes,
    })
}

struct Bench {
    /// Where the programs of the peers lie.
    programs: PathBuf,
    place: PathBuf,
}

impl Bench {
    fn built(metadata: &Metadata) -> Result<Self, String> {
        let place = metadata.target_directory.join("bench-mcp");
        let mut build = cargo_at(&root().join("xtask/peers/mcp"));
        build
            .args(["build", "--release", "--locked", "--quiet"])
            .env("CARGO_TARGET_DIR", &place);
        capture(&mut build)?;
        Ok(Self {
            programs: place.join("release"),
            place,
        })
    }

    fn program(&self, name: &str) -> Command {
        Command::new(
            self.programs
                .join(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
        )
    }

    fn serve(&self, name: &str, argument: Option<usize>) -> Result<Server, String> {
        let mut command = self.program(name);
        command.args(argument.map(|argument| argument.to_string()));
        Server::spawn(command.stdin(Stdio::piped()), &self.place)
    }

    /// Reads all tools; with a tool of the bench among them, calls it.
    fn probe(&self, server: &Server) -> Result<Pages, String> {
        let text = capture(self.program("probe").arg(&server.url))?;
        serde_json::from_str(&text).map_err(|error| format!("no figures ({error}) in `{text}`"))
    }

    /// Our server, the peer and the fixed answer, in turns.
    fn sides(&self) -> Result<[Side; 3], String> {
        let (ours, rmcp) = (self.serve("ours", None)?, self.serve("rmcp", None)?);
        let (page, other) = (self.probe(&ours)?, self.probe(&rmcp)?);
        if other.tools < 100 {
            return Err(format!("the peer lists {} tools", other.tools));
        }
        let fixed = self.serve("fixed", Some(page.first_page_bytes))?;
        let servers = [&ours, &rmcp, &fixed];
        let mut loads: [[Vec<Load>; 2]; 3] = Default::default();
        for round in 0..=ROUNDS {
            for (server, loads) in servers.iter().zip(&mut loads) {
                for (what, loads) in ["list", "call"].into_iter().zip(loads) {
                    let load = Self::load(&server.url, what)?;
                    // The first round warms up.
                    if round > 0 {
                        loads.push(load);
                    }
                }
            }
        }
        Ok(loads.map(|[list, call]| Side {
            list: median(list),
            call: median(call),
        }))
    }

    fn load(url: &str, what: &str) -> Result<Load, String> {
        let mut wrk = Command::new("wrk");
        wrk.args(["-t1", "-d2s", "--latency"])
            .arg(format!("-c{CLIENTS}"))
            .arg("-s")
            .arg(root().join("xtask/peers/mcp/post.lua"))
            .arg(url)
            .env("OP", what);
        let text = capture(&mut wrk)?;
        let last = text.lines().last().unwrap_or_default();
        let load: Load = serde_json::from_str(last)
            .map_err(|error| format!("no figures ({error}) in `{last}`"))?;
        if load.failed > 0 {
            return Err(format!("{} requests to {url} failed ({what})", load.failed));
        }
        Ok(load)
    }

    fn skills(&self, metier: &Path, target: &Path, count: usize) -> Result<Skills, String> {
        let folder = written(&target.join("bench-scan"), count, None)?;
        let words = [OsStr::new("--no-config"), folder.as_os_str()];
        let server = Server::start(metier, &words, &self.place)?;
        let list = self.probe(&server)?;
        if list.tools < count {
            return Err(format!("of {count} skills {} were listed", list.tools));
        }
        Ok(Skills {
            skills: count,
            list,
            resident_kib: resident(server.id()),
        })
    }
}

/// The memory that a process holds; where the system tells it.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn stripped_size(metier: &Path, place: &Path) -> Result<u64, String> {
    let copy = place.join("metier-stripped");
    capture(Command::new("strip").arg("-o").arg(&copy).arg(metier))?;
    std::fs::metadata(&copy)
        .map(|metadata| metadata.len())
        .map_err(|error| error.to_string())
}

/// By requests per second.
fn median(mut loads: Vec<Load>) -> Load {
    loads.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
    loads.get(loads.len() / 2).copied().unwrap_or_default()
}

fn bars(ours: Side, rmcp: Side, fixed: Side, skills: &[Skills], binary_bytes: u64) -> Vec<Bar> {
    let mut bars = vec![
        Bar::new(
            "a page of tools/list, the peer's requests a second over ours",
            rmcp.list.per_second / ours.list.per_second,
            0.5,
        ),
        Bar::new(
            "a page of tools/list, a fixed answer's requests a second over ours (goal)",
            fixed.list.per_second / ours.list.per_second,
            1.1,
        ),
        Bar::new(
            "tools/call, the peer's requests a second over ours",
            rmcp.call.per_second / ours.call.per_second,
            1.0,
        ),
        Bar::new(
            "tools/call, our p99 over the peer's",
            ours.call.p99_us / rmcp.call.p99_us,
            1.25,
        ),
    ];
    for row in skills {
        let count = row.skills;
        if count == 5_000 {
            bars.push(Bar::new(
                "5000 skills: a megabyte of the last pages of tools/list over one of the first",
                row.list.last_half_ms_a_mb / row.list.first_half_ms_a_mb,
                1.5,
            ));
        }
        let most = match count {
            1_000 => 60.0,
            10_000 => 200.0,
            _ => continue,
        };
        if let Some(kib) = row.resident_kib.and_then(|kib| u32::try_from(kib).ok()) {
            bars.push(Bar::new(
                format!("{count} skills: MiB resident"),
                f64::from(kib) / 1024.0,
                most,
            ));
        }
    }
    let megabytes = f64::from(u32::try_from(binary_bytes / 1024).unwrap_or(u32::MAX)) / 1024.0;
    bars.push(Bar::new(
        "MiB of the release program, stripped",
        megabytes,
        25.0,
    ));
    bars
}

fn print(figures: &Figures) {
    println!(
        "Medians of {ROUNDS} rounds in turn, {CLIENTS} clients, two seconds each; the peer is rmcp.\n"
    );
    println!("                list/s      p50      p99     call/s      p50      p99");
    for (name, side) in [
        ("ours", figures.ours),
        ("rmcp", figures.rmcp),
        ("fixed", figures.fixed),
    ] {
        println!("{name:12} {}  {}", line(side.list), line(side.call));
    }
    println!("\n skills   pages     bytes of tools/list       time   resident");
    for row in &figures.skills {
        println!(
            "{:7} {:7} {:23} {:7.1} ms {:7} KiB",
            row.skills,
            row.list.pages,
            row.list.bytes,
            row.list.milliseconds,
            row.resident_kib
                .map_or_else(|| "?".to_owned(), |kib| kib.to_string()),
        );
    }
    println!();
    for bar in &figures.bars {
        println!("{}", bar.line());
    }
}

fn line(load: Load) -> String {
    format!(
        "{:9.0} {:5.0} us {:5.0} us",
        load.per_second, load.p50_us, load.p99_us
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_peer_is_the_bar_of_lists() {
        let side = |per_second| {
            let load = Load {
                per_second,
                p99_us: 100.0,
                ..Load::default()
            };
            Side {
                list: load,
                call: load,
            }
        };
        let held = bars(side(200.0), side(100.0), side(220.0), &[], 20 << 20);
        assert!(held.iter().all(|bar| bar.holds), "{held:?}");
        let missed = bars(side(199.0), side(200.0), side(220.0), &[], 26 << 20);
        let missed = missed.iter().filter(|bar| !bar.holds).count();
        assert_eq!(missed, 4);
    }
}
