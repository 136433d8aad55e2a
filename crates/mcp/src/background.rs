//! What a server does on its own: hand on the catalog's changes, and end what is idle.

use std::sync::Weak;
use std::time::Duration;

use metier_catalog::CatalogEvent;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::notices::ListKind;
use crate::shared::Shared;

pub(crate) type Events = broadcast::Receiver<CatalogEvent>;

/// Runs until the server is gone.
pub(crate) async fn run(
    shared: Weak<Shared>,
    mut events: Events,
    closing: CancellationToken,
    every: Duration,
) {
    let every = every.clamp(Duration::from_millis(100), Duration::from_mins(1));
    let mut sweep = tokio::time::interval(every);
    sweep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            event = events.recv() => {
                let Some(shared) = shared.upgrade() else { return };
                match event {
                    Ok(event) if event.tools_changed => shared.list_changed(ListKind::Tools, event.generation),
                    Ok(_) => {}
                    // So many changes at once that some were dropped: at least one is news.
                    Err(RecvError::Lagged(_)) => {
                        shared.list_changed(ListKind::Tools, shared.catalog.snapshot().generation());
                    }
                    Err(RecvError::Closed) => return,
                }
            }
            _ = sweep.tick() => {
                let Some(shared) = shared.upgrade() else { return };
                shared.sweep().await;
            }
        }
    }
}
