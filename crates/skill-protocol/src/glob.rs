//! Globs of paths: `*`, `?`, `**`, `{a,b}`.

/// So many ways of reading the braces of one glob are tried.
const MOST_WAYS: usize = 64;

/// Whether a path is one that the glob means. `*` and `?` stay inside a part of the path, `**` is any number of
/// parts, none included; `{a,b}` is either. A glob without `/` is looked for in every folder.
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
    let path = path.strip_prefix("./").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').collect();
    ways(glob).iter().any(|way| {
        let way = way
            .strip_prefix("./")
            .unwrap_or(way)
            .trim_start_matches('/');
        let mut globs: Vec<&str> = way.split('/').collect();
        if globs.len() == 1 {
            globs.insert(0, "**");
        }
        if let Some(last) = globs.last_mut().filter(|last| last.is_empty()) {
            *last = "**";
        }
        matches_parts(&globs, &parts)
    })
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

/// Matches item by item; `is_any` items stand for any number of others. Time is the product of both lengths.
fn matches<G, P>(
    globs: &[G],
    items: &[P],
    is_any: impl Fn(&G) -> bool,
    is_one: impl Fn(&G, &P) -> bool,
) -> bool {
    let mut reach = vec![false; items.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for glob in globs {
        let mut next = vec![false; items.len() + 1];
        let mut carried = false;
        for (at, reached) in reach.iter().enumerate() {
            if is_any(glob) {
                carried |= *reached;
                if let Some(next) = next.get_mut(at) {
                    *next = carried;
                }
            } else if *reached
                && items.get(at).is_some_and(|item| is_one(glob, item))
                && let Some(next) = next.get_mut(at + 1)
            {
                *next = true;
            }
        }
        reach = next;
    }
    reach.last() == Some(&true)
}

fn matches_parts(globs: &[&str], parts: &[&str]) -> bool {
    matches(
        globs,
        parts,
        |glob| *glob == "**",
        |glob, part| {
            let (glob, part): (Vec<char>, Vec<char>) =
                (glob.chars().collect(), part.chars().collect());
            matches(
                &glob,
                &part,
                |c| *c == '*',
                |glob, c| *glob == '?' || glob == c,
            )
        },
    )
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
    }
}
