//! What a session's streams have written, so that a client that lost its connection gets what it
//! missed. Both the number of streams and that of events is bounded; what has fallen out is lost.

use std::collections::VecDeque;

use bytes::Bytes;

/// How many streams of a session are remembered.
const MOST_STREAMS: usize = 4;
/// How many events of each.
const MOST_EVENTS: usize = 16;

/// An event by its stream and its place on it. On the wire it is `STREAM-PLACE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) stream: u64,
    pub(crate) place: u64,
}

impl EventId {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (stream, place) = text.split_once('-')?;
        let stream = stream.parse().ok()?;
        let place = place.parse().ok()?;
        Some(Self { stream, place })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.stream, self.place)
    }
}

/// One event as it was written.
pub(crate) type Event = (EventId, Bytes);

/// What one session's streams have written.
#[derive(Debug, Default)]
pub(crate) struct History {
    last: u64,
    streams: VecDeque<Stream>,
}

#[derive(Debug)]
struct Stream {
    number: u64,
    last: u64,
    events: VecDeque<Event>,
}

impl History {
    /// A stream that nothing was written on.
    pub(crate) fn begin(&mut self) -> u64 {
        self.last += 1;
        if self.streams.len() >= MOST_STREAMS {
            self.streams.pop_front();
        }
        self.streams.push_back(Stream {
            number: self.last,
            last: 0,
            events: VecDeque::new(),
        });
        self.last
    }

    /// What was written on a stream after an event of it; `None` when the stream is not remembered.
    pub(crate) fn after(&self, seen: EventId) -> Option<Vec<Event>> {
        let stream = self.streams.iter().find(|it| it.number == seen.stream)?;
        let missed = stream.events.iter();
        let missed = missed.filter(|(id, _)| id.place > seen.place);
        (seen.place <= stream.last).then(|| missed.cloned().collect())
    }

    /// Notes an event and gives its id.
    pub(crate) fn written(&mut self, stream: u64, message: &Bytes) -> EventId {
        let Some(found) = self.streams.iter_mut().find(|it| it.number == stream) else {
            // Forgotten since: it can be read and not be had again.
            return EventId { stream, place: 0 };
        };
        found.last += 1;
        let id = EventId {
            stream,
            place: found.last,
        };
        if found.events.len() >= MOST_EVENTS {
            found.events.pop_front();
        }
        found.events.push_back((id, message.clone()));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_taken_up_where_it_was_left_and_no_other() {
        let mut history = History::default();
        let (a, b) = (history.begin(), history.begin());
        let first = history.written(a, &Bytes::from_static(b"a1"));
        history.written(b, &Bytes::from_static(b"b1"));
        let second = history.written(a, &Bytes::from_static(b"a2"));
        assert_eq!(EventId::parse(&second.to_string()), Some(second));
        let missed = history.after(first).unwrap();
        assert_eq!(missed, [(second, Bytes::from_static(b"a2"))]);
        assert_eq!(history.after(second), Some(vec![]));
        for unknown in ["9-1", "1-9"] {
            assert_eq!(
                history.after(EventId::parse(unknown).unwrap()),
                None,
                "{unknown}"
            );
        }
        for text in ["", "1", "-", "1-", "x-1", "1-1-1"] {
            assert_eq!(EventId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn it_does_not_grow() {
        let mut history = History::default();
        for _ in 0..100 {
            let stream = history.begin();
            for _ in 0..1000 {
                history.written(stream, &Bytes::from_static(b"x"));
            }
        }
        assert_eq!(history.streams.len(), MOST_STREAMS);
        assert!(
            history
                .streams
                .iter()
                .all(|it| it.events.len() == MOST_EVENTS)
        );
        assert_eq!(history.written(1, &Bytes::new()).place, 0);
    }
}
