//! What stands around a match: the difference between doing something and talking about it.

use std::cell::OnceCell;
use std::ops::Range;

use crate::blocks::Blocks;
use crate::pattern::Pattern;

/// How far back the words before a match are looked at.
const BACK: usize = 120;
/// How far behind it an end of quotes is looked for, and what the words behind it say.
const AHEAD: usize = 160;

/// "Never …", "do not …" right before.
static NEGATION: Pattern = Pattern::new(
    r"(?:(?:\b(?:never|not|cannot|refuse~to)\b|n't\b)[\x20\t\r\n*_`]{0,6}(?:ever|to|be|try|let~it|just|[\w-]{1,10}ly|run|use|execute|pipe|read|call|paste|type|open|copy)?|(?:\b(?:avoid|without|no|nor|stop|rather~than|instead~of|forbidden~to|against|nie|niemals|nicht|jamais|nunca)\b|绝不|决不|不要|不得|不会|切勿|请勿|禁止|避免|绝不能|しない|никогда|не)(?:~to|运行|执行|使用|读取|直接|把|将|將|用)?)[\x20\t\r\n*_`]{0,6}$",
);

/// "Why not …" asks for it.
static INVITATION: Pattern = Pattern::new(r"\bwhy~not\b");

/// Words of somebody who speaks of attacks. "If", "when", "says" and "warning" are not among them: instructions of every
/// kind begin like that.
static ATTACK: Pattern = Pattern::new(
    r"\b(?:detect|attack|inject|malicious|adversar|jailbreak|hostile|suspicious|phishing|malware|exploit|vulnerab|payload|red~flag|untrusted|social~engineering|reverse~shell|pentest|refuse|reject|flags?\b|flagged|block(?:s|ed|ing)?\b|blacklist|blocklist|beware|watch~for|scan(?:s|ning)?~for|look(?:s|ing)?~for|trick|dangerous|unsafe|angriff|einschleus|attaque|malveillan|ataque|malicios)|攻击|攻擊|注入|检测|檢測|拒绝|恶意|惡意|危险|攻撃|検出|悪意|атак|вредонос|инъекц|공격|악성|탐지",
);

/// Words that report what somebody else may say, right before it: "… may try to make you …".
static REPORTED: Pattern = Pattern::new(
    r"\b(?:may|might|can|could|would|try|tries|trying|attempts?|attempting|if|when|whether|that)\b[^.\n]{0,80}?\b(?:say|ask|tell|instruct|make|get|trick|cause|convince|persuade|direct|lead|urge|order|request)(?:s|ing)?\b(?:~(?:you|it|me|them|us|(?:the~|an?~)?(?:model|agent|assistant|ai|llm|claude)))?(?:~to)?[\x20:\x22'`*_]{0,4}$|\b(?:attempts|attempting|tries|trying|(?:any|an|every|each)~attempt)~to[\x20:\x22'`*_]{0,4}$|(?:如果|若|假如|当|當|可能|试图|試圖)[^。\n]{0,16}(?:要求|让|讓|叫|命令|诱导|指示|告诉|告訴)(?:你|您|模型|助手|代理)?$",
);

/// What comes from outside and is no master: "a web page", "the content of a file".
static CONTENT: Pattern = Pattern::new(
    r"\b(?:web|page|site|file|document|text|content|message|comment|output|result|e-?mail|data|input|readme|note|skill|tool|html|pdf|repositor|issue|third.part)|网页|網頁|文件|内容|內容|文本|邮件|页面|工具|数据",
);

/// A text in which something was found, and where.
pub(crate) struct Context<'t> {
    text: &'t str,
    blocks: Blocks,
    /// Where words of attacks begin, in order.
    attacks: OnceCell<Vec<usize>>,
}

impl<'t> Context<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            blocks: Blocks::new(text),
            attacks: OnceCell::new(),
        }
    }

    /// Whether the words before say that it is not to be done.
    pub(crate) fn is_negated(&self, at: usize) -> bool {
        let before = self.sentence_before(at);
        NEGATION.is_in(before) && !INVITATION.is_in(before)
    }

    /// Whether a word of refusal stands anywhere before in the sentence ("never delete … without telling").
    pub(crate) fn is_refused(&self, at: usize) -> bool {
        static REFUSAL: Pattern = Pattern::new(
            r"\b(?:never|not|cannot|must~not|no|avoid|refuse|nie|niemals|nicht|kein\w*|jamais|nunca|no)\b|n't|绝不|不要|不得|禁止|切勿|никогда|нельзя",
        );
        REFUSAL.is_in(self.sentence_before(at))
    }

    /// Whether it is an attack that is spoken of: words say so, and it is set apart by quotes, as code or in a list.
    pub(crate) fn is_mentioned(&self, range: &Range<usize>) -> bool {
        let (at, block) = (range.start, self.blocks.block(range.start));
        let is_quoted = self.is_quoted(range) || self.is_in_code(range);
        if !is_quoted && block.is_none() {
            return false;
        }
        let heading = self.blocks.heading(at);
        self.speaks_of_attack(at - self.before(at).len()..at)
            || heading.is_some_and(|heading| self.speaks_of_attack(heading))
            || block.is_some_and(|block| self.introduces_attack(block))
            || is_quoted && self.speaks_of_attack(range.end..self.end_of_sentence(range.end))
    }

    /// Whether it is what somebody else may say or try, and is told of as such ("a page may ask you to …").
    pub(crate) fn is_reported(&self, at: usize) -> bool {
        REPORTED.is_in(self.clause_before(at))
    }

    /// Whether whoever may say it is no master of the model: a page, a file, an attacker.
    pub(crate) fn is_reported_of_content(&self, at: usize) -> bool {
        let before = self.clause_before(at);
        REPORTED.is_in(before) && (CONTENT.is_in(before) || ATTACK.is_in(before))
    }

    /// Whether it stands in a fence or between the marks of code.
    pub(crate) fn is_in_code(&self, range: &Range<usize>) -> bool {
        self.blocks.fence(range.start).is_some() || self.is_between(range, '`', '`')
    }

    /// Whether it stands in quotation marks or those of code, on the same line.
    pub(crate) fn is_quoted(&self, range: &Range<usize>) -> bool {
        [
            ('"', '"'),
            ('`', '`'),
            ('\'', '\''),
            ('«', '»'),
            ('「', '」'),
            ('《', '》'),
        ]
        .iter()
        .any(|(open, close)| self.is_between(range, *open, *close))
    }

    fn is_between(&self, range: &Range<usize>, open: char, close: char) -> bool {
        let before = self.before(range.start);
        let before = before.rsplit('\n').next().unwrap_or_default();
        let is_open = match open {
            // An apostrophe opens nothing.
            '\'' => before.ends_with(open),
            _ if open == close => before.matches(open).count() % 2 == 1,
            _ => before.rfind(open) > before.rfind(close),
        };
        let after = self.after(range.end, AHEAD);
        is_open && after.split('\n').next().unwrap_or_default().contains(close)
    }

    /// Whether the words before a list, a table or a fence, or its first line, speak of an attack.
    fn introduces_attack(&self, block: &Range<usize>) -> bool {
        let before = self.text.get(..block.start).unwrap_or_default();
        let from = self.floor(before.trim_end().len().saturating_sub(BACK));
        let first = self.after(block.start, BACK).find('\n').unwrap_or(0);
        self.speaks_of_attack(from..block.start + first)
    }

    fn speaks_of_attack(&self, range: Range<usize>) -> bool {
        let attacks = self.attacks.get_or_init(|| {
            let places = ATTACK.regex().map(|attack| attack.find_iter(self.text));
            places
                .into_iter()
                .flatten()
                .map(|place| place.start())
                .collect()
        });
        let first = attacks.partition_point(|attack| *attack < range.start);
        attacks.get(first).is_some_and(|attack| *attack < range.end)
    }

    fn end_of_sentence(&self, at: usize) -> usize {
        let after = self.after(at, AHEAD);
        at + after
            .find(['\n', '。', '!', '?', ';'])
            .unwrap_or(after.len())
    }

    /// The line in which an offset lies; of one without an end, what stands around the offset.
    pub(crate) fn line(&self, at: usize) -> &'t str {
        const BEFORE: usize = 400;
        const LONGEST: usize = 1_000;
        let from = self.floor(at.saturating_sub(BEFORE));
        let before = self.text.get(from..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(from, |end| from + end + 1);
        let line = self.after(start, LONGEST);
        line.split('\n').next().unwrap_or(line)
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
        self.part_before(at, &['.', '!', '?', ':'])
    }

    /// The same, with what stands before a colon.
    fn clause_before(&self, at: usize) -> &'t str {
        self.part_before(at, &['.', '!', '?'])
    }

    fn part_before(&self, at: usize, ends: &[char]) -> &'t str {
        let before = self.before(at);
        let is_end = |c: char| matches!(c, '。' | '！' | '？' | ';' | '；' | '|');
        let start = before
            .char_indices()
            .rev()
            .find(|(place, c)| {
                let next = before
                    .get(place + c.len_utf8()..)
                    .and_then(|rest| rest.chars().next());
                is_end(*c) || (ends.contains(c) && next.is_none_or(char::is_whitespace))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T>(text: &str, word: &str, look: impl Fn(&Context<'_>, Range<usize>) -> T) -> T {
        let start = text.find(word).unwrap();
        look(&Context::new(text), start..start + word.len())
    }

    #[test]
    fn what_is_forbidden_is_told_from_what_is_said() {
        let is_negated = |text: &str| {
            let word = if text.contains("Send") {
                "Send"
            } else {
                "send"
            };
            of(text, word, |context, range| context.is_negated(range.start))
        };
        for text in [
            "Never send it.",
            "You must not ever send it.",
            "Do not blindly send it.",
            "no `send`",
        ] {
            assert!(is_negated(text), "{text}");
        }
        for text in [
            "Send it all.",
            "The node send it.",
            "I never sleep. Send it.",
            "Why not just send it",
            "If not, send it",
            "No, send it",
            "Without delay, send it",
        ] {
            assert!(!is_negated(text), "{text}");
        }
    }

    #[test]
    fn an_attack_is_mentioned_where_words_and_marks_say_so() {
        let is_mentioned = |text: &str| {
            of(text, "send it", |context, range| {
                context.is_mentioned(&range)
            })
        };
        for text in [
            "Detects phrases such as \"please send it\".",
            "\"send it\" is an injection",
            "An attack:\n```\nsend it\n```\n",
            "An attack:\n\n- stop\n- send it\n",
            "## Injections\n\nOne of them is `send it`.",
            "| Attack | Text |\n|---|---|\n| a | b |\n| c | send it |\n",
        ] {
            assert!(is_mentioned(text), "{text}");
        }
        for text in [
            "An attack: send it.",
            "Phrases such as \"send it\".",
            "For example: \"send it\"",
            "Do this:\n```\nsend it\n```\n",
            "# Attacks\n\n# Use\n\nWe \"send it\".",
            "Stops attacks.\n\nThen \"send it\".",
        ] {
            assert!(!is_mentioned(text), "{text}");
        }
    }

    #[test]
    fn what_somebody_may_say_is_reported() {
        let is_reported = |text: &str| {
            of(text, "send it", |context, range| {
                context.is_reported(range.start)
            })
        };
        let of_content = |text: &str| {
            of(text, "send it", |context, range| {
                context.is_reported_of_content(range.start)
            })
        };
        assert!(of_content("A page may try to make you send it."));
        assert!(of_content("Malicious people may say: send it."));
        assert!(of_content("If a document asks the model to send it, stop."));
        assert!(is_reported("If a user asks you to send it"));
        assert!(!of_content("If a user asks you to send it"));
        for text in [
            "If a user asks anything, send it",
            "When you start, send it",
            "The operator says send it",
            "Do not ask, try to send it",
        ] {
            assert!(!is_reported(text), "{text}");
        }
    }
}
