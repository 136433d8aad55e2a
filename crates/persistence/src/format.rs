//! The text of `loaded.json`.
//!
//! Any bytes give a state. What is wrong with them is told, and says whether the file has to be
//! kept aside before something else is written in its place.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::state::{LoadedState, SCHEMA_VERSION, SavedSkill};

/// The largest file that is read; a hundred thousand records fit in.
pub(crate) const LARGEST: u64 = 32 << 20;

/// What the bytes of a file say.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ParsedState {
    /// What could be read.
    pub state: LoadedState,
    /// What could not, in words: whenever there is something, a save would lose it.
    pub faults: Vec<String>,
}

impl ParsedState {
    fn damaged(fault: impl Into<String>) -> Self {
        Self {
            state: LoadedState::default(),
            faults: vec![fault.into()],
        }
    }
}

/// The members that may stand there once.
#[derive(Deserialize)]
#[expect(dead_code, reason = "asked only whether it can be read")]
struct Once {
    schema_version: Option<IgnoredAny>,
    saved_at_ms: Option<IgnoredAny>,
    skills: Option<IgnoredAny>,
    active_groups: Option<IgnoredAny>,
}

/// Reads a file's bytes.
///
/// A file that is no JSON object of this version counts as empty; a record that cannot be read
/// costs that record alone.
pub fn parse_state(bytes: &[u8]) -> ParsedState {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(_) if bytes.is_empty() => return ParsedState::damaged("the file is empty"),
        Err(error) => return ParsedState::damaged(format!("not valid JSON: {error}")),
    };
    // Of two members with one name a reader keeps the last, and what the first held would be lost.
    if let (Value::Object(_), Err(error)) = (&value, serde_json::from_slice::<Once>(bytes)) {
        return ParsedState::damaged(error.to_string());
    }
    let Value::Object(mut members) = value else {
        return ParsedState::damaged(format!("found {}, expected an object", kind(&value)));
    };
    match members.remove("schema_version") {
        Some(version) if version.as_u64() == Some(SCHEMA_VERSION) => {}
        Some(version) if version.as_u64().is_some_and(|it| it > SCHEMA_VERSION) => {
            return ParsedState::damaged(format!(
                "a newer metier wrote it: its schema_version is {version}, and this one reads {SCHEMA_VERSION}"
            ));
        }
        Some(other) => {
            let found = if other.is_number() {
                other.to_string()
            } else {
                kind(&other).to_owned()
            };
            return ParsedState::damaged(format!(
                "schema_version: found {found}, expected {SCHEMA_VERSION}"
            ));
        }
        None => return ParsedState::damaged("schema_version is missing"),
    }
    let mut faults = Vec::new();
    let saved_at_ms = number(&mut members, "saved_at_ms", "", &mut faults);
    let skills = skills(members.remove("skills"), &mut faults);
    let active_groups = groups(members.remove("active_groups"), &mut faults);
    let state = LoadedState {
        saved_at_ms,
        skills,
        active_groups,
        other: members,
    };
    ParsedState { state, faults }
}

fn skills(value: Option<Value>, faults: &mut Vec<String>) -> Vec<SavedSkill> {
    let items = match value {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(other) => {
            faults.push(format!("skills: found {}, expected a list", kind(&other)));
            return Vec::new();
        }
    };
    let mut skills: Vec<SavedSkill> = Vec::with_capacity(items.len().min(1_024));
    let mut names = BTreeSet::new();
    for (index, item) in items.into_iter().enumerate() {
        match skill(item, index, faults) {
            Ok(skill) if names.contains(&skill.name) => {
                faults.push(format!(
                    "skills[{index}]: `{}` stands there twice",
                    clipped(&skill.name)
                ));
            }
            Ok(skill) => {
                names.insert(skill.name.clone());
                skills.push(skill);
            }
            Err(fault) => faults.push(format!("skills[{index}]: {fault}")),
        }
    }
    skills
}

fn skill(item: Value, index: usize, faults: &mut Vec<String>) -> Result<SavedSkill, String> {
    let Value::Object(mut members) = item else {
        return Err(format!("found {}, expected an object", kind(&item)));
    };
    let name = match members.remove("name") {
        Some(Value::String(name)) if !name.trim().is_empty() && !name.contains(':') => name,
        Some(Value::String(name)) => {
            return Err(format!("`{}` is no name of a skill", clipped(&name)));
        }
        Some(other) => return Err(format!("name: found {}, expected a text", kind(&other))),
        None => return Err("name is missing".to_owned()),
    };
    let mut text = |member: &str| match members.remove(member) {
        Some(Value::String(text)) => Ok(Some(text)),
        // Whoever has none may say so.
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(format!("{member}: found {}, expected a text", kind(&other))),
    };
    let version = text("version")?;
    let skill_path = text("skill_path")?;
    let place = format!("skills[{index}].");
    Ok(SavedSkill {
        name,
        version,
        skill_path,
        loaded_at_ms: number(&mut members, "loaded_at_ms", &place, faults),
        other: members,
    })
}

fn number(
    members: &mut Map<String, Value>,
    member: &str,
    place: &str,
    faults: &mut Vec<String>,
) -> Option<u64> {
    let value = members.remove(member).filter(|value| !value.is_null())?;
    let number = value.as_u64();
    if number.is_none() {
        // A time is for people; without it the record is as good.
        faults.push(format!(
            "{place}{member}: found {}, expected milliseconds since 1970",
            kind(&value)
        ));
    }
    number
}

fn groups(value: Option<Value>, faults: &mut Vec<String>) -> BTreeSet<String> {
    let items = match value {
        None => return BTreeSet::new(),
        Some(Value::Array(items)) => items,
        Some(other) => {
            let found = kind(&other);
            faults.push(format!("active_groups: found {found}, expected a list"));
            return BTreeSet::new();
        }
    };
    let mut groups = BTreeSet::new();
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Value::String(text)
                if text
                    .split_once(':')
                    .is_some_and(|(skill, group)| !skill.is_empty() && !group.is_empty()) =>
            {
                groups.insert(text);
            }
            Value::String(text) => faults.push(format!(
                "active_groups[{index}]: found `{}`, expected `skill:group`",
                clipped(&text)
            )),
            other => faults.push(format!(
                "active_groups[{index}]: found {}, expected a text",
                kind(&other)
            )),
        }
    }
    groups
}

/// The beginning of a text that may be megabytes long, in one line, for people.
pub(crate) fn clipped(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The text of a state: keys sorted, two spaces a level, a line feed at the end. The same state is
/// the same text.
pub fn state_text(state: &LoadedState) -> String {
    let record = |skill: &SavedSkill| {
        let mut members = skill.other.clone();
        members.insert("name".to_owned(), json!(skill.name));
        for (member, text) in [
            ("version", &skill.version),
            ("skill_path", &skill.skill_path),
        ] {
            if let Some(text) = text {
                members.insert(member.to_owned(), json!(text));
            }
        }
        if let Some(at) = skill.loaded_at_ms {
            members.insert("loaded_at_ms".to_owned(), json!(at));
        }
        Value::Object(members)
    };
    let mut members = state.other.clone();
    members.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
    if let Some(at) = state.saved_at_ms {
        members.insert("saved_at_ms".to_owned(), json!(at));
    }
    let skills = state.skills.iter().map(record).collect();
    members.insert("skills".to_owned(), Value::Array(skills));
    members.insert("active_groups".to_owned(), json!(state.active_groups));
    let mut value = Value::Object(members);
    value.sort_all_objects();
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_record_costs_itself_alone() {
        let parsed = parse_state(
            br#"{"schema_version": 1, "skills": [{"name": "one"}, {"nome": "x"}, 5, {"name": "two", "version": 2},
                {"name": "one"}, {"name": "late", "loaded_at_ms": -5}], "active_groups": ["one:g", "g", 5]}"#,
        );
        let names: Vec<&str> = parsed
            .state
            .skills
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(names, ["one", "late"]);
        insta::assert_snapshot!(parsed.faults.join("\n"), @"
        skills[1]: name is missing
        skills[2]: found a number, expected an object
        skills[3]: version: found a number, expected a text
        skills[4]: `one` stands there twice
        skills[5].loaded_at_ms: found a number, expected milliseconds since 1970
        active_groups[1]: found `g`, expected `skill:group`
        active_groups[2]: found a number, expected a text
        ");
    }

    #[test]
    fn unknown_members_stay_and_keys_are_sorted() {
        let parsed = parse_state(
            b"\xef\xbb\xbf{\"z\": {\"b\": 1, \"a\": [{\"d\": 1, \"c\": 2}]}, \"schema_version\": 1, \"skills\": [{\"note\": \"n\", \"name\": \"one\"}]}",
        );
        assert_eq!(parsed.faults, [""; 0]);
        insta::assert_snapshot!(state_text(&parsed.state), @r#"
        {
          "active_groups": [],
          "schema_version": 1,
          "skills": [
            {
              "name": "one",
              "note": "n"
            }
          ],
          "z": {
            "a": [
              {
                "c": 2,
                "d": 1
              }
            ],
            "b": 1
          }
        }
        "#);
    }

    #[test]
    fn what_is_no_state_is_an_empty_one_with_a_reason() {
        for (bytes, reason) in [
            (&b""[..], "the file is empty"),
            (b"null", "found null"),
            (b"[]", "found a list"),
            (
                b"{\"schema_version\": 1, \"skills\": [{\"name\": ",
                "not valid JSON",
            ),
            (b"{}", "schema_version is missing"),
            (b"{\"schema_version\": 0}", "found 0"),
            (b"{\"schema_version\": \"1\"}", "found a text"),
            (b"{\"schema_version\": 2}", "a newer metier"),
            (b"\xff\xfe{", "not valid JSON"),
        ] {
            let parsed = parse_state(bytes);
            assert!(parsed.state.is_empty());
            assert!(
                parsed.faults.len() == 1 && parsed.faults[0].contains(reason),
                "{:?}",
                parsed.faults
            );
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse_state(deep.as_bytes()).faults.len(), 1);
    }
}
