//! What `tools/list` shows beside the tools of loaded skills.

use clap::{Args, ValueEnum};
use metier::catalog::SkillTools;

use crate::config::{Config, Key, STUBS, Value, word};

#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Whether tools/list shows a stub for each skill that is not loaded [default: all].
    #[arg(long, value_enum, value_name = "WHICH")]
    stubs: Option<Stubs>,
    /// When tools/list shows the tools for skills as texts (`read_skill_file`, `skills_listing`,
    /// `discover_skills`, `skill`), for clients that know tools alone [default: auto].
    #[arg(long, value_enum, value_name = "WHEN")]
    skill_tools: Option<When>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stubs {
    /// One for each.
    All,
    /// None; clients find skills with `search_skills`.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// While there is a skill without tools, which is nothing but its text.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl When {
    /// As it stands in an option, a variable and the file.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }

    /// The same read from a variable or the file.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            "on" | "true" | "yes" | "1" => Some(Self::On),
            "off" | "false" | "no" | "0" => Some(Self::Off),
            _ => None,
        }
    }

    const fn to_setting(self) -> SkillTools {
        match self {
            Self::Auto => SkillTools::Auto,
            Self::On => SkillTools::On,
            Self::Off => SkillTools::Off,
        }
    }
}

impl Listing {
    /// Puts the options on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let stubs = self.stubs.map(|stubs| Value::Text(word(stubs)));
        config.layer.option(Key::Stubs, stubs);
        let when = self.skill_tools.map(|when| Value::Text(word(when)));
        config.layer.option(Key::SkillTools, when);
    }

    /// The same options as arguments for another process.
    pub(crate) fn as_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(stubs) = self.stubs {
            arguments.extend(["--stubs".to_owned(), word(stubs)]);
        }
        if let Some(when) = self.skill_tools {
            arguments.extend(["--skill-tools".to_owned(), word(when)]);
        }
        arguments
    }
}

/// Whether there is a stub for each skill that is not loaded.
pub(crate) fn shows_stubs(config: &Config) -> bool {
    config.text(Key::Stubs) != Some(STUBS[1])
}

/// What the settings say of the tools for texts.
pub(crate) fn skill_tools(config: &Config) -> SkillTools {
    let when = config.text(Key::SkillTools).and_then(When::of_text);
    when.map_or_else(SkillTools::default, When::to_setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_knows_the_words_of_the_option() {
        let words = Stubs::value_variants().iter().map(|it| word(*it));
        assert_eq!(words.collect::<Vec<_>>(), STUBS);
    }
}
