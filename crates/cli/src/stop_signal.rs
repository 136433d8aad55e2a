//! Waiting for the wish to stop.

/// The signal of a file that grew beyond the limit of the process.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const SIGXFSZ: i32 = 25;

/// Listens for SIGINT and SIGTERM (Ctrl-C on other systems) from the moment it is made, so that a
/// signal that comes right after a server has announced itself is not lost.
pub(crate) struct StopSignal {
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

impl StopSignal {
    /// Must be called inside a runtime.
    #[cfg(unix)]
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            // A closed terminal and Ctrl-\ end the scripts too, instead of leaving them behind.
            SignalKind::hangup(),
            SignalKind::quit(),
        ];
        // Whoever listens to it is not ended by it: a write beyond a size limit then fails like one to a full disk,
        // and what could not be written is told.
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        let _ = signal(SignalKind::from_raw(SIGXFSZ));
        Self {
            // A signal that cannot be listened to keeps its usual effect, which is to end the process.
            signals: kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        }
    }

    /// Must be called inside a runtime.
    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    /// Completes at the first signal.
    #[cfg(unix)]
    pub(crate) async fn wait(mut self) {
        std::future::poll_fn(|context| {
            let fired = self
                .signals
                .iter_mut()
                .any(|signal| signal.poll_recv(context).is_ready());
            if fired {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }

    /// Completes at the first Ctrl-C.
    #[cfg(not(unix))]
    pub(crate) async fn wait(self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
