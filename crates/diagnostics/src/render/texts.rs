//! The texts of the files that findings name, each with its lines found once.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Sources;
use crate::LineIndex;

/// Findings come file by file; the other places of one lie in few others.
const MOST_KEPT: usize = 16;

/// Asks for each text once, as long as findings come file by file.
pub(super) struct Texts<'s> {
    sources: &'s dyn Sources,
    known: BTreeMap<String, Option<Rc<LineIndex<'static>>>>,
}

impl<'s> Texts<'s> {
    pub(super) fn new(sources: &'s dyn Sources) -> Self {
        Self {
            sources,
            known: BTreeMap::new(),
        }
    }

    pub(super) fn get(&mut self, file: &str) -> Option<Rc<LineIndex<'static>>> {
        if let Some(known) = self.known.get(file) {
            return known.clone();
        }
        if self.known.len() >= MOST_KEPT {
            self.known.clear();
        }
        let text = self.sources.text(file);
        let text = text.map(|text| Rc::new(LineIndex::new(text)));
        self.known.insert(file.to_owned(), text.clone());
        text
    }
}
