//! Where in the text an event is.

use std::ops::Range;

use saphyr_parser::Span;

/// Turns the parser's character counts into bytes of the file.
///
/// This is the one place where the two meet. Events come nearly in order, so a cursor that moves
/// in both directions makes the whole pass linear.
pub(super) struct Places<'a> {
    text: &'a str,
    base: usize,
    ascii: bool,
    character: usize,
    byte: usize,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str, base: usize) -> Self {
        Self {
            text,
            base,
            ascii: text.is_ascii(),
            character: 0,
            byte: 0,
        }
    }

    pub(super) fn span(&mut self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index());
        start..end.max(start)
    }

    pub(super) fn byte(&mut self, character: usize) -> usize {
        if self.ascii {
            return self.base + character.min(self.text.len());
        }
        while self.character < character {
            let next = self
                .text
                .get(self.byte..)
                .and_then(|rest| rest.chars().next());
            let Some(next) = next else { break };
            self.byte += next.len_utf8();
            self.character += 1;
        }
        while self.character > character {
            let back = self
                .text
                .get(..self.byte)
                .and_then(|rest| rest.chars().next_back());
            let Some(back) = back else { break };
            self.byte -= back.len_utf8();
            self.character -= 1;
        }
        self.base + self.byte
    }

    /// Whether a collection that begins here is written with brackets.
    pub(super) fn is_bracket(&self, start: usize) -> bool {
        let bytes = self.text.as_bytes();
        matches!(bytes.get(start - self.base), Some(b'[' | b'{'))
    }

    pub(super) fn trim_end(&self, start: usize, end: usize) -> usize {
        let written = self.text.get(start - self.base..end - self.base);
        written.map_or(end, |text| start + text.trim_end().len())
    }
}
