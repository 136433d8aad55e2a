//! Skills that are there and that the settings keep from being served, and what is told to whoever asks for one.

use std::collections::BTreeMap;
use std::fmt;

use metier_depgraph::{ClosureError, MissingPath};
use metier_skill_model::SkillMetadata;

use crate::dispatcher::SHOWN_NAME;
use crate::load::LoadError;
use crate::settings::CatalogSettings;
use crate::snapshot::CatalogSnapshot;
use crate::stub::clipped;

/// Why a skill that is there is not served. It reads as the end of a sentence: "the skill `base` is disabled".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// [`CatalogSettings::disabled`] names it.
    Disabled,
    /// It is for another application than [`CatalogSettings::only_dcc`].
    OtherApplication {
        /// The application it is for.
        dcc: String,
        /// The one whose skills are served.
        only: String,
    },
}

impl LeftOut {
    /// Why these settings leave the skill out, if they do. Letter case does not count in the name of an application.
    pub(crate) fn of(metadata: &SkillMetadata, settings: &CatalogSettings) -> Option<Self> {
        if settings.disabled.contains(metadata.name.as_str()) {
            return Some(Self::Disabled);
        }
        let only = settings.only_dcc.as_ref()?;
        let is_for = |dcc: &str| metadata.dcc.eq_ignore_ascii_case(dcc);
        (!is_for(only) && !is_for("python")).then(|| Self::OtherApplication {
            dcc: metadata.dcc.clone(),
            only: only.clone(),
        })
    }

    /// The word for programs.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::OtherApplication { .. } => "other_application",
        }
    }

    /// What can be done about it.
    pub fn cure(&self) -> String {
        match self {
            Self::Disabled => "whoever runs the server can enable it".to_owned(),
            Self::OtherApplication { dcc, .. } => {
                format!("whoever runs the server can serve skills for `{dcc}` too")
            }
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("is disabled"),
            Self::OtherApplication { dcc, only } => write!(
                f,
                "is for `{dcc}`, and only skills for `{only}` and for python are served"
            ),
        }
    }
}

impl CatalogSnapshot {
    /// That the settings leave out the skill of this name, if they do.
    pub(crate) fn left_out(&self, name: &str) -> Option<LoadError> {
        let why = self.parts.skills.left_out.get(name)?;
        Some(LoadError::LeftOut {
            name: name.to_owned(),
            why: why.clone(),
        })
    }

    /// Why nothing is served under this name, which nothing that was rejected has.
    pub(crate) fn no_skill(&self, name: &str) -> LoadError {
        self.left_out(name).unwrap_or_else(|| LoadError::Unknown {
            name: clipped(name, SHOWN_NAME),
            nearest: self.nearest_skills(name),
        })
    }
}

/// So many of the dependencies that cannot be had are told with their reasons.
const MOST_TOLD: usize = 20;

/// What keeps a skill from being loaded, where `reasons` says of missing names why they cannot be had although they are there.
pub(crate) fn needs(error: &ClosureError, reasons: &BTreeMap<String, String>) -> String {
    let ClosureError::Missing { node, missing } = error else {
        return error.to_string();
    };
    let (there, gone): (Vec<&MissingPath>, Vec<&MissingPath>) = missing
        .iter()
        .partition(|path| reasons.contains_key(&path.dependency));
    let told = there.iter().take(MOST_TOLD).filter_map(|path| {
        let reason = reasons.get(&path.dependency)?;
        Some(format!("'{node}' needs {path}, which {reason}"))
    });
    let mut told: Vec<String> = told.collect();
    if there.len() > MOST_TOLD {
        told.push(format!("and {} more like these", there.len() - MOST_TOLD));
    }
    if !gone.is_empty() {
        let rest = ClosureError::Missing {
            node: node.clone(),
            missing: gone.into_iter().cloned().collect(),
        };
        told.push(rest.to_string());
    }
    told.join("; ")
}
