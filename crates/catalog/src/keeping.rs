//! An answered change of what is loaded is kept before the answer goes.
//!
//! The catalog knows no store. Whoever has one says how far it has come, and the core tools wait for
//! that, a moment at most: a slow disk costs the promise, never the answer.

use std::time::Duration;

use metier_diagnostics::Diagnostic;
use tokio::sync::watch;

use crate::catalog::SkillCatalog;
use crate::codes;

/// How far the loaded set is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    generation: u64,
    is_saved: bool,
}

/// Whose word the answers wait for.
#[derive(Clone, Debug)]
pub(crate) struct Keeping {
    kept: watch::Receiver<Kept>,
    limit: Duration,
}

/// Tells a catalog how far its loaded set is kept; the answers of `load_skill`, `unload_skill` and
/// the tools for groups wait for it until this is dropped.
#[derive(Debug)]
pub struct LoadedSetKeeper {
    kept: watch::Sender<Kept>,
}

impl LoadedSetKeeper {
    /// What was loaded at that generation is kept.
    pub fn kept(&self, generation: u64) {
        self.tell(generation, true);
    }

    /// What was loaded at that generation was to be kept and could not. Answers do not wait for it,
    /// and say so.
    pub fn failed(&self, generation: u64) {
        self.tell(generation, false);
    }

    fn tell(&self, generation: u64, is_saved: bool) {
        self.kept.send_replace(Kept {
            generation,
            is_saved,
        });
    }
}

impl SkillCatalog {
    /// Has answers about what is loaded wait until the keeper has said that it is kept, `limit` at
    /// most. A later keeper takes the place of an earlier one.
    pub fn keeper(&self, limit: Duration) -> LoadedSetKeeper {
        let (sender, kept) = watch::channel(Kept::default());
        self.shared.set_keeping(Keeping { kept, limit });
        LoadedSetKeeper { kept: sender }
    }

    /// Waits until what is loaded now is kept, and tells when it is not. Nobody keeps it: at once.
    pub(crate) async fn kept(&self) -> Option<Diagnostic> {
        let Keeping { mut kept, limit } = self.shared.keeping()?;
        if kept.has_changed().is_err() {
            // Whoever kept it has ended.
            return None;
        }
        let generation = self.snapshot().generation();
        let reached = kept.wait_for(|kept| kept.generation >= generation);
        match tokio::time::timeout(limit, reached).await {
            Ok(Ok(kept)) => (!kept.is_saved).then(|| not_saved("it could not be saved")),
            // Whoever kept it has ended in good order, and saves to the end.
            Ok(Err(_)) => None,
            Err(_) => Some(not_saved(&format!(
                "saving takes longer than {} ms",
                limit.as_millis()
            ))),
        }
    }
}

/// The log of the server has more of it; where the state is, is nothing for a client.
fn not_saved(why: &str) -> Diagnostic {
    let message = format!("done, and not on the server's disk yet: {why}");
    Diagnostic::warning(codes::NOT_SAVED, message)
        .help("after a restart of the server look with list_skills what is loaded")
}
