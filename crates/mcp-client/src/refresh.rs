//! Which event does what to the cache of a connection.

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// The server or the transport ended it.
    Closed,
    /// This host ended it.
    Disconnected,
    /// `notifications/prompts/list_changed`.
    PromptsChanged,
    /// `notifications/resources/list_changed`.
    ResourcesChanged,
}

/// What is thrown away and what is fetched anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a row of the table: each column is one yes or no"
)]
pub struct Refresh {
    /// Everything is thrown away, and nothing fetched.
    pub clear: bool,
    /// The list of resources.
    pub resources: bool,
    /// The list of prompts.
    pub prompts: bool,
    /// The list of skills.
    pub skills: bool,
}

impl ServerEvent {
    /// The table of events.
    ///
    /// ```
    /// use metier_mcp_client::{Refresh, ServerEvent};
    ///
    /// let refresh = ServerEvent::PromptsChanged.refresh();
    /// assert_eq!(refresh, Refresh { prompts: true, skills: true, ..Refresh::default() });
    /// ```
    pub const fn refresh(self) -> Refresh {
        match self {
            Self::Closed | Self::Disconnected => Refresh {
                clear: true,
                resources: false,
                prompts: false,
                skills: false,
            },
            Self::PromptsChanged => Refresh {
                clear: false,
                resources: false,
                prompts: true,
                skills: true,
            },
            Self::ResourcesChanged => Refresh::EVERYTHING,
        }
    }
}

impl Refresh {
    /// All three lists, as after connecting.
    pub const EVERYTHING: Self = Self {
        clear: false,
        resources: true,
        prompts: true,
        skills: true,
    };

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            clear: self.clear || other.clear,
            resources: self.resources || other.resources,
            prompts: self.prompts || other.prompts,
            skills: self.skills || other.skills,
        }
    }
}
