//! The known name that somebody may have meant.

/// The known name that looks most like the given one, if any does.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE: f64 = 0.82;
    let wanted = name.to_lowercase().replace('-', "_");
    let mut best: Option<(f64, &str)> = None;
    for candidate in known {
        let like = strsim::jaro_winkler(&wanted, &candidate.to_lowercase().replace('-', "_"));
        if like >= LIKE && best.is_none_or(|(before, _)| like > before) {
            best = Some((like, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
