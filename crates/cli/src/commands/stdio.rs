//! `metier stdio`.

use std::io::IsTerminal as _;

use clap::Args;
use metier::{CatalogSettings, McpConfig, McpServer, StdioConfig, message_server, serve_stdio};

use crate::Failure;
use crate::config::Config;
use crate::findings::tell_findings;
use crate::listing::shows_stubs;
use crate::options::runtime;
use crate::printer::Printer;
use crate::serving::{Kept, Serving};
use crate::stop_signal::StopSignal;
use crate::{choosing, confirming, progress};

#[derive(Args)]
pub(crate) struct Stdio {
    #[command(flatten)]
    serving: Serving,
}

impl Stdio {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (settings, chosen) = self.serving.settings()?;
        if std::io::stdin().is_terminal() {
            printer.say(
                "waiting for JSON-RPC messages, one a line; this command is meant to be started by an MCP client, \
                 for example: claude mcp add metier -- metier stdio PATH\nCtrl-D stops.",
            );
        }
        let mut config = McpConfig::default();
        config.stubs = shows_stubs(&chosen);
        config.confirm = confirming::policy(&chosen);
        config.selector = choosing::client_selector(&chosen);
        let runtime = runtime()?;
        let ended = runtime.block_on(async {
            let signal = StopSignal::listen(printer);
            let (server, kept) = tokio::select! {
                biased;
                begun = self.begin(printer, settings, config, &chosen) => begun?,
                () = signal.wait() => return Ok(()),
            };
            let limits = StdioConfig::default();
            let stop = limits.stop.clone();
            let stopped = signal.clone();
            tokio::spawn(async move {
                stopped.wait().await;
                stop.cancel();
            });
            let ended = serve_stdio(&server, limits).await;
            signal.ends();
            server.shutdown().await;
            kept.close().await;
            ended
                .map(drop)
                .map_err(|error| Failure::Usage(error.to_string()))
        });
        // A read of standard input may still be under way and cannot be taken back.
        runtime.shutdown_background();
        ended
    }

    async fn begin(
        &self,
        printer: Printer,
        settings: CatalogSettings,
        config: McpConfig,
        chosen: &Config,
    ) -> Result<(McpServer, Kept), Failure> {
        let dcc = settings.only_dcc.clone();
        let (server, catalog) = progress::around("looking for skills", || {
            message_server(settings, config, &self.serving.places.paths, dcc.as_deref())
        });
        let kept = Serving::prepare(printer, &catalog, chosen).await?;
        tell_findings(printer, &catalog.snapshot());
        // A server without skills runs: some may come.
        let _ = self.serving.places.tell_if_empty(printer, &catalog);
        Ok((server, kept))
    }
}
