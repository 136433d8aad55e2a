//! What can be wrong with a piece of YAML.

use std::ops::Range;

/// One fault with its place in the text that was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// What was found; a lower-case fragment.
    pub(crate) message: String,
    /// The bytes that are meant.
    pub(crate) span: Range<usize>,
    /// The first of two, for a duplicate.
    pub(crate) first: Option<Range<usize>>,
    /// The cure, where it is known better than the kind tells it.
    pub(crate) help: Option<String>,
}

/// Which kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The text is no YAML, or is nested beyond reason.
    Invalid,
    /// A second document begins.
    Documents,
    /// Aliases expand beyond the limit.
    Aliases,
    /// A key is written twice in one mapping.
    DuplicateKey,
    /// A list or a mapping stands where a key belongs.
    Key,
    /// The merge key `<<`.
    MergeKey,
    /// A tag outside the core schema.
    Tag,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            span,
            first: None,
            help: None,
        }
    }

    /// The same with a cure.
    pub(crate) fn cured_by(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Something else than text where a key belongs.
    pub(crate) fn no_key(span: Range<usize>, found: &str) -> Self {
        let message = format!("a key must be one word or text, found {found}");
        Self::new(FaultKind::Key, span, message).cured_by(
            "write a word in front of the `:`; quote a value that is meant as text, such as `\"{{x}}\"`",
        )
    }

    /// A merge key where none is applied.
    pub(crate) fn merge_key(span: Range<usize>) -> Self {
        let message = "the merge key `<<` is not supported";
        Self::new(FaultKind::MergeKey, span, message)
    }
}
