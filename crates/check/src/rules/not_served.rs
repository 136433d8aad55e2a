//! What clients cannot read of a skill, although it is there.

use std::collections::BTreeMap;

use metier_diagnostics::{Diagnostic, visible_name};
use metier_loader::{ManifestError, not_for_readers_at};

use crate::codes::{FILE_NOT_SERVED, TEXT_NOT_SERVED};
use crate::subject::{SKILL_FILE, Subject};

/// How many files one finding names: all that are known.
const MOST_NAMED: usize = 100;

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let list = subject.files();
    let mut left_out: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut files, mut bytes) = (0_usize, 0_u64);
    for (path, size) in &list.files {
        if let Some((hidden, reason)) = not_for_readers_at(path) {
            left_out.insert(hidden, reason);
        } else if let Some(reason) = list.hidden_links.get(path) {
            left_out.insert(path, reason);
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
    let mut found = Vec::new();
    if let Some(reason) = ManifestError::of_size(files, bytes) {
        let name = &subject.metadata().name;
        let message = format!(
            "no file of `{name}` is served to clients: {reason} (files: {files}, bytes: {bytes})"
        );
        found.push(
            Diagnostic::warning(TEXT_NOT_SERVED, message)
                .at(subject.whole(SKILL_FILE), "")
                .help("move what clients need not read out of the folder"),
        );
    }
    let unreadable = list.unreadable.iter();
    let unreadable = unreadable.filter(|(path, _)| not_for_readers_at(path).is_none());
    let reasons: Vec<&str> = unreadable.map(|(_, reason)| reason.as_str()).collect();
    if !reasons.is_empty() {
        let named = reasons.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(|reason| visible_name(reason)).collect();
        let more = and_more(reasons.len());
        let message = format!("not served to clients: {}{more}", named.join(", "));
        found.push(
            Diagnostic::warning(FILE_NOT_SERVED, message)
                .at(subject.whole(SKILL_FILE), "")
                .help("let the user that the server runs as read it"),
        );
    }
    if !left_out.is_empty() {
        let named = left_out.iter().take(MOST_NAMED);
        let named: Vec<String> = named
            .map(|(path, reason)| format!("`{}` ({})", visible_name(path), visible_name(reason)))
            .collect();
        let more = and_more(left_out.len() + list.more_skipped);
        let message = format!("not served to clients: {}{more}", named.join(", "));
        found.push(Diagnostic::info(FILE_NOT_SERVED, message).at(subject.whole(SKILL_FILE), ""));
    }
    found
}

/// How many are not named.
fn and_more(all: usize) -> String {
    match all.saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    }
}
