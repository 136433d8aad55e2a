//! One skill of a server: read, verified, shown, approved.

use std::io::Write as _;

use metier::mcp_client::{
    Approved, Connection, FileSet, OpenedSkill, ReadFault, RemoteFile, RemoteSkill,
};
use serde_json::{Value, json};

use crate::Failure;
use crate::printer::{Printer, count};

use super::approvals_file::ApprovalsFile;
use super::report::{add, approval, lines, server, word};
use super::{Look, wanted};

/// What is to be done with one skill.
pub(super) struct LookedAt<'l> {
    pub(super) connection: &'l Connection,
    pub(super) look: &'l Look,
    pub(super) json: bool,
    pub(super) approvals: &'l ApprovalsFile,
}

impl LookedAt<'_> {
    pub(super) async fn at(&self, printer: Printer, asked: &str) -> Result<(), Failure> {
        let offer = self.connection.offer();
        let uri = match wanted(&offer, asked) {
            Ok(skill) => skill.uri.clone(),
            Err(_) if asked.contains("://") => asked.to_owned(),
            Err(known) => {
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                return Err(Failure::Usage(format!(
                    "the server has no skill `{asked}`; it has: {known}"
                )));
            }
        };
        let label = self.connection.label();
        if self.look.revoke {
            let was = self.approvals.change(|kept| Ok(kept.revoke(label, &uri)))?;
            if self.json {
                printer.json(&json!({"uri": uri, "revoked": was}));
            } else if was {
                printer.data(&format!("the approval of {uri} is taken back"));
            } else {
                printer.data(&format!("{uri} was not approved"));
            }
            return Ok(());
        }
        if self.look.approve && !self.look.verify {
            return self.approved_unread(printer, &uri).await;
        }
        let opened = match self.connection.open_skill(&uri).await {
            Ok(opened) => opened,
            Err(fault) => return self.refused(printer, &uri, &fault),
        };
        if let Some(file) = &self.look.file {
            return self.one_file(printer, &opened, file).await;
        }
        let verified = if self.look.verify {
            Some(self.verified(&opened).await)
        } else {
            None
        };
        let sound = verified.iter().flatten().all(|(_, fault)| fault.is_none());
        let approved = self.approved(&opened.skill, self.look.approve && sound)?;
        if self.json {
            printer.json(&self.as_json(&opened, &approved, verified.as_deref()));
        } else {
            self.as_text(printer, &opened, &approved, verified.as_deref());
        }
        if sound && !matches!(approved, Approved::Changed { .. }) {
            Ok(())
        } else {
            Err(Failure::Answered)
        }
    }

    /// An approval is bound to what the list promises, so that no file is read for it. Only where nothing is promised
    /// a look makes the promise.
    async fn approved_unread(&self, printer: Printer, uri: &str) -> Result<(), Failure> {
        let skill = match self.connection.entry(uri).await {
            Ok(skill) if skill.files == FileSet::Unpromised => {
                let opened = self.connection.open_skill(uri).await;
                opened.map(|opened| opened.skill)
            }
            entry => entry,
        };
        let skill = match skill {
            Ok(skill) => skill,
            Err(fault) => return self.refused(printer, uri, &fault),
        };
        let approved = self.approved(&skill, true)?;
        if self.json {
            printer.json(&json!({
                "server": server(self.connection),
                "skill": *skill,
                "approval": approval(&approved),
                "asks": skill.asks(),
            }));
        } else {
            self.head(printer, &skill, &approved);
        }
        Ok(())
    }

    /// How the skill stands, after approving it where that is wanted.
    fn approved(&self, skill: &RemoteSkill, wanted: bool) -> Result<Approved, Failure> {
        let label = self.connection.label();
        if !wanted {
            return self.approvals.look(|kept| kept.look(label, skill));
        }
        self.approvals.change(|kept| {
            let rights = self.look.grant.iter().map(String::as_str);
            kept.approve(label, skill, rights)
                .map_err(|fault| Failure::Usage(fault.to_string()))?;
            Ok(kept.look(label, skill))
        })
    }

    fn refused(&self, printer: Printer, uri: &str, fault: &ReadFault) -> Result<(), Failure> {
        if self.json {
            printer.json(&json!({"server": server(self.connection), "uri": uri, "refused": fault.to_string()}));
        } else {
            printer.say(&format!("error: {uri}: {fault}"));
        }
        Err(Failure::Answered)
    }

    async fn verified(&self, opened: &OpenedSkill) -> Vec<(RemoteFile, Option<String>)> {
        let FileSet::Listed(files) = &opened.skill.files else {
            return Vec::new();
        };
        let mut verified = Vec::with_capacity(files.len());
        for file in files {
            let read = self.connection.read_file(&opened.skill, &file.uri).await;
            verified.push((file.clone(), read.err().map(|fault| fault.to_string())));
        }
        verified
    }

    async fn one_file(
        &self,
        printer: Printer,
        opened: &OpenedSkill,
        asked: &str,
    ) -> Result<(), Failure> {
        let bytes = match self.connection.read_file(&opened.skill, asked).await {
            Ok(bytes) => bytes,
            Err(fault) => return self.refused(printer, &opened.skill.uri, &fault),
        };
        if self.json {
            let file = opened.skill.file(asked);
            let text = String::from_utf8(bytes).ok();
            printer.json(&json!({
                "server": server(self.connection),
                "file": file,
                "text": text,
            }));
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .map_err(|error| Failure::Usage(format!("standard output cannot be written: {error}")))
    }

    /// The text of a skill that nobody approved is a preview, under a name of its own, so that no program takes it
    /// for instructions by accident.
    fn as_json(
        &self,
        opened: &OpenedSkill,
        approved: &Approved,
        verified: Option<&[(RemoteFile, Option<String>)]>,
    ) -> Value {
        let mut value = json!({
            "server": server(self.connection),
            "skill": *opened.skill,
            "approval": approval(approved),
            "asks": opened.skill.asks(),
            "origin": opened.origin,
            "warnings": warnings(opened),
        });
        match approved {
            Approved::Yes { .. } => {
                add(
                    &mut value,
                    "instructions",
                    opened.origin.framed(&opened.text),
                );
            }
            _ => add(&mut value, "preview", opened.text.clone()),
        }
        if let Some(verified) = verified {
            let verified: Vec<Value> = verified
                .iter()
                .map(|(file, fault)| json!({"path": file.path, "verified": fault.is_none(), "fault": fault}))
                .collect();
            add(&mut value, "verified", verified);
        }
        value
    }

    fn as_text(
        &self,
        printer: Printer,
        opened: &OpenedSkill,
        approved: &Approved,
        verified: Option<&[(RemoteFile, Option<String>)]>,
    ) {
        let skill = &opened.skill;
        self.head(printer, skill, approved);
        for warning in warnings(opened) {
            printer.say(&format!("warning: {warning}"));
        }
        match (verified, &skill.files) {
            (Some(verified), _) => {
                for (file, fault) in verified {
                    let how = fault.as_deref().unwrap_or("verified");
                    printer.data(&format!("  {} ({} bytes): {how}", file.path, file.size));
                }
            }
            (None, FileSet::Listed(files)) => {
                printer.data(&format!(
                    "  {}, SKILL.md verified",
                    count(files.len(), "file")
                ));
                printer.data("");
                printer.lines(&opened.origin.framed(&opened.text));
            }
            (None, _) => {}
        }
    }

    /// What can be said of a skill without reading it.
    fn head(&self, printer: Printer, skill: &RemoteSkill, approved: &Approved) {
        printer.data(&format!(
            "{}:{}  {}",
            self.connection.label(),
            skill.name,
            skill.uri
        ));
        printer.data(&format!("  {}", word(approved)));
        if let Approved::Changed { difference } = approved {
            for line in lines(difference) {
                printer.data(&format!("    {line}"));
            }
        }
        let granted = match approved {
            Approved::Yes { rights } => rights.clone(),
            _ => std::collections::BTreeSet::new(),
        };
        for effect in skill.asks() {
            let how = if granted.contains(&effect.key) {
                "granted"
            } else {
                "not granted"
            };
            printer.data(&format!(
                "  asks for {}: {} ({how})",
                effect.key, effect.value
            ));
        }
    }
}

fn warnings(opened: &OpenedSkill) -> Vec<String> {
    opened
        .verdict
        .findings()
        .iter()
        .map(ToString::to_string)
        .collect()
}
