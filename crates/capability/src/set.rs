//! What a host declares.

use crate::names::clean;
use crate::refusal::CapabilityMissing;

/// The capabilities a host declares, in its own order. The default declares nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapabilitySet {
    // A host declares a handful, so a list that keeps the order is also the fastest set.
    declared: Vec<String>,
}

impl CapabilitySet {
    /// A set of the given names, trimmed, without blank ones, each once.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        Self {
            declared: clean(names),
        }
    }

    /// The declared names in the order given.
    pub fn declared(&self) -> &[String] {
        &self.declared
    }

    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// Whether exactly this name, trimmed, is declared.
    pub fn contains(&self, name: &str) -> bool {
        let name = name.trim();
        self.declared.iter().any(|declared| declared == name)
    }

    /// The required names that are not declared, in the order required, trimmed, each once. Empty
    /// when the tool may be called.
    pub fn check(&self, required: &[String]) -> Vec<String> {
        let mut missing = clean(required);
        missing.retain(|name| !self.contains(name));
        missing
    }

    /// Lets a tool through or refuses it.
    ///
    /// # Errors
    ///
    /// [`CapabilityMissing`] when at least one required name is not declared. `tool` is the name
    /// under which the caller knows the tool.
    pub fn gate(&self, tool: &str, required: &[String]) -> Result<(), CapabilityMissing> {
        let missing = self.check(required);
        if missing.is_empty() {
            return Ok(());
        }
        Err(CapabilityMissing::new(
            tool,
            clean(required),
            missing,
            self.declared.clone(),
        ))
    }

    /// The first declared name that differs from `required` in case or blanks only. None when
    /// `required` itself is declared.
    ///
    /// For a warning that offers the name which was probably meant. It grants nothing.
    pub fn near_miss(&self, required: &str) -> Option<&str> {
        if self.contains(required) {
            return None;
        }
        let wanted = fold(required);
        self.declared
            .iter()
            .find(|declared| fold(declared) == wanted)
            .map(String::as_str)
    }
}

impl<S: AsRef<str>> FromIterator<S> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self::new(names)
    }
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
