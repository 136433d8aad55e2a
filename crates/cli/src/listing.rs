//! What `tools/list` shows beside the tools of loaded skills.

use clap::{Args, ValueEnum};
use metier::CatalogSettings;
use metier::catalog::SkillTools;

use crate::config::{Config, Key, Value};

#[derive(Args, Clone)]
pub(crate) struct Listing {
    /// Whether tools/list shows a stub for each skill that is not loaded.
    #[arg(long, value_enum, default_value_t = Stubs::All)]
    stubs: Stubs,
    /// When tools/list shows `read_skill_file`, which hands out a skill's texts to clients that know
    /// tools alone [default: auto].
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
    pub(crate) fn shows_stubs(&self) -> bool {
        self.stubs == Stubs::All
    }

    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config, settings: &mut CatalogSettings) {
        let when = self
            .skill_tools
            .map(|when| Value::Text(when.as_str().to_owned()));
        config.layer.option(Key::SkillTools, when);
        settings.skill_tools = skill_tools(config);
    }
}

/// What the settings say of the tools for texts.
pub(crate) fn skill_tools(config: &Config) -> SkillTools {
    let when = config.text(Key::SkillTools).and_then(When::of_text);
    when.map_or_else(SkillTools::default, When::to_setting)
}
