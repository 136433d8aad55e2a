//! What the protocol is told once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use metier_skill_protocol::{MemoryCounters, PermissionRules, QualityCounters, Selector, Standing};

/// How skills come before a model. The default needs no key, no model and no disk.
#[derive(Clone)]
#[non_exhaustive]
pub struct ProtocolSettings {
    /// What is disabled, revoked and left out at the start.
    pub standing: Standing,
    /// Who may activate what.
    pub permissions: PermissionRules,
    /// Where experience is kept: counters that are gone with the process, unless said otherwise.
    pub quality: Arc<dyn QualityCounters>,
    /// A model of the operator's that chooses where the search is not sure.
    pub selector: Option<Arc<dyn Selector>>,
    /// How long a selector may take.
    pub selector_limit: Duration,
    /// The context window of the models in tokens, where it is known: a hundredth of it is for the listing.
    pub window: Option<usize>,
}

impl Default for ProtocolSettings {
    fn default() -> Self {
        Self {
            standing: Standing::default(),
            permissions: PermissionRules::default(),
            quality: Arc::new(MemoryCounters::default()),
            selector: None,
            selector_limit: Duration::from_secs(10),
            window: None,
        }
    }
}

impl fmt::Debug for ProtocolSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtocolSettings")
            .field("standing", &self.standing)
            .field("permissions", &self.permissions)
            .field("selector", &self.selector.as_ref().map(|it| it.name()))
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}
