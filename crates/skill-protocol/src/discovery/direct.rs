//! The first stage: a skill is named.

use crate::activation::{ActivationRefusal, Caller, find};
use crate::book::SkillEntry;
use crate::view::View;

/// What a name came to.
pub(super) enum Direct<'a> {
    /// These skills, with the score.
    Named(Vec<&'a SkillEntry>, f64),
    /// `select:` with a name that no visible skill has; why one of that name is not to be seen, where that may be told.
    Failed(Option<String>),
    /// It is no name.
    No,
}

const EXACT: f64 = 100.0;
const PREFIX: f64 = 80.0;

pub(super) fn direct<'a>(view: &View<'a>, query: &str) -> Direct<'a> {
    let query = query.trim();
    let selected = query
        .get(..7)
        .filter(|head| head.eq_ignore_ascii_case("select:"))
        .and_then(|_| query.get(7..));
    let name = selected.unwrap_or(query).trim();
    let called = name.strip_prefix('/');
    let name = called.unwrap_or(name).trim();
    // A plain word is what somebody looks for, and begins a name by chance; what is written as a name is meant as one.
    let may_begin = selected.is_some()
        || called.is_some()
        || (name.contains(['-', '_', '/']) && !name.contains(char::is_whitespace));
    let is_visible = |entry: &&SkillEntry| view.absence(entry).is_none();
    if !name.is_empty() {
        let book = view.book;
        let exact: Vec<&SkillEntry> = book.named(name).filter(is_visible).collect();
        if !exact.is_empty() {
            return Direct::Named(exact, EXACT);
        }
        let mut beginning = book.beginning(name).filter(is_visible);
        if may_begin && let (Some(only), None) = (beginning.next(), beginning.next()) {
            return Direct::Named(vec![only], PREFIX);
        }
    }
    if selected.is_some() {
        Direct::Failed(why_hidden(view, name))
    } else {
        Direct::No
    }
}

/// The words of whoever would open it. What is switched off is as if it were not there.
fn why_hidden(view: &View<'_>, name: &str) -> Option<String> {
    match find(view, name, Caller::Model) {
        Ok(entry) => Some(format!(
            "the skill `{}` is never suggested; it is opened by its name",
            entry.name
        )),
        Err(
            refusal @ (ActivationRefusal::Conditional { .. }
            | ActivationRefusal::OnlyForUsers { .. }
            | ActivationRefusal::NotServed { .. }),
        ) => Some(refusal.to_string()),
        Err(_) => None,
    }
}
