//! Finds the last JSON object in a text that holds other things too.
//!
//! A script prints banners, braces that are no JSON, cut-off structures. Trying a parser at every
//! brace is quadratic on hostile text, so this is one recogniser that never looks at a byte more
//! than a few times: an attempt that fails at a byte has failed for every object that was open at
//! that byte, and braces that it took for the start of an object need no attempt of their own.
//! Only braces inside what the attempt took for a string are tried again, and a string never
//! crosses a line.

use std::ops::Range;

/// The byte range of the last complete JSON object of a text: the one that ends last, the outermost
/// if several end there.
pub(crate) fn last_object(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // Ends of objects are braces: no closing brace, no object.
    let end = bytes.iter().rposition(|byte| *byte == b'}')? + 1;
    let mut scan = Scan {
        bytes: bytes.get(..end)?,
        tried: vec![0; end / 64 + 1],
        last: None,
    };
    let mut from = 0;
    while let Some(start) = scan.next_untried(from) {
        from = match scan.attempt(start) {
            Some(end) => end,
            None => start + 1,
        };
    }
    scan.last
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    KeyOrEnd,
    Key,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

/// Marks an open array on the stack; an open object is there with its start.
const ARRAY: u32 = u32::MAX;

struct Scan<'a> {
    bytes: &'a [u8],
    /// One bit a byte: this brace was already taken for the start of an object.
    tried: Vec<u64>,
    last: Option<Range<usize>>,
}

impl Scan<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn next_untried(&self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        rest.iter()
            .enumerate()
            .find(|(index, byte)| **byte == b'{' && !self.is_tried(from + index))
            .map(|(index, _)| from + index)
    }

    fn is_tried(&self, at: usize) -> bool {
        self.tried
            .get(at / 64)
            .is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    fn open(&mut self, at: usize, stack: &mut Vec<u32>) -> Option<()> {
        if let Some(word) = self.tried.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
        stack.push(u32::try_from(at).ok().filter(|start| *start != ARRAY)?);
        Some(())
    }

    /// Reads an object that starts here; the end of it, or `None` if there is none.
    fn attempt(&mut self, start: usize) -> Option<usize> {
        let mut stack = Vec::new();
        self.open(start, &mut stack)?;
        let mut expect = Expect::KeyOrEnd;
        let mut at = start + 1;
        loop {
            let byte = self.byte(at)?;
            match (byte, expect) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => at += 1,
                (b'"', Expect::KeyOrEnd | Expect::Key) => {
                    at = self.string(at)?;
                    expect = Expect::Colon;
                }
                (b':', Expect::Colon) => {
                    at += 1;
                    expect = Expect::Value;
                }
                (b',', Expect::CommaOrEnd) => {
                    at += 1;
                    expect = if stack.last() == Some(&ARRAY) {
                        Expect::Value
                    } else {
                        Expect::Key
                    };
                }
                (b'}', Expect::KeyOrEnd | Expect::CommaOrEnd) => {
                    let opened = stack.pop().filter(|opened| *opened != ARRAY)? as usize;
                    at += 1;
                    if self
                        .last
                        .as_ref()
                        .is_none_or(|last| last.end < at || (last.end == at && opened < last.start))
                    {
                        self.last = Some(opened..at);
                    }
                    if stack.is_empty() {
                        return Some(at);
                    }
                    expect = Expect::CommaOrEnd;
                }
                (b']', Expect::ValueOrEnd | Expect::CommaOrEnd) => {
                    stack.pop().filter(|opened| *opened == ARRAY)?;
                    at += 1;
                    expect = Expect::CommaOrEnd;
                }
                (b'{', Expect::Value | Expect::ValueOrEnd) => {
                    self.open(at, &mut stack)?;
                    at += 1;
                    expect = Expect::KeyOrEnd;
                }
                (b'[', Expect::Value | Expect::ValueOrEnd) => {
                    stack.push(ARRAY);
                    at += 1;
                    expect = Expect::ValueOrEnd;
                }
                (_, Expect::Value | Expect::ValueOrEnd) => {
                    at = self.scalar(at, byte)?;
                    expect = Expect::CommaOrEnd;
                }
                _ => return None,
            }
        }
    }

    fn scalar(&self, at: usize, byte: u8) -> Option<usize> {
        match byte {
            b'"' => self.string(at),
            b't' => self.word(at, b"true"),
            b'f' => self.word(at, b"false"),
            b'n' => self.word(at, b"null"),
            // Python's words for what JSON does not have.
            b'N' => self.word(at, b"NaN"),
            b'I' => self.word(at, b"Infinity"),
            b'-' if self.byte(at + 1) == Some(b'I') => self.word(at, b"-Infinity"),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => None,
        }
    }

    fn word(&self, at: usize, word: &[u8]) -> Option<usize> {
        self.bytes
            .get(at..)?
            .starts_with(word)
            .then_some(at + word.len())
    }

    /// The end of a string whose opening quote is here.
    fn string(&self, quote: usize) -> Option<usize> {
        let mut at = quote + 1;
        loop {
            match self.byte(at)? {
                b'"' => return Some(at + 1),
                b'\\' => {
                    at += match self.byte(at + 1)? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                        b'u' => {
                            let digits = self.bytes.get(at + 2..at + 6)?;
                            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)?
                        }
                        _ => return None,
                    };
                }
                0..0x20 => return None,
                _ => at += 1,
            }
        }
    }

    fn digits(&self, mut at: usize) -> Option<usize> {
        let start = at;
        while self.byte(at).is_some_and(|byte| byte.is_ascii_digit()) {
            at += 1;
        }
        (at > start).then_some(at)
    }

    fn number(&self, mut at: usize) -> Option<usize> {
        if self.byte(at) == Some(b'-') {
            at += 1;
        }
        at = if self.byte(at) == Some(b'0') {
            at + 1
        } else {
            self.digits(at)?
        };
        if self.byte(at) == Some(b'.') {
            at = self.digits(at + 1)?;
        }
        if matches!(self.byte(at), Some(b'e' | b'E')) {
            at += 1;
            if matches!(self.byte(at), Some(b'+' | b'-')) {
                at += 1;
            }
            at = self.digits(at)?;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn last(text: &str) -> Option<&str> {
        last_object(text).map(|range| &text[range])
    }

    #[test]
    fn the_last_and_outermost_object_is_found() {
        assert_eq!(
            last("{\"step\": 1}\n{\"step\": 2}\nbye"),
            Some("{\"step\": 2}")
        );
        assert_eq!(
            last("a {\"a\": {\"b\": [{\"c\": 1}]}} z"),
            Some("{\"a\": {\"b\": [{\"c\": 1}]}}")
        );
        assert_eq!(last("plugins {3 of 3}\n{}"), Some("{}"));
        assert_eq!(last("{'a': {\"b\": 1}}"), Some("{\"b\": 1}"));
        assert_eq!(last("cut {\"a\":\n{\"ok\": 1}"), Some("{\"ok\": 1}"));
        assert_eq!(last("cut {\"a {\"ok\": 1}"), Some("{\"ok\": 1}"));
        assert_eq!(last("{\"s\": \"{}\"} }"), Some("{\"s\": \"{}\"}"));
        assert_eq!(last("{\"s\": \"{}\", oops}"), Some("{}"));
        assert_eq!(
            last("a {\"a\": [NaN, -Infinity], \"b\": {}} z"),
            Some("{\"a\": [NaN, -Infinity], \"b\": {}}")
        );
        assert_eq!(last("no } { object"), None);
        assert_eq!(last("{\"a\": 01}{\"a\":1,}{\"a\" 1}{a:1}"), None);
    }

    /// A bound on time that quadratic work on these sizes (10¹¹ steps and more) cannot meet.
    #[test]
    fn hostile_text_takes_one_pass() {
        let started = std::time::Instant::now();
        for unit in [
            "{",
            "{\"a\":",
            "{\"a\":[",
            "{\"{\":[",
            "[{\"",
            "{\"a\":\"{",
            "{\"a\":{},",
            "{}",
            "{\"a\\\"{",
            "{ ",
        ] {
            let text = unit.repeat((1 << 20) / unit.len());
            last_object(&(text.clone() + "}"));
            last_object(&(text + "\n{\"ok\":1}"));
        }
        assert!(started.elapsed().as_secs() < 60);
    }

    fn json(depth: u32) -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(depth, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((".*", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn noise() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[{}\\[\\]\":,\\\\a0 \t-]{0,12}",
            ".{0,12}",
            Just("\n".to_owned()),
            Just("{\"a\":[".to_owned()),
            Just("{\"a\":1}".to_owned()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat() + "\n")
    }

    /// What the scan must find, by trying a real parser at every brace.
    fn by_brute_force(text: &str) -> Option<Range<usize>> {
        let mut best: Option<Range<usize>> = None;
        for (start, _) in text.match_indices('{') {
            let mut stream =
                serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
            if let Some(Ok(_)) = stream.next() {
                let range = start..start + stream.byte_offset();
                if best.as_ref().is_none_or(|best| best.end < range.end) {
                    best = Some(range);
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn an_object_after_any_noise_is_found(before in noise(), value in json(3), pretty: bool) {
            let object = serde_json::json!({ "value": value });
            let printed = if pretty { serde_json::to_string_pretty(&object)? } else { object.to_string() };
            let text = format!("{before}{printed}\nbye");
            prop_assert_eq!(last(&text), Some(printed.as_str()));
        }

        #[test]
        fn the_scan_agrees_with_a_parser_at_every_brace(text in noise()) {
            prop_assert_eq!(last_object(&text), by_brute_force(&text));
        }

        #[test]
        fn any_text_returns(text in ".*") {
            last_object(&text);
        }
    }
}
