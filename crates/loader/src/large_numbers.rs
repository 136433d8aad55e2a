//! Whole numbers that no number of JSON holds as clients read it.

use metier_diagnostics::Severity;

use crate::codes;
use crate::findings::{Findings, brief};
use crate::yaml::{Kind, Node};

/// No shorter number is beyond 64 bits.
const SHORTEST: usize = 19;

/// Tells of every whole number in the front matter that reaches clients as another one.
pub(crate) fn tell_large_numbers(findings: &mut Findings<'_>, root: &Node<'_>) {
    let mut open = vec![root];
    // An alias of a node is not another place.
    let mut told = Vec::new();
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Scalar { text, plain } => {
                if *plain && is_whole(text) && !told.contains(&node.span.start) {
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

fn tell(findings: &mut Findings<'_>, node: &Node<'_>, text: &str) {
    if !findings.has_room(Severity::Warning) {
        findings.left_out_at(Severity::Warning, &node.span);
        return;
    }
    let read = node.to_json();
    let message = format!(
        "the whole number `{}` is beyond 64 bits: clients are told {read}",
        brief(text)
    );
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
            "1e400",
            "",
        ] {
            assert!(!is_whole(text), "{text}");
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
