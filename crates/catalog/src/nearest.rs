//! Names that look like one that nothing has.

/// Up to three names that look like the given one, best first.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    const LIKE: f64 = 0.82;
    const MOST: usize = 3;
    // Comparing costs the product of both lengths, and nothing of this length is a slip of the hand.
    const LONGEST: usize = 128;
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted = name.to_lowercase();
    let mut found: Vec<(f64, String)> = known
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| {
            let likeness = strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
            (likeness, candidate)
        })
        .filter(|(likeness, _)| *likeness >= LIKE)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found
        .into_iter()
        .take(MOST)
        .map(|(_, candidate)| candidate)
        .collect()
}
