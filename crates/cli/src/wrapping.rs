//! Prose that fits a terminal.

use unicode_width::UnicodeWidthStr as _;

/// A line broken at blanks into lines of at most so many columns, those after the first indented by `hanging`. A
/// word that is longer stays whole: it may be a path that somebody copies.
pub(crate) fn wrapped(line: &str, hanging: usize, most: usize) -> Vec<String> {
    if line.width() <= most {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let mut current = String::new();
    for part in line.split_inclusive(' ') {
        let is_begun = !current.trim().is_empty();
        if is_begun && current.width() + part.trim_end().width() > most {
            lines.push(current.trim_end().to_owned());
            current = " ".repeat(hanging);
        }
        // The blanks where a line was broken are gone; those that begin the text are its own.
        if lines.is_empty() || !current.trim().is_empty() || !part.trim().is_empty() {
            current.push_str(part);
        }
    }
    if !current.trim().is_empty() {
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// The same for a page of Markdown, whose examples stay as they are.
pub(crate) fn wrapped_page(page: &str, most: usize) -> String {
    let mut is_example = false;
    let mut text = String::with_capacity(page.len());
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        is_example ^= is_fence;
        if is_example || is_fence {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        let hanging = if line.starts_with("- ") { 2 } else { 0 };
        for line in wrapped(line, hanging, most) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_at_blanks() {
        let line = "  tool bake: it needs what the host does not declare";
        assert_eq!(wrapped(line, 4, 80), [line]);
        assert_eq!(
            wrapped(line, 4, 24),
            [
                "  tool bake: it needs",
                "    what the host does",
                "    not declare"
            ]
        );
        assert_eq!(wrapped(line, 4, usize::MAX), [line]);
        // A character of two columns counts as two, and a long word stays whole.
        assert_eq!(wrapped("灯光 灯光 灯光", 0, 9), ["灯光 灯光", "灯光"]);
        assert_eq!(
            wrapped("at /a/very/long/path it is", 2, 8),
            ["at", "  /a/very/long/path", "  it is"]
        );
        assert_eq!(wrapped("", 2, 8), [""]);
        assert_eq!(wrapped("aaa    bbb", 2, 5), ["aaa", "  bbb"]);
    }

    #[test]
    fn examples_of_a_page_are_not_touched() {
        let page =
            "# A page\n\n- one two three\n\n```yaml\na: long line of it\n```\none two three\n";
        assert_eq!(
            wrapped_page(page, 10),
            "# A page\n\n- one two\n  three\n\n```yaml\na: long line of it\n```\none two\nthree\n"
        );
        assert_eq!(wrapped_page(page, usize::MAX), page);
    }
}
