//! What a server tells by itself: gathered, so that a flood of notices is a few bits, and told to the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RoleClient};
use tokio::sync::Notify;

use crate::connection::Connection;
use crate::refresh::ServerEvent;

const PROMPTS: u8 = 1;
const RESOURCES: u8 = 2;
const CLOSED: u8 = 4;

/// Notices that nobody has told yet.
#[derive(Debug, Default)]
pub(super) struct Notices {
    bits: AtomicU8,
    came: Notify,
}

impl Notices {
    fn note(&self, bit: u8) {
        self.bits.fetch_or(bit, Ordering::AcqRel);
        self.came.notify_one();
    }

    /// The connection is gone.
    pub(super) fn closed(&self) {
        self.note(CLOSED);
    }

    fn of(&self, notice: &ServerNotification) {
        match notice {
            ServerNotification::PromptListChangedNotification(_) => self.note(PROMPTS),
            ServerNotification::ResourceListChangedNotification(_) => self.note(RESOURCES),
            _ => {}
        }
    }

    /// Tells the connection what comes, until it is closed.
    pub(super) async fn told_to(&self, connection: Connection) {
        loop {
            self.came.notified().await;
            let bits = self.bits.swap(0, Ordering::AcqRel);
            if bits & CLOSED != 0 {
                connection.tell(ServerEvent::Closed).await;
                return;
            }
            // What resources refresh holds what prompts do.
            if bits & RESOURCES != 0 {
                connection.tell(ServerEvent::ResourcesChanged).await;
            } else if bits & PROMPTS != 0 {
                connection.tell(ServerEvent::PromptsChanged).await;
            }
        }
    }

    /// Listens on a stream of its own, as a client without a session has to. When it ends and cannot be opened
    /// again, the server is gone.
    pub(super) async fn listened(self: Arc<Self>, peer: Peer<RoleClient>) {
        let filter = || {
            SubscriptionFilter::builder()
                .prompts_list_changed()
                .resources_list_changed()
                .build()
        };
        // A server that offers no notices refuses the first time; that is no end.
        let Ok(mut subscription) = peer.listen(filter()).await else {
            return;
        };
        loop {
            while let Ok(Some(notice)) = subscription.next().await {
                self.of(&notice);
            }
            let Ok(again) = peer.listen(filter()).await else {
                return self.closed();
            };
            subscription = again;
            // What changed while nobody listened is not told by anyone.
            self.note(RESOURCES);
            // A server that ends each stream at once must not be asked without end.
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    }
}

/// The client as servers see it. It declares no capability: a server can ask nothing of it.
#[derive(Clone, Debug)]
pub(super) struct Listener(pub(super) Arc<Notices>);

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("metier", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.note(PROMPTS);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.note(RESOURCES);
    }
}
