//! `metier serve`.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use metier::capability::CapabilitySet;
use metier::skill_model::{SkillStatus, SkillSummary};
use metier::{CatalogSettings, McpHttpConfig, McpHttpHandle, SkillCatalog, skill_server};
use serde_json::json;

use crate::Failure;
use crate::config::Config;
use crate::findings::tell_findings;
use crate::listening::Listening;
use crate::listing::shows_stubs;
use crate::options::{SkillPlaces, runtime};
use crate::printer::{Printer, clipped, count};
use crate::serving::{Kept, Serving};
use crate::stop_signal::StopSignal;
use crate::{choosing, confirming, listening, progress};

/// How many skills the summary names.
const SHOWN: usize = 20;

/// How long threads are waited for that read and write when all has ended.
const LAST_THREADS: Duration = Duration::from_secs(2);

#[derive(Args)]
pub(crate) struct Serve {
    /// Listen beyond this machine although nothing checks who calls.
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    listening: Listening,
    #[command(flatten)]
    serving: Serving,
}

impl Serve {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (settings, mut chosen) = self.serving.settings()?;
        self.listening.cover(&mut chosen);
        let mut config = listening::http(&chosen, self.insecure)?;
        config.stubs = shows_stubs(&chosen);
        config.confirm = confirming::policy(&chosen);
        config.selector = choosing::client_selector(&chosen);
        let runtime = runtime()?;
        let done = runtime.block_on(async {
            let stop = StopSignal::listen(printer);
            tokio::select! {
                biased;
                begun = self.begin(printer, settings, config, &chosen) => {
                    let running = begun?;
                    stop.wait().await;
                    printer.say("stopping");
                    running.end().await;
                }
                () = stop.wait() => printer.say("stopping"),
            }
            Ok(())
        });
        // A disk that does not answer holds a thread, and nobody waits for that any more.
        runtime.shutdown_timeout(LAST_THREADS);
        done
    }

    async fn begin(
        &self,
        printer: Printer,
        settings: CatalogSettings,
        config: McpHttpConfig,
        chosen: &Config,
    ) -> Result<Running, Failure> {
        let dcc = settings.only_dcc.clone();
        let (server, catalog) = progress::around("looking for skills", || {
            skill_server(settings, config, &self.serving.places.paths, dcc.as_deref())
        });
        let kept = Serving::prepare(printer, &catalog, chosen).await?;
        let handle = server
            .start()
            .await
            .map_err(|error| Failure::Usage(error.to_string()))?;
        printer.data(handle.mcp_url());
        if let Some(lost) = printer.lost() {
            handle.shutdown().await;
            return Err(Failure::Usage(lost));
        }
        self.tell(printer, &catalog, handle.mcp_url());
        Ok(Running { handle, kept })
    }

    /// What was found, and what to paste into a client.
    fn tell(&self, printer: Printer, catalog: &SkillCatalog, url: &str) {
        tell_findings(printer, &catalog.snapshot());
        // A server without skills runs: some may come.
        let _ = self.serving.places.tell_if_empty(printer, catalog);
        say_summary(printer, catalog, &self.serving.places);
        let entry = json!({"mcpServers": {"metier": {"type": "http", "url": url}}});
        printer.say(&format!(
            "\npaste into your client's MCP settings:\n  {entry}\nor, for Claude Code:\n  claude mcp add --transport http metier {url}\n\nCtrl-C stops."
        ));
    }
}

/// A server that serves.
struct Running {
    handle: McpHttpHandle,
    kept: Kept,
}

impl Running {
    async fn end(self) {
        self.handle.shutdown().await;
        self.kept.close().await;
    }
}

/// What is served, and what is not although it is there.
fn say_summary(printer: Printer, catalog: &SkillCatalog, places: &SkillPlaces) {
    let skills = catalog.list_skills(None);
    let named = |status| catalog.list_skills(Some(status)).into_iter();
    if !skills.is_empty() {
        let tools: usize = skills.iter().map(|skill| skill.tool_count).sum();
        let found = format!(
            "{} with {}",
            count(skills.len(), "skill"),
            count(tools, "tool")
        );
        let states: Vec<String> = SkillStatus::ALL
            .into_iter()
            .map(|status| (named(status).count(), status))
            .filter(|(number, _)| *number > 0)
            .map(|(number, status)| match status {
                // Nothing is loaded before a client asks for it, and that is as it should be.
                SkillStatus::Unloaded => format!("{number} ready to load"),
                SkillStatus::Skipped => format!("{number} rejected"),
                status => format!("{number} {status}"),
            })
            .collect();
        printer.say(&format!("found {found} ({}):", states.join(", ")));
        let rows: Vec<Vec<String>> = skills.iter().take(SHOWN).map(row).collect();
        printer.say_overview(&rows);
        if skills.len() > SHOWN {
            printer.say(&format!(
                "  … and {} more (metier list shows all)",
                skills.len() - SHOWN
            ));
        }
    }
    if let Some(refusing) = refusing(catalog) {
        printer.say(&refusing);
    }
    let mut broken: Vec<String> = named(SkillStatus::Error)
        .chain(named(SkillStatus::Skipped))
        .map(|skill| skill.name)
        .collect();
    if !broken.is_empty() {
        let number = broken.len();
        if number > SHOWN {
            broken.truncate(SHOWN);
            broken.push("…".to_owned());
        }
        printer.say(&format!(
            "{} cannot be used: {}; `{}` says what to mend",
            count(number, "skill"),
            broken.join(", "),
            places.check_command()
        ));
    }
}

/// How many tools will refuse for want of a capability, and the options that grant them.
fn refusing(catalog: &SkillCatalog) -> Option<String> {
    let declared = CapabilitySet::new(catalog.declared_capabilities());
    let mut missing = BTreeSet::new();
    let (mut tools, mut refusing) = (0, 0);
    for skill in catalog.list_skills(None) {
        let info = catalog.get_skill_info(&skill.name);
        let Some(metadata) = info.and_then(|info| info.metadata) else {
            continue;
        };
        tools += metadata.tools.len();
        for tool in &metadata.tools {
            let lacks = declared.check(&tool.required_capabilities);
            refusing += usize::from(!lacks.is_empty());
            missing.extend(lacks.iter().map(ToString::to_string));
        }
    }
    if missing.is_empty() {
        return None;
    }
    let options: Vec<String> = missing
        .iter()
        .map(|name| format!("--capability {name}"))
        .collect();
    Some(format!(
        "{refusing} of {} will refuse for want of a capability; if this machine can do that: {}",
        count(tools, "tool"),
        options.join(" ")
    ))
}

fn row(skill: &SkillSummary) -> Vec<String> {
    let description = clipped(&skill.description, 90);
    let description = match skill.status {
        SkillStatus::Loaded | SkillStatus::Unloaded => description,
        status => format!("[{status}] {description}"),
    };
    vec![skill.name.clone(), description]
}
