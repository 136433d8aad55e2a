//! What every method of one server works on.

use std::sync::Arc;

use metier_catalog::{SkillCatalog, ToolDispatcher};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Clock;
use crate::config::McpConfig;
use crate::listeners::Listeners;
use crate::notices::ListKind;
use crate::pages::PageCache;
use crate::peers::Peers;
use crate::result::Results;
use crate::sealed::Sealer;
use crate::session::Sessions;
use crate::turns::Turns;

pub(crate) struct Shared {
    pub(crate) catalog: SkillCatalog,
    pub(crate) dispatcher: ToolDispatcher,
    pub(crate) config: McpConfig,
    pub(crate) sessions: Sessions,
    pub(crate) peers: Peers,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) pages: PageCache,
    pub(crate) results: Results,
    /// Seals what a stateless client carries from one request to the next.
    pub(crate) sealer: Sealer,
    /// Every request under way, so that a shutdown can wait for what it ends.
    pub(crate) under_way: TaskTracker,
    /// What hooks are being told of sessions, whether somebody waits for it or not.
    pub(crate) telling: TaskTracker,
    /// In which order, of one session.
    pub(crate) turns: Turns,
    /// Fires when the server shuts down.
    pub(crate) closing: CancellationToken,
}

impl Shared {
    pub(crate) fn new(
        catalog: SkillCatalog,
        dispatcher: ToolDispatcher,
        config: McpConfig,
        clock: &Clock,
    ) -> Self {
        Self {
            sessions: Sessions::new(config.session_cap, config.session_idle, Arc::clone(clock)),
            peers: Peers::new(config.session_cap, config.session_idle, Arc::clone(clock)),
            listeners: Arc::default(),
            pages: PageCache::new(config.page_size, config.stubs),
            results: Results::new(&config),
            sealer: Sealer::new(Arc::clone(clock)),
            under_way: TaskTracker::new(),
            telling: TaskTracker::new(),
            turns: Turns::default(),
            closing: CancellationToken::new(),
            catalog,
            dispatcher,
            config,
        }
    }

    /// Hands a change to every session and subscription.
    pub(crate) fn list_changed(&self, kind: ListKind, generation: u64) {
        for session in self.sessions.all() {
            session.notices.changed(kind, generation);
        }
        self.listeners.changed(kind, generation);
    }

    /// A list is another one than whoever is there may have seen, whenever he came.
    pub(crate) fn stirred(&self, kind: ListKind, generation: u64) {
        for session in self.sessions.all() {
            session.notices.stirred(kind, generation);
        }
        self.listeners.stirred(kind);
    }
}
