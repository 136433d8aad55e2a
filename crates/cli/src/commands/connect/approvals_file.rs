//! Where approvals are kept: one JSON file, changed under a lock and replaced whole.

use std::io;
use std::path::Path;

use metier::mcp_client::Approvals;
use metier::persistence::SharedFile;
use serde::{Deserialize, Serialize};

use crate::Failure;

/// As much as is read of the file; the largest server that is listed takes far less.
const MOST_BYTES: u64 = 64 << 20;
/// The way the file is written. One of another version is refused, not guessed at.
const VERSION: u32 = 1;

/// The file of approvals.
pub(in crate::commands) struct ApprovalsFile {
    file: SharedFile,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    servers: Approvals,
}

/// The file's own faults, and those of whoever changes it.
enum Fault {
    Io(io::Error),
    Other(Failure),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ApprovalsFile {
    pub(in crate::commands) fn at(folder: &Path) -> Self {
        Self {
            file: SharedFile::new(folder.join("mcp-approvals.json"), MOST_BYTES),
        }
    }

    /// Where it is.
    pub(in crate::commands) fn place(&self) -> String {
        self.file.file().display().to_string()
    }

    /// Looks at what was approved. A look that takes an approval away (the skill is another one now) is made once more
    /// in what the file holds under its lock, and kept.
    pub(in crate::commands) fn look<T>(
        &self,
        look: impl Fn(&mut Approvals) -> T,
    ) -> Result<T, Failure> {
        let bytes = self.file.read().map_err(|error| self.named(&error))?;
        let mut kept = self.parsed(bytes.as_deref())?;
        let before = kept.clone();
        let seen = look(&mut kept);
        if kept == before {
            return Ok(seen);
        }
        self.change(|kept| Ok(look(kept)))
    }

    /// Makes a change in what is approved, and loses none that another process makes.
    pub(in crate::commands) fn change<T>(
        &self,
        edit: impl FnOnce(&mut Approvals) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let changed = self.file.change(|bytes| {
            let mut kept = self.parsed(bytes.as_deref()).map_err(Fault::Other)?;
            let before = kept.clone();
            let answer = edit(&mut kept).map_err(Fault::Other)?;
            if kept == before {
                return Ok((None, answer));
            }
            let kept = Kept {
                version: VERSION,
                servers: kept,
            };
            let mut bytes = serde_json::to_vec_pretty(&kept).map_err(io::Error::from)?;
            bytes.push(b'\n');
            Ok((Some(bytes), answer))
        });
        changed.map_err(|fault| match fault {
            Fault::Io(error) => self.named(&error),
            Fault::Other(failure) => failure,
        })
    }

    /// A file that cannot be read approves nothing, and is not written over.
    fn parsed(&self, bytes: Option<&[u8]>) -> Result<Approvals, Failure> {
        let Some(bytes) = bytes else {
            return Ok(Approvals::default());
        };
        let kept: Kept = serde_json::from_slice(bytes).map_err(|error| self.named(&error))?;
        if kept.version != VERSION {
            let why = format!(
                "it is of version {}, and this program writes {VERSION}",
                kept.version
            );
            return Err(self.named(&why));
        }
        Ok(kept.servers)
    }

    fn named(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::Usage(format!(
            "{}: {error}; mend or remove it, and approve anew",
            self.file.file().display()
        ))
    }
}
