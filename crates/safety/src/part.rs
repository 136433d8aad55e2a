//! Which part of a skill a text is.

/// Which part of a skill a text is. The same words weigh differently where everybody is shown them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// The front matter of SKILL.md: shown to every model in every list.
    FrontMatter,
    /// Names, descriptions and schemas of tools: shown to every model that has the tools.
    Tools,
    /// The instructions of SKILL.md, prompts, and the documents beside them: read when the skill is used.
    Body,
    /// The text of a script: run, not read.
    Script,
    /// The path of a file.
    FileName,
}

impl Part {
    /// Whether models are shown it without having asked for the skill.
    pub const fn is_shown_unasked(self) -> bool {
        matches!(self, Self::FrontMatter | Self::Tools)
    }

    /// Whether it is text that a model reads.
    pub const fn is_prose(self) -> bool {
        matches!(self, Self::FrontMatter | Self::Tools | Self::Body)
    }
}
