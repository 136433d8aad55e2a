//! What `metier state` says of how skills do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metier::persistence::{Counters, QualityStore, late_link, system_clock};
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
    fault: Option<String>,
}

impl Quality {
    /// What is in the file; looking makes none, and needs no disk that can be written.
    pub(super) fn read(file: PathBuf) -> Self {
        let read = || QualityStore::open_to_read(&file, system_clock())?.all();
        // A link to a drive that is late is told by the opening.
        let is_there = file.exists() || late_link(&file).is_some();
        let (counters, fault) = match is_there.then(read) {
            None => Default::default(),
            Some(Ok(counters)) => (counters, None),
            Some(Err(error)) => (BTreeMap::new(), Some(error.to_string())),
        };
        Self {
            file,
            counters,
            fault,
        }
    }

    /// What to say where they cannot be shown.
    pub(super) fn warning(&self) -> Option<String> {
        let fault = self.fault.as_ref()?;
        Some(format!("{fault}; how skills do is not shown"))
    }

    /// Refuses to forget what cannot be read: whether it holds anything of a skill is not known.
    pub(super) fn is_readable(&self) -> Result<(), Failure> {
        self.fault.as_ref().map_or(Ok(()), |fault| {
            Err(Failure::Usage(format!(
                "nothing is forgotten: {fault}; once the file can be read, or is deleted, forget again"
            )))
        })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
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
