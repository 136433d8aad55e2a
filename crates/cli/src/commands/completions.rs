//! `metier completions`.

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::aot::{Shell, generate};
use serde_json::json;

use crate::Cli;
use crate::printer::Printer;

/// Where the script goes.
const WHERE: &str = "\
Install the script once:
  bash        metier completions bash > ~/.local/share/bash-completion/completions/metier
  zsh         metier completions zsh > a folder of $fpath, as _metier
  fish        metier completions fish > ~/.config/fish/completions/metier.fish
  powershell  metier completions powershell >> $PROFILE";

#[derive(Args)]
#[command(after_help = WHERE)]
pub(crate) struct Completions {
    /// The shell.
    shell: Known,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Known {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl Completions {
    pub(crate) fn run(self, printer: Printer) {
        let (name, shell) = match self.shell {
            Known::Bash => ("bash", Shell::Bash),
            Known::Zsh => ("zsh", Shell::Zsh),
            Known::Fish => ("fish", Shell::Fish),
            Known::Powershell => ("powershell", Shell::PowerShell),
        };
        let mut script = Vec::new();
        generate(shell, &mut Cli::command(), "metier", &mut script);
        let script = String::from_utf8_lossy(&script);
        if self.json {
            printer.json(&json!({"shell": name, "script": script}));
        } else {
            printer.text(&format!("{}\n", script.trim_end()));
        }
    }
}
