//! A description that is still the text of a template.

use metier_diagnostics::Diagnostic;
use metier_loader::place_in_front_matter;

use crate::codes::SCAFFOLD_TEXT;
use crate::subject::{SKILL_FILE, Subject};

/// What templates write, in lower case.
const PHRASES: [&str; 9] = [
    "todo:",
    "[todo",
    "lorem ipsum",
    "replace with description",
    "replace with a description",
    "replace this description",
    // As `metier new` writes it.
    "replace this with what the skill does",
    "your description here",
    "describe what this skill does",
];

pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnostic> {
    let description = &subject.metadata().description;
    let plain = description.trim().to_lowercase();
    let phrase = PHRASES.iter().find(|phrase| plain.contains(**phrase));
    if phrase.is_none() && plain != "todo" {
        return None;
    }
    let place = subject.text(SKILL_FILE).and_then(|text| {
        let value = place_in_front_matter(&text, "description")?;
        // Behind a quote or the sign of a block, the first line of the text itself.
        let first = description.split_whitespace().next()?;
        let start = value.start + text.get(value.clone())?.find(first)?;
        let end = start + text.get(start..)?.lines().next()?.trim_end().len();
        Some(subject.place(SKILL_FILE, &text, start..end))
    });
    let place = place.unwrap_or_else(|| subject.whole(SKILL_FILE));
    Some(
        Diagnostic::warning(
            SCAFFOLD_TEXT,
            "the description is still the text of a template",
        )
        .at(place, "")
        .help("say in a sentence what the skill does and when to use it"),
    )
}
