//! Searching skills.

use std::sync::Arc;

use metier_hooks::{HookContext, HookDeny, HookPayload};
use metier_search::{Filter, Matched, Note, Query, SearchError, SkillIndex as _};
use metier_skill_model::{SkillStatus, SkillSummary};
use serde_json::{Map, Value};

use crate::catalog::SkillCatalog;
use crate::skill_info;

/// What is looked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchRequest {
    /// Words, a sentence, a name; in any language. Empty: everything, by name.
    pub query: String,
    /// Only skills with all of these tags.
    pub tags: Vec<String>,
    /// Only skills for this application.
    pub dcc: Option<String>,
    /// Only skills that stand here.
    pub status: Option<SkillStatus>,
    /// Only skills from this source, such as `user` or `bundled`: the label of the root that they lie in.
    pub source: Option<String>,
    /// Only skills whose tools need nothing that the host lacks.
    pub usable: bool,
    /// At most so many hits, 1 to 100.
    pub limit: usize,
    /// The client's session.
    pub session: Option<String>,
}

impl SearchRequest {
    /// The twenty best for a query.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            tags: Vec::new(),
            dcc: None,
            status: None,
            source: None,
            usable: false,
            limit: 20,
            session: None,
        }
    }
}

/// One skill that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillHit {
    /// The skill.
    pub skill: SkillSummary,
    /// What its tools need and the host does not declare.
    pub missing_capabilities: Vec<String>,
    /// Comparable within one answer only.
    pub score: f64,
    /// 0 to 1: how much of what was asked the skill speaks of.
    pub confidence: f64,
    /// Where which word was found.
    pub matched: Vec<Matched>,
}

/// The answer to a search.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SearchReport {
    /// Best first.
    pub hits: Vec<SkillHit>,
    /// How many skills match, those beyond the limit included.
    pub total: usize,
    /// What should be known of the answer.
    pub notes: Vec<Note>,
    /// Skills that were rejected and whose name is in the query: somebody is looking for them.
    pub rejected: Vec<SkillSummary>,
    /// What a handler of the event before the search remembers of tools: `memory_summary`,
    /// `memory_prefer_tools` and `memory_avoid_tools`, as far as it left them.
    pub memory: Map<String, Value>,
}

/// What handlers may leave for the answer.
const MEMORY: [&str; 3] = [
    "memory_summary",
    "memory_prefer_tools",
    "memory_avoid_tools",
];

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchSkillsError {
    /// A policy refused it.
    #[error("the search was denied by policy: {0}")]
    Denied(HookDeny),
    /// It cannot be run as asked.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl SkillCatalog {
    /// Searches the skills of the present snapshot.
    ///
    /// # Errors
    /// See [`SearchSkillsError`].
    pub async fn search_skills(
        &self,
        request: SearchRequest,
    ) -> Result<SearchReport, SearchSkillsError> {
        let before = HookPayload::BeforeSearch {
            query: request.query.clone(),
        };
        let context = HookContext::new(
            self.shared.settings.app.as_str(),
            request.session.clone(),
            before,
        );
        let context = Arc::new(context);
        self.shared
            .dispatch_context(Arc::clone(&context))
            .await
            .map_err(SearchSkillsError::Denied)?;
        let mut report = self.search_now(&request)?;
        report.memory = MEMORY
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), context.extra(name)?)))
            .collect();
        let after = HookPayload::AfterSearch {
            query: request.query,
            hits: report
                .hits
                .iter()
                .map(|hit| hit.skill.name.clone())
                .collect(),
        };
        // After-handlers cannot refuse; what they say is in the log.
        let _ = self.shared.dispatch(request.session, after).await;
        Ok(report)
    }

    fn search_now(&self, request: &SearchRequest) -> Result<SearchReport, SearchError> {
        let snapshot = self.snapshot();
        let entries = &snapshot.parts.skills.entries;
        let wanted = |id: &str| {
            entries.get(id).is_some_and(|entry| {
                request
                    .status
                    .is_none_or(|status| snapshot.status(id, entry) == status)
                    && (!request.usable || snapshot.missing_capabilities(id).is_empty())
            })
        };
        let mut filter = Filter::with_predicate(&wanted).and_tags(request.tags.iter().cloned());
        if let Some(dcc) = &request.dcc {
            filter = filter.and_dcc(dcc.as_str());
        }
        if let Some(source) = &request.source {
            filter = filter.and_source(source.as_str());
        }
        let query = Query::new(request.query.as_str(), request.limit).with_filter(filter);
        let answer = snapshot.parts.skills.index.search(&query)?;
        let hits = answer
            .hits
            .into_iter()
            .filter_map(|hit| {
                let entry = entries.get(&hit.id)?;
                Some(SkillHit {
                    skill: skill_info::summary(&snapshot, &hit.id, entry),
                    missing_capabilities: snapshot.missing_capabilities(&hit.id),
                    score: hit.score,
                    confidence: hit.confidence,
                    matched: hit.matched,
                })
            })
            .collect();
        let asked = request.query.to_lowercase();
        let rejected = snapshot
            .parts
            .skills
            .rejected
            .iter()
            .filter(|skill| !asked.trim().is_empty() && asked.contains(&skill.name.to_lowercase()))
            .map(|skill| skill_info::rejected(skill))
            .collect();
        Ok(SearchReport {
            hits,
            total: answer.total,
            notes: answer.notes,
            rejected,
            memory: Map::new(),
        })
    }
}
