//! A session's stream of notices.

use std::sync::Arc;

use bytes::Bytes;

use crate::notices::{Piece, StreamGuard};
use crate::session::Session;

/// A session's stream of notices; closes when dropped.
#[derive(Debug)]
pub struct NoticeStream {
    pub(crate) session: Arc<Session>,
    pub(crate) guard: StreamGuard,
}

impl NoticeStream {
    /// The next message; `None` when the session has ended. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Bytes> {
        tokio::select! {
            biased;
            () = self.session.ended.cancelled() => None,
            piece = self.guard.slot.next() => Some(match piece {
                Piece::List(kind) => kind.message(None),
                Piece::Message(message) => message,
            }),
        }
    }
}
