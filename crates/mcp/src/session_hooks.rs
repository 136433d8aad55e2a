//! What hooks hear of sessions.

use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _};
use metier_hooks::HookPayload;

use crate::shared::Shared;

/// Of how many sessions that end together the hooks are told at once. One that takes its time must
/// not hold up a server that stops, and a thousand programs at once would.
const AT_ONCE: usize = 16;

impl Shared {
    /// Tells the hooks that a client is there.
    pub(crate) async fn session_started(&self, id: &str, client: Option<String>) {
        self.tell(id, HookPayload::SessionStart { client }).await;
    }

    /// Tells the hooks that a client is gone.
    pub(crate) async fn session_ended(&self, id: &str, reason: &str) {
        let reason = reason.to_owned();
        self.tell(id, HookPayload::SessionEnd { reason }).await;
    }

    /// Tells the hooks that these are gone.
    pub(crate) async fn sessions_ended(&self, ids: Vec<Arc<str>>, reason: &str) {
        let told = |id: Arc<str>| async move { self.session_ended(&id, reason).await };
        let ids = futures_util::stream::iter(ids);
        ids.for_each_concurrent(AT_ONCE, told).await;
    }

    /// Ends what has been idle for too long.
    pub(crate) async fn sweep(&self) {
        let sessions = self.sessions.expire().into_iter();
        let mut gone: Vec<Arc<str>> = sessions.map(|it| Arc::clone(&it.id)).collect();
        gone.extend(self.peers.expire());
        self.sessions_ended(gone, "expired").await;
    }

    /// Waits for the handlers. On a task of its own: a client that does not wait for its answer gives
    /// up its request, and every handler hears of a session all the same.
    async fn tell(&self, id: &str, payload: HookPayload) {
        let (catalog, id) = (self.catalog.clone(), id.to_owned());
        let telling = async move {
            if let Err(denied) = catalog.dispatch(Some(id.clone()), payload).await {
                tracing::warn!(session = id, reason = %denied, "a session cannot be refused by a hook");
            }
        };
        let mut telling = Box::pin(telling);
        // Where nobody listens there is nothing to wait for, and the first answer is out at once.
        if (&mut telling).now_or_never().is_none() {
            // A handler's panic is caught where it runs.
            let _ = self.telling.spawn(telling).await;
        }
    }
}
