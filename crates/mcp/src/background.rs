//! What a server does on its own: hand on the catalog's changes, and end what is idle.

use std::sync::{Arc, Weak};
use std::time::Duration;

use metier_catalog::{CatalogEvent, CatalogEventKind, SkillReader, SkillShelf};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::lists::Changed;
use crate::notices::ListKind;
use crate::shared::Shared;

/// What is still to come, and the skills before it.
#[derive(Debug)]
pub(crate) struct Events {
    pub(crate) changes: broadcast::Receiver<CatalogEvent>,
    pub(crate) shelf: Arc<SkillShelf>,
    /// Other servers over the same catalog count for themselves.
    pub(crate) reader: Arc<SkillReader>,
}

/// Runs until the server is gone.
pub(crate) async fn run(
    shared: Weak<Shared>,
    events: Events,
    closing: CancellationToken,
    every: Duration,
) {
    let Events {
        changes: mut events,
        mut shelf,
        reader,
    } = events;
    let every = every.clamp(Duration::from_millis(100), Duration::from_mins(1));
    let mut sweep = tokio::time::interval(every);
    sweep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            event = events.recv() => {
                let Some(shared) = shared.upgrade() else { return };
                let (generation, tools, texts) = match event {
                    Ok(event) => {
                        let texts = matches!(
                            event.kind,
                            CatalogEventKind::SkillsChanged | CatalogEventKind::FilesChanged
                        );
                        (event.generation, event.tools_changed, texts)
                    }
                    // So many changes at once that some were dropped: at least one is news.
                    Err(RecvError::Lagged(_)) => (shared.catalog.snapshot().generation(), true, true),
                    Err(RecvError::Closed) => return,
                };
                if tools {
                    shared.list_changed(ListKind::Tools, generation);
                }
                if texts {
                    let (catalog, before) = (shared.catalog.clone(), Arc::clone(&shelf));
                    let reader = Arc::clone(&reader);
                    // New versions of skills are looked at.
                    let compared = tokio::task::spawn_blocking(move || {
                        let snapshot = catalog.snapshot();
                        let now = Arc::clone(snapshot.shelf());
                        let changed = Changed::between(&before, &now, &reader);
                        (changed, now, snapshot.generation())
                    });
                    let Ok((changed, now, generation)) = compared.await else {
                        // What could not be compared may be another one.
                        let generation = shared.catalog.snapshot().generation();
                        shared.stirred(ListKind::Resources, generation);
                        shared.stirred(ListKind::Prompts, generation);
                        continue;
                    };
                    for (kind, by_skills, by_files) in [
                        (ListKind::Resources, changed.skills.resources, changed.files.resources),
                        (ListKind::Prompts, changed.skills.prompts, changed.files.prompts),
                    ] {
                        if by_files {
                            shared.stirred(kind, generation);
                        } else if by_skills {
                            // Whoever came while they were compared has seen the later lists alone.
                            shared.list_changed(kind, generation);
                        }
                    }
                    shelf = now;
                }
            }
            _ = sweep.tick() => {
                let Some(shared) = shared.upgrade() else { return };
                // Hooks take their time, and the notices must not wait for it.
                tokio::spawn(async move { shared.sweep().await });
            }
        }
    }
}
