//! Our own name for a server. What the server calls itself decides nothing.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

/// The longest label.
const LONGEST: usize = 64;

/// The name that this host gave a server: groups of `a-z 0-9` with single hyphens between them.
///
/// A skill is known by its label and its URI together, so that no server can speak for another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ServerLabel(String);

/// Why a text is no label.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no name for a server; it has 1 to {LONGEST} characters of a-z and 0-9, with single hyphens between them"
)]
pub struct LabelFault(String);

impl ServerLabel {
    /// Checks a label.
    pub fn new(text: &str) -> Result<Self, LabelFault> {
        let well_made = text.len() <= LONGEST
            && text.split('-').all(|group| {
                !group.is_empty()
                    && group
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            });
        if well_made {
            Ok(Self(text.to_owned()))
        } else {
            Err(LabelFault(
                text.chars().filter(|c| !c.is_control()).take(80).collect(),
            ))
        }
    }

    /// The label that a URL or the path of a program suggests.
    ///
    /// ```
    /// use metier_mcp_client::ServerLabel;
    ///
    /// assert_eq!(ServerLabel::suggested("https://Skills.Example.org:8443/mcp").as_str(), "skills-example-org-8443");
    /// assert_eq!(ServerLabel::suggested("/opt/bin/my_server.py").as_str(), "my-server-py");
    /// assert_eq!(ServerLabel::suggested("//").as_str(), "server");
    /// ```
    pub fn suggested(of: &str) -> Self {
        let part = match of.split_once("://") {
            Some((_, rest)) => {
                let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
                // What stands before an @ is a secret, not a name.
                authority.rsplit('@').next().unwrap_or_default()
            }
            None => of.rsplit(['/', '\\']).next().unwrap_or_default(),
        };
        let mut text = String::new();
        for c in part.chars() {
            if c.is_ascii_alphanumeric() {
                text.push(c.to_ascii_lowercase());
            } else if !text.is_empty() && !text.ends_with('-') {
                text.push('-');
            }
            if text.len() == LONGEST {
                break;
            }
        }
        let text = text.trim_end_matches('-');
        Self(if text.is_empty() { "server" } else { text }.to_owned())
    }

    /// The label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_plain_word() {
        for good in ["a", "assets-2", "0-0"] {
            assert_eq!(ServerLabel::new(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            "-",
            "a-",
            "-a",
            "a--b",
            "A",
            "a:b",
            "a/b",
            "ü",
            &"a".repeat(65),
        ] {
            assert!(ServerLabel::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_suggestion_is_a_label_and_holds_no_secret() {
        for of in [
            "http://user:pass@host/mcp",
            "",
            "---",
            "C:\\x\\Run Me.EXE",
            "http://[::1]:1/",
        ] {
            let label = ServerLabel::suggested(of);
            assert_eq!(ServerLabel::new(label.as_str()), Ok(label.clone()));
            assert!(!label.as_str().contains("pass"));
        }
    }
}
