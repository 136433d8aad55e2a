//! The form for people: the source line with the place underlined.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::visible::{visible, visible_name};
use crate::{Diagnostic, Label, Location, Severity};

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
    let mut out = String::new();
    for diagnostic in diagnostics {
        let texts: Vec<Option<String>> = diagnostic
            .labels
            .iter()
            .map(|label| sources.text(&label.location.file))
            .collect();
        let title = level(diagnostic.severity)
            .primary_title(visible(&diagnostic.message))
            .id(diagnostic.code.id);
        let mut group = Group::with_title(title);
        for (number, (label, text)) in diagnostic.labels.iter().zip(&texts).enumerate() {
            match text
                .as_deref()
                .and_then(|text| snippet(label, text, number == 0))
            {
                Some(snippet) => group = group.element(snippet),
                None => group = group.element(origin(label)),
            }
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

fn snippet<'a>(
    label: &'a Label,
    text: &'a str,
    first: bool,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let span = label.location.span.clone();
    let span = if span.is_empty() {
        from_column(text, &label.location)?
    } else {
        span
    };
    // A span that does not lie on character boundaries of this text belongs to another version of
    // the file; showing it would underline the wrong words.
    text.get(span.clone())?;
    let kind = if first {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let annotation = kind.span(span).label(visible(&label.message));
    Some(
        Snippet::source(text)
            .path(visible_name(&label.location.file))
            .annotation(annotation),
    )
}

/// The rest of the line from the column on; the whole line where it is shorter than that.
fn from_column(text: &str, place: &Location) -> Option<Range<usize>> {
    let line = crate::LineIndex::new(text).line_span(place.line)?;
    let before = usize::try_from(place.column).ok()?.saturating_sub(1);
    let start = text
        .get(line.clone())?
        .char_indices()
        .nth(before)
        .map_or(line.start, |(at, _)| line.start + at);
    Some(start..line.end)
}
