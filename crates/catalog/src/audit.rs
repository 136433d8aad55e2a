//! The record of every call: who called what, and how it ended.
//!
//! Off unless an operator names a file. One JSON object a line, written before the answer is given:
//!
//! ```json
//! {"at_ms":1764464101123,"who":"client:inspector","tool":"good__echo","arguments":"hmac-sha256:9b0ecaaf…","outcome":"ok","ms":31,"exit":0,"bytes":18}
//! ```
//!
//! | member | is |
//! |---|---|
//! | `at_ms` | when the call came, in milliseconds since 1970 |
//! | `who` | a digest of the session, whose id would let a reader speak in its name; the client where there are no sessions; `null` for a call from inside |
//! | `tool` | the listed name; the name as it was called where there is no such tool |
//! | `arguments` | the HMAC-SHA-256, under the key of the log, of the arguments as they came, as JSON with sorted keys and without blanks |
//! | `outcome` | `ok`, `error`, `denied`, `invalid`, `cancelled`, `capability`, `refused`, `panic`, `unknown`, `not_loaded`, `inactive` |
//! | `ms` | how long it took |
//! | `exit`, `bytes` | of the script, if one ran and ended: its exit code, what it printed |
//!
//! Arguments themselves are never written. A digest tells whether two calls were the same. What arguments there can
//! be is often few enough to try them all, so the digest has a key: 32 random bytes in `FILE.key`, made with the log
//! and readable for its owner alone. Whoever is given the log without the key can confirm no guess; whoever has both
//! can. All servers that write to one log have its key; without the file a new key is made, and digests from
//! before no longer compare.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metier_tool::{CallEvents, LogLine, ProgramEnd, Progress, ToolOutput};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::audit_key::AuditKey;
use crate::call::CallRequest;
use crate::dispatcher::SHOWN_NAME;
use crate::stub;

/// How many full files are kept beside the current one, `FILE.1` the youngest.
const KEPT: u32 = 5;

/// A file that every call is written to.
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    most_bytes: u64,
    key: AuditKey,
    /// One line at a time; the file is opened anew for each, so that whoever moves it away or shares it with
    /// another server is heard.
    turn: Mutex<()>,
}

#[derive(Serialize)]
struct Line<'a> {
    at_ms: u64,
    who: Option<&'a str>,
    tool: &'a str,
    arguments: &'a str,
    outcome: &'a str,
    ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl AuditLog {
    /// A log in a file, which is made now if it is not there. A file over `most_bytes` is moved to `FILE.1`, and
    /// older ones to `FILE.2` up to `FILE.5`. The key of the digests is read from `FILE.key`, or made there.
    ///
    /// # Errors
    /// The file cannot be written to, or its key cannot be read or made.
    pub fn open(path: impl Into<PathBuf>, most_bytes: u64) -> io::Result<Self> {
        let path = std::path::absolute(path.into())?;
        appending(&path)?;
        let key = AuditKey::of(&beside(&path, "key"))?;
        Ok(Self {
            path,
            most_bytes,
            key,
            turn: Mutex::new(()),
        })
    }

    fn write(&self, line: &Line<'_>) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = appending(&self.path)?;
        let size = file.metadata()?.len();
        if size > 0 && size + text.len() as u64 > self.most_bytes {
            self.rotate(&file)?;
            file = appending(&self.path)?;
        }
        // At the end of the file and in one piece, whoever else writes to it.
        file.write_all(&text)
    }

    /// Moves the file away, unless another server has just done so.
    fn rotate(&self, full: &File) -> io::Result<()> {
        full.lock()?;
        let size = std::fs::metadata(&self.path).map_or(0, |now| now.len());
        if size < full.metadata()?.len() {
            return Ok(());
        }
        for number in (1..KEPT).rev() {
            // A generation that is not there is no loss.
            _ = std::fs::rename(self.numbered(number), self.numbered(number + 1));
        }
        std::fs::rename(&self.path, self.numbered(1))
    }

    fn numbered(&self, number: u32) -> PathBuf {
        beside(&self.path, &number.to_string())
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}

/// Refuses what would make the opening wait for ever, a pipe above all. A device such as standard error is a log too.
pub(crate) fn is_log(path: &Path) -> io::Result<()> {
    let Ok(found) = std::fs::metadata(path) else {
        return Ok(());
    };
    #[cfg(unix)]
    let is_device = std::os::unix::fs::FileTypeExt::is_char_device(&found.file_type());
    #[cfg(not(unix))]
    let is_device = false;
    if found.is_file() || found.is_dir() || is_device {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is not a plain file",
    ))
}

fn appending(path: &Path) -> io::Result<File> {
    is_log(path)?;
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A call under way that will be written down.
pub(crate) struct Record {
    log: Arc<AuditLog>,
    at_ms: u64,
    who: Option<String>,
    called: String,
    arguments: String,
    end: Arc<Mutex<Option<ProgramEnd>>>,
}

impl Record {
    pub(crate) fn begin(log: &Arc<AuditLog>, request: &CallRequest) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            log: Arc::clone(log),
            at_ms: millis(now.unwrap_or_default()),
            who: request.session.as_deref().map(caller),
            called: stub::clipped(&request.name, SHOWN_NAME),
            arguments: log.key.digest(request.arguments.as_ref()),
            end: Arc::default(),
        }
    }

    /// Passes everything on and remembers how the script ended.
    pub(crate) fn listening_to(&self, events: &Arc<dyn CallEvents>) -> Arc<dyn CallEvents> {
        Arc::new(Listening {
            to: Arc::clone(events),
            end: Arc::clone(&self.end),
        })
    }

    pub(crate) async fn end(self, listed: Option<&str>, outcome: &'static str, took: Duration) {
        let tool = listed.unwrap_or(&self.called).to_owned();
        let written = tokio::task::spawn_blocking(move || {
            let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            self.log.write(&Line {
                at_ms: self.at_ms,
                who: self.who.as_deref(),
                tool: &tool,
                arguments: &self.arguments,
                outcome,
                ms: millis(took),
                exit: end.as_ref().and_then(|end| end.exit_code),
                bytes: end.as_ref().map(|end| end.output_bytes),
            })
        });
        match written.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, "a call could not be written to the audit log");
            }
            Err(error) => {
                tracing::error!(%error, "a call was not written to the audit log");
            }
        }
    }
}

struct Listening {
    to: Arc<dyn CallEvents>,
    end: Arc<Mutex<Option<ProgramEnd>>>,
}

impl CallEvents for Listening {
    fn progress(&self, progress: Progress) {
        self.to.progress(progress);
    }

    fn log(&self, line: LogLine) {
        self.to.log(line);
    }

    fn program_ended(&self, end: &ProgramEnd) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end.clone());
        self.to.program_ended(end);
    }

    fn answered(&self, output: &Arc<ToolOutput>) {
        self.to.answered(output);
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Who called. A client that names itself has no secret; the id of a session is one.
fn caller(session: &str) -> String {
    if session.starts_with("client:") {
        return session.to_owned();
    }
    let digest = format!("{:x}", Sha256::digest(session));
    format!("session:{}", digest.get(..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_log_holds_nothing_that_opens_a_session() {
        assert_eq!(caller("client:inspector"), "client:inspector");
        assert_eq!(caller("4f1c-secret"), caller("4f1c-secret"));
        assert_ne!(caller("4f1c-secret"), caller("4f1c-other"));
        assert!(!caller("4f1c-secret").contains("4f1c"));
    }

    #[test]
    fn a_full_file_is_moved_away_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(folder.path().join("audit.jsonl"), 300).unwrap();
        for ms in 0..40 {
            let line = Line {
                at_ms: 0,
                who: None,
                tool: "t",
                arguments: "hmac-sha256:",
                outcome: "ok",
                ms,
                exit: None,
                bytes: None,
            };
            log.write(&line).unwrap();
        }
        let mut found = Vec::new();
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_none_or(|ending| ending != "key"))
            .collect();
        names.sort();
        assert_eq!(names.len(), 6, "{names:?}");
        // From the oldest, `.5`, to the current one.
        for name in names.iter().rev() {
            let text = std::fs::read_to_string(name).unwrap();
            assert!(text.len() <= 300 && text.ends_with('\n'));
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                found.push(line["ms"].as_u64().unwrap());
            }
        }
        let last: Vec<u64> = (40 - found.len() as u64..40).collect();
        assert_eq!(found, last, "lines are lost or out of order");
    }
}
