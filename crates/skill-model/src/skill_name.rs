//! The name of a skill.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A skill's name that can be shown, compared and looked up without harm.
///
/// It holds no path separator, no `:` and no `..`, no control, bidirectional or invisible
/// character, and it is not empty: a name with one of those is refused wherever it comes from.
/// Whether it also follows the stricter agentskills pattern (`a-z 0-9 -`, at most 64 characters)
/// is told by [`SkillName::is_standard`]; other names work as tools and are not served under
/// `skill://`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillName(Arc<str>);

/// Why a text cannot be a skill's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFault {
    /// Nothing, or blanks alone.
    Empty,
    /// `/`, `\` or `:`: the name could be taken for a path or a URI.
    Separator(char),
    /// `..` climbs out of a folder.
    ParentFolder,
    /// A control, bidirectional or invisible character, which could make two names look alike.
    Invisible(char),
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the name is empty"),
            Self::Separator(found) => write!(f, "the name holds `{found}`"),
            Self::ParentFolder => f.write_str("the name holds `..`"),
            Self::Invisible(found) => write!(
                f,
                "the name holds the invisible or control character U+{:04X}",
                u32::from(*found)
            ),
        }
    }
}

impl std::error::Error for NameFault {}

impl SkillName {
    /// Checks a name as it was written.
    pub fn new(text: &str) -> Result<Self, NameFault> {
        if text.trim().is_empty() {
            return Err(NameFault::Empty);
        }
        if let Some(found) = text.chars().find(|c| matches!(c, '/' | '\\' | ':')) {
            return Err(NameFault::Separator(found));
        }
        if text.contains("..") {
            return Err(NameFault::ParentFolder);
        }
        if let Some(found) = text.chars().find(|c| is_invisible(*c)) {
            return Err(NameFault::Invisible(found));
        }
        Ok(Self(Arc::from(text)))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name follows the agentskills pattern: 1 to 64 of `a-z`, `0-9` and `-`, without
    /// a hyphen at an edge and without two in a row.
    pub fn is_standard(&self) -> bool {
        let text = self.as_str();
        text.len() <= LONGEST
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !text.contains("--")
            && text
                .bytes()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    }

    /// The name as a value in YAML: in quotes where some reader of YAML 1.1 or 1.2 would take the bare
    /// word for something else than text (a number, a date, a truth value, nothing).
    ///
    /// ```
    /// use metier_skill_model::SkillName;
    ///
    /// let in_yaml = |name| SkillName::new(name).unwrap().in_yaml();
    /// assert_eq!(in_yaml("bake-ao"), "bake-ao");
    /// assert_eq!(in_yaml("2025-01-01"), "\"2025-01-01\"");
    /// assert_eq!(in_yaml("null"), "\"null\"");
    /// ```
    pub fn in_yaml(&self) -> String {
        const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
        let text = self.as_str();
        let is_word = text.starts_with(char::is_alphabetic)
            && !text.contains(['#', '"'])
            && text.trim() == text
            && !WORDS.contains(&text.to_lowercase().as_str());
        if is_word {
            text.to_owned()
        } else {
            format!("\"{}\"", text.replace('"', "\\\""))
        }
    }

    /// The nearest name that follows the agentskills pattern; `None` where no letter of it is left.
    ///
    /// ```
    /// use metier_skill_model::SkillName;
    ///
    /// assert_eq!(SkillName::standard_near("Wrong_Name ").as_deref(), Some("wrong-name"));
    /// assert_eq!(SkillName::standard_near("渲染"), None);
    /// ```
    pub fn standard_near(text: &str) -> Option<Self> {
        let folded: String = text
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let words: Vec<&str> = folded.split('-').filter(|word| !word.is_empty()).collect();
        let joined: String = words.join("-").chars().take(LONGEST).collect();
        let name = Self::new(joined.trim_end_matches('-')).ok()?;
        name.is_standard().then_some(name)
    }
}

/// The most characters of a name that follows the pattern.
const LONGEST: usize = 64;

/// Control characters, and those that Unicode draws as nothing or that turn the writing direction.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

impl Deref for SkillName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SkillName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for SkillName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_could_leave_a_folder() {
        assert_eq!(SkillName::new(""), Err(NameFault::Empty));
        assert_eq!(SkillName::new(" \t"), Err(NameFault::Empty));
        assert_eq!(SkillName::new("a/b"), Err(NameFault::Separator('/')));
        assert_eq!(SkillName::new("C:x"), Err(NameFault::Separator(':')));
        assert_eq!(SkillName::new("..a"), Err(NameFault::ParentFolder));
        assert_eq!(
            SkillName::new("a\u{202E}b"),
            Err(NameFault::Invisible('\u{202E}'))
        );
        assert_eq!(SkillName::new("a\nb"), Err(NameFault::Invisible('\n')));
    }

    #[test]
    fn the_standard_pattern() {
        let standard = |text: &str| SkillName::new(text).unwrap().is_standard();
        assert!(standard("maya-geometry"));
        assert!(standard(&"a".repeat(64)));
        for other in [
            "Maya",
            "a_b",
            "-a",
            "a-",
            "a--b",
            "灯光检查",
            &"a".repeat(65),
        ] {
            assert!(!standard(other), "{other}");
        }
    }
}
