//! Results that were cut off: the program ended before it had written all of them.

use std::ops::Range;

/// Whether an object that does not begin its line is a piece of an outer one that begins a line and never ends.
pub(crate) fn is_inside_unclosed(text: &str, inner: &Range<usize>) -> bool {
    let before = text.get(..inner.start).unwrap_or_default();
    if before.is_empty() || before.ends_with('\n') {
        return false;
    }
    let mut line_end = before.len();
    loop {
        let line = before
            .get(..line_end)
            .map_or(0, |upto| upto.rfind('\n').map_or(0, |at| at + 1));
        if before
            .get(line..)
            .is_some_and(|rest| rest.starts_with(['{', '[']))
        {
            return text.get(line..).is_some_and(is_unclosed);
        }
        match line.checked_sub(1) {
            Some(end) => line_end = end,
            None => return false,
        }
    }
}

/// Whether brackets or a string of a JSON text are still open at its end.
pub(crate) fn is_unclosed(text: &str) -> bool {
    matches!(extent(text, false), Extent::Open)
}

/// How far the JSON object or list goes that a text begins with.
enum Extent {
    Closed(usize),
    Open,
    /// There is none, or a string of it goes over the end of a line, as none of JSON does.
    None,
}

fn extent(text: &str, ends_with_a_string: bool) -> Extent {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'\n' if in_string && ends_with_a_string => return Extent::None,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Extent::Closed(at + 1);
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        Extent::Open
    } else {
        Extent::None
    }
}

/// Whether an object with lines of its own is a piece of an outer object or list that begins a line before it, as JSON
/// does, and never ends. What is closed is passed over as a whole, and few lines that are none are tried, so that a log costs
/// no more than a few times its length.
pub(crate) fn is_among_the_lines_of_an_unclosed(text: &str, inner: &Range<usize>) -> bool {
    // A log may print the beginning of anything and cut it anywhere. Only where the object continues what is open, behind
    // a bracket, a comma or a colon, is it a piece of it.
    let before = text.get(..inner.start).unwrap_or_default();
    if !before.trim_end().ends_with(['[', ',', ':']) {
        return false;
    }
    let (mut at, mut tries) = (0, 64_usize);
    while at < inner.start && tries > 0 {
        let rest = text.get(at..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default().trim_end();
        if line.starts_with("{\"") || line.starts_with("[{\"") || line == "[" || line == "{" {
            match extent(rest, true) {
                Extent::Open => return true,
                Extent::Closed(length) => at += length,
                // A line that was cut, of a log for example.
                Extent::None => tries -= 1,
            }
        }
        let rest = text.get(at..).unwrap_or_default();
        at = rest.find('\n').map_or(text.len(), |end| at + end + 1);
    }
    false
}
