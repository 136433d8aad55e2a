//! `metier stdio`.

use std::io::IsTerminal as _;

use clap::Args;
use metier::{McpConfig, StdioConfig, message_server, serve_stdio};

use crate::Failure;
use crate::attaching::warn_if_unattached;
use crate::findings::tell_findings;
use crate::listing::Listing;
use crate::options::{Running, SkillPlaces, follow, runtime};
use crate::printer::Printer;
use crate::program_hooks::warn_if_idle;
use crate::progress;
use crate::stop_signal::StopSignal;
use crate::watch_talk::WatchTalk;

#[derive(Args)]
pub(crate) struct Stdio {
    /// Follow the folders: what changes there is served without a restart.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    loading: crate::loading::Loading,
    #[command(flatten)]
    persisting: crate::persisting::Persisting,
    #[command(flatten)]
    remembering: crate::remembering::Remembering,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    confirming: crate::confirming::Confirming,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Stdio {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (mut settings, mut chosen) = self.running.settings_of_server(&self.places)?;
        self.listing.cover(&mut chosen, &mut settings);
        if std::io::stdin().is_terminal() {
            printer.say(
                "waiting for JSON-RPC messages, one a line; this command is meant to be started by an MCP client, \
                 for example: claude mcp add metier -- metier stdio PATH\nCtrl-D stops.",
            );
        }
        let dcc = settings.only_dcc.clone();
        let mut config = McpConfig::default();
        config.stubs = self.listing.shows_stubs();
        config.confirm = self.confirming.policy();
        let runtime = runtime()?;
        let ended = runtime.block_on(async {
            let signal = StopSignal::listen();
            let (server, catalog) = progress::around("looking for skills", || {
                message_server(settings, config, &self.places.paths, dcc.as_deref())
            });
            self.remembering.begin(printer, &catalog, &mut chosen);
            if self.watch {
                let talk = WatchTalk::begin(&catalog);
                follow(&catalog)?;
                tokio::spawn(talk.tell(printer));
            }
            warn_if_unattached(&chosen).await;
            warn_if_idle(printer, &chosen, &catalog);
            let persistence = self
                .persisting
                .begin(printer, &catalog, &mut chosen)
                .await?;
            self.loading.load(printer, &catalog, &chosen).await?;
            tell_findings(printer, &catalog.snapshot());
            self.places.tell_if_empty(printer, &catalog);
            let limits = StdioConfig::default();
            let stop = limits.stop.clone();
            tokio::spawn(async move {
                signal.wait().await;
                stop.cancel();
            });
            let ended = serve_stdio(&server, limits).await;
            server.shutdown().await;
            if let Some(persistence) = persistence {
                persistence.close().await;
            }
            ended.map_err(|error| Failure::Usage(error.to_string()))
        });
        // A read of standard input may still be under way and cannot be taken back.
        runtime.shutdown_background();
        ended.map(|_| ())
    }
}
