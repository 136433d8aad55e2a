//! Waiting for the wish to stop, and keeping to it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::printer::Printer;

/// The signal of a file that grew beyond the limit of the process.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const SIGXFSZ: i32 = 25;

/// A signal that comes again so soon is the same one: a terminal signals all its programs, and one of them that started
/// this one passes it on; `timeout` signals its program and then the whole group.
const TOGETHER: Duration = Duration::from_millis(50);

/// How long an end may take, whatever holds it up: all that it waits for has a limit of its own, but a disk may hang.
const END_WITHIN: Duration = Duration::from_secs(30);

/// What a shell says of a program that a signal ended is this and the number of the signal.
const BY_SIGNAL: i32 = 128;

/// Listens for SIGINT and SIGTERM (Ctrl-C on other systems) from the moment it is made, so that a
/// signal that comes right after a server has announced itself is not lost. The second one ends the process at once.
#[derive(Clone)]
pub(crate) struct StopSignal {
    wished: watch::Sender<bool>,
}

impl StopSignal {
    /// Must be called inside a runtime, and counts as long as that is there.
    pub(crate) fn listen(printer: Printer) -> Self {
        let (wished, _) = watch::channel(false);
        let this = Self { wished };
        tokio::spawn(this.clone().attend(Signals::listen(), printer));
        this
    }

    /// Completes at the first signal.
    pub(crate) async fn wait(&self) {
        // The sender is here, so there is a value to wait for.
        let _ = self.wished.subscribe().wait_for(|wished| *wished).await;
    }

    /// The end has begun without a signal.
    pub(crate) fn ends(&self) {
        self.wished.send_replace(true);
    }

    async fn attend(self, mut signals: Signals, printer: Printer) {
        tokio::select! {
            _ = signals.next() => self.ends(),
            () = self.wait() => {}
        }
        let began = Instant::now();
        loop {
            tokio::select! {
                signal = signals.next() => if let Some(number) = signal.number_of_an_order() && is_another(began.elapsed()) {
                    printer.say("stopped at once; what was under way is given up");
                    leave(BY_SIGNAL + number);
                },
                () = sleep_until(began + END_WITHIN) => {
                    printer.say(&format!(
                        "error: something could not be ended within {} seconds, perhaps a disk that does not answer; it is given up",
                        END_WITHIN.as_secs()
                    ));
                    leave(2);
                }
            }
        }
    }
}

/// Whether a signal is a second wish and not the first one that came twice.
fn is_another(since_the_first: Duration) -> bool {
    since_the_first > TOGETHER
}

#[expect(
    clippy::exit,
    reason = "somebody waits for the end, and what holds it up may never return; scripts end by the watchdog"
)]
fn leave(code: i32) -> ! {
    std::process::exit(code)
}

/// What came.
#[derive(Clone, Copy)]
struct Signal {
    number: i32,
}

impl Signal {
    const INTERRUPT: i32 = 2;
    const TERMINATE: i32 = 15;
    const QUIT: i32 = 3;

    /// Its number, if somebody sent it to have an end. A terminal that closes may say so twice, and means it once.
    fn number_of_an_order(self) -> Option<i32> {
        let orders = [Self::INTERRUPT, Self::TERMINATE, Self::QUIT];
        orders.contains(&self.number).then_some(self.number)
    }
}

#[cfg(unix)]
struct Signals(Vec<(i32, tokio::signal::unix::Signal)>);

#[cfg(unix)]
impl Signals {
    /// A closed terminal and Ctrl-\ end the scripts too, instead of leaving them behind.
    const HANGUP: i32 = 1;

    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // Whoever listens to it is not ended by it: a write beyond a size limit then fails like one to a full disk,
        // and what could not be written is told.
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        let _ = signal(SignalKind::from_raw(SIGXFSZ));
        let numbers = [
            Signal::INTERRUPT,
            Signal::TERMINATE,
            Self::HANGUP,
            Signal::QUIT,
        ];
        // A signal that cannot be listened to keeps its usual effect, which is to end the process.
        let listened = numbers.into_iter().filter_map(|number| {
            let signal = signal(SignalKind::from_raw(number)).ok()?;
            Some((number, signal))
        });
        Self(listened.collect())
    }

    async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            let mut signals = self.0.iter_mut();
            let fired = signals.find_map(|(number, signal)| {
                signal.poll_recv(context).is_ready().then_some(*number)
            });
            fired.map_or(std::task::Poll::Pending, |number| {
                std::task::Poll::Ready(Signal { number })
            })
        })
        .await
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal {
            number: Signal::INTERRUPT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wish_that_comes_twice_is_told_from_a_second_one() {
        assert!(!is_another(Duration::from_millis(20)));
        assert!(is_another(Duration::from_millis(100)));
    }
}
