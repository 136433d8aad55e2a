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
pub(crate) enum Extent {
    Closed(usize),
    Open,
    /// There is none, or a string of it goes over the end of a line, as none of JSON does.
    None,
}

pub(crate) fn extent(text: &str, ends_with_a_string: bool) -> Extent {
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
/// does, and never ends.
pub(crate) fn is_among_the_lines_of_an_unclosed(text: &str, inner: &Range<usize>) -> bool {
    // A log may print the beginning of anything and cut it anywhere. Only where the object continues what is open, behind
    // a bracket, a comma or a colon, is it a piece of it.
    let before = text.get(..inner.start).unwrap_or_default();
    if !before.trim_end().ends_with(['[', ',', ':']) {
        return false;
    }
    Lines::from(text, 0)
        .take_while(|(at, _)| *at < inner.start)
        .any(|(_, extent)| matches!(extent, Extent::Open))
}

/// What stands behind the last whole object and has the looks of a result that is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Behind<'t> {
    /// It begins a line and never ends.
    Open,
    /// It has its lines for itself, and no parser took it.
    Broken(&'t str),
}

/// The first object or list behind this place that begins a line as JSON does and is none. A script that prints an object
/// for each step and is cut off in the last one has not reported the step before as its result.
pub(crate) fn behind(text: &str, end: usize) -> Option<Behind<'_>> {
    let rest = text.get(end..)?;
    let next_line = end + rest.find('\n')? + 1;
    Lines::from(text, next_line).find_map(|(at, extent)| {
        let own = text.get(at..)?;
        match extent {
            Extent::Open => Some(Behind::Open),
            Extent::Closed(length) => {
                let (own, rest) = own.split_at_checked(length)?;
                let is_alone = rest
                    .lines()
                    .next()
                    .is_none_or(|rest| rest.trim().is_empty());
                (own.starts_with('{') && is_alone).then_some(Behind::Broken(own))
            }
            Extent::None => None,
        }
    })
}

/// The places where an object or list begins a line as JSON does, and how far each goes. What is closed is passed over
/// as a whole, and few lines that are none are tried, so that a log costs no more than a few times its length.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    tries: usize,
}

impl<'t> Lines<'t> {
    fn from(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            tries: 64,
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = (usize, Extent);

    fn next(&mut self) -> Option<Self::Item> {
        while self.tries > 0 {
            let at = self.at;
            let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
            let found = begins_as_json(rest).then(|| extent(rest, true));
            let passed = match found {
                Some(Extent::Closed(length)) => length,
                // A line that was cut, of a log for example.
                Some(Extent::None) => {
                    self.tries -= 1;
                    0
                }
                _ => 0,
            };
            let next = at + passed;
            let line = self.text.get(next..).and_then(|rest| rest.find('\n'));
            self.at = line.map_or(self.text.len(), |end| next + end + 1);
            if let Some(found) = found {
                return Some((at, found));
            }
        }
        None
    }
}

/// Whether a line begins an object or a list as JSON is printed, and not as a word of a log (`[INFO]`, `{3 of 3}`).
fn begins_as_json(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let line = lines.next().unwrap_or_default();
    let below = lines.next().unwrap_or_default();
    match line {
        "{" => below.is_empty() || below.starts_with('"'),
        "[" => below.is_empty() || below.starts_with(['{', '[', '"']),
        _ => text.starts_with("{\"") || text.starts_with("[{\""),
    }
}
