//! Where an adapter can be found, and how to prove that one may speak to it.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use serde::Deserialize;

/// What the adapter writes when it starts: where it listens, and the secret that opens.
///
/// ```json
/// {"metier_host": 1, "address": "127.0.0.1:49152", "secret": "…", "name": "maya", "pid": 4711}
/// ```
#[derive(Clone, Deserialize)]
#[non_exhaustive]
pub struct Door {
    /// The version of the protocol; this crate speaks 1.
    pub metier_host: u32,
    /// A loopback address.
    pub address: SocketAddr,
    /// Sent with every call.
    pub secret: String,
    /// What the application calls itself.
    #[serde(default)]
    pub name: String,
}

impl fmt::Debug for Door {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door")
            .field("address", &self.address)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why no adapter can be reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DoorError {
    /// The file is not there: the adapter was not started, or ended.
    #[error(
        "no application is attached: the file that its adapter writes is not there; start the adapter in the application (`metier host-adapter` prints it)"
    )]
    Absent,
    /// The file is there and cannot be read.
    #[error("the file of the attached application cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// The file holds something else.
    #[error("the file of the attached application is not one that the adapter writes: {0}")]
    NotADoor(String),
    /// Another version of the adapter.
    #[error("the attached application speaks version {found} of the adapter; this is version 1")]
    OtherVersion {
        /// What the file says.
        found: u32,
    },
    /// The address is not on this machine.
    #[error(
        "the attached application names the address {0}; only this machine's own (127.0.0.1) is accepted"
    )]
    NotLoopback(SocketAddr),
}

/// A file of this kind is small; what is larger is something else.
const MOST_BYTES: u64 = 64 * 1024;

impl Door {
    /// Reads the file that the adapter wrote.
    ///
    /// # Errors
    /// When it is not there, not readable, not such a file, of another version, or names an address
    /// of another machine.
    pub fn read(path: &Path) -> Result<Self, DoorError> {
        use std::io::Read as _;

        let fault = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => DoorError::Absent,
            _ => DoorError::Unreadable(error),
        };
        // Opening a pipe would wait for somebody to write to it.
        if !std::fs::metadata(path).map_err(fault)?.is_file() {
            return Err(DoorError::NotADoor("it is no regular file".to_owned()));
        }
        let file = std::fs::File::open(path).map_err(fault)?;
        let mut text = String::new();
        file.take(MOST_BYTES)
            .read_to_string(&mut text)
            .map_err(DoorError::Unreadable)?;
        let door: Self =
            serde_json::from_str(&text).map_err(|error| DoorError::NotADoor(error.to_string()))?;
        if door.metier_host != 1 {
            return Err(DoorError::OtherVersion {
                found: door.metier_host,
            });
        }
        if !door.address.ip().is_loopback() {
            return Err(DoorError::NotLoopback(door.address));
        }
        Ok(door)
    }
}
