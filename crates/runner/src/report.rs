//! What a run came to, and how to say it.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde_json::Value;

use crate::text;

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a run that ended may have failed: see `failure`"]
pub struct Report {
    /// How the script ended.
    pub exit: Exit,
    /// What stood on standard output.
    pub output: Output,
    /// The lines around a JSON object on standard output, bounded.
    pub noise: String,
    /// The end of standard output.
    pub stdout_tail: Tail,
    /// The end of standard error, without progress lines.
    pub stderr_tail: Tail,
    /// How many bytes stood on standard output, those that were dropped included.
    pub output_bytes: u64,
    /// How many bytes of standard output were read and dropped because of the cap.
    pub dropped_bytes: u64,
    /// Whether bytes that are not UTF-8 were replaced.
    pub replaced_bytes: bool,
    /// What of the JSON is not as the script printed it.
    pub notes: Vec<String>,
    /// The JSON as the script printed it, when the value could not take every digit of its integers.
    pub exact: Option<String>,
    /// What stood in the JSON object before a later member of the same name, in order; the value has the last of each.
    /// Whoever acts on the object has to refuse it: a failure said first would pass for the success said last.
    pub overwritten: Vec<(String, Value)>,
    /// From the start of the script to the answer; zero if it never started.
    pub elapsed: Duration,
    /// A shell script failed and has CRLF line endings, which shells cannot read.
    pub crlf_hint: bool,
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// By itself, with this exit code.
    Code(i32),
    /// A signal ended it that this crate did not send.
    Signal {
        /// The number of the signal on this system.
        number: i32,
        /// Its name, such as `SIGSEGV`; empty if it has none.
        name: String,
    },
    /// It was still running at the deadline and was ended.
    DeadlineExceeded {
        /// The deadline.
        limit: Duration,
    },
    /// The caller cancelled; the script was ended or never started.
    Cancelled,
}

/// What stood on standard output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// One JSON value, or the last JSON object among other lines.
    Json(Value),
    /// No JSON: the text, trimmed, without byte order mark and colour codes.
    Text(String),
    /// It has the looks of a JSON object and is none: a failure, for it may have told of one.
    Malformed {
        /// All of it, trimmed.
        text: String,
        /// Why it is no JSON.
        reason: String,
    },
    /// Nothing but blanks.
    Empty,
    /// More than the cap: the edges of it.
    Truncated {
        /// The beginning.
        head: String,
        /// The end.
        tail: String,
        /// How many bytes between them were dropped.
        dropped: u64,
        /// The cap, in bytes.
        limit: usize,
    },
}

/// The end of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// The text, cut between characters.
    pub text: String,
    /// Whether something before it was cut.
    pub cut: bool,
}

impl fmt::Display for Tail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cut {
            formatter.write_str("[…] ")?;
        }
        formatter.write_str(&self.text)
    }
}

impl Report {
    /// The report of a job that was cancelled before its script started.
    pub(crate) fn never_started() -> Self {
        Self {
            exit: Exit::Cancelled,
            output: Output::Empty,
            noise: String::new(),
            stdout_tail: Tail::default(),
            stderr_tail: Tail::default(),
            output_bytes: 0,
            dropped_bytes: 0,
            replaced_bytes: false,
            notes: Vec::new(),
            exact: None,
            overwritten: Vec::new(),
            elapsed: Duration::ZERO,
            crlf_hint: false,
        }
    }

    /// Why the run failed, in one clear message without paths; `None` if the script ended by itself
    /// with exit code 0 and its output is within the cap and can be read. Whether its *result* is a failure
    /// (`success: false`) is not asked here.
    pub fn failure(&self) -> Option<String> {
        let mut reasons = Vec::new();
        match &self.exit {
            Exit::Code(0) => {}
            Exit::Code(code) => reasons.push(format!("the script ended with exit code {code}")),
            Exit::Signal { number, name } if name.is_empty() => {
                reasons.push(format!("the script was killed by signal {number}"));
            }
            Exit::Signal { number, name } => {
                reasons.push(format!("the script was killed by {name} (signal {number})"));
            }
            Exit::DeadlineExceeded { limit } => reasons.push(format!(
                "the script was still running at its time limit of {} s and was ended",
                limit.as_secs_f64()
            )),
            Exit::Cancelled if self.elapsed.is_zero() => {
                reasons.push("the call was cancelled before the script started".to_owned());
            }
            Exit::Cancelled => {
                reasons.push("the call was cancelled and the script was ended".to_owned());
            }
        }
        if let Output::Truncated { dropped, limit, .. } = &self.output {
            // Little over the limit, its beginning and its end are all of it.
            let dropped = match dropped {
                0 => format!("it has {} bytes", self.output_bytes),
                dropped => format!("{dropped} bytes were dropped"),
            };
            reasons.push(format!(
                "its output is over the limit of {}: {dropped}; write large results to a file and print where it is",
                text::exact_size(*limit)
            ));
        }
        if let Output::Malformed { reason, .. } = &self.output {
            reasons.push(format!("its output looks like JSON but is not: {reason}"));
        }
        if self.crlf_hint {
            reasons.push(
                "the script has CRLF line endings, which a shell cannot read: save it with LF line endings".to_owned(),
            );
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// The failure with the ends of both streams, for an answer to a client; `None` as in
    /// [`failure`](Self::failure). The words of the script itself pass as they are.
    pub fn describe_failure(&self) -> Option<String> {
        let mut message = self.failure()?;
        if let Output::Truncated { head, .. } = &self.output {
            _ = write!(message, "\n\nbeginning of the output:\n{head} […]");
        }
        for (name, tail) in [
            ("output", &self.stdout_tail),
            ("error output", &self.stderr_tail),
        ] {
            if !tail.text.is_empty() {
                let part = if tail.cut { "end of the " } else { "" };
                _ = write!(message, "\n\n{part}{name}:\n{tail}");
            }
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(exit: Exit) -> Report {
        Report {
            exit,
            elapsed: Duration::from_secs(1),
            ..Report::never_started()
        }
    }

    #[test]
    fn every_way_to_fail_has_its_words() {
        let mut too_much = report(Exit::Code(0));
        too_much.output = Output::Truncated {
            head: "ab".into(),
            tail: "yz".into(),
            dropped: 22,
            limit: 4 << 20,
        };
        let mut little_over = report(Exit::Code(0));
        little_over.output_bytes = 4;
        little_over.output = Output::Truncated {
            head: "ab".into(),
            tail: "yz".into(),
            dropped: 0,
            limit: 3,
        };
        let mut shell = report(Exit::Code(2));
        shell.crlf_hint = true;
        let mut endless = too_much.clone();
        endless.exit = Exit::DeadlineExceeded {
            limit: Duration::from_millis(1500),
        };
        let words: Vec<_> = [
            report(Exit::Code(0)),
            report(Exit::Code(3)),
            report(Exit::Signal {
                number: 11,
                name: "SIGSEGV".into(),
            }),
            report(Exit::Signal {
                number: 40,
                name: String::new(),
            }),
            report(Exit::DeadlineExceeded {
                limit: Duration::from_secs(30),
            }),
            report(Exit::Cancelled),
            Report::never_started(),
            too_much,
            little_over,
            shell,
            endless,
        ]
        .iter()
        .map(|report| report.failure().unwrap_or_else(|| "fine".to_owned()))
        .collect();
        insta::assert_snapshot!(words.join("\n"), @r"
        fine
        the script ended with exit code 3
        the script was killed by SIGSEGV (signal 11)
        the script was killed by signal 40
        the script was still running at its time limit of 30 s and was ended
        the call was cancelled and the script was ended
        the call was cancelled before the script started
        its output is over the limit of 4 MiB (4194304 bytes): 22 bytes were dropped; write large results to a file and print where it is
        its output is over the limit of 3 bytes: it has 4 bytes; write large results to a file and print where it is
        the script ended with exit code 2; the script has CRLF line endings, which a shell cannot read: save it with LF line endings
        the script was still running at its time limit of 1.5 s and was ended; its output is over the limit of 4 MiB (4194304 bytes): 22 bytes were dropped; write large results to a file and print where it is
        ");
    }

    #[test]
    fn a_failure_is_described_with_both_streams() {
        let mut failed = report(Exit::Code(1));
        failed.stdout_tail = Tail {
            text: "step 200".into(),
            cut: true,
        };
        failed.stderr_tail = Tail {
            text: "Traceback".into(),
            cut: false,
        };
        insta::assert_snapshot!(failed.describe_failure().unwrap(), @r"
        the script ended with exit code 1

        end of the output:
        […] step 200

        error output:
        Traceback
        ");
        assert_eq!(report(Exit::Code(0)).describe_failure(), None);
    }
}
