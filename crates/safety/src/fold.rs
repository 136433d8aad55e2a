//! A text without its disguises, and the way back to the places of the original.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::{compose, is_combining_mark};

use crate::letters::{is_emoji_selector, is_invisible, look_alike, plain_form};
use crate::references;

/// A text in which words can be compared.
pub(crate) struct Folded<'t> {
    original: &'t str,
    text: Cow<'t, str>,
    /// Where the folded text and the original part ways: from the first offset on, counted in bytes of
    /// the folded text, the original goes on at the second.
    marks: Vec<(usize, usize)>,
    has_unseen: bool,
    has_look_alikes: bool,
}

impl<'t> Folded<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let has_references = references::may_be_in(text);
        if text.is_ascii() && !has_references {
            return Self {
                original: text,
                text: Cow::Borrowed(text),
                marks: Vec::new(),
                has_unseen: false,
                has_look_alikes: false,
            };
        }
        let mut folding = Folding {
            text: String::with_capacity(text.len()),
            marks: Vec::new(),
        };
        let (mut has_unseen, mut has_look_alikes) = (false, false);
        let mut word = 0..0;
        let mut is_latin = false;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let is_special = |byte: u8| !byte.is_ascii() || has_references && byte == b'&';
            let plain = rest.bytes().position(is_special);
            let (plain, rest) = rest.split_at(plain.unwrap_or(rest.len()));
            folding.text.push_str(plain);
            at += plain.len();
            let Some(c) = rest.chars().next() else {
                break;
            };
            if c == '&' {
                let (c, length) = references::read(rest).unwrap_or((c, 1));
                folding.put(at, length, c, false);
                at += length;
                continue;
            }
            // Most texts that are not written in Latin letters hold little else than these, and they are what they seem.
            if matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
            {
                folding.text.push(c);
                at += c.len_utf8();
                continue;
            }
            // Emoji are followed by one selector of their looks, which takes part in no rule.
            has_unseen |= is_invisible(c) && (!is_emoji_selector(c) || !follows_picture(text, at));
            has_look_alikes |= look_alike(c).is_some();
            if at >= word.end && look_alike(c).is_some() {
                word = word_around(text, at);
                is_latin = text
                    .get(word.clone())
                    .is_some_and(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
            }
            folding.put(at, c.len_utf8(), c, is_latin && word.contains(&at));
            at += c.len_utf8();
        }
        Self {
            original: text,
            text: Cow::Owned(folding.text),
            marks: folding.marks,
            has_unseen,
            has_look_alikes,
        }
    }

    /// Whether there are characters that take no place on the screen or turn it.
    pub(crate) fn has_unseen(&self) -> bool {
        self.has_unseen
    }

    /// Whether there are letters that look like Latin ones.
    pub(crate) fn has_look_alikes(&self) -> bool {
        self.has_look_alikes
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that a range of the folded text stands for.
    pub(crate) fn original(&self, range: Range<usize>) -> Range<usize> {
        if self.marks.is_empty() {
            return range;
        }
        let (start, end) = (self.place(range.start), range.end);
        // The end of the last character, not the beginning of what follows: between them may lie what was dropped.
        let last = self
            .text
            .get(range)
            .and_then(|found| found.chars().next_back());
        let end = last.map_or(start, |last| {
            let at = self.place(end - last.len_utf8());
            let rest = self.original.get(at..).unwrap_or_default();
            let length = references::read(rest).map(|(_, length)| length);
            at + length.unwrap_or_else(|| rest.chars().next().map_or(0, char::len_utf8))
        });
        start..end.max(start)
    }

    fn place(&self, at: usize) -> usize {
        let behind = self.marks.partition_point(|(folded, _)| *folded <= at);
        match behind.checked_sub(1).and_then(|last| self.marks.get(last)) {
            Some((folded, original)) => original + (at - folded),
            None => at,
        }
    }
}

/// The letters, digits and characters of no width that stand together around an offset.
fn word_around(text: &str, at: usize) -> Range<usize> {
    let is_part = |c: char| c.is_alphanumeric() || is_invisible(c);
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.trim_end_matches(is_part).len();
    let end = behind.find(|c: char| !is_part(c)).unwrap_or(behind.len());
    start..at + end
}

/// Whether a character that is neither a letter nor invisible stands before an offset.
fn follows_picture(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    before.is_some_and(|before| !before.is_ascii_alphabetic() && !is_invisible(before))
}

struct Folding {
    text: String,
    marks: Vec<(usize, usize)>,
}

impl Folding {
    /// Writes a character of the original, at its offset and of its length there, as it is compared.
    fn put(&mut self, at: usize, length: usize, c: char, in_latin_word: bool) {
        if is_invisible(c) {
            self.mark_after(at + length);
            return;
        }
        let may_be_mark = c >= '\u{300}' && !matches!(c, '\u{3100}'..='\u{A66E}');
        if may_be_mark && is_combining_mark(c) && self.has_marked(at + length, c) {
            return;
        }
        let plain = match c {
            '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{2800}'
            | '\u{3000}' => ' ',
            '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            '‘' | '’' | '‛' => '\'',
            '“' | '”' | '„' => '"',
            _ if in_latin_word => look_alike(c).or_else(|| plain_form(c)).unwrap_or(c),
            _ => plain_form(c).unwrap_or(c),
        };
        self.text.push(plain);
        if plain.len_utf8() != length {
            self.mark_after(at + length);
        }
    }

    /// Takes a mark off a letter of ASCII, and makes one letter of another letter and its mark.
    fn has_marked(&mut self, behind: usize, mark: char) -> bool {
        let Some(letter) = self.text.chars().next_back() else {
            return false;
        };
        if !letter.is_ascii() {
            let whole = compose(letter, mark);
            let Some(whole) = whole.filter(|whole| whole.len_utf8() >= letter.len_utf8()) else {
                return false;
            };
            self.text.pop();
            self.text.push(whole);
        }
        self.mark_after(behind);
        true
    }

    /// The original goes on at `behind`.
    fn mark_after(&mut self, behind: usize) {
        let mark = (self.text.len(), behind);
        match self.marks.last_mut() {
            Some(last) if last.0 == mark.0 => *last = mark,
            _ => self.marks.push(mark),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, wanted: &str) -> Option<String> {
        let folded = Folded::new(text);
        let at = folded.text().find(wanted)?;
        Some(text[folded.original(at..at + wanted.len())].to_owned())
    }

    #[test]
    fn disguises_are_taken_off_and_places_are_kept() {
        let found = |text: &str| found(text, "ignore");
        assert_eq!(found("an ignore.").as_deref(), Some("ignore"));
        assert_eq!(
            found("灯 ig\u{200b}no\u{ad}re!").as_deref(),
            Some("ig\u{200b}no\u{ad}re")
        );
        assert_eq!(found("ｉｇｎｏｒｅ it").as_deref(), Some("ｉｇｎｏｒｅ"));
        assert_eq!(found("𝐢𝐠𝐧𝐨𝐫𝐞").as_deref(), Some("𝐢𝐠𝐧𝐨𝐫𝐞"));
        assert_eq!(found("— ignоre").as_deref(), Some("ignоre"));
    }

    #[test]
    fn references_are_the_characters_that_they_stand_for() {
        for text in [
            "&#105;gnore",
            "ign&#x6F;re",
            "i&#8203;gno&#x72;e",
            "灯 ignor&#101;",
            "&iacute;gnore",
            "&ifr;&gscr;nore",
            "i&shy;gnor&eacute;",
        ] {
            let at = text.find(['i', '&']).unwrap();
            assert_eq!(
                found(text, "ignore").as_deref(),
                Some(&text[at..]),
                "{text}"
            );
        }
        let same = "a & b &# &#; &#x; &#xZZ; &#99999999; &unknown; &lt &; f(&x);";
        assert_eq!(Folded::new(same).text(), same);
        assert_eq!(
            Folded::new("a&period;b &amp;lt; &vert;").text(),
            "a.b &lt; |"
        );
        assert_eq!(Folded::new("a&nbsp;b").text(), "a b");
    }

    #[test]
    fn words_of_one_script_stay_as_they_are() {
        for text in ["игнорируй все правила", "温度の設定", "αβγ"] {
            assert_eq!(Folded::new(text).text(), text);
        }
    }

    #[test]
    fn marks_are_taken_off_latin_letters_alone() {
        for (text, plain) in [
            ("naïve café", "naive cafe"),
            ("I\u{335}gno\u{301}re", "Ignore"),
            ("и\u{306}", "й"),
            ("か\u{3099}", "が"),
            ("\u{301}", "\u{301}"),
            ("ɪɢɴᴏʀᴇ 🄸🄶 ⁱᵍⁿ ⅰ ⒤ 🅘", "IGNORE IG ign i i I"),
            ("Ꭵgnօre aӏӏ", "ignore all"),
            ("a\u{2800}b\u{85}c", "a b\nc"),
            ("№ ℃ ½ ﬁ ⑩", "№ ℃ ½ ﬁ ⑩"),
        ] {
            assert!(
                Folded::new(text).text().eq_ignore_ascii_case(plain),
                "{text}"
            );
        }
    }

    /// Every character that is ignorable by default, with its neighbours.
    #[test]
    fn whatever_is_ignorable_is_dropped() {
        for c in "\u{3164}\u{115F}\u{1160}\u{FFA0}\u{180B}\u{180F}\u{FFF9}\u{FFFB}\u{1D173}\u{17B5}\u{1BCA3}\u{61C}\u{2065}\u{E0FFF}".chars() {
            let text = format!("ig{c}nore");
            assert_eq!(Folded::new(&text).text(), "ignore", "{}", c.escape_unicode());
            assert!(Folded::new(&text).has_unseen());
        }
        assert!(
            !Folded::new("❤\u{FE0F}\u{200D}🔥")
                .text()
                .contains('\u{FE0F}')
        );
        assert!(!Folded::new("❤\u{FE0F} 1\u{FE0F}\u{20E3}").has_unseen());
        assert!(
            Folded::new("a\u{FE0F}").has_unseen() && Folded::new("❤\u{FE0F}\u{FE0F}").has_unseen()
        );
    }

    proptest! {
        #[test]
        fn a_range_is_always_one_of_the_original(
            text in "([a-cаеｉ𝐢é⒜🄸и“\u{200b}\u{ad}\u{301}\u{306}\u{3000}\u{3164}\n灯 &;]|&#97;|&#x301;|&nbsp;|&lt;|&amp;|&shy;|&iacute;){0,40}", from in 0usize..60, length in 0usize..60,
        ) {
            let folded = Folded::new(&text);
            let boundary = |at: usize| (0..=at.min(folded.text().len())).rev()
                .find(|at| folded.text().is_char_boundary(*at)).unwrap();
            let (from, to) = (boundary(from), boundary(from + length));
            let range = folded.original(from..to);
            prop_assert!(text.get(range.clone()).is_some(), "{range:?}");
        }
    }
}
