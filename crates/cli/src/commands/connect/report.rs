//! The list of what a server offers.

use metier::mcp_client::{
    Approvals, Approved, Connection, Declared, Difference, Offer, SkillCommand,
};
use serde_json::{Value, json};

use crate::Failure;
use crate::printer::{Printer, clipped, count};

use super::approvals_file::ApprovalsFile;

/// As much of a description is shown in the list; `--json` has it whole.
const DESCRIPTION: usize = 70;

pub(super) fn list(
    printer: Printer,
    json: bool,
    connection: &Connection,
    approvals: &ApprovalsFile,
) -> Result<(), Failure> {
    let offer = connection.offer();
    let callable = connection.skill_commands();
    // A difference that was seen once takes the approval away for good.
    let commands: Vec<(&SkillCommand, Option<Approved>)> = approvals.look(|kept| {
        offer
            .commands
            .iter()
            .map(|command| (command, state(connection, &offer, command, kept)))
            .collect()
    })?;
    if json {
        let commands: Vec<Value> = commands
            .iter()
            .map(|(command, approved)| {
                let mut value = json!(command);
                let is_callable = callable.iter().any(|it| it.name == command.name);
                add(&mut value, "model_invocable", is_callable);
                if let Some(approved) = approved {
                    add(&mut value, "approval", approval(approved));
                }
                value
            })
            .collect();
        printer.json(&json!({
            "server": server(connection),
            "commands": commands,
            "findings": offer.findings,
        }));
        return answered(&offer);
    }
    printer.data(&headline(connection));
    let rows: Vec<Vec<String>> = commands
        .iter()
        .map(|(command, approved)| {
            let how = approved.as_ref().map_or("prompt", word).to_owned();
            let what = match &command.unusable {
                Some(why) => format!("cannot be used: {why}"),
                None => clipped(&command.description, DESCRIPTION),
            };
            vec![command.name.clone(), how, what]
        })
        .collect();
    if !rows.is_empty() {
        printer.overview(&rows);
    }
    for (command, approved) in &commands {
        if let Some(Approved::Changed { difference }) = approved {
            printer.data(&format!("{} is not what was approved:", command.name));
            for line in lines(difference) {
                printer.data(&format!("  {line}"));
            }
        }
    }
    for finding in &offer.findings {
        printer.say(&format!("warning: {}: {}", finding.about, finding.message));
    }
    answered(&offer)
}

/// A server that does not tell its skills was not asked with success, however empty its list is shown.
fn answered(offer: &Offer) -> Result<(), Failure> {
    if offer.skills_are_known {
        return Ok(());
    }
    Err(Failure::Usage(
        "the server did not tell its skills; the warning says how it answered".to_owned(),
    ))
}

/// How a skill is other than the one that was approved, for people.
pub(super) fn lines(difference: &Difference) -> Vec<String> {
    if difference.is_empty() {
        let gone = "it was changed, and changed back since; an approval does not come back with it: --approve gives a new one";
        return vec![gone.to_owned()];
    }
    difference.lines()
}

fn state(
    connection: &Connection,
    offer: &Offer,
    command: &SkillCommand,
    approvals: &mut Approvals,
) -> Option<Approved> {
    let skill = offer.skill(command.uri.as_deref()?)?;
    Some(approvals.look(connection.label(), skill))
}

/// One word for how a skill stands.
pub(super) fn word(approved: &Approved) -> &'static str {
    match approved {
        Approved::Yes { .. } => "approved",
        Approved::Changed { .. } => "changed",
        _ => "not approved",
    }
}

/// How a skill stands, with the difference as data and as lines for people.
pub(super) fn approval(approved: &Approved) -> Value {
    let mut value = json!(approved);
    if let Approved::Changed { difference } = approved {
        add(&mut value, "lines", lines(difference));
    }
    value
}

/// Adds a member to an object.
pub(super) fn add(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), value.into());
    }
}

pub(super) fn server(connection: &Connection) -> Value {
    let mut value = json!(connection.declared());
    add(&mut value, "label", json!(connection.label()));
    value
}

/// Who the server is, and how much it offers.
pub(super) fn headline(connection: &Connection) -> String {
    let Declared {
        name,
        version,
        revision,
        skills,
        ..
    } = connection.declared();
    let offer = connection.offer();
    let of_skills = offer.skills.len();
    let of_prompts = offer.commands.len() - of_skills;
    let how = if skills || of_skills > 0 {
        String::new()
    } else {
        "; it does not declare skills, --legacy-scan looks among its resources".to_owned()
    };
    let who = [name, version].join(" ");
    format!(
        "{}: {} ({revision}), {}, {}{how}",
        connection.label(),
        who.trim(),
        count(of_skills, "skill"),
        count(of_prompts, "prompt")
    )
}
