//! Whether the application that main-thread tools run in is there.

use metier::host::HostLink;

use crate::config::{Config, Fault, Key};
use crate::options::place;
use crate::printer::Printer;

/// For what the file holds.
const CURE: &str = "start the adapter in the application (`metier host-adapter` prints it)";

/// The application that answers, by its own name; `None` where none is named.
pub(crate) async fn attached(config: &Config) -> Option<Result<String, Fault>> {
    let file = config.file(Key::Attach)?;
    Some(match HostLink::new(file).probe().await {
        Ok(door) => Ok(door.name),
        Err(message) => {
            // The message is for clients and ends with a cure of its own.
            let (problem, cure) = message.split_once("; ").unwrap_or((&message, CURE));
            let place = format!("{} {}", place(config, Key::Attach), file.display());
            Err(Fault::new(place, problem, cure))
        }
    })
}

/// Warns when the application that is named does not answer. It may come later: its file is read anew
/// for every call.
pub(crate) async fn warn_if_unattached(config: &Config) {
    if let Some(Err(fault)) = attached(config).await {
        Printer.say(&format!(
            "warning: {fault}; until it answers, its tools refuse"
        ));
    }
}
