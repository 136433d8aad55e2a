//! The events and what a handler may answer.

use std::fmt;

use serde::Serialize;

/// The eight moments at which handlers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// A client's session began.
    SessionStart,
    /// A search is about to run (policy).
    BeforeSearch,
    /// A search has run.
    AfterSearch,
    /// A skill is about to be loaded, also as somebody's dependency (policy).
    BeforeSkillLoad,
    /// A skill has been loaded.
    AfterSkillLoad,
    /// A tool is about to run with these final arguments (policy).
    BeforeToolCall,
    /// A tool call ended, whichever way.
    AfterToolCall,
    /// A client's session ended.
    SessionEnd,
}

impl HookEvent {
    /// Every event, in the order of a session's life.
    pub const ALL: [Self; 8] = [
        Self::SessionStart,
        Self::BeforeSearch,
        Self::AfterSearch,
        Self::BeforeSkillLoad,
        Self::AfterSkillLoad,
        Self::BeforeToolCall,
        Self::AfterToolCall,
        Self::SessionEnd,
    ];

    /// Whether a handler may refuse what is about to happen.
    pub const fn is_policy(self) -> bool {
        matches!(
            self,
            Self::BeforeSearch | Self::BeforeSkillLoad | Self::BeforeToolCall
        )
    }

    /// The name used in configuration, logs and for hook programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "on_session_start",
            Self::BeforeSearch => "before_search",
            Self::AfterSearch => "after_search",
            Self::BeforeSkillLoad => "before_skill_load",
            Self::AfterSkillLoad => "after_skill_load",
            Self::BeforeToolCall => "before_tool_call",
            Self::AfterToolCall => "after_tool_call",
            Self::SessionEnd => "on_session_end",
        }
    }

    /// The event of that name, as [`HookEvent::as_str`] writes it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Whether the event is about a skill or a tool, so that handlers can be meant for some of them.
    pub const fn names_something(self) -> bool {
        matches!(
            self,
            Self::BeforeSkillLoad
                | Self::AfterSkillLoad
                | Self::BeforeToolCall
                | Self::AfterToolCall
        )
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{reason}{}", also(.hint.as_ref()))]
#[non_exhaustive]
pub struct HookDeny {
    /// Why, for whoever asked.
    pub reason: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

fn also(hint: Option<&String>) -> String {
    hint.map(|hint| format!("; {hint}")).unwrap_or_default()
}

impl HookDeny {
    /// A refusal with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            hint: None,
        }
    }

    /// Adds what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// How a handler can fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookFailure {
    /// It refuses. On an event that is not a policy event this is logged and changes nothing.
    #[error("denied: {0}")]
    Deny(#[from] HookDeny),
    /// It could not decide. The text goes to the log, never to a client.
    #[error("{0}")]
    Failed(String),
    /// It watches its own time and has used it up. On a policy event this refuses, as a handler does
    /// that whoever dispatched gave up on. The text says which time, for the log.
    #[error("late: {0}")]
    Late(String),
}

/// What a handler answers: nothing to say, or a failure.
pub type HookResult = Result<(), HookFailure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_events_are_policy() {
        let policy: Vec<_> = HookEvent::ALL
            .into_iter()
            .filter(|event| event.is_policy())
            .collect();
        assert_eq!(
            policy,
            [
                HookEvent::BeforeSearch,
                HookEvent::BeforeSkillLoad,
                HookEvent::BeforeToolCall
            ]
        );
    }

    #[test]
    fn a_name_leads_back_to_its_event() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::from_name(event.as_str()), Some(event));
        }
        assert_eq!(HookEvent::from_name("BeforeToolCall"), None);
    }

    #[test]
    fn a_refusal_in_one_line_keeps_its_hint() {
        assert_eq!(HookDeny::new("no").to_string(), "no");
        assert_eq!(HookDeny::new("no").hint("ask").to_string(), "no; ask");
    }
}
