//! What `metier state` says of how skills do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use metier::persistence::{Counters, DatabaseError, QualityStore, system_clock};
use metier::skill_protocol::QualityEvent;

use crate::Failure;

/// What the table has a column for.
const SHOWN: [QualityEvent; 4] = [
    QualityEvent::Selected,
    QualityEvent::Applied,
    QualityEvent::Completed,
    QualityEvent::FellBack,
];

/// The counters of an application's skills.
pub(super) struct Quality {
    file: PathBuf,
    store: Option<QualityStore>,
    pub(super) counters: BTreeMap<String, Counters>,
}

impl Quality {
    /// What is in the file; looking makes none.
    pub(super) fn read(file: PathBuf) -> Result<Self, Failure> {
        let store = file
            .exists()
            .then(|| QualityStore::open(&file, system_clock()))
            .transpose()
            .map_err(unusable)?;
        let counters = store.as_ref().map(QualityStore::all).transpose();
        Ok(Self {
            counters: counters.map_err(unusable)?.unwrap_or_default(),
            file,
            store,
        })
    }

    /// Where they are.
    pub(super) fn place(&self) -> String {
        self.file.display().to_string()
    }

    /// Forgets the counters of these skills.
    pub(super) fn forget<'a>(
        &self,
        skills: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), Failure> {
        for skill in skills {
            if let Some(store) = &self.store {
                store.forget(skill).map_err(unusable)?;
            }
        }
        Ok(())
    }

    /// A line a skill, below a head.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        if self.counters.is_empty() {
            return Vec::new();
        }
        let names = SHOWN.map(QualityEvent::counter);
        let head = names.map(str::to_uppercase);
        let row = |(skill, counters): (&String, &Counters)| {
            let count = |name: &str| counters.get(name).copied().unwrap_or(0).to_string();
            std::iter::once(skill.clone())
                .chain(names.map(count))
                .collect()
        };
        std::iter::once(std::iter::once("SKILL".to_owned()).chain(head).collect())
            .chain(self.counters.iter().map(row))
            .collect()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn unusable(error: DatabaseError) -> Failure {
    Failure::Usage(error.to_string())
}
