//! What a scan brings home.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location};
use metier_skill_model::SkillMetadata;
use serde::{Serialize, Serializer};

use crate::manifest::FileDigest;
use crate::{Root, SkillFiles};

/// A skill's place among all roots, the same from run to run: `explicit:lighting/bake-ao`.
///
/// It is made of the root's label and the path below the root. The second root of the same label
/// counts as `explicit-2`, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillId(Arc<str>);

impl SkillId {
    pub(crate) fn new(root: &str, path: &str) -> Self {
        Self(format!("{root}:{path}").into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for SkillId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Everything that was found below the roots.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ScanReport {
    /// Usable skills, each name once, in the order of roots and paths.
    pub skills: Vec<Arc<LoadedSkill>>,
    /// Skills that cannot be used, with the reasons.
    pub rejected: Vec<Arc<RejectedSkill>>,
    /// Skills whose name an earlier one has.
    pub shadowed: Vec<ShadowedSkill>,
    /// What was found about roots and their entries.
    pub root_findings: Vec<RootFinding>,
}

/// A finding about a root, or about something in it that is no skill.
#[derive(Clone, Debug, PartialEq)]
pub struct RootFinding {
    /// The root that the finding's place is below; `None` where it has no place, because the root itself is missing.
    pub root: Option<Arc<Root>>,
    /// What was found.
    pub diagnostic: Diagnostic,
}

impl RootFinding {
    /// A finding without a place.
    pub const fn anywhere(diagnostic: Diagnostic) -> Self {
        Self {
            root: None,
            diagnostic,
        }
    }
}

/// A skill that was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadedSkill {
    /// Where it is, as a stable name.
    pub id: SkillId,
    /// The root it was found under.
    pub root: Arc<Root>,
    /// The canonical path of its folder. For the operator; never for a client.
    pub path: PathBuf,
    /// Its folder below the root, with `/` between the parts; empty when the root is the skill.
    pub display_path: String,
    /// What it says of itself.
    pub metadata: Arc<SkillMetadata>,
    /// The first characters of the body (at most 8,000), for the search index.
    pub body_excerpt: String,
    /// Reads its files.
    pub files: Arc<SkillFiles>,
    /// What was found wrong with it, in the order of files and lines.
    pub diagnostics: Vec<Diagnostic>,
    /// Its tools file cannot be used as a whole: it is listed and cannot be loaded, for this reason.
    pub unusable: Option<String>,
    /// Its groups or its depends.md could not be read, so that what it says of them may not be what its author means.
    pub(crate) is_torn: bool,
    /// Why it is left out of `skill://`.
    pub not_served: Option<String>,
    /// Its files are too many or too large to be served, for this reason, as they lay there when it was read. A look at
    /// them knows better.
    pub beyond_manifest: Option<String>,
    /// Where each of the dependencies in `metadata` is written.
    pub(crate) depends_at: Vec<Location>,
    /// Where its name is written; `None` where it has none of its own.
    pub(crate) name_at: Option<Location>,
    pub(crate) origin: Origin,
}

/// The SHA-256 of the SKILL.md that a skill was read from; none of a long file. Skills that are equal
/// in all else are the same, whatever bytes they come from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin(pub(crate) Option<[u8; 32]>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LoadedSkill {
    /// Whether it is known to have been read from a SKILL.md with this digest. `false` means that
    /// somebody has to look.
    pub fn was_read_from(&self, digest: FileDigest) -> bool {
        self.origin.0.map(FileDigest::new) == Some(digest)
    }

    /// The skill as one that is rejected for these findings.
    pub fn rejected(&self, diagnostics: Vec<Diagnostic>) -> RejectedSkill {
        RejectedSkill {
            name: self.metadata.name.to_string(),
            id: self.id.clone(),
            root: Arc::clone(&self.root),
            path: self.path.clone(),
            display_path: self.display_path.clone(),
            diagnostics,
            read: None,
        }
    }

    /// Where the skill says that it needs another one: in its SKILL.md or its metadata/depends.md.
    pub fn place_of_dependency(&self, name: &str) -> Option<&Location> {
        let at = self
            .metadata
            .depends
            .iter()
            .position(|known| known == name)?;
        self.depends_at.get(at)
    }

    /// The path of its tools file below its folder, when it names one.
    pub fn tools_file(&self) -> Option<String> {
        let metadata = self.metadata.front_matter.get("metadata")?;
        let nested = metadata
            .get("dcc-mcp")
            .and_then(|nested| nested.get("tools"));
        let path = nested.or_else(|| metadata.get("dcc-mcp.tools"))?.as_str()?;
        let path = path.trim().replace('\\', "/");
        Some(path.trim_start_matches("./").to_owned())
    }
}

/// A skill that was found and cannot be used. Its texts hold no absolute path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RejectedSkill {
    /// Its name as far as it is known, otherwise that of its folder.
    pub name: String,
    /// Where it is, as a stable name.
    pub id: SkillId,
    /// The root it was found under.
    pub root: Arc<Root>,
    /// The canonical path of its folder, as far as it is known. Never for a client.
    pub path: PathBuf,
    /// Its folder below the root, with `/` between the parts; empty when the root is the skill.
    pub display_path: String,
    /// Why; at least one of them is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// What could be read of it all the same, without its findings: one error hides no other. Nothing of it is for a model.
    pub read: Option<Arc<LoadedSkill>>,
}

impl fmt::Display for RejectedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the skill `{}` is rejected",
            crate::findings::printable(&self.name)
        )?;
        for diagnostic in &self.diagnostics {
            if diagnostic.severity == metier_diagnostics::Severity::Error {
                write!(f, "\n{diagnostic}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for RejectedSkill {}

/// A skill that is out of reach by name, because another one of that name comes first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShadowedSkill {
    /// The skill itself.
    pub skill: Arc<LoadedSkill>,
    /// The one that comes first.
    pub by: SkillId,
    /// Says so, with both locations.
    pub diagnostic: Diagnostic,
}
