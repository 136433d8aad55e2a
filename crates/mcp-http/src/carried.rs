//! Requests whose client does not wait for their answer.
//!
//! A connection that ends drops what it was waiting for: hyper does so as soon as it reads the end, perhaps in the same
//! moment as the request and before anything of the request has run. A client that ends its session, or calls a tool of
//! it, and leaves has said all the same what it wants. So a request that changes something goes on by itself, and is told
//! that nobody listens any more. One that begins a session ends it then, because nobody has its id.
//!
//! A client that ends its sending side alone (`nc -N`) looks the same from here, and is taken for one that has gone.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::Service;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// Fires when the client of a request is gone; in the request's extensions.
#[derive(Clone, Debug)]
pub(crate) struct ClientGone(CancellationToken);

impl ClientGone {
    /// Whether it is known that the client is gone.
    pub(crate) fn is_certain(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Returns when the client is gone.
    pub(crate) async fn wait(&self) {
        self.0.cancelled().await;
    }
}

/// The requests of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    pub(crate) router: Router,
    /// What goes on without its connection is waited for as connections are.
    pub(crate) tasks: TaskTracker,
    /// Not even those go on.
    pub(crate) cut: CancellationToken,
}

impl Service<hyper::Request<Incoming>> for Requests {
    type Response = Response;
    type Error = Infallible;
    type Future = Carried;

    fn call(&self, request: hyper::Request<Incoming>) -> Carried {
        let mut request: Request = request.map(axum::body::Body::new);
        let goes_on = matches!(*request.method(), Method::POST | Method::DELETE);
        let gone = CancellationToken::new();
        if goes_on {
            request.extensions_mut().insert(ClientGone(gone.clone()));
        }
        Carried {
            answer: Some(Box::pin(self.router.clone().oneshot(request))),
            goes_on: goes_on.then(|| GoesOn {
                gone,
                tasks: self.tasks.clone(),
                cut: self.cut.clone(),
            }),
        }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// A request under way. One that changes something runs to its end when this is dropped.
pub(crate) struct Carried {
    answer: Option<Answer>,
    goes_on: Option<GoesOn>,
}

struct GoesOn {
    gone: CancellationToken,
    tasks: TaskTracker,
    cut: CancellationToken,
}

impl Future for Carried {
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(answer) = self.answer.as_mut() else {
            return Poll::Pending;
        };
        let answered = answer.as_mut().poll(cx);
        if answered.is_ready() {
            self.answer = None;
        }
        answered
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        let (Some(answer), Some(goes_on)) = (self.answer.take(), self.goes_on.take()) else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        goes_on.gone.cancel();
        let cut = goes_on.cut;
        let rest = async move {
            tokio::select! {
                _ = answer => {}
                () = cut.cancelled() => {}
            }
        };
        goes_on.tasks.spawn_on(rest, &runtime);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use axum::routing::any;
    use hyper::server::conn::http1;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
    use tokio::sync::Semaphore;

    use super::*;

    /// A connection whose end is there together with its first bytes.
    struct Sudden(Option<&'static [u8]>);

    impl AsyncRead for Sudden {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if let Some(bytes) = self.0.take() {
                buf.put_slice(bytes);
            }
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Sudden {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// A server whose answer waits for the client to be gone, and for a moment more; and how many it gave.
    fn requests(answered: &Arc<Semaphore>) -> Requests {
        let answered = Arc::clone(answered);
        let answer = move |request: Request| async move {
            if let Some(gone) = request.extensions().get::<ClientGone>() {
                gone.wait().await;
            }
            tokio::task::yield_now().await;
            answered.add_permits(1);
        };
        Requests {
            router: Router::new().route("/", any(answer)),
            tasks: TaskTracker::new(),
            cut: CancellationToken::new(),
        }
    }

    #[tokio::test]
    async fn what_changes_something_runs_although_the_connection_ended_with_its_last_byte() {
        for (bytes, runs) in [
            (&b"DELETE / HTTP/1.1\r\nHost: a\r\n\r\n"[..], 1),
            (
                b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
                1,
            ),
            (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0),
        ] {
            let answered = Arc::new(Semaphore::new(0));
            let requests = requests(&answered);
            let tasks = requests.tasks.clone();
            let io = TokioIo::new(Sudden(Some(bytes)));
            let ended = http1::Builder::new().serve_connection(io, requests).await;
            assert!(ended.is_err(), "it broke off");
            tasks.close();
            tokio::time::timeout(Duration::from_secs(20), tasks.wait())
                .await
                .unwrap();
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(answered.available_permits(), runs, "{text}");
        }
    }

    #[tokio::test]
    async fn what_goes_on_ends_when_all_is_cut() {
        let tasks = TaskTracker::new();
        let cut = CancellationToken::new();
        drop(Carried {
            answer: Some(Box::pin(std::future::pending())),
            goes_on: Some(GoesOn {
                gone: CancellationToken::new(),
                tasks: tasks.clone(),
                cut: cut.clone(),
            }),
        });
        assert_eq!(tasks.len(), 1);
        tasks.close();
        cut.cancel();
        tokio::time::timeout(Duration::from_secs(20), tasks.wait())
            .await
            .unwrap();
    }
}
