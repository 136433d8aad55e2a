//! What a script reads: its input as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value};
use tokio::sync::mpsc;

/// From about this size on the text is made on a thread of its own while the script reads.
const LARGE: usize = 256 << 10;

/// So many bytes of a large text are handed over at a time.
const PIECE: usize = 256 << 10;

/// So many pieces are made before the script has read the first: of a large input no second copy is ever whole in
/// memory.
const AHEAD: usize = 4;

/// The text of an input, piece by piece.
#[derive(Debug)]
pub(crate) enum Input {
    /// All of it, until it is taken.
    Whole(Option<Vec<u8>>),
    /// What another thread makes. It ends when nobody wants more.
    Made(mpsc::Receiver<Vec<u8>>),
}

impl Input {
    /// Must be called inside a runtime.
    pub(crate) fn of(input: Map<String, Value>) -> serde_json::Result<Self> {
        if !is_large(&input) {
            return Ok(Self::Whole(Some(serde_json::to_vec(&input)?)));
        }
        let (pieces, made) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let mut text = io::BufWriter::with_capacity(PIECE, Pieces(pieces));
            // A map with texts as keys is always JSON, so that the only failure is a script that has ended.
            _ = serde_json::to_writer(&mut text, &input);
            _ = text.flush();
        });
        Ok(Self::Made(made))
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Whole(text) => text.take(),
            Self::Made(pieces) => pieces.recv().await,
        }
    }
}

/// Whether the text will be large, by the sizes of the texts in it and the number of its values.
fn is_large(input: &Map<String, Value>) -> bool {
    let mut size = 0;
    let mut maps = vec![input];
    let mut open: Vec<&Value> = Vec::new();
    while size < LARGE {
        if let Some(map) = maps.pop() {
            size += map.keys().map(String::len).sum::<usize>() + map.len();
            open.extend(map.values());
            continue;
        }
        match open.pop() {
            Some(Value::String(text)) => size += text.len(),
            Some(Value::Array(items)) => {
                size += items.len();
                if size < LARGE {
                    open.extend(items);
                }
            }
            Some(Value::Object(map)) => maps.push(map),
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) => {}
            None => return false,
        }
    }
    true
}

/// Hands over what is written to it.
struct Pieces(mpsc::Sender<Vec<u8>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        let sent = self.0.blocking_send(piece.to_vec());
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => unreachable!("{other}"),
        }
    }

    async fn text(mut input: Input) -> (Vec<u8>, usize) {
        let (mut text, mut largest) = (Vec::new(), 0);
        while let Some(piece) = input.next().await {
            largest = largest.max(piece.len());
            text.extend(piece);
        }
        (text, largest)
    }

    #[tokio::test]
    async fn the_text_is_the_same_whatever_its_size() {
        for (value, large) in [
            (json!({}), false),
            (json!({"n": 1, "list": [null, true, "é\n"]}), false),
            (json!({"text": "é\n\"".repeat(LARGE)}), true),
            (json!({"list": vec![7; LARGE]}), true),
            (
                json!({"objects": vec![json!({"a long name": {"x": 1.5}}); LARGE / 10]}),
                true,
            ),
            (json!({"x".repeat(3 * PIECE): 1}), true),
        ] {
            let whole = serde_json::to_vec(&value).unwrap();
            let input = Input::of(map(value)).unwrap();
            assert_eq!(matches!(input, Input::Made(_)), large);
            let (text, largest) = text(input).await;
            assert!(text == whole, "{} bytes of {}", text.len(), whole.len());
            assert!(largest <= PIECE);
        }
    }

    /// Its thread would be there for ever otherwise, with the input.
    #[test]
    fn what_nobody_reads_is_given_up() {
        let (pieces, made) = mpsc::channel(AHEAD);
        drop(made);
        let mut text = io::BufWriter::with_capacity(PIECE, Pieces(pieces));
        let large = json!({"text": "x".repeat(2 * PIECE)});
        assert!(serde_json::to_writer(&mut text, &large).is_err());
    }
}
