//! As much as fits: descriptions are shortened alike, then left out, then skills are.

use crate::line::cut;

use super::ListingOptions;

/// A description shorter than this says nothing.
const SHORTEST: usize = 20;

/// What is shown of a skill.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) is_pinned: bool,
}

/// A text, and the numbers of the cards in it.
pub(super) struct Fitted {
    pub(super) text: String,
    pub(super) shown: Vec<usize>,
}

/// How much of the descriptions is shown.
#[derive(Clone, Copy)]
struct Share {
    pinned: usize,
    others: usize,
}

impl Share {
    fn of(self, card: &Card) -> usize {
        if card.is_pinned {
            self.pinned
        } else {
            self.others
        }
    }
}

/// Writes the cards, the most important of which stand first, so that the text has no more characters than the
/// budget. `beyond` more skills are left out anyhow.
pub(super) fn fit(head: &str, cards: &[Card], beyond: usize, options: &ListingOptions) -> Fitted {
    let names = Share {
        pinned: 0,
        others: 0,
    };
    let all = cards.len();
    let length = |kept: usize, share: Share| {
        let tail = left_out(all - kept + beyond, options);
        let lines = cards
            .iter()
            .take(kept)
            .map(|card| written(card, share.of(card)));
        total(
            [head.chars().count(), tail.chars().count()]
                .into_iter()
                .chain(lines),
        )
    };
    let fits = |kept: usize, share: Share| length(kept, share) <= options.budget;
    let kept = (0..=all).rev().find(|kept| fits(*kept, names));
    let Some(kept) = kept else {
        // Not even the notice fits.
        return Fitted {
            text: cut(&left_out(all + beyond, options), options.budget),
            shown: Vec::new(),
        };
    };
    let whole = options.description.clamp(SHORTEST, 1536);
    let share = [
        largest(whole, |others| {
            fits(
                kept,
                Share {
                    pinned: whole,
                    others,
                },
            )
        })
        .map(|others| Share {
            pinned: whole,
            others,
        }),
        Some(Share {
            pinned: whole,
            others: 0,
        })
        .filter(|share| fits(kept, *share)),
        largest(whole, |pinned| fits(kept, Share { pinned, others: 0 }))
            .map(|pinned| Share { pinned, others: 0 }),
    ];
    let share = share.into_iter().flatten().next().unwrap_or(names);
    let tail = left_out(all - kept + beyond, options);
    let lines = cards
        .iter()
        .take(kept)
        .map(|card| shown(card, share.of(card)));
    let text: Vec<String> = std::iter::once(head.to_owned())
        .chain(lines)
        .chain(std::iter::once(tail))
        .filter(|line| !line.is_empty())
        .collect();
    Fitted {
        text: text.join("\n"),
        shown: (0..kept).collect(),
    }
}

/// The largest share from the shortest that says something to the whole with which everything fits.
fn largest(whole: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if !fits(SHORTEST) {
        return None;
    }
    let (mut good, mut bad) = (SHORTEST, whole + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

/// The characters of lines that are joined by line ends, of which empty ones are left out.
fn total(lines: impl Iterator<Item = usize>) -> usize {
    let lines = lines.filter(|length| *length > 0);
    let (count, sum) = lines.fold((0_usize, 0), |(count, sum), length| {
        (count + 1, sum + length)
    });
    sum + count.saturating_sub(1)
}

/// How many characters the line of a card has.
fn written(card: &Card, most: usize) -> usize {
    let description = card.description.chars().count().min(most);
    let gap = if description == 0 { 2 } else { 4 };
    card.name.chars().count() + description + gap
}

/// The line of a card.
fn shown(card: &Card, most: usize) -> String {
    let description = cut(&card.description, most);
    if description.is_empty() {
        format!("- {}", card.name)
    } else {
        format!("- {}: {description}", card.name)
    }
}

/// What is left out, and how to come to it.
fn left_out(count: usize, options: &ListingOptions) -> String {
    if count == 0 {
        return String::new();
    }
    let tool = &options.discover_tool;
    let skills = if count == 1 { "skill" } else { "skills" };
    let by_name = if *tool == super::DISCOVER_TOOL {
        ", or with select:NAME"
    } else {
        ""
    };
    format!("{count} more {skills}: call {tool} with what is needed{by_name}.")
}
