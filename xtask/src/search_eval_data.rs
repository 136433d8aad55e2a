//! The files of `search-eval`: one JSON object a line.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A query with what ought to be found.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct LabelledQuery {
    pub(crate) qid: String,
    #[serde(default)]
    pub(crate) slice: String,
    pub(crate) query: String,
    /// Empty for a query that nothing answers.
    #[serde(default)]
    pub(crate) relevant: Vec<String>,
    /// Borderline skills, which are neither right nor wrong.
    #[serde(default)]
    pub(crate) neutral: Vec<String>,
}

/// Reads a file of JSON lines; blank lines are skipped.
pub(crate) fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{} could not be read: {error}", file.display()))?;
    parse(&text).map_err(|why| format!("{}: {why}", file.display()))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_a_bad_one_is_named() {
        let read: Vec<LabelledQuery> =
            parse("{\"qid\": \"a\", \"query\": \"q\"}\n\n{\"qid\": \"b\", \"query\": \"r\", \"relevant\": [\"x\"]}")
                .unwrap();
        assert_eq!(
            (read.len(), read[1].relevant.as_slice()),
            (2, ["x".to_owned()].as_slice())
        );
        let why = parse::<LabelledQuery>("{\"qid\": \"a\", \"query\": \"q\"}\n{}").unwrap_err();
        assert!(why.starts_with("line 2: "), "{why}");
    }
}
