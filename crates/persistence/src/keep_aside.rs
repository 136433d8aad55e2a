//! Evidence of damage is kept.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::atomic::{StepProbe, replace};

/// `.bak`, `.bak.1` and `.bak.2`, the newest first.
const KEPT: usize = 3;

/// Copies a file to `NAME.bak`; earlier copies move on, and the oldest goes. The file stays where
/// it is. The same bytes are kept once, so that a server that starts over and over does not push
/// older evidence out.
pub(crate) fn keep_aside(file: &Path, probe: &StepProbe) -> io::Result<PathBuf> {
    let newest = aside(file, 0);
    if same_bytes(file, &newest)? {
        return Ok(newest);
    }
    for number in (1..KEPT).rev() {
        let from = aside(file, number - 1);
        if from.exists() {
            std::fs::rename(from, aside(file, number))?;
        }
    }
    replace(&newest, &std::fs::read(file)?, probe)?;
    Ok(newest)
}

fn aside(file: &Path, number: usize) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".bak");
    if number > 0 {
        name.push(format!(".{number}"));
    }
    file.with_file_name(name)
}

fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let Ok(mut other) = File::open(other) else {
        return Ok(false);
    };
    let mut one = File::open(one)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    one.read_to_end(&mut left)?;
    other.read_to_end(&mut right)?;
    Ok(left == right)
}
