//! What the first line of a program names.

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// As much as systems read of a first line.
const LINE: u64 = 256;

/// Why the system would not start an executable file, as far as its first line tells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FirstLineFault {
    /// It is text, and nothing says what reads it.
    #[error("is text without a first line like `#!/bin/sh`, so that nothing says what runs it")]
    Absent,
    /// It names a program that is not there.
    #[error("names `{}` in its first line, which is not there", .0.display())]
    Missing(PathBuf),
    /// The program's name ends with a carriage return.
    #[error(
        "has lines that end with a carriage return, so that its first line names no program; save it with line feeds alone"
    )]
    CarriageReturn,
}

/// Looks at the first line of a program; a file that cannot be read is left to whoever starts it. Elsewhere than on
/// Unix, first lines mean nothing.
pub(crate) fn fault(program: &Path) -> Option<FirstLineFault> {
    if !cfg!(unix) {
        return None;
    }
    let mut start = Vec::new();
    let file = std::fs::File::open(program).ok()?;
    file.take(LINE).read_to_end(&mut start).ok()?;
    if start.contains(&0) {
        return None;
    }
    let line = start.split(|byte| *byte == b'\n').next()?;
    let Some(named) = line.strip_prefix(b"#!") else {
        return Some(FirstLineFault::Absent);
    };
    let named = String::from_utf8_lossy(named);
    let is_complete = (line.len() as u64) < LINE;
    let mut words = named.split([' ', '\t']).filter(|word| !word.is_empty());
    let interpreter = words.next().unwrap_or_default();
    if named.ends_with('\r') && (interpreter.ends_with('\r') || interpreter.ends_with("/env")) {
        return Some(FirstLineFault::CarriageReturn);
    }
    let path = Path::new(interpreter);
    let is_missing = is_complete && path.is_absolute() && !path.exists();
    is_missing.then(|| FirstLineFault::Missing(path.to_owned()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_start_is_told_from_what_would() {
        let folder = tempfile::tempdir().unwrap();
        let told = |bytes: &[u8]| {
            let file = folder.path().join("program");
            std::fs::write(&file, bytes).unwrap();
            fault(&file).map(|fault| fault.to_string())
        };
        let faults = [
            &b"echo\n"[..],
            b"#!/nonexistent/sh\n",
            b"#!/bin/sh\r\necho\r\n",
            b"#!/usr/bin/env bash\r\n",
            b"",
        ]
        .map(|bytes| told(bytes).unwrap());
        insta::assert_snapshot!(faults.join("\n"), @"
        is text without a first line like `#!/bin/sh`, so that nothing says what runs it
        names `/nonexistent/sh` in its first line, which is not there
        has lines that end with a carriage return, so that its first line names no program; save it with line feeds alone
        has lines that end with a carriage return, so that its first line names no program; save it with line feeds alone
        is text without a first line like `#!/bin/sh`, so that nothing says what runs it
        ");
        for good in [
            &b"#!/bin/sh\n"[..],
            b"#! /bin/sh -e\n",
            b"#!/usr/bin/env python3\n",
            b"\x7fELF\x02\x00\x00",
        ] {
            assert_eq!(told(good), None);
        }
        assert_eq!(fault(&folder.path().join("none")), None);
    }
}
