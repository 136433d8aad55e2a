//! The name of the folder that holds an application's state.

use std::fmt;

/// The longest name there is.
const LONGEST: usize = 63;

/// Names that mean a device on Windows, whatever folder they stand in.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The name of an application, as it names a folder everywhere: `[a-z0-9][a-z0-9_-]{0,62}` in lower
/// case, and no device of Windows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppName(String);

/// A name that cannot name a folder on every system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the application's name `{given}` cannot name a folder of its state: expected up to {LONGEST} of a-z, 0-9, `_` and `-`, \
     a letter or digit first, and no device of Windows; use `{offer}`"
)]
pub struct AppNameError {
    /// The name as it was given.
    pub given: String,
    /// A legal one that looks like it.
    pub offer: String,
}

impl AppName {
    /// Takes a name in any case.
    ///
    /// # Errors
    /// The name has a character, a beginning or a length that not every file system takes.
    ///
    /// ```
    /// use metier_persistence::AppName;
    ///
    /// assert_eq!(AppName::new("Maya").unwrap().as_str(), "maya");
    /// assert_eq!(AppName::new("../My App").unwrap_err().offer, "my_app");
    /// assert_eq!(AppName::new("con").unwrap_err().offer, "con_app");
    /// ```
    pub fn new(given: &str) -> Result<Self, AppNameError> {
        let name = given.to_lowercase();
        if is_legal(&name) {
            return Ok(Self(name));
        }
        Err(AppNameError {
            given: given.chars().take(2 * LONGEST).collect(),
            offer: offer(&name),
        })
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AppName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_legal(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(allowed)
        && !is_device(name)
}

/// `con`, `com1` and their like.
fn is_device(name: &str) -> bool {
    let numbered = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
    };
    DEVICES.contains(&name) || numbered("com") || numbered("lpt")
}

fn offer(name: &str) -> String {
    let mut offer = String::new();
    for c in name.chars() {
        let kept = if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' {
            c
        } else {
            '_'
        };
        // One stroke for a run of what cannot stand.
        if kept != '_' || !offer.ends_with('_') {
            offer.push(kept);
        }
    }
    let offer = offer.trim_start_matches(['_', '-']);
    let offer: String = offer.chars().take(LONGEST).collect();
    let offer = offer.trim_end_matches(['_', '-']);
    if offer.is_empty() {
        return "app".to_owned();
    }
    if is_device(offer) {
        return format!("{offer}_app");
    }
    offer.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_legal() {
        for given in [
            "",
            " ",
            "..",
            "a/b",
            "CON",
            "com7",
            "_maya",
            "玛雅",
            "Maya 2026",
            "a\0b",
            "nul.txt",
            &"x".repeat(64),
            &format!("{}-{}", "a".repeat(62), "b"),
        ] {
            let error = AppName::new(given).unwrap_err();
            assert!(AppName::new(&error.offer).is_ok(), "{given:?}: {error}");
        }
        assert_eq!(
            AppName::new("Maya 2026").unwrap_err().offer,
            "maya_2026",
            "what people write comes out as they would write it"
        );
    }

    #[test]
    fn what_only_looks_like_a_device_is_legal() {
        for name in [
            "com",
            "com10",
            "console",
            "lpt",
            "maya-2026",
            "0",
            &"x".repeat(63),
        ] {
            assert_eq!(AppName::new(name).unwrap().as_str(), name);
        }
    }
}
