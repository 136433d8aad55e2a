//! `metier state approvals`.

use clap::{Args, Subcommand};
use metier::mcp_client::{Approvals, Given};
use serde_json::json;

use super::connect::ApprovalsFile;
use super::state::{SettingsFile, Shown};
use crate::Failure;
use crate::persisting::{StatePlace, state_folder};
use crate::printer::{Printer, count};

#[derive(Args)]
pub(crate) struct StateApprovals {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show what was approved, and what of it does not count any more.
    Show(Shown<Which>),
    /// Take approvals back, without asking the server: of a server, of some of its skills, or --all.
    Forget(Forget),
    /// Print the approved files with their digests and sizes as JSON.
    Export(Shown<Which>),
}

#[derive(Args)]
struct Forget {
    /// The server by its label.
    #[arg(value_name = "LABEL")]
    server: Option<String>,
    /// Skills of it by their URIs; all of them without.
    #[arg(value_name = "URI")]
    skills: Vec<String>,
    /// Every approval of every server.
    #[arg(long, conflicts_with = "server")]
    all: bool,
    #[command(flatten)]
    shown: Shown<Which>,
}

/// Where the approvals are.
#[derive(Args)]
struct Which {
    #[command(flatten)]
    place: StatePlace,
    #[command(flatten)]
    file: SettingsFile,
}

impl Which {
    fn open(&self, printer: Printer) -> Result<ApprovalsFile, Failure> {
        let mut config = self.file.config(None, printer)?;
        self.place.cover(&mut config);
        Ok(ApprovalsFile::at(&state_folder(&config)?))
    }
}

impl StateApprovals {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        match self.action {
            Action::Show(show) => show.show(printer),
            Action::Forget(forget) => forget.run(printer),
            Action::Export(export) => export.export(printer),
        }
    }
}

impl Shown<Which> {
    fn show(&self, printer: Printer) -> Result<(), Failure> {
        let file = self.which.open(printer)?;
        let kept = file.look(|kept| kept.clone())?;
        if self.json {
            let approvals: Vec<_> = kept.all().map(summary).collect();
            printer.json(&json!({"file": file.place(), "approvals": approvals}));
        } else {
            printer.rows(&rows(&kept));
        }
        say(printer, &file, kept.all().count());
        Ok(())
    }

    /// JSON in both forms.
    fn export(&self, printer: Printer) -> Result<(), Failure> {
        let file = self.which.open(printer)?;
        let kept = file.look(|kept| kept.clone())?;
        let approvals: Vec<Given<'_>> = kept.all().collect();
        printer.json(&json!({"approvals": approvals}));
        say(printer, &file, approvals.len());
        Ok(())
    }
}

impl Forget {
    fn run(&self, printer: Printer) -> Result<(), Failure> {
        if self.server.is_none() && !self.all {
            return Err(Failure::Usage(
                "say what to forget: a server by its label, and skills of it by their URIs; --all forgets every approval"
                    .to_owned(),
            ));
        }
        let file = self.shown.which.open(printer)?;
        let (mut forgotten, unknown) = file.look(|kept| self.named(kept))?;
        // Where nothing is meant, no file is made.
        if !forgotten.is_empty() {
            forgotten = file.change(|kept| {
                let (meant, _) = self.named(kept);
                kept.retain(|given| !self.means(given));
                Ok(meant)
            })?;
        }
        if self.shown.json {
            let forgotten = forgotten
                .iter()
                .map(|[server, skill]| json!({"server": server, "skill": skill}));
            let forgotten: Vec<_> = forgotten.collect();
            printer.json(&json!({"forgotten": forgotten, "unknown": unknown}));
        } else {
            for [server, skill] in &forgotten {
                printer.data(&format!("forgotten: {server} {skill}"));
            }
        }
        for asked in &unknown {
            printer.say(&format!(
                "`{asked}` is not approved; `metier state approvals show` lists what is"
            ));
        }
        if forgotten.is_empty() && unknown.is_empty() {
            say(printer, &file, 0);
        }
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(Failure::NothingFound)
        }
    }

    fn means(&self, given: &Given<'_>) -> bool {
        let is_meant = |asked: &String| asked == given.skill;
        self.server
            .as_ref()
            .is_none_or(|label| label == given.server)
            && (self.skills.is_empty() || self.skills.iter().any(is_meant))
    }

    /// Which approvals are meant, by server and skill, and what is meant and is none.
    fn named(&self, kept: &Approvals) -> (Vec<[String; 2]>, Vec<String>) {
        let meant = kept.all().filter(|given| self.means(given));
        let meant = meant.map(|given| [given.server, given.skill].map(str::to_owned));
        let meant: Vec<[String; 2]> = meant.collect();
        let asked = match &self.server {
            Some(label) if self.skills.is_empty() && meant.is_empty() => {
                std::slice::from_ref(label)
            }
            _ => &self.skills,
        };
        let is_unknown = |asked: &&String| !meant.iter().any(|[_, skill]| skill == *asked);
        let unknown = asked.iter().filter(is_unknown).cloned().collect();
        (meant, unknown)
    }
}

fn say(printer: Printer, file: &ApprovalsFile, number: usize) {
    let place = file.place();
    printer.say(&match number {
        0 => format!("no skill of another server is approved in {place}"),
        number => format!("{} in {place}", count(number, "approval")),
    });
}

/// One approval without its files, which an export has.
fn summary(given: Given<'_>) -> serde_json::Value {
    json!({
        "server": given.server,
        "skill": given.skill,
        "files": given.files.len(),
        "rights": given.rights,
        "revoked": given.revoked,
    })
}

fn rows(kept: &Approvals) -> Vec<Vec<String>> {
    let header = ["SERVER", "SKILL", "FILES", "GRANTED", "STATE"].map(str::to_owned);
    let row = |given: Given<'_>| {
        let rights: Vec<&str> = given.rights.iter().map(String::as_str).collect();
        let rights = Some(rights.join(",")).filter(|text| !text.is_empty());
        let state = if given.revoked { "changed" } else { "approved" };
        vec![
            given.server.to_owned(),
            given.skill.to_owned(),
            given.files.len().to_string(),
            rights.unwrap_or_else(|| "-".to_owned()),
            state.to_owned(),
        ]
    };
    let mut given = kept.all().map(row).peekable();
    if given.peek().is_none() {
        return Vec::new();
    }
    std::iter::once(header.to_vec()).chain(given).collect()
}
