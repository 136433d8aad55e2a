//! How forgiving a reading is.

use metier_diagnostics::Severity;

/// How forgiving a skill is read.
///
/// The two modes find the same faults; they differ in what a fault costs. What strict accepts,
/// lenient accepts too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParseMode {
    /// Any finding of severity error rejects the skill; for checking and packaging.
    Strict,
    /// A skill is used as far as it can be understood, with warnings; for serving.
    #[default]
    Lenient,
}

impl ParseMode {
    /// The severity of a fault that rejects a skill in strict mode and is worked around in lenient.
    pub const fn fault(self) -> Severity {
        match self {
            Self::Strict => Severity::Error,
            Self::Lenient => Severity::Warning,
        }
    }
}
