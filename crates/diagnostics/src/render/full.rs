//! The form for people: the source line with the place underlined.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::texts::Texts;
use crate::visible::{is_hidden_in_source, visible, visible_name};
use crate::{Diagnostic, Label, LineIndex, Location, Severity};

/// So many bytes of source are shown for a place; of a longer line only its number is told.
const LONGEST_EXCERPT: usize = 16 << 10;

/// Gives the text of a file that a finding names.
pub trait Sources {
    /// The text as it was read, or `None` when there is none to show.
    fn text(&self, file: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Sources for F {
    fn text(&self, file: &str) -> Option<String> {
        self(file)
    }
}

/// Findings with their source lines, the way rustc shows them.
///
/// A finding whose file cannot be read, or whose span does not fit the text, is shown with its
/// place as a line `--> file:line:column`.
pub fn full<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &dyn Sources,
    color: bool,
) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut texts = Texts::new(sources);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let excerpts: Vec<Option<Excerpt>> = diagnostic
            .labels
            .iter()
            .map(|label| Excerpt::of(&label.location, &*texts.get(&label.location.file)?))
            .collect();
        let title = level(diagnostic.severity)
            .primary_title(visible(&diagnostic.message))
            .id(diagnostic.code.id);
        let mut group = Group::with_title(title);
        for (number, (label, excerpt)) in diagnostic.labels.iter().zip(&excerpts).enumerate() {
            group = match excerpt {
                Some(excerpt) => group.element(snippet(label, excerpt, number == 0)),
                None => group.element(origin(label)),
            };
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(visible(help)));
        }
        out.push_str(&renderer.render(&[group]));
        out.push_str("\n\n");
    }
    out
}

/// The place alone, where there is no line to show.
fn origin(label: &Label) -> Origin<'_> {
    let place = &label.location;
    let origin = Origin::path(visible_name(&place.file));
    if place.line == 0 {
        return origin;
    }
    let origin = origin.line(place.line as usize);
    if place.column == 0 {
        origin
    } else {
        origin.char_column(place.column as usize)
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}

/// The lines that a label is about: the renderer looks at each line that it is given.
struct Excerpt {
    text: String,
    /// The number of the first line.
    line: usize,
    /// What is underlined, counted in the excerpt.
    span: Range<usize>,
}

impl Excerpt {
    /// `None` where a span does not lie on character boundaries of this text: it belongs to another
    /// version of the file, and showing it would underline the wrong words. Neither is a line shown that
    /// nobody could read.
    fn of(place: &Location, lines: &LineIndex<'_>) -> Option<Self> {
        let text = lines.text();
        let span = if place.span.is_empty() {
            from_column(lines, place)?
        } else {
            place.span.clone()
        };
        text.get(span.clone())?;
        let line_of = |offset| lines.position(offset).0;
        let first = line_of(span.start);
        // The end is behind the last byte, which may be the end of a line.
        let last = line_of(span.end.saturating_sub(1).max(span.start));
        let start = lines.line_span(first)?.start;
        let cut = |last| {
            let end = lines.line_span(last)?.end.max(span.start);
            (end - start <= LONGEST_EXCERPT).then_some(end)
        };
        // Of what is too long to be shown, the first line is.
        let end = cut(last).or_else(|| cut(first))?;
        let shown = span.start - start..span.end.min(end).max(span.start) - start;
        let (text, span) = shown_with_marks(text.get(start..end)?, shown);
        Some(Self {
            text,
            line: usize::try_from(first).ok()?,
            span,
        })
    }
}

/// A source line with a mark for each character that the renderer leaves as it is and nobody sees, so that columns stay, and
/// where the span lies in it.
fn shown_with_marks(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let mut shown = String::with_capacity(text.len());
    let mut moved = span.clone();
    for (at, c) in text.char_indices() {
        if at == span.start {
            moved.start = shown.len();
        }
        if at == span.end {
            moved.end = shown.len();
        }
        if is_hidden_in_source(c) {
            shown.push(char::REPLACEMENT_CHARACTER);
        } else {
            shown.push(c);
        }
    }
    if span.start >= text.len() {
        moved.start = shown.len();
    }
    if span.end >= text.len() {
        moved.end = shown.len();
    }
    (shown, moved)
}

fn snippet<'a>(
    label: &'a Label,
    excerpt: &'a Excerpt,
    first: bool,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let kind = if first {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let annotation = kind
        .span(excerpt.span.clone())
        .label(visible(&label.message));
    Snippet::source(excerpt.text.as_str())
        .line_start(excerpt.line)
        .path(visible_name(&label.location.file))
        .annotation(annotation)
}

/// The rest of the line from the column on; the whole line where it is shorter than that.
fn from_column(lines: &LineIndex<'_>, place: &Location) -> Option<Range<usize>> {
    let line = lines.line_span(place.line)?;
    let before = usize::try_from(place.column).ok()?.saturating_sub(1);
    let start = lines
        .text()
        .get(line.clone())?
        .char_indices()
        .nth(before)
        .map_or(line.start, |(at, _)| line.start + at);
    Some(start..line.end)
}
