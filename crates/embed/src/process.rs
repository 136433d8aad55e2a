//! Vectors from another program.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metier_search::{Embedder, EmbedderError};
use serde::{Deserialize, Serialize};

/// So long an answer may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// So many texts are sent at once: a thousand skills in one question would outlast the patience of a slow machine.
const BATCH: usize = 32;

/// Asks a program for vectors.
///
/// The program reads one JSON object a line, `{"texts": ["…"], "kind": "document"}` or `"kind": "query"`, and
/// writes one a line, `{"vectors": [[0.1, …]]}` or `{"error": "…"}`. Its first line, unasked, is
/// `{"dims": 384, "fingerprint": "…"}`. It ends when its input does.
#[derive(Debug)]
pub struct ProcessEmbedder {
    running: Mutex<Running>,
    dims: usize,
    fingerprint: String,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    /// A program that missed its time once answers late, and so the wrong question, from then on.
    is_lost: bool,
}

#[derive(Deserialize)]
struct Hello {
    dims: usize,
    fingerprint: String,
}

#[derive(Serialize)]
struct Request<'a> {
    texts: &'a [&'a str],
    kind: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    vectors: Vec<Vec<f32>>,
    #[serde(default)]
    error: Option<String>,
}

impl ProcessEmbedder {
    /// Starts the program and waits for its first line. Its errors go to ours.
    ///
    /// # Errors
    /// [`EmbedderError`] when it cannot be started or says something else.
    pub fn start(mut command: Command) -> Result<Self, EmbedderError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                EmbedderError::new(
                    format!("the embedder `{program}` could not be started: {error}"),
                    "install it, or leave it out: search works without",
                )
            })?;
        let (sender, lines) = channel();
        if let Some(output) = child.stdout.take() {
            // Ends with the program's output.
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines() {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut running = Running {
            input: child.stdin.take(),
            child,
            lines,
            is_lost: false,
        };
        let hello: Hello = running.receive()?;
        Ok(Self {
            running: Mutex::new(running),
            dims: hello.dims,
            fingerprint: format!("process-1-{}", hello.fingerprint),
        })
    }

    fn ask(&self, texts: &[&str], kind: &'static str) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.ask_batch(batch, kind)?);
        }
        Ok(vectors)
    }

    fn ask_batch(
        &self,
        texts: &[&str],
        kind: &'static str,
    ) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.send(&Request { texts, kind })?;
        let answer: Answer = running.receive()?;
        if let Some(error) = answer.error {
            return Err(EmbedderError::new(
                format!("the embedder reports: {error}"),
                "mend it, or search without it",
            ));
        }
        let fits = answer.vectors.len() == texts.len()
            && answer
                .vectors
                .iter()
                .all(|vector| vector.len() == self.dims);
        if !fits {
            return Err(odd(&format!(
                "{} vectors for {} texts, or of another length than {}",
                answer.vectors.len(),
                texts.len(),
                self.dims
            )));
        }
        Ok(answer.vectors)
    }
}

fn odd(what: &str) -> EmbedderError {
    EmbedderError::new(
        format!("the embedder's answer was not understood: {what}"),
        "it has to write one JSON object a line",
    )
}

impl Running {
    fn send(&mut self, request: &Request<'_>) -> Result<(), EmbedderError> {
        let ended = |error: &dyn std::fmt::Display| {
            EmbedderError::new(
                format!("the embedder has ended: {error}"),
                "look at what it wrote to the error output",
            )
        };
        if self.is_lost {
            return Err(ended(&"it did not answer in time before"));
        }
        let mut line = serde_json::to_string(request).map_err(|error| ended(&error))?;
        line.push('\n');
        let input = self.input.as_mut().ok_or_else(|| ended(&"no input"))?;
        input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush())
            .map_err(|error| ended(&error))
    }

    fn receive<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, EmbedderError> {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line.map_err(|error| odd(&error.to_string()))?,
            Err(RecvTimeoutError::Timeout) => {
                self.is_lost = true;
                return Err(EmbedderError::new(
                    format!(
                        "the embedder did not answer within {} s",
                        PATIENCE.as_secs()
                    ),
                    "give it fewer skills or a smaller model",
                ));
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.is_lost = true;
                return Err(EmbedderError::new(
                    "the embedder ended without an answer",
                    "look at what it wrote to the error output",
                ));
            }
        };
        serde_json::from_str(&line).map_err(|error| odd(&error.to_string()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.input.take());
        // It may be deep in a computation that nobody waits for any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Embedder for ProcessEmbedder {
    fn dims(&self) -> usize {
        self.dims
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.ask(texts, "document")
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let vectors = self.ask(&[text], "query")?;
        vectors.into_iter().next().ok_or_else(|| odd("no vector"))
    }
}
