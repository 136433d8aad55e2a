//! Who listens to what.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use crate::{BoxFuture, HookContext, HookEvent, HookResult};

type SyncFn = dyn Fn(&HookContext) -> HookResult + Send + Sync;
type AsyncFn = dyn Fn(Arc<HookContext>) -> BoxFuture<HookResult> + Send + Sync;

/// What a handler runs.
#[derive(Clone)]
pub enum HandlerKind {
    /// A closure that may block; a guard with a runtime runs it beside its own threads.
    Blocking(Arc<SyncFn>),
    /// A future.
    Async(Arc<AsyncFn>),
}

/// A registered handler.
#[derive(Clone)]
pub struct Handler {
    /// Its number, unique in the registry.
    pub id: HandlerId,
    /// What the log calls it.
    pub name: Arc<str>,
    /// Whether its failure refuses what is about to happen.
    pub fail_closed: bool,
    /// How long it may take, where it has a limit of its own.
    pub limit: Option<Duration>,
    /// What it runs.
    pub kind: HandlerKind,
    /// How many of its runs were given up and have not ended, as far as whoever dispatches counts them.
    pub left_behind: Arc<AtomicIsize>,
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("fail_closed", &self.fail_closed)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HandlerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocking(_) => "Blocking",
            Self::Async(_) => "Async",
        })
    }
}

/// Names a registration, to take it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandlerId(u64);

/// How to register a handler, beyond the plain [`LifecycleHooks::on`].
#[derive(Debug)]
#[must_use = "a registration does nothing until it is handed to `LifecycleHooks::register`"]
pub struct Registration {
    event: HookEvent,
    name: Option<String>,
    fail_closed: bool,
    limit: Option<Duration>,
    before_others: bool,
    kind: HandlerKind,
}

impl Registration {
    /// A closure that may block.
    pub fn blocking(
        event: HookEvent,
        handler: impl Fn(&HookContext) -> HookResult + Send + Sync + 'static,
    ) -> Self {
        Self::of(event, HandlerKind::Blocking(Arc::new(handler)))
    }

    /// A function that returns a future.
    pub fn future<F, T>(event: HookEvent, handler: F) -> Self
    where
        F: Fn(Arc<HookContext>) -> T + Send + Sync + 'static,
        T: Future<Output = HookResult> + Send + 'static,
    {
        let run = move |context| -> BoxFuture<HookResult> { Box::pin(handler(context)) };
        Self::of(event, HandlerKind::Async(Arc::new(run)))
    }

    fn of(event: HookEvent, kind: HandlerKind) -> Self {
        Self {
            event,
            name: None,
            fail_closed: false,
            limit: None,
            before_others: false,
            kind,
        }
    }

    /// What the log shall call it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// On a policy event, an error, a panic or lateness of this handler refuses.
    pub fn fail_closed(mut self) -> Self {
        self.fail_closed = true;
        self
    }

    /// How long it may take, instead of the limit that whoever dispatches has for all.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs before every handler that is there already: for one that adds to the context what the
    /// others read.
    pub fn before_others(mut self) -> Self {
        self.before_others = true;
        self
    }
}

/// The registry of handlers. Cloning gives another handle on the same registry.
#[derive(Clone, Debug, Default)]
pub struct LifecycleHooks {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: AtomicU64,
    handlers: RwLock<Vec<(HookEvent, Handler)>>,
}

impl LifecycleHooks {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a closure for an event; it runs after those already there.
    pub fn on(
        &self,
        event: HookEvent,
        handler: impl Fn(&HookContext) -> HookResult + Send + Sync + 'static,
    ) -> HandlerId {
        self.register(Registration::blocking(event, handler))
    }

    /// Registers a handler with a name and its own rules.
    pub fn register(&self, registration: Registration) -> HandlerId {
        let id = HandlerId(self.inner.next.fetch_add(1, Ordering::Relaxed));
        let name = registration
            .name
            .unwrap_or_else(|| format!("{}#{}", registration.event, id.0));
        let handler = Handler {
            id,
            name: name.into(),
            fail_closed: registration.fail_closed,
            limit: registration.limit,
            kind: registration.kind,
            left_behind: Arc::default(),
        };
        let mut handlers = self
            .inner
            .handlers
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if registration.before_others {
            handlers.insert(0, (registration.event, handler));
        } else {
            handlers.push((registration.event, handler));
        }
        id
    }

    /// Takes a registration back; `false` when it was gone already.
    pub fn off(&self, id: HandlerId) -> bool {
        let mut handlers = self
            .inner
            .handlers
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = handlers.len();
        handlers.retain(|(_, handler)| handler.id != id);
        handlers.len() < before
    }

    /// The handlers of an event at this moment, in the order in which they run.
    pub fn handlers(&self, event: HookEvent) -> Vec<Handler> {
        self.inner
            .handlers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .filter(|(of, _)| *of == event)
            .map(|(_, handler)| handler.clone())
            .collect()
    }
}
