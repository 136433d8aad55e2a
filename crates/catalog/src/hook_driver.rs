//! Runs hook handlers with a time limit.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::Duration;

use metier_hooks::{
    BoxFuture, Guard, Handler, HandlerKind, HookContext, HookDeny, HookEvent, HookPayload, Verdict,
};
use tokio::task::JoinError;

use crate::dispatcher::EndWith;
use crate::state::Shared;

tokio::task_local! {
    /// The events whose handlers are running around this task. An event fired from inside a handler
    /// of the same event does not run those handlers again, so a policy that searches before it
    /// decides on a search does not go round in circles.
    static AROUND: BTreeSet<HookEvent>;
}

impl Shared {
    /// Runs the handlers of an event. No lock is held meanwhile.
    pub(crate) async fn dispatch(
        &self,
        session: Option<String>,
        payload: HookPayload,
    ) -> Result<(), HookDeny> {
        self.dispatch_context(Arc::new(HookContext::new(
            self.settings.app.as_str(),
            session,
            payload,
        )))
        .await
    }

    /// The same for a context that the caller wants to look at afterwards, or has put something into.
    pub(crate) async fn dispatch_context(&self, context: Arc<HookContext>) -> Result<(), HookDeny> {
        let counts = self.experience.hear(&context);
        if !counts.is_empty() {
            self.settings.protocol.quality.record(&counts);
        }
        let around = AROUND.try_with(Clone::clone).unwrap_or_default();
        if around.contains(&context.event) {
            return Ok(());
        }
        let guard = TimeLimit {
            limit: self.settings.hook_limit,
            around,
        };
        self.hooks().dispatch_with(&context, &guard).await
    }
}

/// Has a future that will run on a task of its own know the events around this one.
pub(crate) fn within_same_events<F: Future>(work: F) -> impl Future<Output = F::Output> {
    AROUND.scope(AROUND.try_with(Clone::clone).unwrap_or_default(), work)
}

/// So many runs of one handler may hang at a time; with more, it is late from the beginning.
const MOST_LEFT_BEHIND: isize = 16;

struct TimeLimit {
    limit: Duration,
    around: BTreeSet<HookEvent>,
}

impl Guard for TimeLimit {
    fn run(&self, handler: Handler, context: Arc<HookContext>) -> BoxFuture<Verdict> {
        let mut around = self.around.clone();
        around.insert(context.event);
        let limit = handler.limit.unwrap_or(self.limit);
        Box::pin(async move {
            match handler.kind {
                HandlerKind::Async(run) => {
                    let task =
                        tokio::spawn(AROUND.scope(around, async move { run(context).await }));
                    // A task that is late, or that nobody waits for any more, is of no use to anybody.
                    let _ended = EndWith(task.abort_handle());
                    within(limit, task).await
                }
                // A closure that blocks cannot be stopped; it is left behind on its own thread. There
                // are some hundreds of those for everything, so that one that never ends must not
                // have one for each call.
                HandlerKind::Blocking(_)
                    if handler.left_behind.load(Ordering::Relaxed) >= MOST_LEFT_BEHIND =>
                {
                    Verdict::Late(format!(
                        "{MOST_LEFT_BEHIND} runs of it before this one have not ended"
                    ))
                }
                HandlerKind::Blocking(run) => {
                    let ends = Arc::new(Ends::new(handler.left_behind));
                    let ended = Arc::clone(&ends);
                    let task = tokio::task::spawn_blocking(move || {
                        let _ends = Ended(ended);
                        AROUND.sync_scope(around, || run(&context))
                    });
                    // Late, or that nobody waits for any more.
                    let _given_up = GivenUp(ends);
                    within(limit, task).await
                }
            }
        })
    }
}

/// One run of a handler that may be given up before it ends.
struct Ends {
    /// Whether one of the two has happened already.
    is_second: AtomicBool,
    left_behind: Arc<AtomicIsize>,
}

impl Ends {
    fn new(left_behind: Arc<AtomicIsize>) -> Self {
        Self {
            is_second: AtomicBool::new(false),
            left_behind,
        }
    }
}

/// Nobody waits any more; nothing, when it has ended by then.
struct GivenUp(Arc<Ends>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        if !self.0.is_second.swap(true, Ordering::AcqRel) {
            self.0.left_behind.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// Says so when it is dropped, by a panic too.
struct Ended(Arc<Ends>);

impl Drop for Ended {
    fn drop(&mut self) {
        if self.0.is_second.swap(true, Ordering::AcqRel) {
            self.0.left_behind.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

async fn within(
    limit: Duration,
    task: impl Future<Output = Result<metier_hooks::HookResult, JoinError>>,
) -> Verdict {
    match tokio::time::timeout(limit, task).await {
        Ok(Ok(result)) => result.into(),
        Ok(Err(error)) if error.is_panic() => Verdict::Failed("the handler panicked".to_owned()),
        Ok(Err(_)) => Verdict::Failed("the handler was stopped".to_owned()),
        Err(_) => Verdict::Late(format!(
            "it had not decided after {} s",
            limit.as_secs_f64()
        )),
    }
}
