//! Characters that cannot be seen carry text: tags, runs of variation selectors, long runs of no width.

use metier_diagnostics::Severity;

use crate::codes;
use crate::letters::{is_emoji_selector, is_invisible};
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::HIDDEN_CHARACTERS,
    find,
    patterns: &[],
};

/// So many characters of no width in a row are more than a slip.
const RUN: usize = 6;

const SOFT_HYPHEN: char = '\u{AD}';
const BLACK_FLAG: char = '\u{1F3F4}';
/// The flags of England, Scotland and Wales are a black flag and one of these. There are no others.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    let help = "remove the characters; what a reader cannot see must not reach a model";
    let mut put = |range, message| {
        hits.push(Hit {
            range,
            severity: Severity::Error,
            message,
            help,
        });
    };
    if !examined.folded.has_unseen() {
        return;
    }
    let mut run: Option<(usize, usize, usize)> = None;
    let mut end_of_flag = 0;
    let mut before = ' ';
    let mut behind_letters: Option<(usize, usize, usize)> = None;
    for (at, c) in examined.raw.char_indices() {
        let end = at + c.len_utf8();
        let is_stray =
            matches!(c, '\u{FE00}'..='\u{FE0F}') && (before.is_ascii_alphabetic() || before == ' ');
        if is_stray {
            behind_letters = Some(
                behind_letters.map_or((at, end, 1), |(start, end, count)| (start, end, count + 1)),
            );
        }
        before = c;
        if c == BLACK_FLAG {
            let rest = examined.raw.get(end..).unwrap_or_default();
            let region = FLAGS.iter().find(|region| rest.starts_with(*region));
            end_of_flag = end + region.map_or(0, |region| region.len());
        }
        if at >= end_of_flag && is_invisible(c) && c != SOFT_HYPHEN {
            run = Some(run.map_or((at, end, 1), |(start, _, count)| (start, end, count + 1)));
        } else if let Some((start, end, count)) = run.take() {
            judge(examined.raw, start..end, count, &mut put);
        }
    }
    if let Some((start, end, count)) = run {
        judge(examined.raw, start..end, count, &mut put);
    }
    if let Some((start, end, _)) = behind_letters.filter(|(_, _, count)| *count >= RUN) {
        put(
            start..end,
            "variation selectors behind letters, which can carry hidden bytes",
        );
    }
}

fn judge(
    text: &str,
    range: std::ops::Range<usize>,
    count: usize,
    put: &mut impl FnMut(std::ops::Range<usize>, &'static str),
) {
    let run = text.get(range.clone()).unwrap_or_default();
    let is_selector = |c: char| matches!(c, '\u{E0100}'..='\u{E01EF}' | '\u{FE00}'..='\u{FE0F}');
    // Of those behind emoji one too many is a slip of an editor.
    let slips = if run.chars().all(is_emoji_selector) {
        3
    } else {
        1
    };
    if run.chars().any(|c| matches!(c, '\u{E0000}'..='\u{E007F}')) {
        put(range, "tag characters, which nobody sees and models read");
    } else if count > slips && run.chars().all(is_selector) {
        put(
            range,
            "several variation selectors in a row, which can carry hidden bytes",
        );
    } else if count >= RUN {
        put(
            range,
            "many characters of no width in a row, which can carry hidden bytes",
        );
    }
}
