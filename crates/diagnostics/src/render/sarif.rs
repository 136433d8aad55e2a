//! SARIF 2.1.0, the form that code scanning services take.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Sources;
use super::texts::Texts;
use crate::{Code, Diagnostic, Label, Location, Severity};

/// Who made the findings.
#[derive(Clone, Copy, Debug)]
pub struct SarifRun<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// One SARIF log with one run.
///
/// Every code that occurs is listed once as a rule with its page. The texts of the files are asked
/// for to tell where a place ends; without them a place is its beginning.
pub fn sarif<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    run: SarifRun<'_>,
    sources: &dyn Sources,
) -> String {
    let diagnostics: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    let mut rules: BTreeMap<&str, (usize, Code)> = BTreeMap::new();
    for diagnostic in &diagnostics {
        rules
            .entry(diagnostic.code.id)
            .or_insert((0, diagnostic.code));
    }
    for (number, (index, _)) in rules.values_mut().enumerate() {
        *index = number;
    }
    let listed: Vec<Value> = rules.values().map(|(_, code)| rule(*code)).collect();
    let mut texts = Texts::new(sources);
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let index = rules.get(diagnostic.code.id).map_or(0, |(index, _)| *index);
            result(diagnostic, index, &mut texts)
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": run.tool, "version": run.version, "rules": listed}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: Code) -> Value {
    let mut rule = json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.summary},
    });
    if let Some(fields) = rule.as_object_mut()
        && !code.explanation.is_empty()
    {
        let help = json!({"text": code.summary, "markdown": code.page()});
        fields.insert("help".to_owned(), help);
    }
    rule
}

fn result(diagnostic: &Diagnostic, rule: usize, texts: &mut Texts<'_>) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let mut text = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        let _ = write!(text, " ({help})");
    }
    let mut result = json!({
        "ruleId": diagnostic.code.id,
        "ruleIndex": rule,
        "level": level,
        "message": {"text": text},
    });
    let Some(fields) = result.as_object_mut() else {
        return result;
    };
    if let Some((first, others)) = diagnostic.labels.split_first() {
        let place = json!({"physicalLocation": physical(&first.location, texts)});
        fields.insert("locations".to_owned(), json!([place]));
        let related: Vec<Value> = others.iter().map(|label| related(label, texts)).collect();
        if !related.is_empty() {
            fields.insert("relatedLocations".to_owned(), related.into());
        }
    }
    result
}

fn related(label: &Label, texts: &mut Texts<'_>) -> Value {
    json!({
        "physicalLocation": physical(&label.location, texts),
        "message": {"text": label.message},
    })
}

fn physical(location: &Location, texts: &mut Texts<'_>) -> Value {
    let mut region = json!({"startLine": location.line, "startColumn": location.column});
    if !location.span.is_empty()
        && let Some(lines) = texts.get(&location.file)
        && lines.text().get(location.span.clone()).is_some()
        && let Some(fields) = region.as_object_mut()
    {
        let (line, column) = lines.position(location.span.end);
        fields.insert("endLine".to_owned(), line.into());
        fields.insert("endColumn".to_owned(), column.into());
    }
    json!({"artifactLocation": {"uri": uri(&location.file)}, "region": region})
}

/// A path as a relative reference, or as a `file:` URI where it is absolute.
fn uri(path: &str) -> String {
    // Elsewhere a backslash is a letter of the name, or stands for a byte that is no text.
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/灯.md"), "a%20b/%E7%81%AF.md");
        assert_eq!(uri("/projects/x:y.md"), "file:///projects/x%3Ay.md");
        let separated = if cfg!(windows) { "a/b" } else { "a%5Cb" };
        assert_eq!(uri("a\\b%20.md"), format!("{separated}%2520.md"));
    }
}
