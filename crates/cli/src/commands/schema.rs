//! `metier schema`.

use clap::{Args, ValueEnum};
use metier::loader::format::{prompts_schema, skill_schema, tools_schema};

use crate::Failure;
use crate::printer::Printer;

#[derive(Args)]
pub(crate) struct Schema {
    /// Which file of a skill the schema is for.
    #[arg(value_enum)]
    file: File,
    /// Print JSON, which a schema is with or without this.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum File {
    /// The front matter of SKILL.md.
    Skill,
    /// The tools file.
    Tools,
    /// A prompts file.
    Prompts,
}

impl Schema {
    #[expect(clippy::unnecessary_wraps, reason = "every command runs the same way")]
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        printer.json(&match self.file {
            File::Skill => skill_schema(),
            File::Tools => tools_schema(),
            File::Prompts => prompts_schema(),
        });
        Ok(())
    }
}
