//! Standard output in bounded memory.

use std::collections::VecDeque;

use crate::text;

/// The last bytes of a stream.
#[derive(Debug)]
pub(crate) struct Ring {
    bytes: VecDeque<u8>,
    limit: usize,
    total: u64,
}

impl Ring {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            limit,
            total: 0,
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total = self.total.saturating_add(chunk.len() as u64);
        let chunk = chunk
            .get(chunk.len().saturating_sub(self.limit)..)
            .unwrap_or_default();
        let over = (self.bytes.len() + chunk.len()).saturating_sub(self.limit);
        self.bytes.drain(..over.min(self.bytes.len()));
        self.bytes.extend(chunk);
    }

    /// What is kept, and whether anything before it is missing.
    pub(crate) fn finish(self) -> (Vec<u8>, bool) {
        let cut = self.total > self.bytes.len() as u64;
        let bytes = Vec::from(self.bytes);
        if cut {
            // The first byte may be in the middle of a character.
            let start = bytes
                .iter()
                .take(3)
                .take_while(|byte| *byte & 0xc0 == 0x80)
                .count();
            return (bytes.get(start..).unwrap_or_default().to_vec(), true);
        }
        (bytes, false)
    }
}

/// Standard output: whole while it is within the cap, head and tail once it is over.
#[derive(Debug)]
pub(crate) struct Capture {
    cap: usize,
    edge: usize,
    kept: Vec<u8>,
    over: Option<Ring>,
}

/// What was captured.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Captured {
    Whole(Vec<u8>),
    Edges {
        head: Vec<u8>,
        tail: Vec<u8>,
        dropped: u64,
    },
}

impl Captured {
    /// How many bytes there were.
    pub(crate) fn total(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Edges {
                head,
                tail,
                dropped,
            } => (head.len() + tail.len()) as u64 + dropped,
        }
    }
}

impl Capture {
    pub(crate) fn new(cap: usize, edge: usize) -> Self {
        Self {
            cap,
            edge: edge.min(cap),
            kept: Vec::new(),
            over: None,
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if let Some(ring) = &mut self.over {
            ring.push(chunk);
            return;
        }
        if self.kept.len() + chunk.len() <= self.cap {
            self.kept.extend_from_slice(chunk);
            return;
        }
        // One byte more than the edge tells whether a character is cut there.
        let (start, rest) = chunk.split_at((self.edge + 1).min(chunk.len()));
        self.kept.extend_from_slice(start);
        let head = text::head(&self.kept, self.edge).len();
        let mut ring = Ring::new(self.edge);
        ring.push(self.kept.get(head..).unwrap_or_default());
        ring.push(rest);
        self.kept.truncate(head);
        self.kept.shrink_to_fit();
        self.over = Some(ring);
    }

    pub(crate) fn finish(self) -> Captured {
        let Some(ring) = self.over else {
            return Captured::Whole(self.kept);
        };
        let total = ring.total;
        let (tail, _) = ring.finish();
        let dropped = total.saturating_sub(tail.len() as u64);
        Captured::Edges {
            head: self.kept,
            tail,
            dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn capture(cap: usize, edge: usize, chunks: &[&[u8]]) -> Captured {
        let mut capture = Capture::new(cap, edge);
        for chunk in chunks {
            capture.push(chunk);
        }
        capture.finish()
    }

    #[test]
    fn all_is_kept_up_to_the_cap() {
        assert_eq!(
            capture(6, 2, &[b"abc", b"def"]),
            Captured::Whole(b"abcdef".to_vec())
        );
    }

    #[test]
    fn over_the_cap_the_edges_are_kept_and_the_rest_counted() {
        let expected = Captured::Edges {
            head: b"ab".to_vec(),
            tail: b"ij".to_vec(),
            dropped: 6,
        };
        assert_eq!(capture(6, 2, &[b"abcdefghij"]), expected);
        assert_eq!(capture(6, 2, &[b"a", b"bcdefg", b"h", b"ij"]), expected);
        assert_eq!(capture(6, 2, &[b"abcdef", b"ghi", b"j"]), expected);
    }

    #[test]
    fn edges_are_cut_between_characters() {
        let text = "球".repeat(10);
        let Captured::Edges {
            head,
            tail,
            dropped,
        } = capture(8, 4, &[text.as_bytes()])
        else {
            panic!("the text is over the cap");
        };
        assert_eq!((head, tail, dropped), ("球".into(), "球".into(), 24));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted(chunks: Vec<Vec<u8>>, cap in 0usize..40, edge in 0usize..40) {
            let all = chunks.concat();
            let chunks: Vec<_> = chunks.iter().map(Vec::as_slice).collect();
            let captured = capture(cap, edge, &chunks);
            prop_assert_eq!(captured.total(), all.len() as u64);
            match captured {
                Captured::Whole(bytes) => prop_assert!(bytes == all && all.len() <= cap),
                Captured::Edges { head, tail, dropped } => {
                    prop_assert!(all.len() > cap && all.starts_with(&head) && all.ends_with(&tail));
                    prop_assert!(head.len() <= edge && tail.len() <= edge);
                    prop_assert_eq!((head.len() + tail.len()) as u64 + dropped, all.len() as u64);
                }
            }
        }
    }
}
