//! A model's answer, however it is wrapped.

use serde_json::Value;

use crate::line::line;

/// So much of an answer is read.
const LONGEST: usize = 64 * 1024;
/// So many beginnings of JSON are tried.
const MOST_TRIES: usize = 32;
/// The keys under which models put what they chose.
const KEYS: [&str; 7] = [
    "skills",
    "skill_ids",
    "selected_skills",
    "selected",
    "ids",
    "selection",
    "skill",
];

/// What could be read of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedSelection {
    /// The plan, on one line.
    pub plan: Option<String>,
    /// The chosen ids, each once, all of them offered ones, in the order of the answer.
    pub ids: Vec<String>,
    /// How many chosen ones were not among the offered.
    pub unknown: usize,
    /// Whether a choice could be read at all; an empty one is a choice.
    pub is_readable: bool,
}

/// Reads an answer: JSON alone, in a fence, in prose, cut off, or a bare list. Never an error: what cannot be read
/// is an answer without a choice.
///
/// ```
/// use metier_skill_protocol::parse_selection;
///
/// let answer = "Sure!\n```json\n{\"brief_plan\": \"Bake it.\", \"skills\": [\"bake\", \"unknown\"]}\n```";
/// let parsed = parse_selection(answer, &["bake", "rig"], 3);
/// assert_eq!(parsed.ids, ["bake"]);
/// assert_eq!((parsed.unknown, parsed.is_readable), (1, true));
/// ```
pub fn parse_selection<S: AsRef<str>>(
    answer: &str,
    offered: &[S],
    at_most: usize,
) -> ParsedSelection {
    let mut end = answer.len().min(LONGEST);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let answer = answer.get(..end).unwrap_or_default();
    let found = object(answer)
        .or_else(|| list(answer))
        .or_else(|| cut_off(answer));
    let Some((plan, chosen)) = found else {
        return ParsedSelection::default();
    };
    let mut parsed = ParsedSelection {
        plan: plan
            .map(|plan| line(&plan, 500))
            .filter(|plan| !plan.is_empty()),
        is_readable: true,
        ..ParsedSelection::default()
    };
    for id in chosen {
        let id = id.trim().trim_matches(['`', '*', '"', '\'']);
        let known = offered.iter().map(|offered| -> &str { offered.as_ref() });
        let known: Option<&str> = known.clone().find(|offered| *offered == id).or_else(|| {
            let mut alike = known.filter(|offered| offered.eq_ignore_ascii_case(id));
            alike.next().filter(|_| alike.next().is_none())
        });
        match known {
            Some(known) if parsed.ids.iter().any(|id| id == known) => {}
            Some(known) if parsed.ids.len() < at_most => parsed.ids.push(known.to_owned()),
            Some(_) => {}
            None => parsed.unknown += 1,
        }
    }
    parsed
}

type Found = (Option<String>, Vec<String>);

/// The first JSON object that holds a choice, wherever it stands.
fn object(answer: &str) -> Option<Found> {
    let starts = answer.match_indices('{').map(|(at, _)| at).take(MOST_TRIES);
    starts.filter_map(|at| answer.get(at..)).find_map(|rest| {
        let value = first_value(rest).or_else(|| first_value(&mended(rest)))?;
        of_object(&value, 0)
    })
}

fn of_object(value: &Value, depth: usize) -> Option<Found> {
    let object = value.as_object()?;
    let chosen = KEYS.iter().find_map(|key| object.get(*key));
    let Some(chosen) = chosen else {
        // Some wrap the answer once more: {"result": {…}}.
        let mut inner = object.values().filter(|_| depth < 2);
        return inner.find_map(|value| of_object(value, depth + 1));
    };
    let plan = ["brief_plan", "plan", "reasoning", "thought"]
        .iter()
        .find_map(|key| object.get(*key)?.as_str());
    Some((plan.map(str::to_owned), ids(chosen)))
}

/// A bare list of ids, as the whole answer or in a fence.
fn list(answer: &str) -> Option<Found> {
    let starts = answer.match_indices('[').map(|(at, _)| at).take(MOST_TRIES);
    starts.filter_map(|at| answer.get(at..)).find_map(|rest| {
        let value = first_value(rest).or_else(|| first_value(&mended(rest)))?;
        let items = value.as_array()?;
        let are_ids = items
            .iter()
            .all(|item| item.is_string() || item.is_object());
        are_ids.then(|| (None, ids(&value)))
    })
}

/// An answer that ends in the middle of its list.
fn cut_off(answer: &str) -> Option<Found> {
    let key = KEYS.iter().find_map(|key| {
        let at = answer.find(&format!("\"{key}\""))?;
        answer.get(at + key.len() + 2..)
    })?;
    let list = key
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('[')?;
    let whole = list.split('"').collect::<Vec<_>>();
    // Every second piece stands between quotes; the last one is cut off when its quote is missing.
    let quoted = whole
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 1 && number + 1 < whole.len());
    Some((None, quoted.map(|(_, id)| (*id).to_owned()).collect()))
}

fn first_value(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .next()?
        .ok()
}

/// The slips that models make: single quotes, a comma before a bracket, curly quotes.
fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => {
                escaped = false;
                // JSON knows no escape of a single quote.
                if c != '\'' {
                    mended.push('\\');
                }
                mended.push(c);
            }
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => {
                quote = None;
                mended.push('"');
            }
            (Some('\''), '"') => mended.push_str("\\\""),
            (Some(_), '\n') => mended.push(' '),
            (None, '"' | '\'') => {
                quote = Some(c);
                mended.push('"');
            }
            (None, '“') => {
                quote = Some('”');
                mended.push('"');
            }
            (None, '}' | ']') => {
                let kept = mended.trim_end().trim_end_matches(',').len();
                mended.truncate(kept);
                mended.push(c);
            }
            (_, c) => mended.push(c),
        }
    }
    mended
}

/// The ids of a choice: strings, objects with an id or name, or one string of several.
fn ids(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text
            .split([',', '\n'])
            .map(str::trim)
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect(),
        Value::Array(items) => items.iter().filter_map(id).collect(),
        Value::Object(_) => id(value).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Object(object) => ["id", "skill_id", "skill", "name"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str())
            .map(str::to_owned),
        _ => None,
    }
}
