//! The key of an audit log: what keeps its digests from being guessed.

use std::fmt::{self, Write as _};
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use hmac::{Hmac, Mac as _};
use serde_json::Value;
use sha2::Sha256;

use crate::audit::is_log;

const BYTES: usize = 32;

/// The start of every digest: how it was made.
const KIND: &str = "hmac-sha256:";

/// Makes digests of arguments that nobody without the key can compare with a guess.
pub(crate) struct AuditKey(Hmac<Sha256>);

impl AuditKey {
    /// The key in a file, which is made if it is not there. Servers that start at once get the same one.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("the key {}: {error}", path.display()))
        };
        is_log(path).map_err(named)?;
        let mut file = options.open(path).map_err(named)?;
        // Of two that find it empty, the second waits and then finds the key of the first.
        file.lock().map_err(named)?;
        let mut text = String::new();
        // One digit more than there are, so that a longer file is seen.
        let most = 2 * BYTES as u64 + 2;
        (&file)
            .take(most)
            .read_to_string(&mut text)
            .map_err(named)?;
        if text.is_empty() {
            let mut made = [0; BYTES];
            getrandom::fill(&mut made)
                .map_err(|error| named(io::Error::other(error.to_string())))?;
            text = hexadecimal(&made);
            text.push('\n');
            file.write_all(text.as_bytes()).map_err(named)?;
            file.sync_all().map_err(named)?;
        }
        let key = parsed(&text).ok_or_else(|| {
            named(io::Error::new(
                io::ErrorKind::InvalidData,
                "it must be 64 hexadecimal digits; remove the file, and a new key is made",
            ))
        })?;
        let mac = Hmac::new_from_slice(&key)
            .map_err(|error| named(io::Error::other(error.to_string())))?;
        Ok(Self(mac))
    }

    /// The digest of a call's arguments; absent ones are an empty object.
    pub(crate) fn digest(&self, arguments: Option<&Value>) -> String {
        let text = match arguments {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(arguments) => {
                let mut sorted = arguments.clone();
                sorted.sort_all_objects();
                sorted.to_string()
            }
        };
        let mac = self.0.clone().chain_update(text);
        format!("{KIND}{:x}", mac.finalize().into_bytes())
    }
}

impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditKey")
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn parsed(text: &str) -> Option<[u8; BYTES]> {
    let digits = text.trim_end();
    if digits.len() != 2 * BYTES || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; BYTES];
    for (byte, at) in key.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A key that is known, so that its digests can be computed elsewhere.
    fn key(folder: &Path, byte: &str) -> AuditKey {
        let path = folder.join(byte);
        std::fs::write(&path, byte.repeat(BYTES)).unwrap();
        AuditKey::of(&path).unwrap()
    }

    #[test]
    fn a_digest_depends_on_the_arguments_and_the_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key_0b = key(folder.path(), "0b");
        // `printf '{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0b0b…`
        let empty = "hmac-sha256:fa29380faac1fde617f57047c66ac7f41bc76a06f14822661f4f16369d684578";
        for nothing in [None, Some(&Value::Null), Some(&json!({}))] {
            assert_eq!(key_0b.digest(nothing), empty);
        }
        let one = key_0b.digest(Some(&json!({"a": {"x": 1, "y": [2]}, "b": 3})));
        assert_eq!(
            one,
            key_0b.digest(Some(&json!({"b": 3, "a": {"y": [2], "x": 1}})))
        );
        assert_ne!(
            one,
            key_0b.digest(Some(&json!({"a": {"x": 1, "y": [2]}, "b": 4})))
        );
        assert_ne!(key(folder.path(), "0c").digest(None), empty);
    }

    #[test]
    fn a_key_is_made_once_and_by_one_of_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        let digests: Vec<String> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| AuditKey::of(&path).unwrap().digest(None)))
                .collect();
            starts.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(digests.iter().all(|it| *it == digests[0]), "{digests:?}");
        let other = AuditKey::of(&folder.path().join("other.key")).unwrap();
        assert_ne!(other.digest(None), digests[0], "keys are random");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_key_is_named_with_its_cure_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        for damaged in [
            "0b",
            &"0b".repeat(40),
            &"xy".repeat(BYTES),
            "\n",
            &"é".repeat(BYTES),
        ] {
            std::fs::write(&path, damaged).unwrap();
            let text = AuditKey::of(&path).unwrap_err().to_string();
            assert!(
                text.contains("log.key") && text.contains("remove the file"),
                "{text}"
            );
            assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(
            AuditKey::of(&path)
                .unwrap_err()
                .to_string()
                .contains("log.key")
        );
    }
}
