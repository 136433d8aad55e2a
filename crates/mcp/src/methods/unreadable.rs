//! Arguments that are JSON and still no value: a number, a text or a depth that nothing here holds.

use metier_tool::ArgumentFault;

/// So much of the text around the place is shown, in characters.
const SHOWN: usize = 40;

/// What is wrong with the text of some arguments, and where.
pub(super) fn unreadable(text: &str, error: &serde_json::Error) -> ArgumentFault {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or(&said);
    let reason = match said {
        "number out of range" => "a number is larger than any that can be carried (64 bits)",
        "recursion limit exceeded" => "it is nested deeper than 128 levels",
        said if said.contains("surrogate") || said.contains("hex escape") => {
            "an escape such as \\ud800 is half a character; send both halves, or the character itself"
        }
        said => said,
    };
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines
        .by_ref()
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let end = text.floor_char_boundary((before + error.column()).min(text.len()));
    let upto = text.get(..end).unwrap_or_default();
    let start = upto
        .char_indices()
        .rev()
        .nth(SHOWN - 1)
        .map_or(0, |(at, _)| at);
    let dots = if start > 0 { "…" } else { "" };
    let shown: String = upto
        .get(start..)
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    ArgumentFault {
        path: String::new(),
        message: format!("{reason} (at the end of `{dots}{shown}`)"),
    }
}
