//! A second place where the state can be looked at.

use std::fmt;

use crate::app_name::AppName;
use crate::state::LoadedState;

/// Shows what was saved, for a dashboard. It is never read back, and its faults are told and
/// nothing more.
pub trait StateMirror: fmt::Debug + Send + Sync {
    /// Shows the state of an application in place of what was shown of it before. `read` gives the
    /// state as it is when it is called; a mirror that several servers write calls it while no other
    /// can, so that the newest state is what stays.
    ///
    /// # Errors
    /// Why it cannot, in words.
    fn show(&self, app: &AppName, read: &dyn Fn() -> LoadedState) -> Result<(), String>;
}
