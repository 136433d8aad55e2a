//! What hooks hear of sessions.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use metier_hooks::HookPayload;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::shared::Shared;

/// Of how many sessions that expire together the hooks are told at once: a thousand programs at once would be in the way
/// of the calls. A server that ends has none, and tells them all.
const AT_ONCE: usize = 16;

/// How long what hooks are told of sessions may take once the server ends, or the only client of it has gone. Longer than
/// a hook may take unless told otherwise, and shorter than what service managers wait before they kill.
pub(crate) const TOLD_WITHIN: Duration = Duration::from_secs(6);

/// What hooks have of that at least, after whatever took the time before them.
pub(crate) const TOLD_AT_LEAST: Duration = Duration::from_secs(2);

impl Shared {
    /// Tells the hooks that a client is there, and that another had to go for it. Waits for them unless the request is
    /// given up; they are told to the end all the same, and `told` is dropped then.
    pub(crate) async fn session_started(
        &self,
        id: &str,
        client: Option<String>,
        gone: Option<Arc<str>>,
        told: Option<DropGuard>,
        given_up: &CancellationToken,
    ) {
        let ended = async {
            if let Some(gone) = &gone {
                self.session_ended(gone, "expired").await;
            }
        };
        let started = self.tell(id, HookPayload::SessionStart { client }, told, None);
        tokio::select! {
            biased;
            _ = futures_util::future::join(ended, started) => {}
            () = given_up.cancelled() => {}
        }
    }

    /// Tells the hooks that a client is gone.
    pub(crate) async fn session_ended(&self, id: &str, reason: &str) {
        self.session_ended_within(id, reason, None).await;
    }

    /// The same, and not longer than that. Whether the hooks heard it.
    pub(crate) async fn session_ended_within(
        &self,
        id: &str,
        reason: &str,
        within: Option<Duration>,
    ) -> bool {
        let reason = reason.to_owned();
        self.tell(id, HookPayload::SessionEnd { reason }, None, within)
            .await
    }

    /// Tells the hooks that the server ends, of all these sessions together. What a hook of ours keeps of them is first in
    /// each, so none of it waits for a program.
    pub(crate) async fn all_sessions_end(&self, ids: Vec<Arc<str>>, within: Duration) {
        let told = ids.into_iter().map(|id| async move {
            self.session_ended_within(&id, "shutdown", Some(within))
                .await
        });
        let told = futures_util::future::join_all(told).await;
        let untold = told.iter().filter(|is_told| !**is_told).count();
        if untold > 0 {
            tracing::warn!(
                sessions = untold,
                "hooks did not hear of the end of every session in time; what still ran of them was ended"
            );
        }
    }

    /// Ends what has been idle for too long.
    pub(crate) async fn sweep(&self) {
        let sessions = self.sessions.expire().into_iter();
        let mut gone: Vec<Arc<str>> = sessions.map(|it| Arc::clone(&it.id)).collect();
        gone.extend(self.peers.expire());
        let told = |id: Arc<str>| async move { self.session_ended(&id, "expired").await };
        let gone = futures_util::stream::iter(gone);
        gone.for_each_concurrent(AT_ONCE, told).await;
    }

    /// Waits for the handlers; whether all of them heard it. On a task of its own: a client that does not wait for its
    /// answer gives up its request, and every handler hears of a session all the same.
    ///
    /// What takes longer than `within`, or too long for a server that ends meanwhile, is given up. Of one session each is told
    /// after the other: nobody hears of an end before the beginning, but where the beginning hangs and the server ends.
    async fn tell(
        &self,
        id: &str,
        payload: HookPayload,
        told: Option<DropGuard>,
        within: Option<Duration>,
    ) -> bool {
        let (catalog, id) = (self.catalog.clone(), id.to_owned());
        let turn = self.turns.of(&id);
        let patience = within.map(|within| within.saturating_sub(TOLD_AT_LEAST));
        let telling = async move {
            let _told = told;
            let _turn = turn.come(patience).await;
            if let Err(denied) = catalog.dispatch(Some(id.clone()), payload).await {
                tracing::warn!(session = id, reason = %denied, "a session cannot be refused by a hook");
            }
        };
        let mut telling = Box::pin(telling);
        // Where nobody listens there is nothing to wait for, and the first answer is out at once.
        if (&mut telling).now_or_never().is_some() {
            return true;
        }
        let closing = self.closing.clone();
        let told = async move {
            let too_late = async {
                if within.is_none() {
                    closing.cancelled().await;
                }
                tokio::time::sleep(within.unwrap_or(TOLD_WITHIN)).await;
            };
            tokio::select! {
                biased;
                () = telling => true,
                () = too_late => false,
            }
        };
        // A handler's panic is caught where it runs.
        self.telling.spawn(told).await.unwrap_or(false)
    }
}
