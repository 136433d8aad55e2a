//! What is done on the disk beside the saving of what is loaded.

use std::time::Duration;

use metier_persistence::LoadedStateStore;
use tokio::sync::watch;

/// When what could not be saved is tried again without another change: a full disk has room again, a
/// late drive comes.
pub(crate) const AGAIN: Duration = Duration::from_secs(10);

/// Shows in the mirror what was saved, beside the saving: whoever looks at it may hold it. That it does not show it is said
/// once, until it does.
pub(crate) async fn mirror(store: LoadedStateStore, mut saved: watch::Receiver<()>) {
    let mut is_told = false;
    loop {
        let again = async {
            if is_told {
                tokio::time::sleep(AGAIN).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            changed = saved.changed() => if changed.is_err() {
                return;
            },
            () = again => {}
        }
        let store = store.clone();
        match blocking(move || store.show_in_mirror()).await {
            Some(Err(fault)) if !is_told => {
                tracing::warn!("the mirror does not show the loaded skills: {fault}");
                is_told = true;
            }
            Some(Err(fault)) => tracing::debug!(fault, "the mirror still does not show them"),
            _ => is_told = false,
        }
    }
}

/// The file system may be slow. `None` only when the runtime ends.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
