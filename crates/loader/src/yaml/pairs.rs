//! Characters beyond U+FFFF as JSON writers spell them: two escapes, each half a character.
//!
//! YAML has one escape for such a character, and its parsers refuse the halves. Files that a program wrote as JSON are
//! full of them, so a pair inside double quotes is read as the character that is meant. A half alone stays a fault.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::places::Places;

/// How long a pair is: `\ud83d\ude00`.
const LENGTH: usize = 12;
/// What takes its place, so that every place stays right.
const STAND_IN: &str = "\\u0041\\u0041";

/// The text with something harmless in place of each pair; `None` where there is none.
pub(crate) fn without_pairs(text: &str) -> Option<String> {
    let mut pairs = pairs(text).peekable();
    pairs.peek()?;
    Some(replaced(text, pairs.map(|(at, _)| at..at + LENGTH), |_| {
        STAND_IN.into()
    }))
}

/// A text with pairs as parsers accept it, and the scalars that hold them.
pub(super) struct Paired {
    /// As long as the original.
    pub(super) text: String,
    /// What these scalars say, by their first byte.
    pub(super) scalars: BTreeMap<usize, String>,
}

/// `None` for a text without pairs in double quotes, or one that is broken besides.
pub(super) fn paired(text: &str, base: usize) -> Option<Paired> {
    let plain = without_pairs(text)?;
    let mut found = pairs(text).peekable();
    let mut places = Places::new(&plain, base);
    let mut parser = Parser::new_from_str(&plain);
    let (mut inside, mut scalars) = (Vec::new(), BTreeMap::new());
    while let Some(event) = parser.next_event() {
        let (event, span) = event.ok()?;
        let span = places.span(&span);
        let within = span.start - base..span.end - base;
        let is_quoted = matches!(event, Event::Scalar(_, ScalarStyle::DoubleQuoted, ..));
        if !is_quoted {
            continue;
        }
        while found.next_if(|(at, _)| *at < within.start).is_some() {}
        let mut own = Vec::new();
        while let Some(pair) = found.next_if(|(at, _)| at + LENGTH <= within.end) {
            own.push(pair);
        }
        if !own.is_empty() {
            scalars.insert(
                span.start,
                decoded(text.get(within.clone())?, within.start, &own)?,
            );
            inside.extend(own);
        }
    }
    let ranges = inside.iter().map(|(at, _)| *at..at + LENGTH);
    Some(Paired {
        text: replaced(text, ranges, |_| STAND_IN.into()),
        scalars,
    })
}

/// What a scalar in double quotes says; `written` begins at `start` of the text that the pairs are counted in.
fn decoded(written: &str, start: usize, pairs: &[(usize, char)]) -> Option<String> {
    let ranges = pairs.iter().map(|(at, _)| at - start..at - start + LENGTH);
    let alone = replaced(written, ranges, |number| {
        let character = pairs
            .get(number)
            .map_or('\u{FFFD}', |(_, character)| *character);
        format!("\\U{:08X}", u32::from(character)).into()
    });
    let mut parser = Parser::new_from_str(&alone);
    while let Some(event) = parser.next_event() {
        if let (Event::Scalar(text, ..), _) = event.ok()? {
            return Some(text.into_owned());
        }
    }
    None
}

/// A text with other ones in place of some ranges, which are in order.
fn replaced(
    text: &str,
    ranges: impl Iterator<Item = Range<usize>>,
    with: impl Fn(usize) -> Cow<'static, str>,
) -> String {
    let mut made = String::with_capacity(text.len());
    let mut end = 0;
    for (number, range) in ranges.enumerate() {
        made.push_str(text.get(end..range.start).unwrap_or_default());
        made.push_str(&with(number));
        end = range.end;
    }
    made.push_str(text.get(end..).unwrap_or_default());
    made
}

/// Where pairs stand, and for which character. A backslash that is escaped itself begins none.
fn pairs(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let found = at + text.get(at..)?.find('\\')?;
            let half = |from: usize| {
                let hex = text.get(from..from + 6)?.strip_prefix("\\u")?;
                let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_hex.then(|| u16::from_str_radix(hex, 16).ok()).flatten()
            };
            let halves = half(found).zip(half(found + 6));
            let character = halves.and_then(|(high, low)| {
                char::decode_utf16([high, low])
                    .next()?
                    .ok()
                    .filter(|character| *character > '\u{FFFF}')
            });
            if let Some(character) = character {
                at = found + LENGTH;
                return Some((found, character));
            }
            let escaped = text.get(found + 1..)?.chars().next()?;
            at = found + 1 + escaped.len_utf8();
        }
    })
}

/// An event that does not borrow from the text that was parsed.
pub(super) fn owned<'a>(event: Event<'_>) -> Event<'a> {
    let tag = |tag: Option<Cow<'_, Tag>>| tag.map(|tag| Cow::Owned(tag.into_owned()));
    match event {
        Event::Scalar(text, style, anchor, of) => {
            Event::Scalar(Cow::Owned(text.into_owned()), style, anchor, tag(of))
        }
        Event::SequenceStart(anchor, of) => Event::SequenceStart(anchor, tag(of)),
        Event::MappingStart(anchor, of) => Event::MappingStart(anchor, tag(of)),
        Event::Nothing => Event::Nothing,
        Event::StreamStart => Event::StreamStart,
        Event::StreamEnd => Event::StreamEnd,
        Event::DocumentStart(explicit) => Event::DocumentStart(explicit),
        Event::DocumentEnd => Event::DocumentEnd,
        Event::Alias(anchor) => Event::Alias(anchor),
        Event::SequenceEnd => Event::SequenceEnd,
        Event::MappingEnd => Event::MappingEnd,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse;

    fn read(text: &str) -> serde_json::Value {
        let root = parse(text, 7).unwrap().root.unwrap();
        root.to_json()
    }

    #[test]
    fn a_pair_is_the_character() {
        let text =
            r#"{"a": "x \ud83d\ude00 y\n", "\uD83D\uDE00": ["\ud83d\ude00\ud83d\ude01", 1]}"#;
        let meant: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(read(text), meant);
        let text = "# ö\na: \"x \\ud83d\\ude00\n  y\"\nb: &b \"\\ud83d\\ude00\"\nc: *b\n";
        assert_eq!(read(text), json!({"a": "x 😀 y", "b": "😀", "c": "😀"}));
    }

    #[test]
    fn outside_of_double_quotes_it_is_what_is_written() {
        let text = "a: \\ud83d\\ude00\nb: '\\ud83d\\ude00'\nc: |\n  \\ud83d\\ude00\nd: \"\\ud83d\\ude00\"\n";
        let written = "\\ud83d\\ude00";
        let block = format!("{written}\n");
        assert_eq!(
            read(text),
            json!({"a": written, "b": written, "c": block, "d": "😀"})
        );
        assert_eq!(
            read(r#"{"a": "\\ud83d", "b": "\ud83d\ude00"}"#),
            json!({"a": "\\ud83d", "b": "😀"})
        );
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "a: \"\\ud83d\\ude00 ö\"\nbc: \"\\ud83d\\ude00\"\nd: e\n";
        let root = parse(text, 7).unwrap().root.unwrap();
        let span = |key: &str| {
            let span = root.get(key).unwrap().span.clone();
            &text[span.start - 7..span.end - 7]
        };
        assert_eq!(span("a"), "\"\\ud83d\\ude00 ö\"");
        assert_eq!(span("bc"), "\"\\ud83d\\ude00\"");
        assert_eq!(span("d"), "e");
    }

    #[test]
    fn a_half_alone_stays_a_fault_at_its_place() {
        for text in [
            r#"a: "\ud83d""#,
            r#"a: "\ude00\ud83d""#,
            r#"a: "\ud83d\ude00 \ud83d x""#,
            r#"a: "\ud83d\\ude00""#,
        ] {
            let fault = parse(text, 0).unwrap_err();
            assert!(
                fault.message.contains("is half a character"),
                "{}",
                fault.message
            );
            assert!(text[fault.span.clone()].starts_with("\\ud"), "{text}");
        }
        let fault = parse(r#"a: "\ud83d\ude00 \ud83d x""#, 0).unwrap_err();
        assert_eq!(fault.span.start, 17);
    }

    #[test]
    fn another_fault_beside_it_is_told() {
        let fault = parse("a: \"\\ud83d\\ude00\"\nb: [c\nd: e\n", 0).unwrap_err();
        assert!(
            fault.message.contains("the `[` here is not closed"),
            "{}",
            fault.message
        );
        assert_eq!(fault.span.start, 21);
    }
}
