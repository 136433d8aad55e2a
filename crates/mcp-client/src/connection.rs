//! One server, what it offers, and how that follows its notices.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use metier_safety::{Part as ScannedPart, Scan};
use serde_json::Value;
use tokio::sync::watch;

use crate::bounds::Bounds;
use crate::command::{SkillCommand, skill_commands};
use crate::disk_cache::DiskCache;
use crate::entry::RemoteSkill;
use crate::flag::Flag;
use crate::label::ServerLabel;
use crate::legacy;
use crate::offer::{ConnectionState, Finding, Offer, Part, Parts, resource_card};
use crate::pages::{Listed, all};
use crate::refresh::{Refresh, ServerEvent};
use crate::server::{Declared, ServerFault, SkillServer};

/// How a server is treated.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Whether anything is asked at all.
    pub flag: Flag,
    /// Whether resources are looked through when the server has no extension.
    pub legacy_scan: bool,
    /// The limits.
    pub bounds: Bounds,
    /// Where verified files are kept; nowhere when not given.
    pub cache: Option<DiskCache>,
}

impl Settings {
    /// Settings for a flag, with usual limits, no legacy scan and no cache.
    pub fn new(flag: Flag) -> Self {
        Self {
            flag,
            ..Self::default()
        }
    }
}

/// A connected server: its lists, fetched once and again when it says that they changed. A cheap handle.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) label: ServerLabel,
    pub(crate) server: Arc<dyn SkillServer>,
    pub(crate) settings: Settings,
    offer: watch::Sender<Arc<Offer>>,
    /// What the next refresh fetches.
    pending: Mutex<Refresh>,
    /// One refresh at a time; those who wait find theirs done.
    refreshing: tokio::sync::Mutex<()>,
    /// Skills without promises, as they were at the first look.
    pub(crate) seen: Mutex<BTreeMap<String, Arc<RemoteSkill>>>,
}

impl Connection {
    /// Takes a server in and fetches its lists. With the flag off no request leaves, now or later.
    pub async fn open(
        label: ServerLabel,
        server: Arc<dyn SkillServer>,
        settings: Settings,
    ) -> Self {
        let is_on = settings.flag.is_on();
        let offer = if is_on {
            Offer::of(&label, 0, Parts::default())
        } else {
            Offer::default()
        };
        let connection = Self {
            inner: Arc::new(Inner {
                label,
                server,
                settings,
                offer: watch::Sender::new(Arc::new(offer)),
                pending: Mutex::default(),
                refreshing: tokio::sync::Mutex::default(),
                seen: Mutex::default(),
            }),
        };
        connection.refresh(Refresh::EVERYTHING).await;
        connection
    }

    /// The host's label for the server.
    pub fn label(&self) -> &ServerLabel {
        &self.inner.label
    }

    /// What the server declared.
    pub fn declared(&self) -> Declared {
        self.inner.server.declared()
    }

    /// What it offers now.
    pub fn offer(&self) -> Arc<Offer> {
        Arc::clone(&self.inner.offer.borrow())
    }

    /// The first offer after that of a generation, as soon as it is there.
    pub async fn newer_than(&self, generation: u64) -> Arc<Offer> {
        let mut offers = self.inner.offer.subscribe();
        let newer = offers.wait_for(|offer| offer.generation > generation).await;
        // This handle keeps the sender, so that there always is one.
        newer.map_or_else(|_| self.offer(), |offer| Arc::clone(&offer))
    }

    /// The commands that a model may call as skills.
    pub fn skill_commands(&self) -> Vec<SkillCommand> {
        let offer = self.offer();
        let commands = skill_commands(&offer.commands, self.inner.settings.flag);
        commands.into_iter().cloned().collect()
    }

    /// Tells what happened. When this returns, the offer is at least as new as the event; events that come while
    /// a refresh runs share the next one.
    pub async fn tell(&self, event: ServerEvent) {
        let refresh = event.refresh();
        if refresh.clear {
            self.end(if event == ServerEvent::Closed {
                ConnectionState::Closed
            } else {
                ConnectionState::Disconnected
            });
        } else {
            self.refresh(refresh).await;
        }
    }

    /// Whether requests may leave.
    pub(crate) fn is_open(&self) -> bool {
        self.offer().state == ConnectionState::Open
    }

    pub(crate) fn end(&self, state: ConnectionState) {
        let ended = self.inner.offer.send_if_modified(|offer| {
            let is_open = offer.state == ConnectionState::Open;
            if is_open {
                *offer = Arc::new(Offer::ended(offer.generation + 1, state));
            }
            is_open
        });
        if !ended {
            return;
        }
        lock(&self.inner.seen).clear();
        *lock(&self.inner.pending) = Refresh::default();
    }

    async fn refresh(&self, wanted: Refresh) {
        if !self.is_open() {
            return;
        }
        {
            let mut pending = lock(&self.inner.pending);
            *pending = pending.and(wanted);
        }
        let _turn = self.inner.refreshing.lock().await;
        let wanted = std::mem::take(&mut *lock(&self.inner.pending));
        if wanted == Refresh::default() {
            return;
        }
        let fetched = self.fetch(wanted).await;
        self.publish(fetched);
    }

    /// Fetches what is wanted, at the same time.
    async fn fetch(&self, wanted: Refresh) -> Fetched {
        let Inner {
            server, settings, ..
        } = &*self.inner;
        let bounds = &settings.bounds;
        let declared = server.declared();
        // Without resources there is nothing that could be read, whatever else is declared.
        let by_extension = declared.resources && declared.skills;
        let by_scan = declared.resources && !declared.skills && settings.legacy_scan;
        let resources = async {
            let wanted = wanted.resources || (wanted.skills && by_scan);
            if wanted && declared.resources {
                Some(all(bounds, |cursor| server.resources(cursor)).await)
            } else {
                None
            }
        };
        let prompts = async {
            if wanted.prompts && declared.prompts {
                Some(all(bounds, |cursor| server.prompts(cursor)).await)
            } else {
                None
            }
        };
        let skills = async {
            if wanted.skills && by_extension {
                Some(all(bounds, |cursor| server.skills(cursor)).await)
            } else {
                None
            }
        };
        let (resources, prompts, skills) = tokio::join!(resources, prompts, skills);
        let mut fetched = Fetched {
            resources,
            prompts,
            skills,
            ..Fetched::default()
        };
        if by_scan && let Some(Ok(listed)) = &fetched.resources {
            let mut scanned = legacy::scan(&listed.items);
            if !scanned.any
                && let Ok(index) = self.ask(server.read(legacy::INDEX.to_owned())).await
            {
                scanned = legacy::of_index(&index);
            }
            fetched.scanned = Some(Part {
                items: scanned.skills.into_iter().map(Arc::new).collect(),
                findings: scanned.findings,
                is_stale: false,
            });
        }
        if declared.skills && !declared.resources {
            let message =
                "the server declares skills but no resources, so that no file could be read";
            fetched.odd = Some(Finding::new("skills/list", &message));
        }
        fetched
    }

    /// Puts what came in the place of what was there. A list that did not come leaves the old one, and says so.
    fn publish(&self, fetched: Fetched) {
        let label = &self.inner.label;
        if fetched.gone() {
            self.end(ConnectionState::Closed);
            return;
        }
        self.inner.offer.send_if_modified(|offer| {
            let is_open = offer.state == ConnectionState::Open;
            if is_open {
                let parts = self.put_together(offer.parts.clone(), fetched);
                *offer = Arc::new(Offer::of(label, offer.generation + 1, parts));
            }
            is_open
        });
    }

    fn put_together(&self, mut parts: Parts, fetched: Fetched) -> Parts {
        let label = &self.inner.label;
        let Fetched {
            resources,
            prompts,
            skills,
            scanned,
            odd,
        } = fetched;
        put(
            &mut parts.resources,
            "resources/list",
            resources,
            |resource| Ok(resource_card(resource)),
        );
        put(&mut parts.prompts, "prompts/list", prompts, |prompt| {
            if let Some(reason) = blocked(prompt.as_object().into_iter().flatten()) {
                return Err(format!("the prompt is blocked: {reason}"));
            }
            SkillCommand::of_prompt(label, prompt)
                .map(Some)
                .ok_or_else(|| "it has no name that could be shown".to_owned())
        });
        let mut uris = std::collections::BTreeSet::new();
        put(&mut parts.skills, "skills/list", skills, |entry| {
            let skill = RemoteSkill::read(entry, &self.inner.settings.bounds)
                .map_err(|fault| fault.to_string())?;
            if let Some(reason) = blocked(&skill.front_matter) {
                return Err(format!("the skill is blocked: {reason}"));
            }
            if uris.insert(skill.uri.clone()) {
                Ok(Some(Arc::new(skill)))
            } else {
                Err("it is listed twice".to_owned())
            }
        });
        if let Some(scanned) = scanned {
            // What was promised before the change is promised no more; approvals tell the difference.
            lock(&self.inner.seen).clear();
            parts.skills = scanned;
        }
        if let Some(odd) = odd {
            parts.skills.findings = vec![odd];
        }
        parts
    }
}

/// Why the safety rules refuse what a list says: it would be put before models as it is.
fn blocked<'t>(texts: impl IntoIterator<Item = (&'t String, &'t Value)>) -> Option<String> {
    let mut scan = Scan::new();
    for (key, value) in texts {
        scan.json(ScannedPart::FrontMatter, "the entry", key, value);
    }
    let verdict = scan.finish();
    verdict
        .reason()
        .filter(|_| verdict.is_blocked())
        .map(ToString::to_string)
}

#[derive(Default)]
struct Fetched {
    resources: Option<Result<Listed, ServerFault>>,
    prompts: Option<Result<Listed, ServerFault>>,
    skills: Option<Result<Listed, ServerFault>>,
    scanned: Option<Part<Arc<RemoteSkill>>>,
    odd: Option<Finding>,
}

impl Fetched {
    fn gone(&self) -> bool {
        [&self.resources, &self.prompts, &self.skills]
            .into_iter()
            .any(|list| matches!(list, Some(Err(ServerFault::Gone(_)))))
    }
}

fn put<T>(
    part: &mut Part<T>,
    method: &str,
    fetched: Option<Result<Listed, ServerFault>>,
    mut read: impl FnMut(&Value) -> Result<Option<T>, String>,
) {
    let listed = match fetched {
        None => return,
        Some(Ok(listed)) => listed,
        Some(Err(fault)) => {
            part.findings = vec![Finding::new(method, &fault)];
            part.is_stale = true;
            return;
        }
    };
    *part = Part::default();
    for item in &listed.items {
        match read(item) {
            Ok(Some(item)) => part.items.push(item),
            Ok(None) => {}
            Err(message) => {
                let named = ["uri", "name"]
                    .iter()
                    .find_map(|key| item.get(*key)?.as_str());
                part.findings
                    .push(Finding::new(named.unwrap_or(method), &message));
            }
        }
    }
    if let Some(cut) = listed.cut {
        part.findings.push(Finding::new(method, &cut));
    }
}

/// A lock that a panic elsewhere has not made useless: what it guards is replaced whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
