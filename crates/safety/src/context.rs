//! What stands around a match: the difference between doing something and talking about it.

use std::ops::Range;

use crate::pattern::Pattern;

/// How far back the words before a match are looked at.
const BACK: usize = 120;

/// "Never …", "do not …" right before.
static NEGATION: Pattern = Pattern::new(
    r"(?:\b(?:never|not|cannot|avoid|refuse~to|without|no|nor|stop|rather~than|instead~of|forbidden~to|against)\b|n't\b|绝不|决不|不要|不得|不会|切勿|请勿|禁止|避免|绝不能|しない|nie|niemals|nicht|jamais|nunca|никогда|не|nunca)[\x20\t\r\n*_`]{0,6}(?:ever|to|be|you|try|let~it|[\w-]{1,12})?[\x20\t*_`,]{0,3}$",
);

/// Words of somebody who describes an attack.
static MENTION: Pattern = Pattern::new(
    r"\b(?:such~as|e\.g\.|for~example|examples?|like|detect\w*|attempt\w*|attack\w*|inject\w*|phrases?|patterns?|payloads?|malicious|adversar\w*|jailbreak\w*|hostile|suspicious|says?|said|ask(?:s|ed|ing)|tells?|telling|instructs?|tries|try(?:ing)?~to|refuse|reject|flag(?:s|ged)?|treat|watch~for|beware|if|when|whether|anything~that|content~that|text~that|red~flags?|warning|risks?|check(?:s|ing)?~for|scan(?:s|ning)?~for|prevent\w*|protect\w*|block(?:s|ed|ing)?|trick\w*|vulnerab\w*|exploit\w*)\b|例如|比如|攻击|攻擊|注入|检测|檢測|拒绝|如果|当|防止|恶意|試み|攻撃|検出|例えば|場合|zum~beispiel|z\.\s?b\.|angriff|wenn|par~exemple|attaque|\bsi\b|por~ejemplo|ataque|например|атак|если|예를|공격",
);

/// A text in which something was found, and where.
pub(crate) struct Context<'t> {
    text: &'t str,
    fences: Vec<Range<usize>>,
}

impl<'t> Context<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            fences: fences(text),
        }
    }

    /// Whether the words before say that it is not to be done.
    pub(crate) fn is_negated(&self, at: usize) -> bool {
        NEGATION.is_in(self.sentence_before(at))
    }

    /// Whether a word of refusal stands anywhere before in the sentence ("never delete … without telling").
    pub(crate) fn is_refused(&self, at: usize) -> bool {
        static REFUSAL: Pattern = Pattern::new(
            r"\b(?:never|not|cannot|must~not|no|avoid|refuse|nie|niemals|nicht|kein\w*|jamais|nunca|no)\b|n't|绝不|不要|不得|禁止|切勿|никогда|нельзя",
        );
        REFUSAL.is_in(self.sentence_before(at))
    }

    /// Whether words before it say that it is spoken of, such as "for example".
    pub(crate) fn is_talked_about(&self, range: &Range<usize>) -> bool {
        MENTION.is_in(self.before(range.start))
    }

    /// Whether it stands in an example or behind words that introduce one.
    pub(crate) fn is_example(&self, range: &Range<usize>) -> bool {
        if let Some(fence) = self.fence(range.start) {
            return MENTION.is_in(self.before(fence.start)) || self.is_talked_about(range);
        }
        self.is_talked_about(range)
    }

    /// Whether quotation marks or those of code stand right before and soon after, on the same line.
    pub(crate) fn is_quoted(&self, range: &Range<usize>) -> bool {
        let pairs = [
            ('"', '"'),
            ('\'', '\''),
            ('`', '`'),
            ('«', '»'),
            ('「', '」'),
            ('《', '》'),
        ];
        let opened = self.before(range.start).chars().next_back();
        let after = self.after(range.end, 80);
        let rest = after.split('\n').next().unwrap_or_default();
        pairs
            .iter()
            .any(|(open, close)| opened == Some(*open) && rest.contains(*close))
    }

    /// The fenced code block in which an offset lies.
    fn fence(&self, at: usize) -> Option<&Range<usize>> {
        let behind = self.fences.partition_point(|fence| fence.start <= at);
        let fence = self.fences.get(behind.checked_sub(1)?)?;
        (at < fence.end).then_some(fence)
    }

    /// The line in which an offset lies.
    pub(crate) fn line(&self, at: usize) -> &'t str {
        let start = self
            .text
            .get(..at)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |end| end + 1);
        let rest = self.text.get(start..).unwrap_or_default();
        // A line without an end must not make every match of it cost its whole length.
        let from = if at - start > 400 {
            self.floor(at - 200)
        } else {
            start
        };
        let rest = if from > start {
            self.text.get(from..).unwrap_or_default()
        } else {
            rest
        };
        let end = rest
            .char_indices()
            .take(600)
            .find(|(_, c)| *c == '\n')
            .map_or_else(
                || {
                    rest.char_indices()
                        .nth(600)
                        .map_or(rest.len(), |(end, _)| end)
                },
                |(end, _)| end,
            );
        rest.get(..end).unwrap_or_default()
    }

    /// What follows an offset, at most so many bytes.
    pub(crate) fn after(&self, at: usize, most: usize) -> &'t str {
        let end = self.floor(at.saturating_add(most));
        self.text.get(at..end).unwrap_or_default()
    }

    /// The words before an offset, back to a blank line.
    pub(crate) fn before(&self, at: usize) -> &'t str {
        let from = self.floor(at.saturating_sub(BACK));
        let before = self.text.get(from..at).unwrap_or_default();
        before.rsplit("\n\n").next().unwrap_or(before)
    }

    fn sentence_before(&self, at: usize) -> &'t str {
        let before = self.before(at);
        let is_end = |c: char| matches!(c, '。' | '！' | '？' | ';' | '；' | '|');
        let start = before
            .char_indices()
            .rev()
            .find(|(place, c)| {
                let next = before
                    .get(place + c.len_utf8()..)
                    .and_then(|rest| rest.chars().next());
                is_end(*c)
                    || (matches!(c, '.' | '!' | '?' | ':') && next.is_none_or(char::is_whitespace))
            })
            .map_or(0, |(place, c)| place + c.len_utf8());
        before.get(start..).unwrap_or(before)
    }

    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// The fenced code blocks of a Markdown text.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((at, mark)),
            (Some((start, opened)), Some(mark)) if mark == opened => {
                fences.push(start..at);
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    if let Some((start, _)) = open {
        fences.push(start..text.len());
    }
    fences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, word: &str) -> (bool, bool) {
        let context = Context::new(text);
        let start = text.find(word).unwrap();
        (
            context.is_negated(start),
            context.is_example(&(start..start + word.len())),
        )
    }

    #[test]
    fn what_is_forbidden_or_described_is_told_from_what_is_said() {
        assert_eq!(at("Send it all.", "Send"), (false, false));
        assert_eq!(at("Never send it.", "send"), (true, false));
        assert_eq!(at("The node send it.", "send"), (false, false));
        assert_eq!(at("You must not ever send it.", "send"), (true, false));
        assert_eq!(at("I never sleep. Send it.", "Send"), (false, false));
        assert_eq!(at("Phrases such as \"send it\".", "send"), (false, true));
        assert_eq!(at("An attack:\n```\nsend it\n```\n", "send"), (false, true));
        assert_eq!(at("Do this:\n```\nsend it\n```\n", "send"), (false, false));
    }

    #[test]
    fn a_fence_ends_where_it_was_opened() {
        assert_eq!(fences("a\n```\nb\n```\nc\n~~~\nd"), [2..8, 14..19]);
    }
}
