//! Words of the commands that a message proposes: a person pastes them into a shell.

use std::borrow::Cow;
use std::path::Path;

/// The text as one word of a POSIX shell, in quotes where it needs them. A text with a NUL is no argument at all, and stays.
pub(crate) fn word(text: &str) -> Cow<'_, str> {
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}

/// A path as one word.
pub(crate) fn path(path: &Path) -> String {
    word(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_word_stays_one() {
        for (text, pasted) in [
            ("rig", "rig"),
            ("/studio/skills_2/a-b.toml", "/studio/skills_2/a-b.toml"),
            ("st dir", "'st dir'"),
            ("it's", "\"it's\""),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(word(text), pasted);
        }
    }
}
