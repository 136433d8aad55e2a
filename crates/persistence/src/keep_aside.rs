//! Evidence of damage is kept.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use crate::atomic::{StepProbe, replace_with_copy};
use crate::format::LARGEST;

/// `.bak`, `.bak.1` and `.bak.2`, the newest first.
const KEPT: usize = 3;

/// Copies a file to `NAME.bak`; earlier copies move on, and the oldest goes. The file stays where
/// it is, unless it is larger than any that is read. The same bytes are kept once, so that a server that starts over and over does not push
/// older evidence out.
pub(crate) fn keep_aside(file: &Path, probe: &StepProbe) -> io::Result<PathBuf> {
    let newest = aside(file, 0);
    // What nobody reads need not stay where it is, and a copy would take the disk.
    let is_unread = std::fs::metadata(file)?.len() > LARGEST;
    if !is_unread && same_bytes(file, &newest)? {
        return Ok(newest);
    }
    // When the copy is there and not before: on a full disk nothing would come for what goes.
    let make_way = || {
        for number in (1..KEPT).rev() {
            let from = aside(file, number - 1);
            if from.exists() {
                std::fs::rename(from, aside(file, number))?;
            }
        }
        Ok(())
    };
    if is_unread {
        make_way()?;
        std::fs::rename(file, &newest)?;
    } else {
        replace_with_copy(&newest, file, make_way, probe)?;
    }
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
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(other).is_ok_and(|found| found.is_file()) {
        return Ok(false);
    }
    let Ok(other) = File::open(other) else {
        return Ok(false);
    };
    let one = File::open(one)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let common = left.len().min(right.len());
        if left.get(..common) != right.get(..common) {
            return Ok(false);
        }
        if common == 0 {
            return Ok(left.len() == right.len());
        }
        one.consume(common);
        other.consume(common);
    }
}
