//! What a reader of JSON would change without a word.
//!
//! A fraction with more digits than a number holds can become a whole number, which is another kind of value
//! to a schema. The value that a JSON text becomes holds integers up to 64 bits and one value for each key. A larger
//! integer would become a nearby one, and of two values for a key the last would win: a script would work
//! with another identifier, or other settings, than the caller wrote. So the text itself is looked at.

use std::collections::HashSet;

use crate::ArgumentFault;
use crate::schema_fault::{MOST_FAULTS, clipped};

const STANDS_TWICE: &str = "stands twice in the same object; send it once";

/// The places in a JSON text of members that stand twice in one object: readers take one of the two, and not all the
/// same.
///
/// ```
/// assert_eq!(metier_tool::repeated_members(r#"{"a": {"b": 1, "b": 2}}"#), ["a.b"]);
/// ```
pub fn repeated_members(text: &str) -> Vec<String> {
    let faults = inexact(text).into_iter();
    let repeated = faults.filter(|fault| fault.message == STANDS_TWICE);
    repeated.map(|fault| fault.path).collect()
}

/// What of a JSON text cannot be carried exactly: integers beyond 64 bits, keys that stand twice in one
/// object, and fractions so near to a whole number that they become one. Other fractions are read to the
/// nearest binary number, as everywhere in JSON.
///
/// The text has to be JSON already; of anything else nothing is told.
///
/// ```
/// use metier_tool::inexact;
///
/// assert_eq!(inexact(r#"{"id": 18446744073709551615, "size": 1e30}"#), []);
/// let faults = inexact(r#"{"id": 18446744073709551616, "a": [{"b": 1, "b": 2}]}"#);
/// let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
/// assert_eq!(told, [
///     "id: the integer 18446744073709551616 is too large to be carried exactly: 64 bits are the most (send text where the tool takes it)",
///     "a[0].b: stands twice in the same object; send it once",
/// ]);
/// ```
pub fn inexact(text: &str) -> Vec<ArgumentFault> {
    let mut faults = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = match first {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => number_length(rest),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let Some((token, after)) = rest.split_at_checked(length) else {
            return faults;
        };
        rest = after;
        let mut tell = |levels: &[Level], message: String| {
            faults.push(ArgumentFault {
                path: place(levels),
                message,
            });
        };
        match first {
            b'{' => levels.push(Level::Object {
                seen: HashSet::new(),
                key: String::new(),
            }),
            b'[' => levels.push(Level::Array(0)),
            b'}' | b']' => _ = levels.pop(),
            b',' => {
                if let Some(Level::Array(index)) = levels.last_mut() {
                    *index += 1;
                }
            }
            b'"' if rest.trim_start().starts_with(':') => {
                let name: String = serde_json::from_str(token).unwrap_or_default();
                if let Some(Level::Object { seen, key }) = levels.last_mut() {
                    key.clone_from(&name);
                    if !seen.insert(name) {
                        tell(&levels, STANDS_TWICE.to_owned());
                    }
                }
            }
            b'-' | b'0'..=b'9' if becomes_whole(token) => tell(
                &levels,
                format!(
                    "the fraction {} cannot be told from a whole number; send fewer digits, or text",
                    clipped(&token)
                ),
            ),
            b'-' | b'0'..=b'9' if is_too_large(token) => tell(
                &levels,
                format!(
                    "the integer {} is too large to be carried exactly: 64 bits are the most (send text where the tool takes it)",
                    clipped(&token)
                ),
            ),
            _ => {}
        }
        if faults.len() >= MOST_FAULTS {
            break;
        }
    }
    faults
}

/// An object or a list that is not closed yet.
enum Level {
    Object { seen: HashSet<String>, key: String },
    Array(usize),
}

fn place(levels: &[Level]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::Object { key, .. } if path.is_empty() => path.clone_from(key),
            Level::Object { key, .. } => path = format!("{path}.{key}"),
            Level::Array(index) => path = format!("{path}[{index}]"),
        }
    }
    clipped(&path)
}

fn is_too_large(number: &str) -> bool {
    let is_integer = !number.contains(['.', 'e', 'E']);
    is_integer && number.parse::<u64>().is_err() && number.parse::<i64>().is_err()
}

/// Whether a number is no whole one and would be read as one: `1.0000000000000000000001` as 1.
fn becomes_whole(number: &str) -> bool {
    // Fewer digits than this always keep their fraction.
    if number.len() <= 15 || !number.contains(['.', 'e', 'E']) {
        return false;
    }
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let written = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = written.trim_end_matches('0');
    let zeros = i64::try_from(written.len() - significant.len()).unwrap_or(i64::MAX);
    let after_point = i64::try_from(fraction.len()).unwrap_or(i64::MAX) - zeros;
    let Ok(exponent) = exponent.parse::<i64>() else {
        return false;
    };
    let has_fraction = !significant.trim_start_matches('0').is_empty() && exponent < after_point;
    // Beyond 2^53 there are no fractions, and every number is as near as it can be.
    let is_read_whole = number
        .parse::<f64>()
        .is_ok_and(|read| read.fract() == 0.0 && read.abs() < 9_007_199_254_740_992.0);
    has_fraction && is_read_whole
}

fn number_length(text: &str) -> usize {
    let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

/// The length of a string with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (n, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return n + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn told(text: &str) -> Vec<String> {
        inexact(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn integers_of_64_bits_pass_and_larger_ones_are_named() {
        for fine in [
            "{}",
            "[-9223372036854775808, 18446744073709551615, 0, -0]",
            r#"{"a": 123456789012345678901234567890.0, "b": 1E400, "c": "123456789012345678901234567890"}"#,
            r#"{"a": "\"b\": 99999999999999999999, {", "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]}"#,
        ] {
            assert_eq!(told(fine), [""; 0], "{fine}");
        }
        assert_eq!(
            told(r#"{"a": {"b": [1, 2, -9223372036854775809]}}"#),
            [
                "a.b[2]: the integer -9223372036854775809 is too large to be carried exactly: 64 bits are the most (send text where the tool takes it)"
            ]
        );
        let long = format!("{{\"a\": {}}}", "9".repeat(1 << 20));
        assert!(told(&long)[0].len() < 400);
    }

    #[test]
    fn a_fraction_that_would_become_a_whole_number_is_named() {
        for fine in [
            "[1.0, 1.000000000000000000000, 10000000000000000000000e-22, 0.1000000000000000055511151231257827]",
            "[12345678901234567890.5, 0.0000000000000000000, 1.0000000000000002, 1e-10000000000000000000]",
            "[0e-1000000000000000]",
        ] {
            assert_eq!(told(fine), [""; 0], "{fine}");
        }
        for (number, place) in [
            ("1.0000000000000000000001", "a"),
            ("-10000000000000000000001e-22", "a"),
            ("0.99999999999999999999", "a"),
        ] {
            assert_eq!(
                told(&format!("{{\"a\": {number}}}")),
                [format!(
                    "{place}: the fraction {number} cannot be told from a whole number; send fewer digits, or text"
                )]
            );
        }
    }

    #[test]
    fn a_key_is_the_same_however_it_is_written() {
        assert_eq!(
            told(r#"{"size": 1, "\u0073ize" : 2, "o": {"size": 3}}"#),
            ["size: stands twice in the same object; send it once"]
        );
        let many = format!("{{{}}}", vec!["\"a\":1"; 10_000].join(","));
        assert_eq!(told(&many).len(), MOST_FAULTS);
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_a_round_trip_would_change(keys in proptest::collection::vec("[ab]", 0..4), numbers in proptest::collection::vec("-?[1-9][0-9]{0,24}", 4)) {
            let members: Vec<_> = keys.iter().zip(&numbers).map(|(key, number)| format!("\"{key}\":{number}")).collect();
            let text = format!("{{{}}}", members.join(","));
            let read: Value = serde_json::from_str(&text).unwrap();
            let written = read.to_string();
            prop_assert_eq!(inexact(&text).is_empty(), written == text);
        }

        #[test]
        fn no_text_breaks_it(text in ".*") {
            inexact(&text);
        }
    }
}
