//! Activation: the instructions of one skill, as they are served.

use std::convert::Infallible;

use metier_loader::body_of;
use metier_skill_protocol::{
    Activation, ActivationRefusal, Caller, Decision, PermissionOutcome, QualityEvent, Scope,
    SkillBook, SkillEntry, SkillText, View, find, open,
};

use super::shadowed_entry;
use crate::catalog::SkillCatalog;
use crate::left_out::LeftOut;
use crate::shelf::{FileChange, FileFault, SKILL_FILE, SkillShelf};
use crate::skill_set;
use crate::snapshot::CatalogSnapshot;

/// What is to be activated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ActivationRequest {
    /// Its name or id; a `/` may stand before it.
    pub skill: String,
    /// What is put in for its placeholders.
    pub arguments: String,
    /// Who asks.
    pub caller: Caller,
    /// The client's session.
    pub session: Option<String>,
}

impl ActivationRequest {
    /// A model's request, without arguments.
    pub fn new(skill: impl Into<String>) -> Self {
        Self {
            skill: skill.into(),
            arguments: String::new(),
            caller: Caller::Model,
            session: None,
        }
    }
}

/// An activated skill, and what was decided about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Activated {
    /// Its instructions. Its scope is empty unless a rule allows what the skill asks for: the host, or the person at
    /// it, decides about the effects that `permission` names.
    pub activation: Activation,
    /// What the rules and the properties of the skill came to.
    pub permission: PermissionOutcome,
}

/// Why a skill is not activated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivateError {
    /// The protocol refuses it.
    #[error(transparent)]
    Refused(#[from] ActivationRefusal),
    /// It was found and cannot be used.
    #[error("the skill `{name}` was found and rejected: {reason}")]
    Rejected {
        /// Its name.
        name: String,
        /// The first error.
        reason: String,
    },
    /// The settings leave it out.
    #[error("the skill `{name}` {why}; {}", .why.cure())]
    LeftOut {
        /// Its name.
        name: String,
        /// Why.
        why: LeftOut,
    },
    /// Its text is not served.
    #[error("the instructions of `{name}` are not served: {reason}")]
    NotServed {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
}

/// What is opened, as it was read.
struct Texts {
    skill_file: String,
    body: String,
    base: String,
    files: Vec<String>,
}

impl SkillCatalog {
    /// The instructions of a skill with the arguments put in. Nothing is run. Blocks.
    ///
    /// # Errors
    /// See [`ActivateError`].
    pub fn activate_skill(&self, request: &ActivationRequest) -> Result<Activated, ActivateError> {
        self.bring_back();
        match self.permitted(&self.snapshot(), request) {
            Err(ActivateError::Rejected { name, .. }) => self.look_again_at(&name),
            // Its files may have been mended since somebody looked.
            Err(ActivateError::NotServed { name, .. }) => self.is_served_now(&name),
            _ => false,
        };
        // Where the look finds that the catalog was behind, the text is another one, and so may be the rules.
        let opened = self.look(|shelf, change| {
            let permitted = self.permitted(&self.snapshot(), request);
            if let Err(ActivateError::Refused(refusal)) = &permitted
                && let Some(skill) = refusal.skill().and_then(|name| shelf.get(name))
            {
                // Its SKILL.md may say something else by now.
                skill.manifest(change);
            }
            let (entry, permission) = permitted?;
            let texts = read(shelf, &entry.name, change)?;
            Ok((entry, permission, texts))
        });
        let (entry, permission, texts) = opened.map_err(|error| match &error {
            ActivateError::NotServed { name, .. } => {
                rejection(&self.snapshot(), name).unwrap_or(error)
            }
            _ => error,
        })?;
        let text = SkillText::new(&texts.skill_file, &texts.body, &texts.base);
        let mut activation = open(&entry, text.with_files(&texts.files), &request.arguments)?;
        if permission.decision != Decision::Allow {
            activation.scope = Scope::default();
        }
        self.count_activation(&entry.id, request.session.as_deref());
        Ok(Activated {
            activation,
            permission,
        })
    }

    /// Why a model is not given the instructions of a skill, whatever tool it asks; a shadowed one is known by its key or
    /// its id. Of a name that no skill has nothing is said here.
    pub(crate) fn text_refusal(
        &self,
        skill: &str,
        session: Option<String>,
    ) -> Option<ActivateError> {
        let mut request = ActivationRequest::new(skill);
        request.session = session;
        let snapshot = self.snapshot();
        let shadowed = snapshot.shelf().by_key_or_id(skill);
        let shadowed = shadowed.filter(|shadowed| shadowed.is_shadowed());
        let refused = match shadowed {
            None => self.permitted(&snapshot, &request).err()?,
            Some(shadowed) => {
                let shadowed = shadowed.skill();
                request.skill = shadowed.id.to_string();
                let standing = self.standing_now();
                let name = shadowed.metadata.name.as_str();
                // Whoever switches a name off does not mean the first one alone.
                if standing.disabled.contains(name) || standing.revoked.contains(name) {
                    let name = name.to_owned();
                    return Some(ActivationRefusal::Disabled { name }.into());
                }
                let book = SkillBook::new(snapshot.generation(), vec![shadowed_entry(shadowed)]);
                self.permitted_of(&book, &request).err()?
            }
        };
        let is_rule = matches!(
            &refused,
            ActivateError::Refused(
                ActivationRefusal::Disabled { .. }
                    | ActivationRefusal::Conditional { .. }
                    | ActivationRefusal::OnlyForUsers { .. }
                    | ActivationRefusal::Denied { .. }
            )
        );
        is_rule.then_some(refused)
    }

    /// Whether the text of a skill is served after another look at its files. Blocks.
    fn is_served_now(&self, name: &str) -> bool {
        let looked = self.look(|shelf, change| {
            let manifest = shelf.get(name).map(|skill| skill.manifest(change));
            Ok::<_, Infallible>(manifest.is_some_and(|manifest| manifest.is_ok()))
        });
        looked.unwrap_or_default()
    }

    fn permitted(
        &self,
        snapshot: &CatalogSnapshot,
        request: &ActivationRequest,
    ) -> Result<(SkillEntry, PermissionOutcome), ActivateError> {
        self.permitted_of(snapshot.book(), request)
            .map_err(|error| {
                let ActivateError::Refused(refusal) = &error else {
                    return error;
                };
                let asked = request.skill.trim().trim_start_matches('/');
                if matches!(refusal, ActivationRefusal::Denied { .. }) {
                    return error;
                }
                if let Some(why) = snapshot.parts.skills.left_out.get(asked) {
                    let name = asked.to_owned();
                    return match why {
                        LeftOut::Disabled => ActivationRefusal::Disabled { name }.into(),
                        why => ActivateError::LeftOut {
                            name,
                            why: why.clone(),
                        },
                    };
                }
                let known = matches!(refusal, ActivationRefusal::Unknown { .. })
                    .then(|| unusable(snapshot, asked))
                    .flatten();
                known.unwrap_or(error)
            })
    }

    /// The same among the skills of a book.
    fn permitted_of(
        &self,
        book: &SkillBook,
        request: &ActivationRequest,
    ) -> Result<(SkillEntry, PermissionOutcome), ActivateError> {
        let settings = &self.shared.settings.protocol;
        let standing = self.standing_now();
        let conversation = self.conversations().of(request.session.as_deref());
        let view = View::new(book, &standing, &conversation, &*settings.quality);
        let found = find(&view, &request.skill, request.caller);
        let entry = found.map_err(|refusal| match refusal {
            ActivationRefusal::NotServed { name, reason } => {
                ActivateError::NotServed { name, reason }
            }
            refusal => refusal.into(),
        })?;
        let permission = settings.permissions.decide(entry).or_denied(entry)?;
        Ok((entry.clone(), permission))
    }

    fn count_activation(&self, id: &str, session: Option<&str>) {
        let mut events = vec![(id, QualityEvent::Invoked)];
        let owned = session.map(str::to_owned);
        if self.shared.experience.is_first_use(owned.as_ref(), id) {
            events.push((id, QualityEvent::Applied));
        }
        let mut conversations = self.conversations();
        if conversations.of(session).discovered.contains(id) {
            events.push((id, QualityEvent::Selected));
        }
        conversations.change(session, |conversation| {
            conversation.invoked.insert(id.to_owned());
        });
        drop(conversations);
        self.shared.settings.protocol.quality.record(&events);
    }
}

/// Reads what is opened. The list of files is that of a look behind the reading, so that it may be the newer one.
fn read(shelf: &SkillShelf, name: &str, change: &mut FileChange) -> Result<Texts, ActivateError> {
    let not_served = |reason: &str| ActivateError::NotServed {
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let Some(skill) = shelf.get(name) else {
        let reason = shelf.why_left_out(name);
        return Err(not_served(reason.unwrap_or("it has gone")));
    };
    shelf.note_asked(skill);
    let file = skill
        .read(SKILL_FILE, change)
        .map_err(|fault| match fault {
            FileFault::NotFound => not_served("its SKILL.md is gone"),
            FileFault::LeftOut(reason) | FileFault::Failed(reason) => not_served(&reason),
        })?;
    let manifest = skill.manifest(change);
    let files = manifest
        .as_ref()
        .as_ref()
        .map_or(&[][..], |manifest| &manifest.files);
    let files = files.iter().map(|file| file.path.to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Texts {
        body: text(body_of(&file.bytes).unwrap_or(&file.bytes)),
        skill_file: text(&file.bytes),
        base: skill.uri(),
        files: files.filter(|path| path != SKILL_FILE).collect(),
    })
}

/// Why a skill that is known is none that can be opened.
fn unusable(snapshot: &CatalogSnapshot, asked: &str) -> Option<ActivateError> {
    let skills = &snapshot.parts.skills;
    let mut shadowed = skills.shadowed.iter();
    if shadowed.any(|shadowed| shadowed.skill.id.as_str() == asked) {
        let reason =
            "another skill of its name comes first; read_skill_file reads its files by this id";
        return Some(ActivateError::NotServed {
            name: asked.to_owned(),
            reason: reason.to_owned(),
        });
    }
    rejection(snapshot, asked)
}

fn rejection(snapshot: &CatalogSnapshot, name: &str) -> Option<ActivateError> {
    let reason = skill_set::rejection(&snapshot.parts.skills.rejected, name)?;
    Some(ActivateError::Rejected {
        name: name.to_owned(),
        reason,
    })
}
