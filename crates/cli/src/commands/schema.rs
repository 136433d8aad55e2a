//! `metier schema`.

use clap::{Args, ValueEnum};
use metier::loader::format::{skill_schema, tools_schema};

use crate::Failure;
use crate::printer::Printer;

#[derive(Args)]
pub(crate) struct Schema {
    /// Which file of a skill the schema is for.
    #[arg(value_enum)]
    file: File,
}

#[derive(Clone, Copy, ValueEnum)]
enum File {
    /// The front matter of SKILL.md.
    Skill,
    /// The tools file.
    Tools,
}

impl Schema {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        printer.json(&match self.file {
            File::Skill => skill_schema(),
            File::Tools => tools_schema(),
        });
        Ok(())
    }
}
