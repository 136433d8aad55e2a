//! A word split by what cannot be seen.

use metier_diagnostics::Severity;

use crate::codes;
use crate::letters::is_invisible;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::SPLIT_WORD,
    find,
    patterns: &[],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() || !examined.folded.has_unseen() {
        return;
    }
    let mut before = ' ';
    let mut split: Option<(usize, usize)> = None;
    for (at, c) in examined.raw.char_indices() {
        // Soft hyphens say where a long word may be parted, and are left alone; directions have a rule of their own.
        let has_its_own = matches!(c, '\u{AD}' | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        if is_invisible(c) && !has_its_own {
            let end = at + c.len_utf8();
            split = Some(split.map_or((at, end), |(start, _)| (start, end)));
            continue;
        }
        if let Some((start, end)) = split.take()
            && before.is_ascii_alphabetic()
            && c.is_ascii_alphabetic()
        {
            hits.push(Hit {
                range: start..end,
                severity: Severity::Warning,
                message: "a word is split by a character that cannot be seen",
                help: "remove the character; it hides the word from searches and filters, not from models",
            });
        }
        before = c;
    }
}
