//! A question to a selector that can wait: for a client's retry, in another process.

use serde::{Deserialize, Serialize};

use crate::selector::{
    Candidate, ParsedSelection, SelectionPrompt, SelectorError, parse_selection, selection_prompt,
};

use super::answer::{DiscoveredSkill, DiscoveryAnswer, Note, Stage};

/// What is asked, and what was found before. Plain data: seal it where it goes through a client's hands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingSelection {
    query: String,
    limit: usize,
    candidates: Vec<Candidate>,
    found: DiscoveryAnswer,
}

impl PendingSelection {
    pub(super) fn new(
        query: String,
        limit: usize,
        candidates: Vec<Candidate>,
        found: DiscoveryAnswer,
    ) -> Self {
        Self {
            query,
            limit,
            candidates,
            found,
        }
    }

    /// The question.
    pub fn prompt(&self) -> SelectionPrompt {
        selection_prompt(&self.query, &self.candidates, self.limit)
    }

    /// The skills that are offered.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What was found before the selector was to be asked.
    pub fn into_found(self) -> DiscoveryAnswer {
        self.found
    }

    /// The answer that a selector's words make. Only offered skills that are still there can be chosen.
    pub(super) fn resolve(
        mut self,
        selector: &str,
        said: Result<&str, SelectorError>,
        is_there: impl Fn(&str) -> bool,
    ) -> DiscoveryAnswer {
        let selector = selector.to_owned();
        self.found.hits.retain(|hit| is_there(&hit.id));
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                self.found
                    .notes
                    .push(Note::SelectorFailed { selector, error });
                return self.found;
            }
        };
        let offered: Vec<&str> = self
            .candidates
            .iter()
            .map(|candidate| candidate.id.as_str())
            .filter(|id| is_there(id))
            .collect();
        let ParsedSelection {
            plan,
            ids,
            unknown,
            is_readable,
        } = parse_selection(said, &offered, self.limit);
        // Names alone that nobody offered are no choice either.
        if !is_readable || (ids.is_empty() && unknown > 0) {
            self.found.notes.push(Note::SelectorUnreadable { selector });
            return self.found;
        }
        let mut answer = DiscoveryAnswer::new(Stage::Select);
        answer.plan = plan;
        answer.notes = std::mem::take(&mut self.found.notes);
        answer
            .notes
            .retain(|note| !matches!(note, Note::NothingFits | Note::NothingFound));
        if unknown > 0 {
            answer.notes.push(Note::SelectorStrayed { count: unknown });
        }
        if ids.is_empty() {
            answer.notes.push(Note::SelectorChoseNone { selector });
        }
        answer.hits = ids
            .iter()
            .enumerate()
            .filter_map(|(place, id)| self.chosen(place, id))
            .collect();
        answer
    }

    fn chosen(&self, place: usize, id: &str) -> Option<DiscoveredSkill> {
        let candidate = self
            .candidates
            .iter()
            .find(|candidate| candidate.id == id)?;
        let before = self.found.hits.iter().find(|hit| hit.id == id);
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        Some(DiscoveredSkill {
            id: candidate.id.clone(),
            name: candidate.name.clone(),
            description: candidate.description.clone(),
            stage: Stage::Select,
            score: 1.0 / (1.0 + f64::from(place)),
            confidence: before.and_then(|hit| hit.confidence),
            matched: before.map(|hit| hit.matched.clone()).unwrap_or_default(),
        })
    }
}
