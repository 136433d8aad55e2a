//! Which skills and tools a handler is for.

use std::fmt;

use crate::HookContext;

/// The name of a tool or skill in which `*` stands for any text: `scene__*`, `*__delete_*`. Letter
/// case counts; `-` and `_` are the same, because a tool of the skill `my-rig` is called `my_rig__…`.
///
/// ```
/// use metier_hooks::NamePattern;
///
/// let pattern = NamePattern::new("scene__*");
/// assert!(pattern.fits("scene__wipe") && !pattern.fits("my_scene__wipe"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// A pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether a name fits.
    pub fn fits(&self, name: &str) -> bool {
        let (pattern, name) = (folded(&self.0), folded(name));
        let Some((first, rest)) = pattern.split_once('*') else {
            return pattern == name;
        };
        let Some(mut name) = name.strip_prefix(first) else {
            return false;
        };
        let mut parts: Vec<&str> = rest.split('*').collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            // The first place is as good as any: what follows has the most room there.
            let Some((_, after)) = name.split_once(part) else {
                return false;
            };
            name = after;
        }
        name.ends_with(last)
    }

    /// Whether the event is about a tool or skill whose name fits. Events that are about neither never do.
    pub fn is_about(&self, context: &HookContext) -> bool {
        [context.tool_name(), context.skill_name()]
            .into_iter()
            .flatten()
            .any(|name| self.fits(name))
    }
}

fn folded(name: &str) -> String {
    name.replace('-', "_")
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HookPayload;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("", "", true),
            ("*", "", true),
            ("*", "anything", true),
            ("a*", "a", true),
            ("a*", "ba", false),
            ("*__wipe", "scene__wipe", true),
            ("*__wipe", "scene__wipe2", false),
            ("*__delete_*", "scene__delete_all", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*a", "a", false),
            ("*ab*ab", "ab", false),
            ("场*", "场景", true),
            ("my-rig__*", "my_rig__bind", true),
            ("my_rig", "my-rig", true),
            ("my-rig", "myrig", false),
        ] {
            assert_eq!(
                NamePattern::new(pattern).fits(name),
                fits,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn tool_or_skill_may_fit() {
        let call = HookContext::new(
            "maya",
            None,
            HookPayload::BeforeToolCall {
                tool_name: "scene__wipe".into(),
                skill_name: Some("scene".into()),
                arguments: serde_json::Map::new(),
            },
        );
        for (pattern, about) in [("scene", true), ("*__wipe", true), ("rig*", false)] {
            assert_eq!(
                NamePattern::new(pattern).is_about(&call),
                about,
                "{pattern}"
            );
        }
        let search = HookContext::new(
            "maya",
            None,
            HookPayload::BeforeSearch { query: "x".into() },
        );
        assert!(!NamePattern::new("*").is_about(&search));
    }
}
