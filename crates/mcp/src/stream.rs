//! A session's stream of notices.

use std::sync::Arc;

use bytes::Bytes;

use crate::notices::StreamGuard;
use crate::session::Session;
use crate::slot::Piece;

/// A session's stream of notices; closes when dropped.
#[derive(Debug)]
pub struct NoticeStream {
    pub(crate) session: Arc<Session>,
    pub(crate) guard: StreamGuard,
}

impl NoticeStream {
    /// The next message; `None` when the session has ended. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Bytes> {
        self.next_event().await.map(|(_, message)| message)
    }

    /// The next message with the id by which a client can name it when it opens the stream again;
    /// `None` when the session has ended, or when the stream was taken up elsewhere. Dropping the
    /// future loses nothing.
    pub async fn next_event(&self) -> Option<(String, Bytes)> {
        let (id, message) = if let Some(missed) = self.guard.missed() {
            missed
        } else {
            tokio::select! {
                biased;
                () = self.session.ended.cancelled() => return None,
                () = self.guard.slot.taken_up.cancelled() => return None,
                piece = self.guard.slot.next() => self.guard.written(match piece {
                    Piece::List(kind) => kind.message(None),
                    Piece::Message(message) => message,
                }),
            }
        };
        Some((id.to_string(), message))
    }
}
