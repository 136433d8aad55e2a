//! Where approvals are kept: one JSON file, replaced whole.

use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

use metier::mcp_client::Approvals;

use crate::Failure;

/// The file of approvals.
pub(super) struct ApprovalsFile {
    folder: PathBuf,
}

impl ApprovalsFile {
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("mcp-approvals.json")
    }

    /// What was approved. A file that cannot be read approves nothing, and is not written over.
    pub(super) fn read(&self) -> Result<Approvals, Failure> {
        let path = self.path();
        let fault = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!(
                "{}: {error}; mend or remove it, and approve anew",
                path.display()
            ))
        };
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| fault(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Approvals::default()),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Puts the approvals in the place of those before.
    pub(super) fn write(&self, approvals: &Approvals) -> Result<(), Failure> {
        let path = self.path();
        let written = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
            serde_json::to_writer_pretty(&mut beside, approvals)?;
            beside.write_all(b"\n")?;
            beside.as_file().sync_all()?;
            beside.persist(&path)?;
            Ok(())
        };
        written().map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    }
}
