//! What the clients run on, each installed once under the target folder, in pinned versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::npm;
use crate::process::{cargo, root};
use crate::venv;
pub(crate) use crate::venv::VenvError as Why;

/// An installation that one or more clients share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kit {
    Python1,
    Python2,
    FastMcp,
    Node,
    Rust,
}

const PYTHON1: [&str; 1] = ["mcp==1.30.0"];

/// The client, and the skills of a published package with the library that their scripts need.
const PYTHON2: [&str; 4] = [
    "dcc-mcp-openusd==0.11.2",
    "dcc-mcp-core==0.20.49",
    "usd-core==26.11",
    "mcp==2.3.0",
];

const FASTMCP: [&str; 1] = ["fastmcp==4.2.3"];

/// The Inspector needs a newer Node.js than many machines have, so one comes along.
const NODE: [&str; 6] = [
    "node@22.23.3",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
];

/// How drivers of a kit are started.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    takes_script: bool,
    packages: PathBuf,
}

impl Program {
    /// A script that came with the packages, ready for its arguments.
    pub(crate) fn package_script(&self, path: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.arg(self.packages.join(path));
        command
    }

    /// The driver, ready for its arguments.
    pub(crate) fn command(&self, script: &str) -> Command {
        let mut command = Command::new(&self.path);
        if self.takes_script {
            command.arg(root().join("xtask/interop").join(script));
        }
        command
            .env("INTEROP_PACKAGES", &self.packages)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

/// The kits of one run. A kit that could not be had is not tried again.
#[derive(Debug)]
pub(crate) struct Kits {
    folder: PathBuf,
    ready: BTreeMap<Kit, Result<Program, Why>>,
}

impl Kits {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ready: BTreeMap::new(),
        }
    }

    /// Installs the kit unless it is there.
    pub(crate) fn program(&mut self, kit: Kit) -> Result<Program, Why> {
        let folder = &self.folder;
        let install = || match kit {
            Kit::Python1 => python(&folder.join("venv-mcp1"), &PYTHON1),
            Kit::Python2 => python(&folder.join("venv"), &PYTHON2),
            Kit::FastMcp => python(&folder.join("venv-fastmcp"), &FASTMCP),
            Kit::Node => node(&folder.join("node")),
            Kit::Rust => rust(&folder.join("rmcp")),
        };
        self.ready.entry(kit).or_insert_with(install).clone()
    }
}

fn python(folder: &Path, pins: &[&str]) -> Result<Program, Why> {
    Ok(Program {
        path: venv::ensure(folder, pins)?.join("python"),
        takes_script: true,
        packages: folder.to_owned(),
    })
}

fn node(folder: &Path) -> Result<Program, Why> {
    npm::ensure(folder, &NODE)?;
    let name = format!("node{}", std::env::consts::EXE_SUFFIX);
    Ok(Program {
        path: folder.join("node_modules/node/bin").join(name),
        takes_script: true,
        packages: folder.to_owned(),
    })
}

/// Builds the client of the official Rust SDK.
fn rust(folder: &Path) -> Result<Program, Why> {
    let manifest = root().join("xtask/interop/rmcp-client/Cargo.toml");
    let output = cargo(&["build", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(folder)
        .output()
        .map_err(|error| Why::Broken(error.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let signs = [
            "failed to download",
            "Could not resolve",
            "Could not connect",
            "timed out",
        ];
        return Err(if signs.iter().any(|sign| text.contains(sign)) {
            Why::Unreachable(
                "the registry of Rust packages cannot be reached, so there is no rmcp".to_owned(),
            )
        } else {
            Why::Broken(format!("rmcp-client could not be built:\n{text}"))
        });
    }
    let name = format!("rmcp-client{}", std::env::consts::EXE_SUFFIX);
    Ok(Program {
        path: folder.join("debug").join(name),
        takes_script: false,
        packages: folder.to_owned(),
    })
}
