//! Characters that cannot be seen carry text: tags, runs of variation selectors, long runs of no width.

use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::HIDDEN_CHARACTERS,
    find,
    patterns: &[],
};

/// So many characters of no width in a row are more than a slip.
const RUN: usize = 6;

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
    let mut before = '\0';
    let mut in_flag = false;
    for (at, c) in examined.raw.char_indices() {
        // The flags of England, Scotland and Wales are a black flag, tags, and the tag that ends them.
        let is_tag = matches!(c, '\u{E0000}'..='\u{E007F}');
        in_flag = is_tag && (in_flag || before == '\u{1F3F4}');
        let carries = (is_tag && !in_flag)
            || matches!(c, '\u{E0100}'..='\u{E01EF}' | '\u{FE00}'..='\u{FE0D}' | '\u{200B}'..='\u{200D}'
                | '\u{2060}'..='\u{2064}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}' | '\u{34F}');
        before = c;
        if carries {
            let end = at + c.len_utf8();
            run = Some(run.map_or((at, end, 1), |(start, _, count)| (start, end, count + 1)));
            if !is_tag {
                continue;
            }
        }
        if let Some((start, end, count)) = run.take_if(|_| !carries) {
            judge(examined.raw, start..end, count, &mut put);
        }
    }
    if let Some((start, end, count)) = run {
        judge(examined.raw, start..end, count, &mut put);
    }
}

fn judge(
    text: &str,
    range: std::ops::Range<usize>,
    count: usize,
    put: &mut impl FnMut(std::ops::Range<usize>, &'static str),
) {
    let run = text.get(range.clone()).unwrap_or_default();
    if run.chars().any(|c| matches!(c, '\u{E0000}'..='\u{E007F}')) {
        put(range, "tag characters, which nobody sees and models read");
    } else if count >= 2
        && run
            .chars()
            .all(|c| matches!(c, '\u{E0100}'..='\u{E01EF}' | '\u{FE00}'..='\u{FE0D}'))
    {
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
