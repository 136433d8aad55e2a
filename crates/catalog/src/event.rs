//! What others are told when the catalog changes.

/// One change, told once, after the snapshot that holds it has been published.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogEvent {
    /// The generation that holds the change.
    pub generation: u64,
    /// What happened.
    pub kind: CatalogEventKind,
    /// Whether the list that `tools/list` shows differs from the one before.
    pub tools_changed: bool,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogEventKind {
    /// Skills were found, changed or went away.
    SkillsChanged,
    /// Skills were loaded; the dependencies first.
    SkillLoaded {
        /// Their names.
        names: Vec<String>,
    },
    /// Skills were unloaded.
    SkillUnloaded {
        /// Their names.
        names: Vec<String>,
    },
    /// Groups of a loaded skill were activated or deactivated.
    GroupChanged {
        /// The skill.
        skill: String,
    },
    /// Files of skills are others than at the last look, or they are served now and were not, or the
    /// other way round; what is known of the skills is the same.
    FilesChanged,
    /// The host declares other capabilities.
    CapabilitiesChanged,
    /// The host registered or removed a tool of its own.
    HostToolsChanged,
}
