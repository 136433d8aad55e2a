//! Globs of paths: `*`, `?`, `**`, `{a,b}`.

/// So many ways of reading the braces of one glob are tried.
const MOST_WAYS: usize = 64;
/// A longer glob means no path.
const LONGEST_GLOB: usize = 1_024;
/// No glob means a longer path.
const LONGEST_PATH: usize = 4_096;

/// A glob, read once for many paths. `*` and `?` stay inside a part of the path, `**` is any number of parts, none
/// included; `{a,b}` is either. A glob without `/` is looked for in every folder. One of more than 1,024 bytes means
/// nothing, and a path of more than 4,096 is meant by none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glob {
    ways: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`
    Any,
    Literal(String),
    /// With `*` or `?`.
    Wild(Vec<char>),
}

impl Glob {
    /// Reads a glob.
    pub fn new(glob: &str) -> Self {
        if glob.len() > LONGEST_GLOB {
            return Self::default();
        }
        let ways = ways(glob).into_iter().map(|way| {
            let way = way.strip_prefix("./").unwrap_or(&way);
            let mut parts: Vec<Part> = way
                .trim_start_matches('/')
                .split('/')
                .map(Part::new)
                .collect();
            if parts.len() == 1 {
                parts.insert(0, Part::Any);
            }
            if let Some(last) = parts.last_mut()
                && *last == Part::Literal(String::new())
            {
                *last = Part::Any;
            }
            parts
        });
        Self {
            ways: ways.collect(),
        }
    }

    /// Whether a path is one that it means.
    pub fn matches(&self, path: &str) -> bool {
        if path.len() > LONGEST_PATH {
            return false;
        }
        let path = path.strip_prefix("./").unwrap_or(path);
        let last = path.rsplit('/').next().unwrap_or_default();
        // Most globs are told by the last part alone.
        let ends = |way: &&Vec<Part>| way.last().is_some_and(|part| part.is(last));
        let mut likely = self.ways.iter().filter(ends).peekable();
        if likely.peek().is_none() {
            return false;
        }
        let parts: Vec<&str> = path.split('/').collect();
        likely.any(|way| matches(way, &parts))
    }
}

impl Part {
    fn new(part: &str) -> Self {
        if part == "**" {
            Self::Any
        } else if part.contains(['*', '?']) {
            Self::Wild(part.chars().collect())
        } else {
            Self::Literal(part.to_owned())
        }
    }

    fn is(&self, part: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(literal) => literal == part,
            Self::Wild(glob) => is_wild(glob, part),
        }
    }
}

/// Whether a path is one that the glob means, for one path alone; [`Glob`] is for many.
///
/// ```
/// use metier_skill_protocol::matches_path;
///
/// assert!(matches_path("src/**/*.{ma,mb}", "src/hero/rig.ma"));
/// assert!(matches_path("src/**/*.ma", "src/rig.ma"));
/// assert!(matches_path("*.usd", "shots/010/set.usd"));
/// assert!(!matches_path("src/*.ma", "src/hero/rig.ma"));
/// ```
pub fn matches_path(glob: &str, path: &str) -> bool {
    Glob::new(glob).matches(path)
}

/// Every way of reading the braces, up to a bound.
fn ways(glob: &str) -> Vec<String> {
    let mut open = vec![glob.to_owned()];
    let mut ready = Vec::new();
    while let Some(glob) = open.pop() {
        let braces = glob.find('{').and_then(|start| {
            let rest = glob.get(start + 1..)?;
            let end = closing(rest)?;
            Some((start, start + 1 + end, choices(rest.get(..end)?)))
        });
        match braces {
            Some((start, end, choices))
                if ready.len() + open.len() + choices.len() <= MOST_WAYS =>
            {
                let (before, after) = (glob.get(..start), glob.get(end + 1..));
                for choice in choices.iter().rev() {
                    open.push(format!(
                        "{}{choice}{}",
                        before.unwrap_or(""),
                        after.unwrap_or("")
                    ));
                }
            }
            _ => ready.push(glob),
        }
    }
    ready
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn choices(text: &str) -> Vec<String> {
    let mut choices = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                choices.push(text.get(from..at).unwrap_or("").to_owned());
                from = at + 1;
            }
            _ => {}
        }
    }
    choices.push(text.get(from..).unwrap_or("").to_owned());
    choices
}

/// Matches part by part; time is at most the product of both lengths.
fn matches(globs: &[Part], parts: &[&str]) -> bool {
    let mut reach = vec![false; parts.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for glob in globs {
        let mut next = vec![false; parts.len() + 1];
        let mut carried = false;
        for (at, reached) in reach.iter().enumerate() {
            if *glob == Part::Any {
                carried |= *reached;
                if let Some(next) = next.get_mut(at) {
                    *next = carried;
                }
            } else if *reached
                && parts.get(at).is_some_and(|part| glob.is(part))
                && let Some(next) = next.get_mut(at + 1)
            {
                *next = true;
            }
        }
        if !next.contains(&true) {
            return false;
        }
        reach = next;
    }
    reach.last() == Some(&true)
}

/// Character by character; of several `*` only the last is tried again, which is enough.
fn is_wild(glob: &[char], text: &str) -> bool {
    let (mut at, mut rest) = (0, text.chars());
    let mut star = None;
    loop {
        let mut ahead = rest.clone();
        let Some(c) = ahead.next() else {
            let mut left = glob.iter().skip(at);
            return left.all(|c| *c == '*');
        };
        match glob.get(at) {
            Some('*') => {
                star = Some((at + 1, rest.clone()));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == c => {
                at += 1;
                rest = ahead;
            }
            _ => {
                let Some((behind, from)) = &mut star else {
                    return false;
                };
                from.next();
                at = *behind;
                rest = from.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_nest_and_are_bounded() {
        assert!(matches_path("a/{b,{c,d}}.x", "a/d.x"));
        assert!(!matches_path("a/{b,c}.x", "a/{b,c}.y"));
        assert!(matches_path("folder/", "folder/a/b"));
        let bomb = "{a,b}".repeat(40);
        assert!(!matches_path(&bomb, "x"));
        assert!(!matches_path(&"*a".repeat(200), &"a".repeat(150)));
        assert!(matches_path(&"*a".repeat(100), &"a".repeat(150)));
        assert!(!matches_path(
            &format!("**/{}", "x".repeat(2_000)),
            &"x".repeat(2_000)
        ));
    }

    #[test]
    fn stars_and_question_marks_stay_inside_a_part() {
        for (glob, path, is) in [
            ("a?c", "x/abc", true),
            ("a?c", "ac", false),
            ("*.ex*", "shot.0001.exr", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("é*", "é灯", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**", "a/x", true),
            ("/a/b", "./a/b", true),
            ("*", "", true),
            ("", "a/b", true),
        ] {
            assert_eq!(matches_path(glob, path), is, "{glob} {path}");
        }
    }
}
