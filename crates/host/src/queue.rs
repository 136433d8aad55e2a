//! Calls that wait for the main thread of this process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use metier_tool::{BoxFuture, CallContext, HostExecutor, HostJob, ToolError, ToolOutput};
use tokio::sync::oneshot;

/// A queue of at most `places` waiting calls: the end that the catalog is given
/// (`CatalogSettings::run.host`), and the end that the application's main thread keeps.
pub fn queue(places: usize) -> (QueueHost, JobQueue) {
    let (sender, receiver) = sync_channel(places.max(1));
    (QueueHost { sender }, JobQueue { receiver })
}

/// Hands calls to a [`JobQueue`]. The deadline of a call counts from the moment the main thread
/// takes it.
#[derive(Clone, Debug)]
pub struct QueueHost {
    sender: SyncSender<Waiting>,
}

/// The calls that wait. It belongs to one thread, the application's main one.
#[derive(Debug)]
pub struct JobQueue {
    receiver: Receiver<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    job: HostJob,
    context: CallContext,
    begun: oneshot::Sender<()>,
    answer: oneshot::Sender<Result<ToolOutput, ToolError>>,
}

impl JobQueue {
    /// Runs every call that waits now and returns how many ran. A call whose caller has gone is
    /// dropped without being run; a panic in `work` is that call's error.
    pub fn run_pending(
        &self,
        mut work: impl FnMut(&HostJob, &CallContext) -> Result<ToolOutput, ToolError>,
    ) -> usize {
        let mut ran = 0;
        while let Ok(waiting) = self.receiver.try_recv() {
            ran += usize::from(run(waiting, &mut work));
        }
        ran
    }

    /// Waits at most `patience` for one call and runs it. `false` when none came, or when no
    /// [`QueueHost`] is left.
    pub fn run_one(
        &self,
        patience: Duration,
        mut work: impl FnMut(&HostJob, &CallContext) -> Result<ToolOutput, ToolError>,
    ) -> bool {
        match self.receiver.recv_timeout(patience) {
            Ok(waiting) => run(waiting, &mut work),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }
}

fn run(
    waiting: Waiting,
    work: &mut impl FnMut(&HostJob, &CallContext) -> Result<ToolOutput, ToolError>,
) -> bool {
    let Waiting {
        job,
        context,
        begun,
        answer,
    } = waiting;
    if context.cancel.is_cancelled() || begun.send(()).is_err() {
        return false;
    }
    let result = catch_unwind(AssertUnwindSafe(|| work(&job, &context))).unwrap_or_else(|_| {
        Err(ToolError::Failed(format!(
            "the application failed while it ran the tool `{}`",
            job.tool_name
        )))
    });
    // Nobody may be waiting any more; the work is done all the same.
    drop(answer.send(result));
    true
}

impl HostExecutor for QueueHost {
    fn execute(
        &self,
        job: HostJob,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let (begun, has_begun) = oneshot::channel();
            let (answer, answered) = oneshot::channel();
            let cancelled = context.cancel.cancelled();
            let deadline = context.deadline;
            self.sender
                .try_send(Waiting {
                    job,
                    context,
                    begun,
                    answer,
                })
                .map_err(|error| {
                    ToolError::Failed(
                        match error {
                            TrySendError::Full(_) => {
                                "the application is busy: too many calls wait for its main thread; try again later"
                            }
                            TrySendError::Disconnected(_) => GONE,
                        }
                        .to_owned(),
                    )
                })?;
            let work = async {
                has_begun
                    .await
                    .map_err(|_| ToolError::Failed(GONE.to_owned()))?;
                let answer = match deadline {
                    Some(deadline) => tokio::time::timeout(deadline, answered)
                        .await
                        .map_err(|_| ToolError::Failed(too_late(deadline)))?,
                    None => answered.await,
                };
                answer.unwrap_or_else(|_| Err(ToolError::Failed(GONE.to_owned())))
            };
            tokio::select! {
                result = work => result,
                () = cancelled => Err(ToolError::Cancelled),
            }
        })
    }
}

const GONE: &str = "the application takes no calls any more";

pub(crate) fn too_late(deadline: Duration) -> String {
    format!(
        "the application did not finish within {} s; what it had begun may still go on there",
        deadline.as_secs_f64()
    )
}
