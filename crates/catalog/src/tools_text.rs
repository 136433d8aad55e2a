//! Where in its tools file a skill says something.

use std::ops::Range;

use metier_diagnostics::Location;
use metier_loader::{LoadedSkill, ToolPlaces};

use crate::skill_set::file_of;

/// The largest tools file that is read, as the loader reads it.
const LARGEST: u64 = 1 << 20;

/// The text of a skill's tools file, read again for the few findings that are not the loader's.
pub(crate) struct ToolsText {
    /// The file as findings name it: SKILL.md where there is no tools file.
    shown: String,
    text: Option<String>,
}

impl ToolsText {
    pub(crate) fn of(skill: &LoadedSkill) -> Self {
        let file = skill.tools_file();
        let text = file.as_deref().and_then(|file| {
            let bytes = skill.files.read(file, LARGEST).ok()?;
            String::from_utf8(bytes).ok()
        });
        Self {
            shown: file_of(skill, file.as_deref().unwrap_or("SKILL.md")),
            text,
        }
    }

    /// The places in it; `None` where it cannot be read.
    pub(crate) fn places(&self) -> Option<ToolPlaces<'_>> {
        self.text.as_deref().map(ToolPlaces::read)
    }

    /// A span of it as a place; the file as a whole without one.
    pub(crate) fn located(
        &self,
        places: Option<&ToolPlaces<'_>>,
        span: Option<Range<usize>>,
    ) -> Location {
        match (places, span) {
            (Some(places), Some(span)) => places.locate(self.shown.clone(), span),
            _ => Location::file(self.shown.clone()),
        }
    }
}
