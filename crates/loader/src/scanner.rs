//! The low-level names of the skill system: folders of skills, and nothing read.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::candidate::Candidate;
use crate::walk::walk;
use crate::{ParseMode, RootSources, resolve_roots};

type Environment = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// Finds the folders of skills for a caller who wants to read them on their own.
///
/// It takes the environment and the home folder once, when it is made.
#[expect(missing_debug_implementations, reason = "the environment is a closure")]
pub struct SkillScanner {
    environment: Box<Environment>,
    home: Option<PathBuf>,
    platform_data: Option<PathBuf>,
}

impl SkillScanner {
    /// A scanner that sees this environment.
    pub fn new(
        environment: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
        home: Option<PathBuf>,
        platform_data: Option<PathBuf>,
    ) -> Self {
        Self {
            environment: Box::new(environment),
            home,
            platform_data,
        }
    }

    /// A scanner that sees the environment of this process.
    pub fn of_process() -> Self {
        Self::new(|name| std::env::var_os(name), std::env::home_dir(), None)
    }

    /// The folders of every skill, in order of precedence; `extra_paths` come in front of the
    /// roots that the environment names. An empty `dcc_name` means no application.
    pub fn scan(&self, extra_paths: &[PathBuf], dcc_name: &str) -> Vec<PathBuf> {
        let (roots, _) = resolve_roots(&RootSources {
            explicit: extra_paths,
            app: dcc_name,
            environment: &*self.environment,
            home: self.home.clone(),
            platform_data: self.platform_data.clone(),
            configured: &[],
            agent_folders_of: None,
            with_defaults: true,
        });
        walk(&roots, ParseMode::Lenient)
            .candidates
            .into_iter()
            .map(|candidate: Candidate| candidate.path)
            .collect()
    }
}

/// [`SkillScanner::scan`] in the environment of this process.
pub fn scan_skill_paths(extra_paths: &[PathBuf], dcc_name: &str) -> Vec<PathBuf> {
    SkillScanner::of_process().scan(extra_paths, dcc_name)
}
