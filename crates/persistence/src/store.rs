//! The file `loaded.json` of an application.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::app_name::AppName;
use crate::atomic::{SaveStep, StepProbe, replace};
use crate::clock::{Clock, system_clock};
use crate::format::{LARGEST, ParsedState, parse_state, state_text};
use crate::keep_aside::keep_aside;
use crate::left_over;
use crate::link::followed;
use crate::lock::lock;
use crate::mirror::StateMirror;
use crate::state::{LoadedState, StateChange};

const FILE: &str = "loaded.json";

/// How long another process may hold the lock unless told otherwise; a save takes milliseconds.
const WAIT: Duration = Duration::from_secs(5);

/// How long another process may hold the lock. Asked again while it is waited for, so that whoever has to end need not
/// wait as long as he began to.
pub type Patience = Arc<dyn Fn() -> Duration + Send + Sync>;

/// What a server has loaded, kept in `STATE/APP/loaded.json`.
///
/// Reading never fails: a missing file, any bytes and any fault give a state with warnings. Saving
/// takes the lock, reads what others saved meanwhile, makes this server's change and replaces the
/// file whole. Several servers, threads and clones may use one file. All methods block.
#[derive(Clone)]
pub struct LoadedStateStore {
    app: AppName,
    file: PathBuf,
    clock: Clock,
    patience: Patience,
    probe: StepProbe,
    mirror: Option<Arc<dyn StateMirror>>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StateReading {
    /// The state; empty where there is none.
    pub state: LoadedState,
    /// What was wrong, for people.
    pub warnings: Vec<String>,
}

/// What a save did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Saved {
    /// The state as it is now, the changes of others included.
    pub state: LoadedState,
    /// Where a damaged file was kept before this took its place.
    pub kept_aside: Option<PathBuf>,
    /// Why the mirror does not show it. The state is saved all the same.
    pub mirror_fault: Option<String>,
}

/// Why a state was not saved. The old file is as it was; when only the last step failed, the new one
/// has its place, and whether it would survive a power cut is open.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// Another process holds the lock for longer than any save takes.
    #[error("{}: another process holds {}; end it if it hangs", .file.display(), .lock.display())]
    Locked {
        /// The file of the state.
        file: PathBuf,
        /// The file of the lock.
        lock: PathBuf,
    },
    /// The system refuses something.
    #[error("{}: {doing}: {source}; {}", .file.display(), cure(.source))]
    Io {
        /// The file of the state.
        file: PathBuf,
        /// What could not be done.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// What helps where the system refuses.
pub(crate) fn cure(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give this user the right to write there, or name another folder (METIER_STATE_DIR)"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or name another folder (METIER_STATE_DIR)"
        }
        _ => "mend it, or name another folder (METIER_STATE_DIR)",
    }
}

impl LoadedStateStore {
    /// The state of an application below a folder. Nothing is read or written yet.
    pub fn new(state_dir: impl AsRef<Path>, app: AppName) -> Self {
        Self {
            file: state_dir.as_ref().join(app.as_str()).join(FILE),
            app,
            clock: system_clock(),
            patience: Arc::new(|| WAIT),
            probe: Arc::new(|_| Ok(())),
            mirror: None,
        }
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Waits so long for another process that holds the lock, instead of five seconds.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Shows each saved state in a mirror as well.
    #[must_use]
    pub fn with_mirror(mut self, mirror: Arc<dyn StateMirror>) -> Self {
        self.mirror = Some(mirror);
        self
    }

    /// Tells `probe` of each step of a save, which it can make fail.
    #[must_use]
    pub fn with_probe(mut self, probe: StepProbe) -> Self {
        self.probe = probe;
        self
    }

    /// How long it waits for another process that holds the lock.
    pub fn patience(&self) -> &Patience {
        &self.patience
    }

    /// The application.
    pub fn app(&self) -> &AppName {
        &self.app
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The time as this store sees it.
    pub fn now_ms(&self) -> u64 {
        (self.clock)()
    }

    /// Removes what killed processes left behind an hour ago or earlier, and says how many files
    /// that were. For the start of a server.
    pub fn clean(&self) -> usize {
        let place = followed(&self.file);
        place.map_or(0, |file| left_over::remove(&file, self.now_ms()))
    }

    /// Reads the state and changes nothing.
    pub fn load(&self) -> StateReading {
        match followed(&self.file).and_then(|file| read(&file)) {
            Ok(Found::Nothing) => StateReading::default(),
            Ok(Found::File(parsed)) => StateReading {
                warnings: worded(&self.file, &parsed.faults),
                state: parsed.state,
            },
            Err(error) => StateReading {
                state: LoadedState::default(),
                warnings: vec![format!(
                    "{}: {error}; nothing of it is restored, and nothing is written in its place",
                    self.file.display()
                )],
            },
        }
    }

    /// Makes a change in the file, and in nothing that others changed there; then shows it in the mirror.
    ///
    /// # Errors
    /// See [`SaveError`].
    pub fn save(&self, change: &StateChange) -> Result<Saved, SaveError> {
        let mut saved = self.save_unmirrored(change)?;
        saved.mirror_fault = self.show_in_mirror().err();
        Ok(saved)
    }

    /// Shows the state of the file in the mirror, where there is one.
    ///
    /// # Errors
    /// Why the mirror does not show it, in words.
    pub fn show_in_mirror(&self) -> Result<(), String> {
        match &self.mirror {
            Some(mirror) => mirror.show(&self.app, &|| self.load().state),
            None => Ok(()),
        }
    }

    /// The same as [`save`](Self::save) without the mirror: for whoever waits for the disk alone.
    ///
    /// # Errors
    /// See [`SaveError`].
    pub fn save_unmirrored(&self, change: &StateChange) -> Result<Saved, SaveError> {
        let refused = |doing| {
            let file = self.file.clone();
            move |source| SaveError::Io {
                file,
                doing,
                source,
            }
        };
        let file = followed(&self.file).map_err(refused("it cannot be reached"))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        (self.probe)(SaveStep::MakeFolder)
            .and_then(|()| std::fs::create_dir_all(folder))
            .map_err(refused("the folder cannot be made"))?;
        let path = file.with_file_name(format!("{FILE}.lock"));
        let held = (self.probe)(SaveStep::Lock)
            .and_then(|()| lock(&path, &*self.patience))
            .map_err(refused("the lock beside it cannot be taken"))?;
        let Some(_held) = held else {
            return Err(SaveError::Locked {
                file: self.file.clone(),
                lock: path,
            });
        };
        let found = (self.probe)(SaveStep::Read)
            .and_then(|()| read(&file))
            .map_err(refused("it cannot be read"))?;
        let is_gone = matches!(found, Found::Nothing);
        let (mut state, is_damaged) = match found {
            Found::Nothing => (LoadedState::default(), false),
            Found::File(parsed) => (parsed.state, !parsed.faults.is_empty()),
        };
        let before = state.clone();
        let now = self.now_ms();
        if is_gone || is_damaged {
            change.anew().apply_to(&mut state, now);
        } else {
            change.apply_to(&mut state, now);
        }
        let mut saved = Saved::default();
        if state != before {
            if is_damaged {
                let kept = (self.probe)(SaveStep::KeepAside)
                    .and_then(|()| keep_aside(&file, &self.probe))
                    .map_err(refused("it is damaged and cannot be kept aside"))?;
                saved.kept_aside = Some(kept);
            }
            state.saved_at_ms = Some(now);
            let text = state_text(&state);
            within_bounds(&text)
                .and_then(|()| replace(&file, text.as_bytes(), &self.probe))
                .map_err(refused("it cannot be written"))?;
        }
        saved.state = state;
        Ok(saved)
    }
}

impl fmt::Debug for LoadedStateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedStateStore")
            .field("app", &self.app)
            .field("file", &self.file)
            .field("mirror", &self.mirror)
            .finish_non_exhaustive()
    }
}

enum Found {
    Nothing,
    File(ParsedState),
}

fn read(file: &Path) -> io::Result<Found> {
    let metadata = match std::fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        found => found?,
    };
    if !metadata.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    if metadata.len() > LARGEST {
        let fault = format!("{} bytes are more than any state has", metadata.len());
        return Ok(Found::File(ParsedState {
            faults: vec![fault],
            ..ParsedState::default()
        }));
    }
    // It may be replaced meanwhile; what is read is then the old one, whole.
    match std::fs::read(file) {
        Ok(bytes) => Ok(Found::File(parse_state(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

/// What would not be read again must not take the place of what is.
fn within_bounds(text: &str) -> io::Result<()> {
    if text.len() as u64 <= LARGEST {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "it would have {} bytes, and {LARGEST} are the most that is read; `metier state forget` makes it smaller",
        text.len()
    )))
}

/// One warning for a file, however much is wrong with it.
fn worded(file: &Path, faults: &[String]) -> Vec<String> {
    const SHOWN: usize = 5;
    if faults.is_empty() {
        return Vec::new();
    }
    let mut shown = faults.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    if faults.len() > SHOWN {
        shown.push(format!("and {} more", faults.len() - SHOWN));
    }
    vec![format!(
        "{}: {}; that part counts as not there, and the file is kept as {FILE}.bak before the next save",
        file.display(),
        shown.join("; ")
    )]
}
