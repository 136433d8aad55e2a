//! The part of `cargo metadata` that the chores read.

use std::path::PathBuf;

use serde::Deserialize;

use crate::process;

/// The workspace as cargo sees it.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    /// The members, since the others are left out with `--no-deps`.
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
}

/// One member.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    #[serde(default)]
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a member's dependency tables.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The package's own name, whatever it is called in the manifest.
    pub(crate) name: String,
    /// The name in the manifest, when it is another one.
    #[serde(default)]
    pub(crate) rename: Option<String>,
    /// `None` is a normal dependency; otherwise `dev` or `build`.
    #[serde(default)]
    pub(crate) kind: Option<String>,
}

impl Dependency {
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    /// The name that the manifest uses.
    pub(crate) fn written_name(&self) -> &str {
        self.rename.as_deref().unwrap_or(&self.name)
    }
}

impl Metadata {
    /// Asks cargo about this workspace.
    pub(crate) fn read() -> Result<Self, String> {
        let text = process::capture(&mut process::cargo(&[
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
        ]))?;
        Self::parse(&text)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text)
            .map_err(|error| format!("cargo's metadata could not be read: {error}"))
    }

    /// A member's manifest, relative to the root of the workspace, with forward slashes.
    pub(crate) fn manifest_of(&self, package: &Package) -> String {
        package
            .manifest_path
            .strip_prefix(&self.workspace_root)
            .unwrap_or(&package.manifest_path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}
