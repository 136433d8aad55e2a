//! `metier host-adapter`.

use clap::Args;
use metier::host::ADAPTER;
use serde_json::json;

use crate::Failure;
use crate::printer::Printer;

#[derive(Args)]
pub(crate) struct HostAdapter {
    /// Print the name of the file and its text as JSON.
    #[arg(long)]
    json: bool,
}

impl HostAdapter {
    #[expect(clippy::unnecessary_wraps, reason = "every command runs the same way")]
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        if self.json {
            printer.json(&json!({"file": "metier_host.py", "text": ADAPTER}));
        } else {
            printer.text(ADAPTER);
        }
        Ok(())
    }
}
