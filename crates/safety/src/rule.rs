//! What a rule is, and what it is given.

use std::cell::OnceCell;
use std::ops::Range;

use metier_diagnostics::{Code, Severity};

use crate::context::Context;
use crate::fold::Folded;
use crate::part::Part;
use crate::pattern::Pattern;
use crate::spots::Spots;

/// One rule: how it looks at a text.
pub(crate) struct Rule {
    pub(crate) code: Code,
    pub(crate) find: fn(&Examined<'_>, &mut Vec<Hit>),
    /// What it looks for near their anchors.
    pub(crate) patterns: &'static [&'static Pattern],
}

/// Something found: bytes of the text as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) range: Range<usize>,
    pub(crate) severity: Severity,
    pub(crate) message: &'static str,
    pub(crate) help: &'static str,
}

/// A text under examination.
pub(crate) struct Examined<'t> {
    pub(crate) part: Part,
    /// As given.
    pub(crate) raw: &'t str,
    pub(crate) folded: &'t Folded<'t>,
    spots: Spots<'t>,
    context: OnceCell<Context<'t>>,
}

impl<'t> Examined<'t> {
    pub(crate) fn new(part: Part, raw: &'t str, folded: &'t Folded<'t>) -> Self {
        Self {
            part,
            raw,
            folded,
            spots: Spots::new(folded.text()),
            context: OnceCell::new(),
        }
    }

    /// Without disguises.
    pub(crate) fn text(&self) -> &'t str {
        self.folded.text()
    }

    pub(crate) fn context(&self) -> &Context<'t> {
        self.context
            .get_or_init(|| Context::new(self.folded.text()))
    }

    /// Every place of some patterns; in prose only those that are neither forbidden nor mentioned. A script does
    /// what it says, whatever stands beside it.
    pub(crate) fn said<'p>(
        &'p self,
        patterns: &'p [&'static Pattern],
    ) -> impl Iterator<Item = Range<usize>> + 'p {
        self.places(patterns)
            .filter(|range| !self.part.is_prose() || self.is_meant(range))
    }

    /// Whether it is neither forbidden nor mentioned.
    pub(crate) fn is_meant(&self, range: &Range<usize>) -> bool {
        let context = self.context();
        !(context.is_negated(range.start)
            || context.is_mentioned(range)
            || context.is_reported_of_content(range.start))
    }

    /// Every place of some patterns.
    pub(crate) fn places<'p>(
        &'p self,
        patterns: &'p [&'static Pattern],
    ) -> impl Iterator<Item = Range<usize>> + 'p {
        patterns
            .iter()
            .flat_map(|pattern| self.spots.places(pattern))
    }

    /// A hit at a range of the folded text.
    pub(crate) fn hit(
        &self,
        range: Range<usize>,
        severity: Severity,
        message: &'static str,
        help: &'static str,
    ) -> Hit {
        Hit {
            range: self.folded.original(range),
            severity,
            message,
            help,
        }
    }

    /// An error where everybody is shown the text, a warning where it is read on request.
    pub(crate) fn graver_if_shown(&self) -> Severity {
        if self.part.is_shown_unasked() {
            Severity::Error
        } else {
            Severity::Warning
        }
    }
}
