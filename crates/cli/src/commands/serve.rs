//! `metier serve`.

use std::net::{IpAddr, ToSocketAddrs as _};

use clap::Args;
use metier::skill_model::SkillStatus;
use metier::{McpHttpConfig, SkillCatalog, skill_server};
use serde_json::json;

use crate::Failure;
use crate::options::{Listing, Running, SkillPlaces, follow, runtime, tell_findings};
use crate::printer::{Printer, clipped, count};
use crate::progress;
use crate::stop_signal::StopSignal;

#[derive(Args)]
pub(crate) struct Serve {
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 takes any free one.
    #[arg(long, default_value_t = 8765)]
    port: u16,
    /// Follow the folders: what changes there is served without a restart.
    #[arg(long)]
    watch: bool,
    /// Listen beyond this machine although nothing checks who calls.
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    confirming: crate::confirming::Confirming,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Serve {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let settings = self.running.settings(&self.places)?;
        if !self.insecure && !is_loopback(&self.host) {
            return Err(Failure::Usage(format!(
                "--host {}: this address can be reached from other machines, and the server runs scripts for \
                 whoever calls; listen on 127.0.0.1, or add --insecure if you mean it",
                self.host
            )));
        }
        let mut config = McpHttpConfig::new(self.port);
        config.host.clone_from(&self.host);
        config.stubs = self.listing.shows_stubs();
        config.confirm = self.confirming.policy();
        runtime()?.block_on(async {
            let stop = StopSignal::listen();
            let dcc = settings.only_dcc.clone();
            let (server, catalog) = progress::around("looking for skills", || {
                skill_server(settings, config, &self.places.paths, dcc.as_deref())
            });
            if self.watch {
                follow(&catalog)?;
            }
            let handle = server
                .start()
                .await
                .map_err(|error| Failure::Usage(error.to_string()))?;
            printer.data(handle.mcp_url());
            self.tell(printer, &catalog, handle.mcp_url());
            stop.wait().await;
            printer.say("stopping");
            handle.shutdown().await;
            Ok(())
        })
    }

    /// What was found, and what to paste into a client.
    fn tell(&self, printer: Printer, catalog: &SkillCatalog, url: &str) {
        let skills = catalog.list_skills(None);
        let rejected = catalog.list_skills(Some(SkillStatus::Skipped)).len();
        let tools: usize = skills.iter().map(|skill| skill.tool_count).sum();
        tell_findings(printer, &catalog.snapshot());
        if skills.is_empty() {
            let looked = if self.places.paths.is_empty() {
                "the usual places; name a folder with skills: metier serve PATH".to_owned()
            } else {
                let paths: Vec<_> = self
                    .places
                    .paths
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                paths.join(", ")
            };
            printer.say(&format!("no skills found in {looked}"));
        } else {
            printer.say(&format!(
                "found {} with {}{}:",
                count(skills.len(), "skill"),
                count(tools, "tool"),
                if rejected > 0 {
                    format!(", rejected {rejected}")
                } else {
                    String::new()
                }
            ));
            for skill in skills.iter().take(20) {
                printer.say(&format!(
                    "  {}  {}",
                    skill.name,
                    clipped(&skill.description, 90)
                ));
            }
            if skills.len() > 20 {
                printer.say(&format!(
                    "  … and {} more (metier list shows all)",
                    skills.len() - 20
                ));
            }
        }
        let entry = json!({"mcpServers": {"metier": {"type": "http", "url": url}}});
        printer.say(&format!(
            "\npaste into your client's MCP settings:\n  {entry}\nor, for Claude Code:\n  claude mcp add --transport http metier {url}\n\nCtrl-C stops."
        ));
    }
}

/// Whether only this machine can reach the address.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse::<IpAddr>() {
        return address.is_loopback();
    }
    match (host, 0_u16).to_socket_addrs() {
        Ok(addresses) => {
            let mut addresses = addresses.peekable();
            addresses.peek().is_some() && addresses.all(|address| address.ip().is_loopback())
        }
        // A name that means nothing is refused when the server starts to listen.
        Err(_) => true,
    }
}
