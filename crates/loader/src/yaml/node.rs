//! A node of the tree and what it means.

use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::rc::Rc;

use serde_json::{Map, Number, Value};

/// So many bytes of text count as one more node.
const TEXT_OF_A_NODE: usize = 128;

/// The text of a scalar: a part of what was parsed, or its own where escapes or folding changed it.
#[derive(Clone, Debug)]
pub(crate) enum Text<'a> {
    Written(&'a str),
    Made(Rc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Written(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Written(text),
            Cow::Owned(text) => Self::Made(text.into()),
        }
    }
}

/// A value with its place. Cloning shares the content, so an alias costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// The bytes of the text it was written in.
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind<'a>,
    /// How many nodes it is when every alias is written out; long texts count as several, because
    /// an alias of one costs as much.
    pub(crate) size: u64,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    /// A scalar: its text, and whether its meaning is to be read from it (written plain).
    Scalar { text: Text<'a>, plain: bool },
    /// A list.
    List(Rc<[Node<'a>]>),
    /// A mapping in the author's order.
    Map(Rc<[(Node<'a>, Node<'a>)]>),
}

impl<'a> Node<'a> {
    pub(crate) fn scalar(text: Text<'a>, plain: bool, span: Range<usize>) -> Self {
        let size = 1 + (text.len() / TEXT_OF_A_NODE) as u64;
        Self {
            span,
            kind: Kind::Scalar { text, plain },
            size,
        }
    }

    /// The text of a scalar as its author spelled it; `None` for null, lists and mappings.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// The text of any scalar, null included.
    pub(crate) fn scalar_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node<'a>]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn map(&self) -> Option<&[(Node<'a>, Node<'a>)]> {
        match &self.kind {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key, by the text of the key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.map()?
            .iter()
            .find(|(name, _)| name.text() == Some(key))
            .map(|(_, value)| value)
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true }
            if matches!(&**text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Whether it counts as not written: null, or text that is blank.
    pub(crate) fn is_absent(&self) -> bool {
        match &self.kind {
            Kind::Scalar { text, .. } => self.is_null() || text.trim().is_empty(),
            _ => false,
        }
    }

    /// The noun for messages.
    pub(crate) fn noun(&self) -> &'static str {
        match &self.kind {
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Scalar { .. } => match self.to_json() {
                Value::Null => "nothing",
                Value::Bool(_) => "true or false",
                Value::Number(_) => "a number",
                _ => "text",
            },
        }
    }

    /// The YAML 1.2 core reading as JSON, in the author's order.
    ///
    /// What JSON cannot say (infinity, not a number) stays text. Keys are taken as they are spelled.
    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, plain } => match core_scalar(text, *plain) {
                Core::Null => Value::Null,
                Core::Bool(flag) => Value::Bool(flag),
                Core::Number(number) => Value::Number(number),
                Core::Text(text) => Value::String(text.to_owned()),
            },
            Kind::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            Kind::Map(_) => Value::Object(self.to_json_map()),
        }
    }

    /// The same for a mapping; empty for anything else.
    pub(crate) fn to_json_map(&self) -> Map<String, Value> {
        self.map()
            .unwrap_or_default()
            .iter()
            .map(|(key, value)| (key.key_text(), value.to_json()))
            .collect()
    }

    /// A mapping's key as text. One that is no scalar is a fault, and a sign stands for it: whatever it holds may hold
    /// such keys again, and text made of each would double with every level.
    pub(crate) fn key_text(&self) -> String {
        self.key_str().into_owned()
    }

    /// The same, borrowed where it can be.
    pub(crate) fn key_str(&self) -> Cow<'_, str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Cow::Borrowed(text),
            Kind::List(_) => Cow::Borrowed("[…]"),
            Kind::Map(_) => Cow::Borrowed("{…}"),
        }
    }
}

/// What a scalar means.
#[derive(Debug, PartialEq)]
pub(super) enum Core<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'t str),
}

/// The core schema of YAML 1.2: null, true and false, integers in three bases, decimals. What is not written plain is text.
pub(super) fn core_scalar(text: &str, plain: bool) -> Core<'_> {
    match text {
        _ if !plain => Core::Text(text),
        "" | "~" | "null" | "Null" | "NULL" => Core::Null,
        "true" | "True" | "TRUE" => Core::Bool(true),
        "false" | "False" | "FALSE" => Core::Bool(false),
        _ => number(text).map_or(Core::Text(text), Core::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    // Most scalars are words; the first character tells.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
        return plain
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten()
            .map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        let plain = digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
        return plain
            .then(|| u64::from_str_radix(digits, 8).ok())
            .flatten()
            .map(Number::from);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !digits(exponent) {
            return None;
        }
    }
    let decimal = match mantissa.split_once('.') {
        Some((whole, part)) => {
            if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
                return None;
            }
            true
        }
        None if mantissa.is_empty() || !digits(mantissa) => return None,
        None => exponent.is_some(),
    };
    if !decimal {
        let plain = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = plain.parse::<i64>() {
            return Some(number.into());
        }
        if let Ok(number) = plain.parse::<u64>() {
            return Some(number.into());
        }
    }
    Number::from_f64(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_core_schema() {
        for (text, meaning) in [
            ("1.10", json!(1.1)),
            ("1.0", json!(1.0)),
            ("2", json!(2)),
            ("007", json!(7)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("0b1", json!("0b1")),
            ("1e3", json!(1000.0)),
            (".5", json!(0.5)),
            ("5.", json!(5.0)),
            (".", json!(".")),
            ("-", json!("-")),
            ("+.e1", json!("+.e1")),
            ("1_000", json!("1_000")),
            ("-12", json!(-12)),
            ("18446744073709551615", json!(u64::MAX)),
            ("2025-03-01", json!("2025-03-01")),
            ("no", json!("no")),
            ("Yes", json!("Yes")),
            (".inf", json!(".inf")),
            ("True", json!(true)),
            ("~", json!(null)),
        ] {
            let node = Node::scalar(Text::Written(text), true, 0..0);
            assert_eq!(node.to_json(), meaning, "{text}");
        }
    }
}
