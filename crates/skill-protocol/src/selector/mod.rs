//! The last stage: somebody who understands the task chooses.

mod parse;
mod prompt;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use metier_hooks::BoxFuture;
use serde::{Deserialize, Serialize};

pub use parse::{ParsedSelection, parse_selection};
pub use prompt::{Candidate, SelectionPrompt, selection_prompt};

/// Why a selector gave no answer. What was found before it stands, and the answer says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SelectorError {
    /// It took too long.
    #[error("it took too long")]
    TimedOut,
    /// It cannot be asked in this session, or nobody allowed it.
    #[error("it cannot be asked: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
    /// The user or the client said no.
    #[error("the client declined")]
    Declined,
    /// It was asked and failed.
    #[error("it failed: {reason}")]
    Failed {
        /// How; without anything secret, for a client may see it.
        reason: String,
    },
}

/// A model that can be asked one question. Whoever implements it brings the transport and keeps the time; it is
/// asked once and never again.
pub trait Selector: Send + Sync {
    /// What it is called in answers: `sampling`, `http`.
    fn name(&self) -> &str;

    /// The model's answer to a prompt, as it wrote it.
    fn ask(&self, prompt: SelectionPrompt) -> BoxFuture<Result<String, SelectorError>>;
}

/// A selector with answers that were written beforehand, for tests. When they are used up it is unavailable.
#[derive(Debug, Default)]
pub struct ScriptedSelector {
    answers: Mutex<VecDeque<Result<String, SelectorError>>>,
    asked: Mutex<Vec<SelectionPrompt>>,
}

impl ScriptedSelector {
    /// Gives these answers, one a time.
    pub fn new(answers: impl IntoIterator<Item = Result<String, SelectorError>>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
        }
    }

    /// What it was asked.
    pub fn asked(&self) -> Vec<SelectionPrompt> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Selector for ScriptedSelector {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ask(&self, prompt: SelectionPrompt) -> BoxFuture<Result<String, SelectorError>> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(prompt);
        let answer = self
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let answer = answer.unwrap_or_else(|| {
            Err(SelectorError::Unavailable {
                reason: "no answer is left".to_owned(),
            })
        });
        Box::pin(std::future::ready(answer))
    }
}
