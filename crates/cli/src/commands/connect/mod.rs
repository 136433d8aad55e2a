//! `metier connect`: what another server offers, looked at, verified and approved.

mod approvals_file;
mod looked_at;
mod report;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use metier::mcp_client::{
    DiskCache, Era, FLAG_VARIABLES, Flag, Offer, RemoteSkill, ServerLabel, Settings, SkillCommand,
    Target,
};

use crate::Failure;
use crate::options::{SkillPlaces, runtime};
use crate::persisting::{StatePlace, state_folder};
use crate::printer::Printer;
use crate::searched;

use super::state::SettingsFile;
pub(super) use approvals_file::ApprovalsFile;
use looked_at::LookedAt;

#[derive(Args)]
pub(crate) struct Connect {
    /// A server over HTTP; or `-- COMMAND ARGS` for one that is started here.
    #[arg(
        value_name = "URL",
        required_unless_present = "command",
        conflicts_with = "command"
    )]
    url: Option<String>,
    /// What the server is called here: part of the names of its commands, and of what is approved [default:
    /// taken from the URL or the program].
    #[arg(long, value_name = "NAME")]
    label: Option<String>,
    /// The protocol of the beginning.
    #[arg(long, value_enum, default_value_t = Beginning::Auto)]
    era: Beginning,
    /// Look for skills among the resources of a server that does not declare them.
    #[arg(long)]
    legacy_scan: bool,
    /// Send the text of this file as a bearer token.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Keep verified files in this folder, outside every folder of skills.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StatePlace,
    #[command(flatten)]
    file: SettingsFile,
    /// The server's program and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// One skill instead of the list.
#[derive(Args, Default)]
pub(super) struct Look {
    /// Read this skill, by its whole name (`LABEL:NAME`), its name or its URI, and show it.
    #[arg(long, value_name = "SKILL")]
    pub(super) skill: Option<String>,
    /// Print this file of the skill, by its path or URI.
    #[arg(long, value_name = "PATH", requires = "skill", conflicts_with_all = ["verify", "approve", "revoke"])]
    pub(super) file: Option<String>,
    /// Read and verify every file of the skill.
    #[arg(long, requires = "skill")]
    pub(super) verify: bool,
    /// Approve the skill with exactly these files; none is read for it, unless `--verify` is there too.
    #[arg(long, requires = "skill")]
    pub(super) approve: bool,
    /// Grant what the skill asks for under this key of its front matter as well; may be given several times.
    #[arg(long, value_name = "KEY", requires = "approve")]
    pub(super) grant: Vec<String>,
    /// Take the approval back.
    #[arg(long, requires = "skill", conflicts_with = "approve")]
    pub(super) revoke: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Beginning {
    /// The newest that the server knows.
    Auto,
    /// A session, as in 2025.
    Legacy,
    /// No session, as from 2026-07-28 on.
    Modern,
}

impl Connect {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let flag = Flag::of(|name| std::env::var(name).ok());
        if !flag.is_on() {
            let name = FLAG_VARIABLES[0];
            return Err(Failure::Usage(format!(
                "skills of other servers are switched off, and nothing was sent; set {name}=1 to switch them on"
            )));
        }
        let config = {
            let mut config = self.file.config(None, printer)?;
            self.place.cover(&mut config);
            config
        };
        let approvals = ApprovalsFile::at(&state_folder(&config)?);
        let mut settings = Settings::new(flag);
        settings.legacy_scan = self.legacy_scan;
        settings.cache = self.cache()?;
        let label = self.label()?;
        let target = self.target()?;
        let era = match self.era {
            Beginning::Auto => Era::Auto,
            Beginning::Legacy => Era::Legacy,
            Beginning::Modern => Era::Modern,
        };
        runtime()?.block_on(async {
            let remote = metier::mcp_client::Remote::connect(label, &target, era, settings)
                .await
                .map_err(|fault| Failure::Usage(fault.to_string()))?;
            let connection = remote.connection();
            let done = match &self.look.skill {
                None => report::list(printer, self.json, connection, &approvals),
                Some(asked) => {
                    let looking = LookedAt {
                        connection,
                        look: &self.look,
                        json: self.json,
                        approvals: &approvals,
                    };
                    looking.at(printer, asked).await
                }
            };
            remote.leave().await;
            done
        })
    }

    fn label(&self) -> Result<ServerLabel, Failure> {
        if let Some(label) = &self.label {
            return ServerLabel::new(label)
                .map_err(|fault| Failure::Usage(format!("--label: {fault}")));
        }
        let of = match (&self.url, self.command.first()) {
            (Some(url), _) => url.clone(),
            (None, program) => program
                .map(|it| it.to_string_lossy().into_owned())
                .unwrap_or_default(),
        };
        Ok(ServerLabel::suggested(&of))
    }

    fn target(&self) -> Result<Target, Failure> {
        let Some(url) = &self.url else {
            return Ok(Target::program(self.command.iter().cloned()));
        };
        let token = match &self.token_file {
            None => None,
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
                Some(text.trim().to_owned())
            }
        };
        Ok(Target::Http {
            url: url.clone(),
            token,
        })
    }

    fn cache(&self) -> Result<Option<DiskCache>, Failure> {
        let Some(folder) = &self.cache else {
            return Ok(None);
        };
        let settings = SkillPlaces::default().settings()?;
        let roots: Vec<PathBuf> = searched::places(&settings, &[])
            .into_iter()
            .map(|place| place.path.into())
            .collect();
        DiskCache::open(folder, roots.iter().map(PathBuf::as_path))
            .map(Some)
            .map_err(|fault| Failure::Usage(format!("--cache: {fault}")))
    }
}

/// The skill that is meant, or what may have been.
fn wanted<'o>(offer: &'o Offer, asked: &str) -> Result<&'o Arc<RemoteSkill>, Vec<&'o str>> {
    if let Some(skill) = offer.skill(asked) {
        return Ok(skill);
    }
    let skills: Vec<&SkillCommand> = offer
        .commands
        .iter()
        .filter(|it| it.uri.is_some())
        .collect();
    let asked = asked.trim_start_matches('/');
    let bare = |command: &SkillCommand| {
        command
            .name
            .split_once(':')
            .map(|(_, bare)| bare.to_owned())
    };
    let mut found = skills
        .iter()
        .filter(|it| it.name == asked || bare(it).as_deref() == Some(asked));
    let one = found.next().filter(|_| found.next().is_none());
    one.and_then(|command| offer.skill(command.uri.as_deref()?))
        .ok_or_else(|| skills.iter().map(|it| it.name.as_str()).collect())
}
