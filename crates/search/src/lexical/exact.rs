//! Queries that are the name of something.

use super::Part;
use super::segment::bearers;
use crate::analyser::name_key;

/// How exactly a document bears the query as its name; the greater goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Exact {
    #[default]
    No,
    /// One of its tools is named so.
    Tool,
    /// It is named so itself, or has this id.
    Name,
}

/// The live documents that bear the text as a name, whatever the case, the padding and the
/// separators: (part, ordinal, how), in the order of the ordinals within a part.
pub(super) fn exact(parts: &[Part], text: &str) -> Vec<(usize, usize, Exact)> {
    let key = name_key(text);
    let mut found = Vec::new();
    if key.is_empty() {
        return found;
    }
    for (place, part) in parts.iter().enumerate() {
        let names = bearers(&part.segment.names, &key).map(|ordinal| (ordinal, Exact::Name));
        let tools = bearers(&part.segment.tools, &key).map(|ordinal| (ordinal, Exact::Tool));
        for (ordinal, exact) in names.chain(tools) {
            if let Ok(ordinal) = usize::try_from(ordinal)
                && part.is_live(ordinal)
            {
                found.push((place, ordinal, exact));
            }
        }
    }
    // The best claim of each document stays.
    found.sort_by(|a, b| (a.0, a.1, b.2).cmp(&(b.0, b.1, a.2)));
    found.dedup_by_key(|(place, ordinal, _)| (*place, *ordinal));
    found
}
