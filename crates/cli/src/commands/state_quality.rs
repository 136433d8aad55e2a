//! What `metier state` says of how skills do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use metier::persistence::{Counters, QualityStore, system_clock};
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
    pub(super) counters: BTreeMap<String, Counters>,
    /// Why they cannot be read.
    pub(super) warning: Option<String>,
}

impl Quality {
    /// What is in the file; looking makes none, and needs no disk that can be written.
    pub(super) fn read(file: PathBuf) -> Self {
        let read = || QualityStore::open_to_read(&file, system_clock())?.all();
        let (counters, warning) = match file.exists().then(read) {
            None => Default::default(),
            Some(Ok(counters)) => (counters, None),
            Some(Err(error)) => (
                BTreeMap::new(),
                Some(format!("{error}; how skills do is not shown")),
            ),
        };
        Self {
            file,
            counters,
            warning,
        }
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
        let skills: Vec<&str> = skills
            .into_iter()
            .map(String::as_str)
            .filter(|skill| self.counters.contains_key(*skill))
            .collect();
        if skills.is_empty() {
            return Ok(());
        }
        let forget = || QualityStore::open(&self.file, system_clock())?.forget_all(skills);
        forget().map(drop).map_err(|error| {
            Failure::Usage(format!(
                "nothing is forgotten: {error}; once that file can be written, forget again"
            ))
        })
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
