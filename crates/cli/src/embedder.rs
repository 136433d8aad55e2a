//! The model that search uses beside words, when the environment names one.

use std::sync::Arc;

use metier::CatalogSettings;
use metier::embed::{CachedEmbedder, Choice};
use metier::search::{Embedder, FusedIndex};

use crate::printer::Printer;

/// The name of the model's arm in answers.
const MODEL_ARM: &str = "model";

/// Adds the model of `DCC_MCP_EMBED_MODEL_DIR`, or the program of `DCC_MCP_EMBED_PROGRAM`, to the settings. Without
/// either nothing is looked for, and one that cannot be used is told and left out: search works without.
pub(crate) fn add_model(settings: &mut CatalogSettings) {
    let environment = settings.run.environment.clone();
    let variable = |name: &str| Some(environment.get(name)?.to_string_lossy().into_owned());
    let choice = Choice::from_variables(variable);
    if !choice.names_a_source() {
        return;
    }
    let embedder = match choice.open() {
        Ok(embedder) => embedder,
        Err(error) => {
            Printer.say(&format!("warning: searching without a model: {error}"));
            return;
        }
    };
    settings.search = FusedIndex::new().with_model(MODEL_ARM, cached(embedder, settings));
}

/// The embedder behind a cache in the data folder, when there is one.
fn cached(embedder: Arc<dyn Embedder>, settings: &CatalogSettings) -> Arc<dyn Embedder> {
    let Some(data) = &settings.roots.platform_data else {
        return embedder;
    };
    match CachedEmbedder::open(Arc::clone(&embedder), &data.join("embeddings")) {
        Ok(cached) => Arc::new(cached),
        Err(error) => {
            Printer.say(&format!("warning: {error}"));
            embedder
        }
    }
}
