//! What clients cannot read of a skill, although it is there.

use std::collections::BTreeMap;

use metier_diagnostics::Diagnostic;
use metier_loader::{MANIFEST_BYTES, MANIFEST_FILES, not_for_readers_at};

use crate::codes::{FILE_NOT_SERVED, TEXT_NOT_SERVED};
use crate::subject::{SKILL_FILE, Subject};

/// How many files one finding names.
const MOST_NAMED: usize = 10;

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let list = subject.files();
    let mut left_out: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut files, mut bytes) = (0_usize, 0_u64);
    for (path, size) in &list.files {
        if let Some((hidden, reason)) = not_for_readers_at(path) {
            left_out.insert(hidden, reason);
        } else {
            files += 1;
            bytes = bytes.saturating_add(*size);
        }
    }
    for (path, reason) in &list.skipped {
        match not_for_readers_at(path) {
            Some((hidden, reason)) => left_out.insert(hidden, reason),
            None => left_out.insert(path, reason),
        };
    }
    let whole = if files > MANIFEST_FILES {
        Some(format!("it has {files} files, more than {MANIFEST_FILES}"))
    } else if bytes > MANIFEST_BYTES {
        Some(format!(
            "its files have {bytes} bytes together, more than {MANIFEST_BYTES}"
        ))
    } else {
        let unreadable = list.unreadable.iter();
        let mut unreadable = unreadable.filter(|(path, _)| not_for_readers_at(path).is_none());
        unreadable.next().map(|(_, reason)| reason.clone())
    };
    let mut found = Vec::new();
    if let Some(reason) = whole {
        let message = format!(
            "no file of `{}` is served to clients: {reason}",
            subject.metadata().name
        );
        found.push(
            Diagnostic::warning(TEXT_NOT_SERVED, message)
                .at(subject.whole(SKILL_FILE), "")
                .help(
                    "move what clients need not read out of the folder, and make the rest readable",
                ),
        );
    }
    if !left_out.is_empty() {
        let named = left_out.iter().take(MOST_NAMED);
        let named: Vec<String> = named
            .map(|(path, reason)| format!("`{path}` ({reason})"))
            .collect();
        let more = match left_out.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let message = format!("not served to clients: {}{more}", named.join(", "));
        found.push(Diagnostic::info(FILE_NOT_SERVED, message).at(subject.whole(SKILL_FILE), ""));
    }
    found
}
