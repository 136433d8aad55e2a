//! JSON as scripts write it.
//!
//! Python's `json.dumps` writes `NaN` and `Infinity`, and half a surrogate pair, which no JSON reader
//! takes. A script that reports its failure that way must not pass for one that printed some text, so
//! these are read as what JSON has for them, and it is told.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::{Map, Value};

/// So many values are read. One takes 72 bytes and more, so that of a list of small ones the memory would be
/// fifty times the text. Numbers with six digits and a comma, as lists of points have, reach the bound on bytes first.
const MOST_VALUES: usize = 500_000;

/// What was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// What of it is not as the script wrote it.
    pub(crate) notes: Vec<String>,
    /// The script's own text, when the value holds an integer that lost digits.
    pub(crate) exact: Option<String>,
    /// What stood in the object that the text is before a later member of the same name, in order.
    pub(crate) overwritten: Vec<(String, Value)>,
}

/// Reads a text that is one JSON value, or nearly.
///
/// # Errors
/// Why it is none.
pub(crate) fn read(text: &str) -> Result<Read, String> {
    if holds_too_many(text) {
        return Err(format!(
            "{TOO_MANY} of {MOST_VALUES} values; write large results to a file and print where it is"
        ));
    }
    let strict = parse(text);
    let strict = match strict {
        Ok((value, overwritten)) if !holds_large_number(&value) => {
            return Ok(Read {
                value,
                notes: Vec::new(),
                exact: None,
                overwritten,
            });
        }
        other => other,
    };
    let mended = Mended::of(text);
    let (value, overwritten) = match strict {
        Ok(read) => read,
        Err(error) => parse(&mended.text).map_err(|_| reason(text, &error))?,
    };
    let mut notes = Vec::new();
    if mended.has_no_number {
        notes.push("the script printed NaN, Infinity or a number that large, which JSON does not have; they were read as null".to_owned());
    }
    if mended.has_half_pair {
        notes.push(
            "the script printed halves of surrogate pairs; they were read as U+FFFD".to_owned(),
        );
    }
    if mended.has_large_integer {
        notes.push("the result holds integers beyond 64 bits, which lose digits in the structured result; the text has them as the script printed them".to_owned());
    }
    Ok(Read {
        value,
        notes,
        exact: mended.has_large_integer.then(|| text.to_owned()),
        overwritten,
    })
}

/// How a refusal for the number of values begins.
pub(crate) const TOO_MANY: &str = "it is over the limit";

/// Whether there are more values than are read, counted by what stands between and around them outside of strings.
fn holds_too_many(text: &str) -> bool {
    if text.len() <= MOST_VALUES || !text.starts_with(['[', '{']) {
        return false;
    }
    let (mut count, mut rest) = (0, text);
    // One long string is passed over as quickly as its end is found.
    while let Some((outside, behind)) = rest.split_once('"') {
        count += between_values(outside);
        if count > MOST_VALUES {
            return true;
        }
        rest = behind_string(behind);
    }
    count + between_values(rest) > MOST_VALUES
}

fn between_values(text: &str) -> usize {
    let signs = text.bytes();
    signs
        .filter(|byte| matches!(byte, b',' | b'[' | b'{'))
        .count()
}

/// What stands behind a string that has begun.
fn behind_string(mut text: &str) -> &str {
    while let Some((inside, behind)) = text.split_once('"') {
        let escapes = inside.bytes().rev().take_while(|byte| *byte == b'\\');
        if escapes.count() % 2 == 0 {
            return behind;
        }
        text = behind;
    }
    ""
}

/// The value, and what stood in the object that it is before a later member of the same name.
fn parse(text: &str) -> serde_json::Result<(Value, Vec<(String, Value)>)> {
    if !text.starts_with('{') {
        return Ok((serde_json::from_str(text)?, Vec::new()));
    }
    let mut overwritten = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(Members(&mut overwritten))?;
    reader.end()?;
    Ok((Value::Object(members), overwritten))
}

/// Reads an object and leaves what a later member of the same name has taken the place of.
struct Members<'f>(&'f mut Vec<(String, Value)>);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut read = Map::new();
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            // The name is wanted twice only where it comes twice.
            if let Some(there) = read.get_mut(&name) {
                let before = std::mem::replace(there, value);
                self.0.push((name, before));
            } else {
                read.insert(name, value);
            }
        }
        Ok(read)
    }
}

/// In words that tell a script's author what to do, where the mistake is a known one.
fn reason(text: &str, error: &serde_json::Error) -> String {
    let error = error.to_string();
    let python = [": True", ": False", ": None", "': "];
    if error.contains("recursion limit") {
        "it is nested deeper than 128 levels".to_owned()
    } else if python.iter().any(|sign| text.contains(sign)) {
        "it is Python's own spelling of a dict; print json.dumps(...) of it".to_owned()
    } else {
        error
    }
}

/// Whether some number was read to a near one, which an integer beyond 64 bits is.
fn holds_large_number(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number)
                if number.is_f64()
                    && number.as_f64().is_some_and(|float| float.abs() >= 9.2e18) =>
            {
                return true;
            }
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}

/// A text with JSON's words for what JSON does not have.
#[derive(Default)]
struct Mended {
    text: String,
    has_no_number: bool,
    has_half_pair: bool,
    has_large_integer: bool,
}

impl Mended {
    fn of(text: &str) -> Self {
        let mut mended = Self {
            text: String::with_capacity(text.len()),
            ..Self::default()
        };
        let mut rest = text;
        let mut in_string = false;
        while let Some(first) = rest.chars().next() {
            let taken = if in_string {
                in_string = first != '"';
                mended.in_string(rest, first)
            } else {
                in_string = first == '"';
                mended.outside(rest, first)
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        mended
    }

    /// Takes one piece of a string over and tells its length.
    fn in_string(&mut self, rest: &str, first: char) -> usize {
        let plain = match first {
            '\\' => match unit(rest) {
                Some(0xD800..=0xDBFF)
                    if matches!(rest.get(6..).and_then(unit), Some(0xDC00..=0xDFFF)) =>
                {
                    12
                }
                Some(0xD800..=0xDFFF) => {
                    self.has_half_pair = true;
                    self.text.push_str("\\ufffd");
                    return 6;
                }
                Some(_) => 6,
                None => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            },
            '"' => 1,
            _ => rest.find(['"', '\\']).unwrap_or(rest.len()),
        };
        self.text.push_str(rest.get(..plain).unwrap_or_default());
        plain
    }

    /// Takes one piece between strings over and tells its length.
    fn outside(&mut self, rest: &str, first: char) -> usize {
        for word in ["NaN", "Infinity", "-Infinity"] {
            if rest.starts_with(word) {
                self.has_no_number = true;
                self.text.push_str("null");
                return word.len();
            }
        }
        if !matches!(first, '-' | '0'..='9') {
            self.text.push(first);
            return first.len_utf8();
        }
        let is_part = |c: char| matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let number = rest.get(..length).unwrap_or_default();
        let is_integer = !number.contains(['.', 'e', 'E']);
        if is_integer && number.parse::<u64>().is_err() && number.parse::<i64>().is_err() {
            self.has_large_integer = true;
        }
        if number.parse::<f64>().is_ok_and(f64::is_infinite) {
            self.has_no_number = true;
            self.text.push_str("null");
        } else {
            self.text.push_str(number);
        }
        length
    }
}

/// The code unit of a `\u` escape at the start of the text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_does_not_have_is_read_as_what_it_has() {
        for (text, value, word) in [
            (
                r#"{"success": false, "loss": NaN}"#,
                json!({"success": false, "loss": null}),
                "NaN",
            ),
            (
                r#"{"a": [Infinity, -Infinity, 1e999, -1E999], "NaN": "Infinity"}"#,
                json!({"a": [null, null, null, null], "NaN": "Infinity"}),
                "NaN",
            ),
            (
                r#"{"a": "\udc80\ud83d\ude00\ud83dx\\ud800"}"#,
                json!({"a": "\u{fffd}😀\u{fffd}x\\ud800"}),
                "surrogate",
            ),
        ] {
            let read = read(text).unwrap();
            assert_eq!(read.value, value, "{text}");
            assert!(
                read.notes.len() == 1 && read.notes[0].contains(word),
                "{:?}",
                read.notes
            );
            assert_eq!(read.exact, None);
        }
        for plain in ["{\"a\": 1.5e300}", "[1, 18446744073709551615]", "3"] {
            assert_eq!(read(plain).unwrap().notes, [""; 0], "{plain}");
        }
    }

    #[test]
    fn integers_beyond_64_bits_keep_their_text() {
        for text in [
            r#"{"id": 123456789012345678901234567890}"#.to_owned(),
            format!("[-{}]", "9".repeat(400)),
        ] {
            let read = read(&text).unwrap();
            assert_eq!(read.exact.as_deref(), Some(text.as_str()));
            assert!(read.notes.iter().any(|note| note.contains("64 bits")));
        }
    }

    #[test]
    fn a_member_that_stands_twice_is_found() {
        for (text, found) in [
            (r#"{"a": 1, "b": {"a": 1}, "c": [{"d": 1, "d": 2}]}"#, None),
            (r#"{"a": NaN, "b": 1, "a": Infinity}"#, Some("a")),
            ("{\"\\u0061\": 1, \"a\": 1}", Some("a")),
            (r#"["a", "a"]"#, None),
        ] {
            let overwritten = read(text).unwrap().overwritten;
            let name = overwritten.first().map(|(name, _)| name.as_str());
            assert_eq!(name, found, "{text}");
        }
        assert_eq!(
            read(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap().value,
            json!({"a": 3, "b": 2})
        );
    }

    #[test]
    fn what_is_none_says_why() {
        for (text, word) in [
            ("{'a': 1}", "json.dumps"),
            ("{\"a\": True}", "json.dumps"),
            ("{\"a\": 1,}", "trailing comma"),
            ("NaN of 3", "expected"),
        ] {
            let reason = read(text).unwrap_err();
            assert!(reason.contains(word), "{text}: {reason}");
        }
        let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
        assert_eq!(
            read(&deep).unwrap_err(),
            "it is nested deeper than 128 levels"
        );
    }

    proptest! {
        #[test]
        fn any_text_returns(text in ".*") {
            let _ = read(&text);
            let _ = read(&format!("{{{text}}}"));
        }
    }
}
