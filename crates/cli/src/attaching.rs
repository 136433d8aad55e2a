//! Whether the application that main-thread tools run in is there.

use metier::host::HostLink;

use crate::config::{Config, Fault, Key};
use crate::options::place;
use crate::printer::Printer;

/// The application that answers, by its own name; `None` where none is named.
pub(crate) async fn attached(config: &Config) -> Option<Result<String, Fault>> {
    let file = config.file(Key::Attach)?;
    Some(match HostLink::new(file).probe().await {
        Ok(door) => Ok(door.name),
        Err(message) => Err(Fault::new(
            place(config, Key::Attach),
            message,
            "start the adapter in the application; `metier host-adapter` prints it",
        )),
    })
}

/// Warns when the application that is named does not answer. It may come later: its file is read anew
/// for every call.
pub(crate) async fn warn_if_unattached(config: &Config) {
    if let (Some(Err(fault)), Some(file)) = (attached(config).await, config.file(Key::Attach)) {
        Printer.say(&format!(
            "warning: {} {}: {}; until it answers, its tools refuse",
            fault.place,
            file.display(),
            fault.message
        ));
    }
}
