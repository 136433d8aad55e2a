//! Collects the findings about one file.

mod left_out;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use metier_diagnostics::{Code, Diagnostic, Label, LineIndex, Location, Severity};

use left_out::LeftOut;
pub use left_out::{findings_left_out, within_limit};

use crate::yaml::{Fault, FaultKind};
use crate::{ParseMode, codes};

/// The codes that the same kind of finding has in the two kinds of files.
#[derive(Debug)]
pub(crate) struct FileCodes {
    pub(crate) invalid: Code,
    pub(crate) documents: Code,
    pub(crate) duplicate_key: Code,
    pub(crate) merge_key: Code,
    pub(crate) tag: Code,
    pub(crate) alias_limit: Code,
    pub(crate) wrong_type: Code,
    pub(crate) empty_item: Code,
    pub(crate) cut_text: Code,
}

/// The codes for SKILL.md and metadata/depends.md.
pub(crate) const SKILL_CODES: FileCodes = FileCodes {
    invalid: codes::FRONT_MATTER_INVALID,
    documents: codes::FRONT_MATTER_DOCUMENTS,
    duplicate_key: codes::FRONT_MATTER_DUPLICATE_KEY,
    merge_key: codes::FRONT_MATTER_MERGE_KEY,
    tag: codes::FRONT_MATTER_TAG,
    alias_limit: codes::FRONT_MATTER_ALIAS_LIMIT,
    wrong_type: codes::WRONG_TYPE,
    empty_item: codes::EMPTY_ITEM,
    cut_text: codes::CUT_TEXT,
};

/// The codes for tools and groups files.
pub(crate) const TOOLS_CODES: FileCodes = FileCodes {
    invalid: codes::TOOLS_FILE_INVALID,
    documents: codes::TOOLS_FILE_DOCUMENTS,
    duplicate_key: codes::DUPLICATE_KEY,
    merge_key: codes::MERGE_KEY,
    tag: codes::TAG,
    alias_limit: codes::ALIAS_LIMIT,
    wrong_type: codes::WRONG_TOOL_VALUE,
    empty_item: codes::EMPTY_TOOL_ITEM,
    cut_text: codes::CUT_TOOL_TEXT,
};

/// How many findings about one file are kept; the rest is counted. Nobody reads more of them, and a file
/// of a million faults would cost the memory of every reader.
pub const MOST_FINDINGS: usize = 100;
/// Longer messages lose their middle, in bytes.
const LONGEST_MESSAGE: usize = 1200;
/// Longer names are cut in messages, in characters.
const LONGEST_NAME: usize = 120;

/// Text for a message: what cannot be seen, or would turn the line around, is written out.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\'' | '\\') {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
    }
    shown
}

/// A name for messages: of one that is long beyond reason, only the beginning.
pub(crate) fn brief(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => Cow::Owned(format!("{}…", name.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(name),
    }
}

/// A message of bounded length: whatever it quotes, its beginning and its end say what it is about.
fn bounded(message: String) -> String {
    if message.len() <= LONGEST_MESSAGE {
        return message;
    }
    let half = LONGEST_MESSAGE / 2;
    let start = message.floor_char_boundary(half);
    let end = message.ceil_char_boundary(message.len() - half);
    let parts = (message.get(..start), message.get(end..));
    format!(
        "{} … {}",
        parts.0.unwrap_or_default(),
        parts.1.unwrap_or_default()
    )
}

/// Sorts findings by file, in the order in which the files were read, and by place.
pub(crate) fn sort_by_place(diagnostics: &mut [Diagnostic]) {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for location in diagnostics.iter().filter_map(Diagnostic::location) {
        if !files.contains_key(&location.file) {
            files.insert(location.file.clone(), files.len());
        }
    }
    diagnostics.sort_by_cached_key(|diagnostic| {
        diagnostic.location().map(|location| {
            let file = files.get(&location.file).copied();
            (file, location.line, location.column)
        })
    });
}

/// The findings about one file, with what is needed to say where they are.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) mode: ParseMode,
    pub(crate) codes: &'static FileCodes,
    /// The file below the root, as shown to people.
    file: String,
    text: &'a str,
    lines: OnceCell<LineIndex<'a>>,
    list: Vec<Diagnostic>,
    left_out: LeftOut,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(
        mode: ParseMode,
        codes: &'static FileCodes,
        file: String,
        text: &'a str,
    ) -> Self {
        Self {
            mode,
            codes,
            file,
            text,
            lines: OnceCell::new(),
            list: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Where a byte range is. Lines are counted only once there is a finding.
    pub(crate) fn place(&self, span: &Range<usize>) -> Location {
        self.lines
            .get_or_init(|| LineIndex::new(self.text))
            .locate(self.file.clone(), span.clone())
    }

    /// The file as a whole.
    pub(crate) fn whole(&self) -> Location {
        Location::file(self.file.clone())
    }

    /// A finding that costs the skill in strict mode and is worked around in lenient.
    pub(crate) fn fault(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
    ) -> Added<'_> {
        self.add(Diagnostic::new(code, self.mode.fault(), message), span)
    }

    pub(crate) fn error(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
    ) -> Added<'_> {
        self.add(Diagnostic::error(code, message), span)
    }

    pub(crate) fn warning(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
    ) -> Added<'_> {
        self.add(Diagnostic::warning(code, message), span)
    }

    pub(crate) fn info(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
    ) -> Added<'_> {
        self.add(Diagnostic::info(code, message), span)
    }

    /// Whether there is anything so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a finding of this severity would be kept: graver ones take the place of lesser ones.
    ///
    /// Where a message is costly to make, this is asked first.
    pub(crate) fn has_room(&self, severity: Severity) -> bool {
        self.list.len() < MOST_FINDINGS || self.list.iter().any(|kept| kept.severity < severity)
    }

    /// Adds a finding that has its place already.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) -> Added<'_> {
        if self.list.len() >= MOST_FINDINGS {
            let lesser = self
                .list
                .iter()
                .enumerate()
                .rev()
                .min_by_key(|(_, kept)| kept.severity)
                .filter(|(_, kept)| kept.severity < diagnostic.severity)
                .map(|(at, _)| at);
            let Some(lesser) = lesser else {
                self.left_out
                    .count(diagnostic.severity, diagnostic.location());
                return Added(None);
            };
            let replaced = self.list.remove(lesser);
            self.left_out.count(replaced.severity, replaced.location());
        }
        let mut diagnostic = diagnostic;
        diagnostic.message = bounded(diagnostic.message);
        self.list.push(diagnostic);
        Added(self.list.last_mut())
    }

    /// Takes the findings with this code back.
    pub(crate) fn forget(&mut self, code: Code) {
        self.list.retain(|finding| finding.code != code);
    }

    /// Makes a finding with this code an error; false if none was kept.
    pub(crate) fn make_error(&mut self, code: Code) -> bool {
        let found = self.list.iter_mut().find(|finding| finding.code == code);
        let known = found.is_some();
        if let Some(finding) = found {
            finding.severity = Severity::Error;
        }
        known
    }

    /// Everything that was found, and how much was left out.
    pub(crate) fn finish(&mut self) -> Vec<Diagnostic> {
        let mut list = std::mem::take(&mut self.list);
        list.extend(std::mem::take(&mut self.left_out).told());
        list
    }

    fn add(&mut self, diagnostic: Diagnostic, span: &Range<usize>) -> Added<'_> {
        if !self.has_room(diagnostic.severity) {
            self.left_out_at(diagnostic.severity, span);
            return Added(None);
        }
        let place = self.place(span);
        self.push(diagnostic.at(place, ""))
    }

    /// The text that the findings are about.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Counts a finding without making it.
    pub(crate) fn left_out_at(&mut self, severity: Severity, span: &Range<usize>) {
        // Counting lines and columns for each of a million findings is what the limit is against.
        let place = self.left_out.is_empty().then(|| self.place(span));
        self.left_out.count(severity, place.as_ref());
    }

    /// A fault of the YAML itself, as an error.
    pub(crate) fn yaml_fault(&mut self, fault: &Fault) {
        if !self.has_room(Severity::Error) {
            self.left_out_at(Severity::Error, &fault.span);
            return;
        }
        let codes = self.codes;
        let (code, help) = match fault.kind {
            FaultKind::Invalid => (
                codes.invalid,
                Some(
                    "close quotes and brackets; quote a value that holds `: ` or begins with a special character",
                ),
            ),
            FaultKind::Documents => (
                codes.documents,
                Some("keep one document, without a further `---` or `...`"),
            ),
            FaultKind::Aliases => (
                codes.alias_limit,
                Some("write the values out instead of using aliases"),
            ),
            FaultKind::Key => (codes.invalid, Some("write a word in front of the `:`")),
            FaultKind::DuplicateKey => (codes.duplicate_key, Some("keep one of the two lines")),
            FaultKind::MergeKey => (codes.merge_key, Some("write the keys out")),
            FaultKind::Tag => (codes.tag, Some("remove the tag")),
        };
        let mut diagnostic = Diagnostic::error(code, fault.message.clone());
        if let Some(first) = &fault.first {
            let lines = (self.place(first), self.place(&fault.span));
            diagnostic.message = format!(
                "{} (lines {} and {})",
                fault.message, lines.0.line, lines.1.line
            );
            diagnostic = diagnostic
                .at(lines.1, "again here")
                .at(lines.0, "first here");
        } else {
            diagnostic = diagnostic.at(self.place(&fault.span), "");
        }
        let help = fault.help.as_deref().or(help);
        diagnostic.help = help.map(|help| bounded(help.to_owned()));
        self.push(diagnostic);
    }
}

/// The finding that was just added, for saying more about it.
#[derive(Debug)]
pub(crate) struct Added<'f>(Option<&'f mut Diagnostic>);

impl Added<'_> {
    /// Adds the cure.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        if let Some(diagnostic) = self.0 {
            diagnostic.help = Some(bounded(help.into()));
            return Self(Some(diagnostic));
        }
        self
    }

    /// Adds a further place.
    pub(crate) fn label(self, location: Location, message: &str) -> Self {
        if let Some(diagnostic) = self.0 {
            diagnostic.labels.push(Label {
                location,
                message: message.to_owned(),
            });
            return Self(Some(diagnostic));
        }
        self
    }
}
