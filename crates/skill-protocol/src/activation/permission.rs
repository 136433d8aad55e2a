//! Who may activate what: rules, and the properties of the skill.

use std::str::FromStr;

use serde::Serialize;

use crate::book::SkillEntry;

use super::effects::{Effect, effects};
use super::find::ActivationRefusal;

/// What a rule says, or what came of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Never.
    Deny,
    /// Without a question.
    Allow,
    /// Only when the user agrees.
    Ask,
}

/// Which skills a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Every,
    Exact(String),
    /// The beginning of a name, up to a `-` or `:`.
    Prefix(String),
}

/// A rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no rule; write `Skill`, `Skill(NAME)` or `Skill(PREFIX:*)`")]
pub struct RuleFault(pub String);

impl FromStr for Pattern {
    type Err = RuleFault;

    fn from_str(text: &str) -> Result<Self, RuleFault> {
        let fault = || RuleFault(text.to_owned());
        let plain = text.trim();
        let inner = match plain.strip_prefix("Skill") {
            Some("") => "*",
            Some(rest) if rest.starts_with('(') => rest
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
                .ok_or_else(fault)?
                .trim(),
            Some(rest) if rest.starts_with(' ') => rest.trim(),
            _ => plain,
        };
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        if inner == "*" {
            return Ok(Self::Every);
        }
        let (name, is_prefix) = match inner.strip_suffix(":*") {
            Some(prefix) => (prefix, true),
            None => (inner, false),
        };
        if name.is_empty() || name.contains(['*', '(', ')']) {
            return Err(fault());
        }
        let name = name.to_owned();
        Ok(if is_prefix {
            Self::Prefix(name)
        } else {
            Self::Exact(name)
        })
    }
}

impl Pattern {
    fn matches(&self, entry: &SkillEntry) -> bool {
        [&entry.name, &entry.id].into_iter().any(|name| match self {
            Self::Every => true,
            Self::Exact(exact) => exact == name,
            Self::Prefix(prefix) => name.strip_prefix(prefix.as_str()).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(['-', ':']) || prefix.ends_with(['-', ':'])
            }),
        })
    }
}

/// Rules in the order in which they were given; of those that match, deny counts before allow before ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionRules {
    rules: Vec<(Decision, Pattern, String)>,
}

/// What the rules and the properties of a skill come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PermissionOutcome {
    /// Whether.
    pub decision: Decision,
    /// The rule that decided; `None`: its properties did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What the skill asks of the host: what the question to the user names.
    pub effects: Vec<Effect>,
    /// Rules that would answer the question for good: this skill, and those that begin with its name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

impl PermissionRules {
    /// Adds a rule: `Skill` or `*` (every skill), `Skill(NAME)` or `NAME`, `Skill(PREFIX:*)`.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn add(&mut self, decision: Decision, rule: &str) -> Result<(), RuleFault> {
        let pattern = rule.parse()?;
        self.rules.push((decision, pattern, rule.trim().to_owned()));
        Ok(())
    }

    /// Decides on a skill: a deny rule, else an allow rule, else an ask rule; else it is allowed where it asks for
    /// nothing that has an effect, and to be asked about where it does.
    pub fn decide(&self, entry: &SkillEntry) -> PermissionOutcome {
        let effects = effects(&entry.front_matter);
        let matching = |wanted: Decision| {
            self.rules
                .iter()
                .find(|(decision, pattern, _)| *decision == wanted && pattern.matches(entry))
                .map(|(decision, _, rule)| (*decision, rule.clone()))
        };
        let ruled = [Decision::Deny, Decision::Allow, Decision::Ask]
            .into_iter()
            .find_map(matching);
        let (decision, rule) = match ruled {
            Some((decision, rule)) => (decision, Some(rule)),
            None if effects.is_empty() => (Decision::Allow, None),
            None => (Decision::Ask, None),
        };
        let suggestions = if decision == Decision::Ask {
            vec![
                format!("Skill({})", entry.name),
                format!("Skill({}:*)", entry.name),
            ]
        } else {
            Vec::new()
        };
        PermissionOutcome {
            decision,
            rule,
            effects,
            suggestions,
        }
    }
}

impl PermissionOutcome {
    /// The refusal, where it is one.
    ///
    /// # Errors
    /// A rule denies the skill.
    pub fn or_denied(self, entry: &SkillEntry) -> Result<Self, ActivationRefusal> {
        match (self.decision, &self.rule) {
            (Decision::Deny, rule) => Err(ActivationRefusal::Denied {
                name: entry.name.clone(),
                rule: rule.clone().unwrap_or_default(),
            }),
            _ => Ok(self),
        }
    }
}
