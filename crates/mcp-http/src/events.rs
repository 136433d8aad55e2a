//! Event streams: messages as server-sent events, comments while it is quiet.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::stream::{self, Stream};
use metier_mcp::{Answer, Exchange, Frame, NoticeStream};

const COMMENT: &[u8] = b": keep-alive\n\n";

/// One message as an event. The JSON is one line, as everything that this server writes.
pub(crate) fn event(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(message.len() + 24);
    bytes.put_slice(b"event: message\ndata: ");
    bytes.put_slice(message);
    bytes.put_slice(b"\n\n");
    bytes.freeze()
}

/// One message with the id by which its client can go on after it.
fn event_with_id(id: &str, message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(message.len() + 40);
    bytes.extend([b"id: ".as_slice(), id.as_bytes(), b"\n"].concat());
    bytes.put_slice(&event(message));
    bytes.freeze()
}

/// A single answer.
pub(crate) fn single(answer: &Answer) -> Body {
    Body::from(event(&answer.body))
}

/// What came first, and the rest of the exchange. Ends with the answer.
pub(crate) fn exchange(first: Option<Bytes>, exchange: Exchange, quiet: Duration) -> Body {
    let start = first.map_or_else(|| Bytes::from_static(COMMENT), |message| event(&message));
    body(stream::unfold(
        (Some(start), exchange, false),
        move |(start, mut exchange, over)| async move {
            if let Some(start) = start {
                return Some((start, (None, exchange, over)));
            }
            if over {
                return None;
            }
            match tokio::time::timeout(quiet, exchange.next()).await {
                Err(_) => Some((Bytes::from_static(COMMENT), (None, exchange, false))),
                Ok(Some(Frame::Message(message))) => {
                    Some((event(&message), (None, exchange, false)))
                }
                Ok(Some(Frame::Answer(answer))) => {
                    Some((event(&answer.body), (None, exchange, true)))
                }
                Ok(Some(Frame::Silence) | None) => None,
            }
        },
    ))
}

/// A session's notices. Starts with a comment, so that the client sees the stream open.
pub(crate) fn notices(stream: NoticeStream, quiet: Duration) -> Body {
    body(stream::unfold(
        (true, stream),
        move |(is_start, stream)| async move {
            if is_start {
                return Some((Bytes::from_static(COMMENT), (false, stream)));
            }
            match tokio::time::timeout(quiet, stream.next_event()).await {
                Err(_) => Some((Bytes::from_static(COMMENT), (false, stream))),
                Ok(Some((id, message))) => Some((event_with_id(&id, &message), (false, stream))),
                Ok(None) => None,
            }
        },
    ))
}

fn body(stream: impl Stream<Item = Bytes> + Send + 'static) -> Body {
    use futures_util::StreamExt as _;
    Body::from_stream(stream.map(Ok::<_, Infallible>))
}
