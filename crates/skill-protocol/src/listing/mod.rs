//! The listing: a line for each skill, within a budget, and what is new since the last one.

mod fit;
mod token;

use serde::Serialize;

use crate::book::{SkillEntry, Source};
use crate::line::line;
use crate::quality::QualityEvent;
use crate::view::View;

use fit::{Card, Fitted};
use token::{Fingerprint, Token};

/// The budget in characters where the context window is not known: a hundredth of 200,000 tokens of four.
pub const DEFAULT_BUDGET: usize = 8_000;

/// The tool that finds what is not listed.
const DISCOVER_TOOL: &str = "discover_skills";
/// More skills than this are not listed one and all.
const LARGE: usize = 100;
/// So many of a large number are.
const SHOWN_OF_LARGE: usize = 30;
/// The most fingerprints that a token carries; beyond, a listing begins anew.
const MOST_SENT: usize = 512;

/// The budget in characters for a context window of so many tokens: a hundredth of it, at four characters each.
pub const fn budget_of_window(tokens: usize) -> usize {
    tokens.saturating_mul(4) / 100
}

/// How a listing is made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListingOptions {
    /// The most characters of the text, whatever happens. From 200 on there is always room to say what is left out.
    pub budget: usize,
    /// The most characters of one description, 20 to 1,536.
    pub description: usize,
    /// The same where there are too many skills for all to be listed: what is shown then is a beginning, and the task
    /// itself finds the right one. It leaves room for a discovery within the same hundredth of the window.
    pub description_of_many: usize,
    /// The name of the tool that finds what is not listed; one of another name is told no `select:`.
    pub discover_tool: String,
}

impl Default for ListingOptions {
    fn default() -> Self {
        Self {
            budget: DEFAULT_BUDGET,
            description: 250,
            description_of_many: 160,
            discover_tool: DISCOVER_TOOL.to_owned(),
        }
    }
}

impl ListingOptions {
    /// With a budget in characters.
    pub fn with_budget(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }
}

/// What a listing is, compared with what was sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ListingKind {
    /// The first one.
    First,
    /// It stands in the place of what was sent: a skill went, or its description changed, or so much was sent that
    /// it begins anew.
    Replacement,
    /// As a replacement, because the token could not be read.
    TokenUnreadable,
    /// What is new, to be added to what was sent.
    Addition,
    /// Nothing is new, and nothing is to be sent.
    Unchanged,
}

/// A listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Listing {
    /// What it is.
    pub kind: ListingKind,
    /// What is to be sent: a line for each skill. Empty when nothing is.
    pub text: String,
    /// The ids of the skills in the text, in its order.
    pub shown: Vec<String>,
    /// How many visible skills the text leaves out, of those that it was to show or that were never sent.
    pub omitted: usize,
    /// How many skills are visible in all.
    pub visible: usize,
    /// To be handed in for the next one. It holds what was sent, so that any replica can say what is new.
    pub token: String,
}

/// The listing for whoever has what `token` stands for; `None`: nothing yet. Every skill that is listed is counted.
pub fn listing(view: &View<'_>, token: Option<&str>, options: &ListingOptions) -> Listing {
    let visible: Vec<&SkillEntry> = view.visible().collect();
    let wanted = shown_first(view, &visible);
    let (kind, sent) = since(&visible, token);
    let fresh: Vec<&SkillEntry> = wanted
        .iter()
        .copied()
        .filter(|entry| !sent.contains(&Fingerprint::of(entry)))
        .collect();
    if kind == ListingKind::Addition && fresh.is_empty() {
        return Listing {
            kind: ListingKind::Unchanged,
            text: String::new(),
            shown: Vec::new(),
            omitted: 0,
            visible: visible.len(),
            token: Token::new(view.book.generation(), sent).write(),
        };
    }
    let mut options = options.clone();
    if visible.len() > LARGE {
        options.description = options.description.min(options.description_of_many);
    }
    let options = &options;
    let cards: Vec<Card> = fresh.iter().map(|entry| card(entry, options)).collect();
    let beyond = match kind {
        ListingKind::Addition => 0,
        _ => visible.len() - wanted.len(),
    };
    let head = match kind {
        ListingKind::Replacement => "This list replaces the earlier one.",
        ListingKind::TokenUnreadable => {
            "The token cannot be read; this list replaces the earlier one."
        }
        _ => "",
    };
    let Fitted { text, shown } = fit::fit(head, &cards, beyond, options);
    let shown: Vec<&SkillEntry> = shown
        .iter()
        .filter_map(|number| fresh.get(*number).copied())
        .collect();
    let events: Vec<(&str, QualityEvent)> = shown
        .iter()
        .map(|entry| (entry.id.as_str(), QualityEvent::Listed))
        .collect();
    if !events.is_empty() {
        view.quality.record(&events);
    }
    let mut sent = sent;
    sent.extend(shown.iter().map(|entry| Fingerprint::of(entry)));
    Listing {
        kind,
        text,
        omitted: fresh.len() - shown.len() + beyond,
        shown: shown.iter().map(|entry| entry.id.clone()).collect(),
        visible: visible.len(),
        token: Token::new(view.book.generation(), sent).write(),
    }
}

/// What a token stands for, as far as it still holds.
fn since(visible: &[&SkillEntry], token: Option<&str>) -> (ListingKind, Vec<Fingerprint>) {
    let Some(written) = token.filter(|token| !token.is_empty()) else {
        return (ListingKind::First, Vec::new());
    };
    let Some(token) = Token::read(written) else {
        return (ListingKind::TokenUnreadable, Vec::new());
    };
    let there: std::collections::BTreeSet<Fingerprint> =
        visible.iter().map(|entry| Fingerprint::of(entry)).collect();
    // Of what went, no more than a fingerprint is known: neither could its name be told nor may it stay.
    if token.sent.len() > MOST_SENT || token.sent.iter().any(|sent| !there.contains(sent)) {
        return (ListingKind::Replacement, Vec::new());
    }
    (ListingKind::Addition, token.sent)
}

/// The skills to be shown, the most important first where there are too many for all.
fn shown_first<'a>(view: &View<'a>, visible: &[&'a SkillEntry]) -> Vec<&'a SkillEntry> {
    let mut order: Vec<&SkillEntry> = visible.to_vec();
    // The sort is stable: what is alike keeps the order of the registry.
    order.sort_by_cached_key(|entry| {
        let counts = view.quality.counts(&entry.id);
        let used = counts.completions.saturating_add(counts.invoked);
        (
            !entry.is_pinned,
            !view.conversation.has_seen(&entry.id),
            !view.conversation.activated.contains(&entry.id),
            entry.source != Source::Mcp,
            std::cmp::Reverse(used),
        )
    });
    if order.len() > LARGE {
        order.truncate(SHOWN_OF_LARGE);
    }
    order
}

fn card(entry: &SkillEntry, options: &ListingOptions) -> Card {
    Card {
        name: line(&entry.name, 130),
        description: line(&entry.about(), options.description.clamp(20, 1536)),
        is_pinned: entry.is_pinned,
    }
}
