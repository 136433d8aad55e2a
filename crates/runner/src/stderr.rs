//! Standard error: progress lines, log lines, and its end.

use std::borrow::Cow;

use crate::capture::Ring;
use crate::report::Tail;
use crate::{Allowance, Limits, Progress, RunEvents, text};

const PROGRESS: &[u8] = b"::progress::";

/// Takes standard error apart while it comes in.
pub(crate) struct StderrLines<'a> {
    events: &'a dyn RunEvents,
    allowance: Allowance,
    tail: Ring,
    line: Vec<u8>,
    /// The line is longer than may be handed on: what follows goes to the tail alone.
    overlong: bool,
    line_limit: usize,
    replaced: bool,
}

impl<'a> StderrLines<'a> {
    pub(crate) fn new(limits: &Limits, events: &'a dyn RunEvents) -> Self {
        Self {
            events,
            allowance: Allowance::new(limits),
            tail: Ring::new(limits.tail_bytes),
            line: Vec::new(),
            overlong: false,
            line_limit: limits.log_line_bytes.max(PROGRESS.len()),
            replaced: false,
        }
    }

    pub(crate) fn push(&mut self, mut chunk: &[u8]) {
        // A carriage return ends a line too: progress bars repaint theirs.
        while let Some(end) = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = chunk.split_at(end);
            let (ending, rest) = rest.split_at(1);
            self.extend(line);
            self.end_line(ending);
            chunk = rest;
        }
        self.extend(chunk);
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.overlong {
            self.tail.push(bytes);
            return;
        }
        let room = self.line_limit.saturating_sub(self.line.len());
        if bytes.len() <= room {
            self.line.extend_from_slice(bytes);
            return;
        }
        let (fits, over) = bytes.split_at(room);
        self.line.extend_from_slice(fits);
        self.overlong = true;
        self.tail.push(&self.line);
        self.tail.push(over);
    }

    fn end_line(&mut self, ending: &[u8]) {
        let line = std::mem::take(&mut self.line);
        let overlong = std::mem::take(&mut self.overlong);
        if overlong {
            self.tail.push(ending);
            let cut = text::head(&line, self.line_limit.saturating_sub(1));
            let text = String::from_utf8_lossy(cut).into_owned();
            self.log(format!("{}…", text::plain(&text)).into());
            return;
        }
        if let Some(progress) = progress(&line) {
            if self.allowance.step(progress.progress, progress.total) {
                self.events.progress(progress);
            }
            return;
        }
        self.tail.push(&line);
        self.tail.push(ending);
        let text = String::from_utf8_lossy(&line);
        self.replaced |= matches!(text, Cow::Owned(_));
        let plain = text::plain(&text);
        if !plain.trim().is_empty() {
            self.log(plain);
        }
    }

    fn log(&self, line: Cow<'_, str>) {
        if let Some(line) = self.allowance.short_line(line) {
            self.events.log(&line);
        }
    }

    /// The end of the stream, and whether bytes were replaced.
    pub(crate) fn finish(mut self) -> (Tail, bool) {
        if self.overlong || !self.line.is_empty() {
            self.end_line(b"");
        }
        let (bytes, cut) = self.tail.finish();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (
            Tail {
                text: text::plain(&text).trim_end().to_owned(),
                cut,
            },
            self.replaced,
        )
    }
}

fn progress(line: &[u8]) -> Option<Progress> {
    let json = line.trim_ascii_start().strip_prefix(PROGRESS)?;
    let progress: Progress = serde_json::from_slice(json).ok()?;
    progress.progress.is_finite().then_some(progress)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl RunEvents for Heard {
        fn progress(&self, progress: Progress) {
            let Progress {
                progress,
                total,
                message,
            } = progress;
            self.0
                .lock()
                .unwrap()
                .push(format!("progress {progress} of {total:?}: {message:?}"));
        }

        fn log(&self, line: &str) {
            self.0.lock().unwrap().push(format!("log {line}"));
        }
    }

    fn hear(limits: &Limits, chunks: &[&[u8]]) -> (Vec<String>, Tail) {
        let heard = Heard::default();
        let mut lines = StderrLines::new(limits, &heard);
        for chunk in chunks {
            lines.push(chunk);
        }
        let (tail, _) = lines.finish();
        (heard.0.into_inner().unwrap(), tail)
    }

    #[test]
    fn progress_and_log_lines_are_told_apart() {
        let (heard, tail) = hear(
            &Limits::default(),
            &[
                b"::prog",
                b"ress:: {\"progress\": 1, \"total\": 4, \"message\": \"baking\"}\n\x1b[33mwarning\x1b[0m\r\n",
                b"::progress:: {\"progress\": 2}\n::progress:: soon\n 10%\r 20%\rlast",
            ],
        );
        insta::assert_snapshot!(heard.join("\n"), @r#"
        progress 1 of Some(4.0): Some("baking")
        log warning
        progress 2 of None: None
        log ::progress:: soon
        log  10%
        log  20%
        log last
        "#);
        insta::assert_snapshot!(tail.text.replace('\r', "\n"), @r"
        warning

        ::progress:: soon
         10%
         20%
        last
        ");
    }

    #[test]
    fn lines_are_bounded_in_length_and_number() {
        let limits = Limits {
            log_line_bytes: 13,
            log_lines: 3,
            tail_bytes: 10,
            ..Limits::default()
        };
        let (heard, tail) = hear(&limits, &[b"0123456789", b"0123456789\nb\nc\nd\n"]);
        assert_eq!(
            heard,
            [
                "log 012345678901…",
                "log b",
                "log [… further lines of error output are not passed on …]"
            ]
        );
        assert_eq!(
            tail,
            Tail {
                text: "789\nb\nc\nd".to_owned(),
                cut: true
            }
        );
    }

    #[test]
    fn a_flood_of_progress_is_thinned_and_its_last_step_heard() {
        let flood: Vec<_> = (1..=100_000)
            .map(|step| format!("::progress:: {{\"progress\": {step}, \"total\": 100000}}\n"))
            .collect();
        let (heard, _) = hear(&Limits::default(), &[flood.concat().as_bytes()]);
        assert!(heard.len() < 10_000, "{} events", heard.len());
        assert_eq!(
            heard.last().unwrap(),
            "progress 100000 of Some(100000.0): None"
        );
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_arrive(
            text in "(::progress:: \\{\"progress\": 1\\}|[a-zé\u{1b}\\[]{0,20}|\n|\r){0,10}",
            cuts in proptest::collection::vec(0usize..100, 0..5),
        ) {
            let limits = Limits { log_line_bytes: 30, log_lines: 5, tail_bytes: 40, ..Limits::default() };
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(hear(&limits, &chunks), hear(&limits, &[bytes]));
        }
    }
}
