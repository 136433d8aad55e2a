//! Discovery over the index of the snapshot.

use std::ops::Deref;
use std::sync::Arc;

use metier_hooks::{HookDeny, HookPayload};
use metier_skill_protocol::{
    Cascade, DiscoverRequest, Discovery, DiscoveryAnswer, PendingSelection, QualityCounters,
    QualityCounts, QualityEvent, SelectionPrompt, Selector, SelectorError, View,
};
use serde_json::Value;

use crate::arguments::{self, fitted};
use crate::catalog::SkillCatalog;
use crate::core_tools::{DiscoverInput, discovery_as_json};
use crate::listed_tool::ListedKind;
use crate::snapshot::CatalogSnapshot;
use crate::tool_names::Located;

/// A discovery of a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Discover {
    /// What is asked. Whether a selector takes part is for the settings and `said` to say.
    pub request: DiscoverRequest,
    /// The client's session.
    pub session: Option<String>,
    /// What the client's own model said to [`SkillCatalog::selection_prompt`], where it was asked.
    pub said: Option<Result<String, SelectorError>>,
    /// Whether the policy on searches was asked already: it was by [`SkillCatalog::selection_before`].
    pub is_admitted: bool,
    /// Whether no selector is asked, whatever there is: what is found by names, words and meaning is the answer.
    pub asks_nobody: bool,
}

impl Discover {
    /// A discovery without a session and without a selector of the client's.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            request: DiscoverRequest::new(query),
            session: None,
            said: None,
            is_admitted: false,
            asks_nobody: false,
        }
    }

    /// What a host looks for in advance, when a task begins: no model is asked.
    pub fn prefetch(task: impl Into<String>) -> Self {
        Self {
            asks_nobody: true,
            ..Self::new(task)
        }
    }
}

/// What was found for a task, as the skills and the host were when it was found.
#[derive(Clone, Debug)]
pub struct Discovered {
    answer: DiscoveryAnswer,
    snapshot: Arc<CatalogSnapshot>,
}

impl Deref for Discovered {
    type Target = DiscoveryAnswer;

    fn deref(&self) -> &DiscoveryAnswer {
        &self.answer
    }
}

impl Discovered {
    /// What the tools of a skill need and the host does not declare, by the id of its hit.
    pub fn missing_capabilities(&self, id: &str) -> Vec<String> {
        self.snapshot.missing_capabilities(id)
    }

    /// The answer as JSON, as the tool `discover_skills` gives it: with what each hit lacks and how to use it.
    pub fn to_json(self) -> Value {
        discovery_as_json(self)
    }

    pub(crate) fn into_parts(self) -> (DiscoveryAnswer, Arc<CatalogSnapshot>) {
        (self.answer, self.snapshot)
    }
}

/// Experience that is read and not added to.
pub(super) struct Silent<'q>(pub(super) &'q dyn QualityCounters);

impl QualityCounters for Silent<'_> {
    fn counts(&self, id: &str) -> QualityCounts {
        self.0.counts(id)
    }

    fn record(&self, _: &[(&str, QualityEvent)]) {}
}

impl SkillCatalog {
    /// The skills for a task: exact names, words and meaning, and where that is not sure and there is a selector, its
    /// choice. Every stage that is missing or fails is named.
    ///
    /// # Errors
    /// A policy refused the search.
    pub async fn discover_skills(&self, discover: Discover) -> Result<Discovered, HookDeny> {
        let Discover {
            mut request,
            session,
            said,
            is_admitted,
            asks_nobody,
        } = discover;
        if !is_admitted {
            self.admit_search(&request, session.clone()).await?;
        }
        let settings = &self.shared.settings.protocol;
        request.may_select = !asks_nobody && (said.is_some() || settings.selector.is_some());
        let snapshot = self.snapshot();
        let quality = &*settings.quality;
        let begun = self.cascade(&snapshot, session.as_deref(), quality, |cascade| {
            cascade.begin(&request)
        });
        let answered = |answer| Discovered { answer, snapshot };
        let answer = match (begun, said, &settings.selector) {
            (Discovery::Answered(answer), ..) => answered(answer),
            (Discovery::Asks(pending), Some(said), _) => {
                self.resumed(session.as_deref(), pending, "client", &said)
            }
            (Discovery::Asks(pending), None, Some(selector)) => {
                let said = self.ask_selector(&**selector, pending.prompt()).await;
                self.resumed(session.as_deref(), pending, selector.name(), &said)
            }
            (Discovery::Asks(pending), None, None) => answered(pending.into_found()),
        };
        self.conversations()
            .change(session.as_deref(), |conversation| {
                let ids = answer.hits.iter().map(|hit| hit.id.clone());
                conversation.discovered.extend(ids);
            });
        let after = HookPayload::AfterSearch {
            query: request.query,
            hits: answer.hits.iter().map(|hit| hit.name.clone()).collect(),
        };
        // After-handlers cannot refuse; what they say is in the log.
        let _ = self.shared.dispatch(session, after).await;
        Ok(answer)
    }

    /// What a model of the client's is to be asked before a call of `discover_skills`, where the search alone is not sure;
    /// `None` for any other tool, for arguments that the tool refuses, and where a policy does: the call says so. The
    /// names of skills go to nobody before the policy has spoken. Counts nothing.
    pub async fn selection_before(
        &self,
        tool: &str,
        arguments: Option<&Value>,
        session: Option<&str>,
    ) -> Option<SelectionPrompt> {
        let discover = self.discovery_of(tool, arguments)?;
        let prompt = self.selection_prompt(&discover.request, session)?;
        let admitted = self.admit_search(&discover.request, session.map(str::to_owned));
        admitted.await.is_ok().then_some(prompt)
    }

    /// What is asked by a call, from its arguments as the tool gets them.
    fn discovery_of(&self, tool: &str, arguments: Option<&Value>) -> Option<Discover> {
        let Located::Tool(tool) = self.snapshot().locate(tool) else {
            return None;
        };
        if tool.listed.kind != ListedKind::Text || tool.listed.name != "discover_skills" {
            return None;
        }
        let mut arguments = arguments::object(arguments.cloned()).ok()?;
        arguments::drop_private(&mut arguments);
        if let Some(schema) = &tool.input {
            if schema.takes_long(&arguments) {
                return None;
            }
            arguments = fitted(arguments, schema).ok()?;
        }
        let input: DiscoverInput = serde_json::from_value(arguments.into()).ok()?;
        Some(input.discover())
    }

    async fn admit_search(
        &self,
        request: &DiscoverRequest,
        session: Option<String>,
    ) -> Result<(), HookDeny> {
        let before = HookPayload::BeforeSearch {
            query: request.query.clone(),
        };
        self.shared.dispatch(session, before).await
    }

    /// What a model of the client's would be asked, where the search alone is not sure. Counts nothing.
    pub fn selection_prompt(
        &self,
        request: &DiscoverRequest,
        session: Option<&str>,
    ) -> Option<SelectionPrompt> {
        let request = request.clone().with_selector();
        let quality = Silent(&*self.shared.settings.protocol.quality);
        let begun = self.cascade(&self.snapshot(), session, &quality, |cascade| {
            cascade.begin(&request)
        });
        match begun {
            Discovery::Asks(pending) => Some(pending.prompt()),
            Discovery::Answered(_) => None,
        }
    }

    async fn ask_selector(
        &self,
        selector: &dyn Selector,
        prompt: SelectionPrompt,
    ) -> Result<String, SelectorError> {
        let limit = self.shared.settings.protocol.selector_limit;
        tokio::time::timeout(limit, selector.ask(prompt))
            .await
            .unwrap_or(Err(SelectorError::TimedOut))
    }

    /// The answer that a selector's words make, in the snapshot that there is by now.
    fn resumed(
        &self,
        session: Option<&str>,
        pending: PendingSelection,
        selector: &str,
        said: &Result<String, SelectorError>,
    ) -> Discovered {
        let quality = &*self.shared.settings.protocol.quality;
        let snapshot = self.snapshot();
        let answer = self.cascade(&snapshot, session, quality, |cascade| {
            let said = said.as_ref().map(String::as_str).map_err(Clone::clone);
            cascade.resume(pending, selector, said)
        });
        Discovered { answer, snapshot }
    }

    fn cascade<T>(
        &self,
        snapshot: &CatalogSnapshot,
        session: Option<&str>,
        quality: &dyn QualityCounters,
        work: impl FnOnce(&Cascade<'_>) -> T,
    ) -> T {
        let standing = self.standing_now();
        let conversation = self.conversations().of(session);
        let view = View::new(snapshot.book(), &standing, &conversation, quality);
        work(&Cascade::new(view).with_hybrid(&snapshot.parts.skills.index))
    }
}
