//! Where in a tools file a finding of a rule stands.

use std::cell::OnceCell;
use std::ops::Range;

use metier_diagnostics::Location;
use metier_loader::{ToolPlaces, place_in_front_matter};

use crate::subject::{SKILL_FILE, Subject};

/// The places of a skill's tools, read when the first is asked for.
///
/// Without a tools file it is the skill's name, and of a file that cannot be read the whole of it.
#[derive(Debug)]
pub(crate) struct Places<'s, 'a> {
    subject: &'s Subject<'a>,
    read: OnceCell<Option<ToolPlaces<'s>>>,
}

impl<'s, 'a> Places<'s, 'a> {
    pub(crate) fn new(subject: &'s Subject<'a>) -> Self {
        Self {
            subject,
            read: OnceCell::new(),
        }
    }

    /// Where a tool is named.
    pub(crate) fn name(&self, tool: &str) -> Location {
        self.of(|places| places.name(tool))
    }

    /// Where the key is that a path inside a tool ends on.
    pub(crate) fn key(&self, tool: &str, path: &[&str]) -> Location {
        self.of(|places| places.key(tool, path))
    }

    /// Where the value is that a path inside a tool ends on.
    pub(crate) fn value(&self, tool: &str, path: &[&str]) -> Location {
        self.of(|places| places.value(tool, path))
    }

    /// Where the item is that says `text`.
    pub(crate) fn item(&self, tool: &str, path: &[&str], text: &str) -> Location {
        self.of(|places| places.item(tool, path, text))
    }

    /// Where the skill is named, for tools that are nothing but scripts.
    fn skill_name(&self) -> Location {
        let text = self.subject.text(SKILL_FILE).unwrap_or_default();
        match place_in_front_matter(&text, "name") {
            Some(span) => self.subject.place(SKILL_FILE, &text, span),
            None => self.subject.whole(SKILL_FILE),
        }
    }

    fn of(&self, find: impl FnOnce(&ToolPlaces<'s>) -> Option<Range<usize>>) -> Location {
        let Some(file) = self.subject.tools_file() else {
            return self.skill_name();
        };
        let read = || self.subject.tools_text().map(ToolPlaces::read);
        let places = self.read.get_or_init(read).as_ref();
        let found = places.and_then(|places| Some((places, find(places)?)));
        match found {
            Some((places, span)) => places.locate(self.subject.shown(&file), span),
            None => self.subject.whole(&file),
        }
    }
}
