//! How much is taken from a server that means ill or has gone astray.

use std::time::Duration;

/// The limits of one connection. What goes beyond one is left out and said so; the rest stays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// Pages of one list.
    pub pages: usize,
    /// Entries of one list.
    pub entries: usize,
    /// Bytes of the entries of one list, as JSON.
    pub list_bytes: usize,
    /// How long one answer may take.
    pub request: Duration,
    /// How long one list may take, all pages together.
    pub list: Duration,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Files of one skill; the protocol wants 512 accepted.
    pub files: usize,
    /// Bytes of one skill; the protocol wants 16 MiB accepted.
    pub skill_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            pages: 200,
            entries: 10_000,
            list_bytes: 32 * 1024 * 1024,
            request: Duration::from_secs(30),
            list: Duration::from_mins(2),
            file_bytes: 16 * 1024 * 1024,
            files: metier_loader::MANIFEST_FILES,
            skill_bytes: metier_loader::MANIFEST_BYTES,
        }
    }
}
