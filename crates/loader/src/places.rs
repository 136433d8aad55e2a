//! Finds the place of a thing in a file again, where only its name is left after reading.

use std::ops::Range;

/// The place of a tool's name in a tools file, or that of the first `behind` after it.
///
/// ```
/// let text = "tools:\n- name: bake\n  input_schema: {}\n";
/// let place = metier_loader::place_of_tool(text, "bake", Some("input_schema")).unwrap();
/// assert_eq!(&text[place], "input_schema");
/// ```
pub fn place_of_tool(text: &str, tool: &str, behind: Option<&str>) -> Option<Range<usize>> {
    let span = tool_name(text, tool)?;
    let word = behind.and_then(|wanted| place_of_word(text, wanted, span.end));
    Some(word.unwrap_or(span))
}

/// The name in `- name: TOOL`, or in a list of bare names.
fn tool_name(text: &str, tool: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut bare = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(found) = place_of_word(line, tool, 0) else {
            continue;
        };
        let span = start + found.start..start + found.end;
        let before = line.get(..found.start).unwrap_or_default();
        let before = before.trim_end_matches(['"', '\'', ' ']);
        if before.ends_with("name:") {
            return Some(span);
        }
        if bare.is_none() && before.trim_start() == "-" {
            bare = Some(span);
        }
    }
    bare
}

/// The first occurrence of a word at or behind `from`, not as a part of a longer one.
pub fn place_of_word(text: &str, wanted: &str, from: usize) -> Option<Range<usize>> {
    if wanted.is_empty() {
        return None;
    }
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    text.get(from..)?
        .match_indices(wanted)
        .map(|(at, _)| from + at..from + at + wanted.len())
        .find(|span| {
            let before = text
                .get(..span.start)
                .and_then(|head| head.chars().next_back());
            let after = text.get(span.end..).and_then(|tail| tail.chars().next());
            !inside(before) && !inside(after)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_another() {
        assert_eq!(place_of_word("base-a base base_b", "base", 0), Some(7..11));
        assert_eq!(place_of_word("base-a", "base", 0), None);
        assert_eq!(place_of_word("a", "", 0), None);
    }

    #[test]
    fn a_tool_is_found_where_it_is_named() {
        let text = "tools:\n  - description: bake it\n    name: \"bake\"\n  - clean\n";
        assert_eq!(
            tool_name(text, "bake").map(|span| &text[span]),
            Some("bake")
        );
        assert_eq!(
            tool_name(text, "bake").unwrap().start,
            text.find("\"bake").unwrap() + 1
        );
        assert_eq!(
            tool_name(text, "clean").map(|span| &text[span]),
            Some("clean")
        );
        assert_eq!(tool_name(text, "it"), None);
    }
}
