//! Everything that a filter lets pass, in listing order.

use super::segment::Entry;
use super::{LexicalSkillIndex, ReadyFilter};
use crate::answer::{Hit, SearchAnswer};

pub(super) fn browse(
    index: &LexicalSkillIndex,
    filter: &ReadyFilter<'_>,
    limit: usize,
) -> SearchAnswer {
    let mut answer = SearchAnswer::default();
    let mut found: Vec<&Entry> = Vec::new();
    for part in &index.parts {
        // A part is in listing order, so no more than its first `limit` can be in the answer.
        let mut room = limit;
        for (ordinal, entry) in part.segment.entries.iter().enumerate() {
            if part.is_live(ordinal) && filter.allows(entry) {
                answer.total += 1;
                if room > 0 {
                    room -= 1;
                    found.push(entry);
                }
            }
        }
    }
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    answer.hits = found.into_iter().take(limit).map(Hit::browsed).collect();
    answer
}
