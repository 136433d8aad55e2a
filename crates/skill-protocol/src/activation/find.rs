//! Which skill is meant, and why it is not given.

use crate::book::{SkillEntry, folded};
use crate::line::line;
use crate::view::{Absence, View};

/// Who asks for a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A model, by a tool.
    Model,
    /// A person, by a command.
    User,
}

/// Why a skill is not activated. Checked in the order of the variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationRefusal {
    /// No name was given.
    #[error("no skill was named; give the name of one as `skill`")]
    Empty,
    /// There is none of this name.
    #[error("there is no skill `{name}`{}", or_nearest(.nearest))]
    Unknown {
        /// The name, as far as it can be shown.
        name: String,
        /// Names that come near, nearest first.
        nearest: Vec<String>,
    },
    /// It is switched off.
    #[error("the skill `{name}` is disabled; whoever runs the server can enable it")]
    Disabled {
        /// Its name.
        name: String,
    },
    /// It is for files of which none was touched.
    #[error("the skill `{name}` is for {}; it is there once one of them was touched", .paths.join(", "))]
    Conditional {
        /// Its name.
        name: String,
        /// The globs.
        paths: Vec<String>,
    },
    /// Only a person may invoke it.
    #[error("the skill `{name}` can only be invoked by a person")]
    OnlyForUsers {
        /// Its name.
        name: String,
    },
    /// Its instructions cannot be had.
    #[error("the instructions of `{name}` are not served: {reason}")]
    NotServed {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A rule denies it.
    #[error("the skill `{name}` is denied by the rule `{rule}`")]
    Denied {
        /// Its name.
        name: String,
        /// The rule.
        rule: String,
    },
    /// Its text is hostile.
    #[error("the skill `{name}` is blocked: {reason}")]
    Blocked {
        /// Its name.
        name: String,
        /// The gravest finding.
        reason: String,
    },
}

impl ActivationRefusal {
    /// The skill whose own properties are the reason.
    pub fn skill(&self) -> Option<&str> {
        match self {
            Self::Conditional { name, .. }
            | Self::OnlyForUsers { name }
            | Self::Blocked { name, .. } => Some(name),
            Self::Empty
            | Self::Unknown { .. }
            | Self::Disabled { .. }
            | Self::NotServed { .. }
            | Self::Denied { .. } => None,
        }
    }
}

fn or_nearest(names: &[String]) -> String {
    if names.is_empty() {
        return "; call discover_skills with what is needed".to_owned();
    }
    format!("; the nearest are {}", names.join(", "))
}

/// Finds the skill that is asked for: by id, by name, with or without `/` before it. Of several of one name the first
/// in the order of the registry that is not disabled.
///
/// # Errors
/// There is none, or it may not be had; the first reason in the order of [`ActivationRefusal`].
pub fn find<'a>(
    view: &View<'a>,
    skill: &str,
    caller: Caller,
) -> Result<&'a SkillEntry, ActivationRefusal> {
    let asked = skill.trim();
    let asked = asked.strip_prefix('/').unwrap_or(asked).trim();
    if asked.is_empty() {
        return Err(ActivationRefusal::Empty);
    }
    let book = view.book;
    let mut named: Vec<&SkillEntry> = book.get(asked).into_iter().collect();
    named.extend(book.named(asked));
    let Some(first) = named.first() else {
        return Err(ActivationRefusal::Unknown {
            name: line(asked, 130),
            nearest: near(view, asked),
        });
    };
    let entry = *named
        .iter()
        .find(|entry| !view.is_disabled(entry))
        .unwrap_or(first);
    let name = entry.name.clone();
    match view.absence(entry) {
        Some(Absence::Disabled) => Err(ActivationRefusal::Disabled { name }),
        Some(Absence::Conditional) => Err(ActivationRefusal::Conditional {
            name,
            paths: entry
                .paths
                .iter()
                .take(5)
                .map(|path| line(path, 100))
                .collect(),
        }),
        Some(Absence::OnlyForUsers) if caller == Caller::Model => {
            Err(ActivationRefusal::OnlyForUsers { name })
        }
        Some(Absence::OnlyForUsers | Absence::OnlyByName | Absence::NotServed) | None => {
            match &entry.not_served {
                Some(reason) => Err(ActivationRefusal::NotServed {
                    name,
                    reason: reason.clone(),
                }),
                None => Ok(entry),
            }
        }
    }
}

/// The names that come near, three at most.
fn near(view: &View<'_>, asked: &str) -> Vec<String> {
    let asked = folded(&line(asked, 100));
    let mut near: Vec<(usize, &str)> = view
        .visible()
        .map(|entry| {
            (
                strsim::damerau_levenshtein(&asked, &folded(&entry.name)),
                entry.name.as_str(),
            )
        })
        .filter(|(distance, name)| distance * 3 <= name.chars().count().max(3))
        .collect();
    near.sort_unstable();
    near.into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}
