//! JUnit's XML, which build servers show as test results.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Diagnostic, Severity};

/// One test suite a file, one test case a finding: an error is a failure, anything else is a passed
/// case that says what was found. A checked file without any finding is one passed case: build servers take a report
/// without cases for a broken one.
pub fn junit<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    checked: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut files: BTreeMap<&str, Vec<&Diagnostic>> =
        checked.into_iter().map(|file| (file, Vec::new())).collect();
    for diagnostic in diagnostics {
        let file = diagnostic
            .location()
            .map_or("", |location| location.file.as_str());
        files.entry(file).or_default().push(diagnostic);
    }
    let failures = |found: &[&Diagnostic]| {
        found
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count()
    };
    let all: Vec<&Diagnostic> = files.values().flatten().copied().collect();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        xml,
        "<testsuites name=\"metier\" tests=\"{}\" failures=\"{}\" errors=\"0\">",
        files
            .values()
            .map(|found| found.len().max(1))
            .sum::<usize>(),
        failures(&all)
    );
    for (file, found) in &files {
        let name = if file.is_empty() { "." } else { file };
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">",
            escaped(name),
            found.len().max(1),
            failures(found)
        );
        if found.is_empty() {
            let _ = writeln!(
                xml,
                "    <testcase name=\"no findings\" classname=\"{}\"/>",
                escaped(name)
            );
        }
        for diagnostic in found {
            case(&mut xml, name, diagnostic);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn case(xml: &mut String, file: &str, diagnostic: &Diagnostic) {
    let line = diagnostic.location().map_or(1, |location| location.line);
    let column = diagnostic.location().map_or(1, |location| location.column);
    let _ = write!(
        xml,
        "    <testcase name=\"{} {} {line}:{column}\" classname=\"{}\" line=\"{line}\">",
        diagnostic.code.id,
        diagnostic.code.name,
        escaped(file)
    );
    let said = escaped(&diagnostic.to_string());
    let _ = if diagnostic.severity == Severity::Error {
        write!(
            xml,
            "<failure message=\"{}\">{said}</failure>",
            escaped(&diagnostic.message)
        )
    } else {
        write!(xml, "<system-out>{said}</system-out>")
    };
    xml.push_str("</testcase>\n");
}

/// Text for XML; what XML 1.0 cannot hold at all is replaced.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(xml, "&#{};", u32::from(c));
            }
            c if c < ' ' || matches!(c, '\u{FFFE}' | '\u{FFFF}') => xml.push('\u{FFFD}'),
            c => xml.push(c),
        }
    }
    xml
}
