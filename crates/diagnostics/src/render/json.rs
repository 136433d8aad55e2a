//! Findings for machines.

use crate::Diagnostic;

/// Every finding as one JSON object on a line of its own (JSON Lines).
pub fn json_lines<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        // A diagnostic is made of text and numbers, which always serialize.
        if let Ok(line) = serde_json::to_string(diagnostic) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}
