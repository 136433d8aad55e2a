//! Whether the application that main-thread tools run in is there.

use metier::host::HostLink;

use crate::config::Key;
use crate::options::{Running, SkillPlaces, place};
use crate::printer::Printer;

/// Warns when the application that is named does not answer. It may come later: its file is read anew
/// for every call.
pub(crate) async fn warn_if_unattached(running: &Running, places: &SkillPlaces) {
    let (config, _) = running.config(places);
    let Some(file) = config.file(Key::Attach) else {
        return;
    };
    if let Err(message) = HostLink::new(file).probe().await {
        Printer.say(&format!(
            "warning: {} {}: {message}; until it answers, its tools refuse",
            place(&config, Key::Attach),
            file.display()
        ));
    }
}
