//! What `tools/list` shows.

use clap::{Args, ValueEnum};

use crate::config::{Config, Key, STUBS, Value, word};

#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Whether tools/list shows a stub for each skill that is not loaded [default: all].
    #[arg(long, value_enum, value_name = "WHICH")]
    stubs: Option<Stubs>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stubs {
    /// One for each.
    All,
    /// None; clients find skills with `search_skills`.
    None,
}

impl Listing {
    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let stubs = self.stubs.map(|stubs| Value::Text(word(stubs)));
        config.layer.option(Key::Stubs, stubs);
    }

    /// The same option as arguments for another process.
    pub(crate) fn as_arguments(&self) -> impl Iterator<Item = String> {
        let stubs = self.stubs.into_iter();
        stubs.flat_map(|stubs| ["--stubs".to_owned(), word(stubs)])
    }
}

/// Whether there is a stub for each skill that is not loaded.
pub(crate) fn shows_stubs(config: &Config) -> bool {
    config.text(Key::Stubs) != Some(STUBS[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_knows_the_words_of_the_option() {
        assert_eq!(
            Stubs::value_variants()
                .iter()
                .map(|it| word(*it))
                .collect::<Vec<_>>(),
            STUBS
        );
    }
}
