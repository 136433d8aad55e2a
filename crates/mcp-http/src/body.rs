//! Reads the body of a message, up to a size and within a time.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

/// What is thrown away after a refusal, so that a client that is still sending gets to read it
/// instead of a reset.
const LEFTOVER_BYTES: usize = 64 * 1024 * 1024;
const LEFTOVER_TIME: Duration = Duration::from_secs(5);

/// Why there is no body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the message is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the message did not arrive within {} s", .limit.as_secs())]
    TooSlow { limit: Duration },
    #[error("the message broke off")]
    Broken,
}

/// Reads a whole body.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    time: Duration,
) -> Result<Bytes, BodyError> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    let too_large = announced
        .is_some_and(|length| usize::try_from(length).map_or(true, |length| length > limit));
    if too_large {
        discard(body);
        return Err(BodyError::TooLarge { limit });
    }
    match tokio::time::timeout(time, collect(body, limit)).await {
        Ok(result) => result,
        Err(_) => Err(BodyError::TooSlow { limit: time }),
    }
}

async fn collect(mut body: Body, limit: usize) -> Result<Bytes, BodyError> {
    let mut first: Option<Bytes> = None;
    let mut more = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            tracing::debug!(%error, "a request's body broke off");
            BodyError::Broken
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let so_far = first
            .as_ref()
            .map_or(0, Bytes::len)
            .saturating_add(more.len());
        if so_far.saturating_add(data.len()) > limit {
            discard(body);
            return Err(BodyError::TooLarge { limit });
        }
        // Nearly every message is one piece, which is then used as it is.
        if first.is_none() {
            first = Some(data);
        } else {
            if let Some(first) = first.as_mut().filter(|first| !first.is_empty()) {
                more.extend_from_slice(&std::mem::take(first));
            }
            more.extend_from_slice(&data);
        }
    }
    match first {
        Some(first) if more.is_empty() => Ok(first),
        _ => Ok(more.freeze()),
    }
}

fn discard(mut body: Body) {
    tokio::spawn(async move {
        let rest = async {
            let mut seen: usize = 0;
            while let Some(Ok(frame)) = body.frame().await {
                seen = seen.saturating_add(frame.data_ref().map_or(0, Bytes::len));
                if seen > LEFTOVER_BYTES {
                    return;
                }
            }
        };
        // Whoever sends for longer than this is cut off.
        let _ = tokio::time::timeout(LEFTOVER_TIME, rest).await;
    });
}
