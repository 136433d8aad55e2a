//! Tabs between a key and its value, which YAML allows and one of its parsers refuses.

use std::borrow::Cow;

use super::Fault;

/// So many are put right; whoever writes more of them is told of the next.
const MOST: usize = 64;
/// What the parser says of them.
const REFUSED: &str = "':' must be followed by a valid YAML whitespace";

/// A text in which blanks take the place of tabs, one for one, so that every place stays right.
pub(super) struct Blanks<'t> {
    text: Cow<'t, str>,
    base: usize,
    tries: usize,
}

impl<'t> Blanks<'t> {
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self {
            text: Cow::Borrowed(text),
            base,
            tries: 0,
        }
    }

    /// The text with the tabs put right that a fault is about; `None` where it is about something else.
    pub(super) fn instead_of_tab(&mut self, fault: &Fault) -> Option<&str> {
        if self.tries == MOST || !fault.message.contains(REFUSED) {
            return None;
        }
        self.tries += 1;
        let at = fault.span.start.checked_sub(self.base)?;
        let colon = self.text.get(..at)?.rfind(':')?;
        let behind = self.text.get(colon + 1..)?;
        let length = behind.len() - behind.trim_start_matches(['\t', ' ']).len();
        let gap = behind.get(..length).filter(|gap| gap.contains('\t'))?;
        let blanks = " ".repeat(gap.len());
        let text = self.text.to_mut();
        text.replace_range(colon + 1..colon + 1 + length, &blanks);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn a_tab_behind_a_colon_is_a_blank() {
        let text =
            "name:\ta\ndescription:\t x y\nlicense: \tMIT\nmore:\n  b:\tc\n  d: |\n    e:\tf\n";
        let tree = parse(text, 0).unwrap();
        let root = tree.root.unwrap();
        let meaning = serde_json::json!({
            "name": "a", "description": "x y", "license": "MIT", "more": {"b": "c", "d": "e:\tf\n"},
        });
        assert_eq!(root.to_json(), meaning);
        let span = root.get("description").unwrap().span.clone();
        assert_eq!(&text[span], "x y");
    }

    #[test]
    fn what_else_is_wrong_is_told() {
        for text in ["a:\tb: c\n", "a:\tb\nc: [d\n"] {
            let message = parse(text, 0).unwrap_err().message;
            assert!(!message.contains("whitespace"), "{message}");
        }
    }
}
