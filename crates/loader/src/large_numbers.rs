//! Numbers that no number of JSON holds as clients read it.

use metier_diagnostics::Severity;

use serde_json::Value;

use crate::codes;
use crate::findings::{Findings, brief};
use crate::yaml::{Kind, Node};

/// No shorter number is beyond 64 bits.
const SHORTEST: usize = 19;

/// Tells of every number in the front matter that reaches clients as another one, or as text.
pub(crate) fn tell_large_numbers(findings: &mut Findings<'_>, root: &Node<'_>) {
    let mut open = vec![root];
    // An alias of a node is not another place.
    let mut told = Vec::new();
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Scalar { text, plain } => {
                if *plain
                    && (is_whole(text) || is_no_json(text))
                    && !told.contains(&node.span.start)
                {
                    told.push(node.span.start);
                    tell(findings, node, text);
                }
            }
            Kind::List(items) => open.extend(items.iter().rev()),
            Kind::Map(entries) => open.extend(entries.iter().rev().map(|(_, value)| value)),
        }
    }
}

/// Whether it is all digits and of no type of 64 bits.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.len() >= SHORTEST
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<i64>().is_err()
        && text.parse::<u64>().is_err()
}

/// Whether readers of YAML take it for a number for which JSON has none: infinity, what is none at all, what is too large for
/// a decimal of 64 bits, and whole numbers of other bases that 64 bits do not hold.
fn is_no_json(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    for (prefix, base) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
            return is_number && u64::from_str_radix(digits, base).is_err();
        }
    }
    unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !is_whole(text)
        && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

fn tell(findings: &mut Findings<'_>, node: &Node<'_>, text: &str) {
    if !findings.has_room(Severity::Warning) {
        findings.left_out_at(Severity::Warning, &node.span);
        return;
    }
    let read = node.to_json();
    let text = brief(text);
    let message = match read {
        Value::Number(read) => {
            format!("the whole number `{text}` is beyond 64 bits: clients are told {read}")
        }
        _ => format!("the number `{text}` is none that JSON holds: clients are told a text"),
    };
    findings
        .warning(codes::LARGE_NUMBER, &node.span, message)
        .help("put it into quotes, so that it stays as it is written");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_64_bits_hold_is_left_alone() {
        for text in [
            "18446744073709551615",
            "-9223372036854775808",
            "+9223372036854775807",
            "0000000000000000000001",
            "1234567890123456789012.5",
            "0xFFFFFFFFFFFFFFFF",
            "0o1777777777777777777777",
            "0x",
            "0xyz",
            "1e300",
            ".infinity",
            "inf",
            "infinity",
            "+.nan",
            "1.2.3e400",
            "",
        ] {
            assert!(!is_whole(text) && !is_no_json(text), "{text}");
        }
        for text in [
            ".inf",
            "-.INF",
            "+.Inf",
            ".nan",
            ".NaN",
            "1e400",
            "-1.5E+400",
            "0x10000000000000000",
            "0o2000000000000000000000",
        ] {
            assert!(!is_whole(text) && is_no_json(text), "{text}");
        }
        for text in [
            "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890",
        ] {
            assert!(is_whole(text), "{text}");
        }
    }
}
