//! The cascade itself.

use metier_search::{Filter, Hit, Query, SearchAnswer, SkillIndex};

use crate::book::SkillEntry;
use crate::line::line;
use crate::quality::QualityEvent;
use crate::selector::{Candidate, Selector};
use crate::view::View;

use super::answer::{DiscoveredSkill, DiscoveryAnswer, MatchedWord, Note, Stage};
use super::direct::{Direct, direct};
use super::pending::PendingSelection;

/// So much of a description is in an answer.
const DESCRIPTION: usize = 200;
/// So many skills that are left out are named.
const NAMED_DROPPED: usize = 3;
/// With so many candidates or fewer a selector is offered all of them.
const FEW: usize = 10;

/// When a stage is sure enough to end the cascade: how sure its first hit is, and by how much surer than its second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Thresholds {
    /// Confidence and lead after words alone. They say how much of the query a skill speaks of, so it takes nearly all.
    pub lexical: (f64, f64),
    /// Confidence and lead after words and meaning. On the development queries 0.7 ends the cascade for four of five
    /// with 96 right of a hundred, and for none that nothing answers; a lead makes it no surer.
    pub hybrid: (f64, f64),
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            lexical: (0.95, 0.15),
            hybrid: (0.7, 0.0),
        }
    }
}

/// What is asked of discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiscoverRequest {
    /// What is needed, in any language; or a name, `/name`, `select:name`.
    pub query: String,
    /// The most hits, 1 to 20.
    pub limit: usize,
    /// Leaves out what the conversation has discovered or used. A skill that is named is there all the same.
    pub exclude_seen: bool,
    /// A selector can be asked when the search is not sure.
    pub may_select: bool,
}

impl DiscoverRequest {
    /// Asks for five skills at most, and for no selector.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            limit: 5,
            exclude_seen: false,
            may_select: false,
        }
    }

    /// Lets a selector choose when the search is not sure.
    #[must_use]
    pub fn with_selector(mut self) -> Self {
        self.may_select = true;
        self
    }
}

/// Where the cascade came to.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Discovery {
    /// The answer.
    Answered(DiscoveryAnswer),
    /// A selector is to be asked; [`PendingSelection`] makes an answer of what it says.
    Asks(PendingSelection),
}

/// The four stages over the indices that there are.
#[derive(Clone, Copy)]
pub struct Cascade<'a> {
    view: View<'a>,
    lexical: Option<&'a dyn SkillIndex>,
    hybrid: Option<&'a dyn SkillIndex>,
    thresholds: Thresholds,
}

impl std::fmt::Debug for Cascade<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cascade")
            .field("view", &self.view)
            .finish_non_exhaustive()
    }
}

impl<'a> Cascade<'a> {
    /// A cascade that knows names alone. The ids of the indices are those of the book.
    pub fn new(view: View<'a>) -> Self {
        Self {
            view,
            lexical: None,
            hybrid: None,
            thresholds: Thresholds::default(),
        }
    }

    /// With an index of words.
    #[must_use]
    pub fn with_lexical(mut self, index: &'a dyn SkillIndex) -> Self {
        self.lexical = Some(index);
        self
    }

    /// With an index of words and meaning.
    #[must_use]
    pub fn with_hybrid(mut self, index: &'a dyn SkillIndex) -> Self {
        self.hybrid = Some(index);
        self
    }

    /// With other thresholds.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        self.thresholds = thresholds;
        self
    }

    /// Stages one to three; an answer, or the question to a selector.
    pub fn begin(&self, request: &DiscoverRequest) -> Discovery {
        let limit = request.limit.clamp(1, 20);
        if request.query.trim().is_empty() {
            let mut answer = DiscoveryAnswer::new(Stage::Direct);
            answer.notes.push(Note::EmptyQuery);
            return Discovery::Answered(answer);
        }
        match direct(&self.view, &request.query) {
            Direct::Named(entries, score) => {
                let mut answer = DiscoveryAnswer::new(Stage::Direct);
                answer.hits = entries
                    .iter()
                    .take(limit)
                    .map(|entry| named(entry, score))
                    .collect();
                return Discovery::Answered(self.counted(answer));
            }
            Direct::Failed(why) => {
                let mut answer = DiscoveryAnswer::new(Stage::Direct);
                answer.notes.push(match why {
                    Some(reason) => Note::NotSuggested { reason },
                    None => Note::NoSuchSkill,
                });
                return Discovery::Answered(answer);
            }
            Direct::No => {}
        }
        let (answer, is_sure, wide) = self.search(request, limit);
        if is_sure || !request.may_select || wide.is_empty() {
            let mut answer = answer;
            if !is_sure && !request.may_select && answer.hits.len() > 1 {
                answer.notes.push(Note::CallerChooses);
            }
            let is_told = |note: &Note| matches!(note, Note::NothingFits | Note::NothingFound);
            if answer.hits.is_empty() && !answer.notes.iter().any(is_told) {
                answer.notes.push(Note::NothingFound);
            }
            return Discovery::Answered(self.counted(answer));
        }
        let candidates = wide.iter().map(|entry| self.candidate(entry)).collect();
        Discovery::Asks(PendingSelection::new(
            request.query.clone(),
            limit,
            candidates,
            answer,
        ))
    }

    /// Stages two and three: the answer, whether it is sure, and what a selector would be offered.
    fn search(
        &self,
        request: &DiscoverRequest,
        limit: usize,
    ) -> (DiscoveryAnswer, bool, Vec<&'a SkillEntry>) {
        let allowed = |id: &str| {
            self.view.book.get(id).is_some_and(|entry| {
                self.view.absence(entry).is_none()
                    && !(request.exclude_seen && self.view.conversation.has_seen(id))
                    && !self.view.quality.counts(id).is_dropped()
            })
        };
        let quality = |id: &str| self.view.quality.counts(id).factor();
        let keep = (5 * limit).max(15);
        let ask = |index: &dyn SkillIndex| {
            let query = Query::new(request.query.as_str(), keep)
                .with_filter(Filter::with_predicate(&allowed))
                .with_quality(&quality);
            index.search(&query).ok()
        };
        let mut notes = Vec::new();
        let dropped = self
            .view
            .visible()
            .filter(|entry| self.view.quality.counts(&entry.id).is_dropped());
        let dropped: Vec<&str> = dropped.map(|entry| entry.name.as_str()).collect();
        if !dropped.is_empty() {
            notes.push(Note::DroppedByExperience {
                count: dropped.len(),
                names: dropped
                    .iter()
                    .take(NAMED_DROPPED)
                    .map(|name| line(name, 130))
                    .collect(),
            });
        }
        let mut best: Option<(Stage, SearchAnswer)> = None;
        let stages = [
            (Stage::Lexical, self.lexical, self.thresholds.lexical),
            (Stage::Hybrid, self.hybrid, self.thresholds.hybrid),
        ];
        let mut is_sure = false;
        for (stage, index, threshold) in stages {
            if is_sure {
                break;
            }
            let Some(index) = index else {
                if stage == Stage::Hybrid {
                    let reason = "there is no index of meaning".to_owned();
                    notes.push(Note::StageMissing { stage, reason });
                }
                continue;
            };
            match ask(index) {
                Some(found) => {
                    is_sure = is_sure_of(&found.hits, threshold);
                    // A stage that finds nothing takes nothing away from the one before it.
                    if !found.hits.is_empty() || best.is_none() {
                        best = Some((stage, found));
                    }
                }
                None => notes.push(Note::StageMissing {
                    stage,
                    reason: "the index refused the query".to_owned(),
                }),
            }
        }
        let (stage, found) = best.unwrap_or((Stage::Direct, SearchAnswer::default()));
        let mut answer = DiscoveryAnswer::new(stage);
        for note in found.notes {
            notes.push(match note {
                metier_search::Note::NothingFits => Note::NothingFits,
                other => Note::Search {
                    text: other.to_string(),
                },
            });
        }
        answer.notes = notes;
        if found.hits.is_empty() {
            answer.notes.retain(|note| *note != Note::NothingFits);
            answer.notes.push(Note::NothingFound);
        }
        let hits: Vec<(&Hit, &SkillEntry)> = found
            .hits
            .iter()
            .filter_map(|hit| Some((hit, self.view.book.get(&hit.id)?)))
            .collect();
        answer.hits = hits
            .iter()
            .take(limit)
            .map(|(hit, entry)| searched(hit, entry, stage))
            .collect();
        let few: Vec<&SkillEntry> = self
            .view
            .visible()
            .filter(|entry| allowed(&entry.id))
            .take(FEW + 1)
            .collect();
        let wide = if few.len() <= FEW {
            few
        } else {
            hits.iter().map(|(_, entry)| *entry).collect()
        };
        (answer, is_sure, wide)
    }

    fn candidate(&self, entry: &SkillEntry) -> Candidate {
        Candidate {
            id: entry.id.clone(),
            name: entry.name.clone(),
            description: line(&entry.about(), 300),
            experience: self.view.quality.counts(&entry.id).in_words(),
        }
    }

    /// Makes an answer of what a selector said to a question that may have been asked by another process: what is
    /// disabled by now is left out.
    pub fn resume(
        &self,
        pending: PendingSelection,
        selector: &str,
        said: Result<&str, crate::SelectorError>,
    ) -> DiscoveryAnswer {
        let is_there = |id: &str| {
            self.view
                .book
                .get(id)
                .is_some_and(|entry| self.view.absence(entry).is_none())
        };
        self.counted(pending.resolve(selector, said, is_there))
    }

    fn counted(&self, answer: DiscoveryAnswer) -> DiscoveryAnswer {
        let events: Vec<(&str, QualityEvent)> = answer
            .hits
            .iter()
            .map(|hit| (hit.id.as_str(), QualityEvent::Discovered))
            .collect();
        if !events.is_empty() {
            self.view.quality.record(&events);
        }
        answer
    }
}

/// The whole cascade with a selector that can be waited for. Who asks keeps the time: a selector that is late says
/// [`SelectorError::TimedOut`](crate::SelectorError::TimedOut).
pub async fn discover(
    cascade: &Cascade<'_>,
    request: &DiscoverRequest,
    selector: Option<&dyn Selector>,
) -> DiscoveryAnswer {
    let mut request = request.clone();
    request.may_select &= selector.is_some();
    match (cascade.begin(&request), selector) {
        (Discovery::Answered(answer), _) => answer,
        (Discovery::Asks(pending), Some(selector)) => {
            let said = selector.ask(pending.prompt()).await;
            let said = said.as_ref().map(String::as_str).map_err(Clone::clone);
            cascade.resume(pending, selector.name(), said)
        }
        (Discovery::Asks(pending), None) => pending.into_found(),
    }
}

fn is_sure_of(hits: &[Hit], (confidence, lead): (f64, f64)) -> bool {
    let Some(first) = hits.first() else {
        return false;
    };
    let second = hits.get(1).map_or(0.0, |hit| hit.confidence);
    first.named || (first.confidence >= confidence && first.confidence - second >= lead)
}

fn named(entry: &SkillEntry, score: f64) -> DiscoveredSkill {
    DiscoveredSkill {
        id: entry.id.clone(),
        name: entry.name.clone(),
        description: line(&entry.about(), DESCRIPTION),
        stage: Stage::Direct,
        score,
        confidence: Some(score / 100.0),
        matched: vec![MatchedWord {
            field: "name".to_owned(),
            term: entry.name.to_lowercase(),
        }],
    }
}

fn searched(hit: &Hit, entry: &SkillEntry, stage: Stage) -> DiscoveredSkill {
    let matched = hit.matched.iter().map(|matched| MatchedWord {
        field: matched.field.to_string(),
        term: matched.term.clone(),
    });
    DiscoveredSkill {
        id: entry.id.clone(),
        name: entry.name.clone(),
        description: line(&entry.about(), DESCRIPTION),
        stage,
        score: hit.score,
        confidence: Some(hit.confidence),
        matched: matched.collect(),
    }
}
