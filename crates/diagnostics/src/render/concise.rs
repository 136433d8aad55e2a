//! One line a finding, as compilers and `grep -n` write it, so that editors can jump.

use std::fmt::Write as _;

use crate::Diagnostic;

/// Every finding on a line of its own, in the given order.
pub fn concise<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", single_line(&diagnostic.to_string()));
    }
    text
}

/// A message may quote a file's text; its line ends must not break the one-line form.
fn single_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
