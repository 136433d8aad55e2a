//! Rows of what a search found: in which order, and what is missing.

use crate::printer::clipped;

/// How much of a description stands in the table.
const DESCRIPTION: usize = 70;

/// What a row shows of a hit.
pub(crate) struct Found<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// What the hits are sorted by.
    pub(crate) score: f64,
    /// What its tools need and the host does not declare.
    pub(crate) missing: Vec<String>,
}

/// Name, share of the best one's score, what is missing where anything is, description.
pub(crate) fn rows(hits: &[Found<'_>]) -> Vec<Vec<String>> {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let is_lacking = hits.iter().any(|hit| !hit.missing.is_empty());
    let rows = hits.iter().map(|hit| {
        let share = if best > 0.0 {
            format!("{:.0} %", hit.score / best * 100.0)
        } else {
            String::new()
        };
        let mut row = vec![hit.name.to_owned(), share];
        if is_lacking {
            row.push(match hit.missing.as_slice() {
                [] => String::new(),
                missing => format!("lacks {}", missing.join(", ")),
            });
        }
        row.push(clipped(hit.description, DESCRIPTION));
        row
    });
    rows.collect()
}
