//! Lists of capability names.

use std::collections::BTreeSet;

/// The names trimmed, blank ones dropped, each once, in the order given. A name's case is kept.
pub fn clean<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names
        .into_iter()
        .map(|name| name.as_ref().trim().to_owned())
        .filter(|name| !name.is_empty() && seen.insert(name.clone()))
        .collect()
}

/// Every name that any of the tools needs, trimmed, sorted, each once.
pub fn union<T, S>(tools: impl IntoIterator<Item = T>) -> Vec<String>
where
    T: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    let mut names = clean(tools.into_iter().flatten());
    names.sort_unstable();
    names
}
