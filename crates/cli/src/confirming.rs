//! Whether a person is asked before something is destroyed.

use clap::{Args, ValueEnum};
use metier::mcp::ConfirmPolicy;

#[derive(Args, Clone)]
pub(crate) struct Confirming {
    /// Which calls the person at the client confirms first; a client that cannot ask is refused.
    #[arg(long, value_enum, default_value_t = Confirm::Never)]
    confirm: Confirm,
}

#[derive(Clone, Copy, ValueEnum)]
enum Confirm {
    /// None.
    Never,
    /// Those of tools that say of themselves that they are destructive.
    Destructive,
}

impl Confirming {
    pub(crate) fn policy(&self) -> ConfirmPolicy {
        match self.confirm {
            Confirm::Never => ConfirmPolicy::Never,
            Confirm::Destructive => ConfirmPolicy::Destructive,
        }
    }
}
