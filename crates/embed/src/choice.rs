//! Which model is wanted, and where it is.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use metier_search::{Embedder, EmbedderError};

use crate::folder::FolderEmbedder;
use crate::process::ProcessEmbedder;

/// The variable that names a model.
pub const MODEL: &str = "DCC_MCP_EMBED_MODEL";

/// The variable that names the folder that holds models.
pub const MODEL_DIR: &str = "DCC_MCP_EMBED_MODEL_DIR";

/// The variable that names a program that embeds, without arguments; see [`ProcessEmbedder`].
pub const PROGRAM: &str = "DCC_MCP_EMBED_PROGRAM";

/// The model when none is named.
pub const DEFAULT_MODEL: &str = "BAAI/bge-small-en-v1.5";

/// What was asked for. [`Choice::open`] tries, in this order: the model's folder, read by this program; a
/// program that embeds, if one was given; then it is an error that says what to do.
#[derive(Debug)]
pub struct Choice {
    /// The model's name.
    pub model: String,
    /// The folder that is the model, or that holds models in folders of their names.
    pub folder: Option<PathBuf>,
    /// A program that embeds; see [`ProcessEmbedder`].
    pub program: Option<Command>,
}

impl Choice {
    /// Reads [`MODEL`], [`MODEL_DIR`] and [`PROGRAM`] with the help of `variable`, which tells the value of a variable.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let given = |name| variable(name).filter(|value| !value.trim().is_empty());
        Self {
            model: given(MODEL).unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            folder: given(MODEL_DIR).map(PathBuf::from),
            program: given(PROGRAM).map(Command::new),
        }
    }

    /// Whether a folder or a program was named at all: who names neither wants to search without a model.
    pub fn names_a_source(&self) -> bool {
        self.folder.is_some() || self.program.is_some()
    }

    /// Also asks a program when there is no model in a folder.
    #[must_use = "the choice is returned, not changed in place"]
    pub fn with_program(mut self, program: Command) -> Self {
        self.program = Some(program);
        self
    }

    /// The first embedder that is to be had.
    ///
    /// # Errors
    /// [`EmbedderError`] when there is none, or when there is one that cannot be used.
    pub fn open(self) -> Result<Arc<dyn Embedder>, EmbedderError> {
        if let Some(folder) = self.model_folder() {
            return Ok(Arc::new(FolderEmbedder::open(&folder)?));
        }
        let missing = self.missing();
        match self.program {
            Some(program) => Ok(Arc::new(ProcessEmbedder::start(program)?)),
            None => Err(missing),
        }
    }

    fn missing(&self) -> EmbedderError {
        EmbedderError::new(
            format!("there is no model `{}`", self.model),
            format!(
                "download it and set {MODEL_DIR} to its folder, or to the folder that holds `{}`, or set {PROGRAM} to a \
                 program that embeds; nothing is ever downloaded by itself",
                self.model
            ),
        )
    }

    /// The model may lie in the folder itself, under its name, or under the last part of its name.
    fn model_folder(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let last = self.model.rsplit('/').next().unwrap_or(&self.model);
        let is_below = |name: &str| !name.split('/').any(|part| part == ".." || part.is_empty());
        [&self.model, last, &self.model.replace('/', "--")]
            .into_iter()
            .filter(|name| is_below(name))
            .map(|name| folder.join(name))
            .chain([folder.clone()])
            .find(|folder| folder.join("config.json").is_file())
    }
}
