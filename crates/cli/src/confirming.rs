//! Whether a person is asked before something is destroyed.

use clap::{Args, ValueEnum};
use metier::mcp::ConfirmPolicy;

use crate::config::{CONFIRM, Config, Key, Value, word};

#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Confirming {
    /// Which calls the person at the client confirms first; a client that cannot ask is refused
    /// [default: never].
    #[arg(long, value_enum, value_name = "WHICH")]
    confirm: Option<Confirm>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Confirm {
    /// None.
    Never,
    /// Those of tools that say of themselves that they are destructive.
    Destructive,
}

impl Confirming {
    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let confirm = self.confirm.map(|confirm| Value::Text(word(confirm)));
        config.layer.option(Key::Confirm, confirm);
    }

    /// The same option as arguments for another process.
    pub(crate) fn as_arguments(&self) -> impl Iterator<Item = String> {
        let confirm = self.confirm.into_iter();
        confirm.flat_map(|confirm| ["--confirm".to_owned(), word(confirm)])
    }
}

pub(crate) fn policy(config: &Config) -> ConfirmPolicy {
    if config.text(Key::Confirm) == Some(CONFIRM[1]) {
        ConfirmPolicy::Destructive
    } else {
        ConfirmPolicy::Never
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_knows_the_words_of_the_option() {
        assert_eq!(
            Confirm::value_variants()
                .iter()
                .map(|it| word(*it))
                .collect::<Vec<_>>(),
            CONFIRM
        );
    }
}
