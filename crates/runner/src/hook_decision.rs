//! Decisions that stand somewhere in what a program printed, beside or instead of the object that is read.

use metier_hooks::HookDeny;
use serde_json::{Map, Value};

use crate::hook_answer::{beginning, deny, refusal_of};

/// What stands there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    /// In quotes, as an object has it: in JSON, or as Python prints one.
    pub(crate) quoted: usize,
    /// As YAML has it: `decision: deny`.
    pub(crate) loose: usize,
    /// How many of them, of both kinds, say `deny`.
    pub(crate) denials: usize,
}

impl Decisions {
    pub(crate) fn of(text: &str) -> Self {
        let mut found = Self::default();
        for name in ["\"decision\"", "'decision'"] {
            for (at, _) in text.match_indices(name) {
                found.quoted += 1;
                let value = text.get(at + name.len()..).unwrap_or_default();
                found.denials += usize::from(denies(value));
            }
        }
        for line in text.lines() {
            if let Some(value) = loose_value(line) {
                found.loose += 1;
                found.denials += usize::from(denies(value));
            }
        }
        // The word alone.
        if text.trim().eq_ignore_ascii_case("deny") {
            found.loose += 1;
            found.denials += 1;
        }
        found
    }

    pub(crate) fn is_none(self) -> bool {
        self.quoted + self.loose == 0
    }

    /// Whether nothing there says anything else.
    pub(crate) fn all_deny(self) -> bool {
        self.denials == self.quoted + self.loose
    }

    /// Whether an object, or what looks like one, refuses, and nothing says otherwise.
    pub(crate) fn refuses(self) -> bool {
        self.quoted > 0 && self.all_deny()
    }
}

/// What stands behind the name of a decision, where a line begins with it and it is no plain word of a sentence.
fn loose_value(line: &str) -> Option<&str> {
    const NAME: &str = "decision";
    let line =
        line.trim_start_matches(|letter: char| letter.is_whitespace() || "-*>{".contains(letter));
    let (name, rest) = line.split_at_checked(NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let has_sign = rest.trim_start().starts_with([':', '=']);
    let is_word =
        rest.starts_with(char::is_whitespace) && (denies(rest) || begins(value(rest), "allow"));
    (has_sign || is_word).then_some(rest)
}

fn denies(rest: &str) -> bool {
    begins(value(rest), "deny")
}

fn value(rest: &str) -> &str {
    rest.trim_start_matches(|letter: char| letter.is_whitespace() || ":=\"'".contains(letter))
}

fn begins(value: &str, word: &str) -> bool {
    value
        .get(..word.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(word))
}

/// The refusals that stand on a line of their own, in JSON or as Python prints them.
pub(crate) fn refusals(text: &str) -> impl Iterator<Item = HookDeny> {
    text.lines().filter_map(
        |line| match serde_json::from_str::<Map<String, Value>>(line) {
            Ok(object) => refusal_of(&object),
            Err(_) if Decisions::of(line).refuses() => Some(deny(
                python_text(line, "'reason'"),
                python_text(line, "'hint'"),
            )),
            Err(_) => None,
        },
    )
}

/// The text behind a name, as Python prints a dict.
fn python_text(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(name)?;
    let mut letters = rest.trim_start().strip_prefix(':')?.trim_start().chars();
    let quote = letters
        .next()
        .filter(|letter| matches!(letter, '\'' | '"'))?;
    let mut said = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => said.extend(letters.next()),
            end if end == quote => return (!said.trim().is_empty()).then_some(beginning(&said)),
            letter => said.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use metier_hooks::HookFailure;
    use serde_json::json;

    use super::*;
    use crate::hook_answer::of;
    use crate::{Exit, Output, Report};

    #[test]
    fn what_stands_there_is_counted() {
        let counted = |text: &str| {
            let found = Decisions::of(text);
            (found.quoted, found.loose, found.denials)
        };
        for (text, expected) in [
            (
                "{\"decision\": \"deny\"}\n{\"decision\":\"allow\"}",
                (2, 0, 1),
            ),
            ("{'reason': 'x', 'decision': 'deny'}", (1, 0, 1)),
            ("decision: deny", (0, 1, 1)),
            (" - Decision = 'Deny'", (0, 1, 1)),
            ("decision deny", (0, 1, 1)),
            ("{decision: allow}", (0, 1, 0)),
            ("decision:", (0, 1, 0)),
            ("DENY\n", (0, 1, 1)),
            (
                "no decision yet\ndecision engine ready\ndecisions: none\ndenied",
                (0, 0, 0),
            ),
            ("界".repeat(9).as_str(), (0, 0, 0)),
        ] {
            assert_eq!(counted(text), expected, "{text}");
        }
    }

    fn ended(output: Output) -> Report {
        Report {
            exit: Exit::Code(0),
            output,
            ..Report::never_started()
        }
    }

    /// A policy prints a refusal for each rule that is broken.
    #[test]
    fn refusals_and_nothing_else_are_one_wherever_they_stand() {
        let denies = |reason: &str| json!({"decision": "deny", "reason": reason}).to_string();
        let noisy = |output: Value, noise: String| Report {
            noise,
            ..ended(Output::Json(output))
        };
        let second = json!({"decision": "deny", "reason": "second"});
        let big = |tail: &str| Output::Truncated {
            head: denies("first") + "\nzzz",
            tail: tail.to_owned(),
            dropped: 9,
            limit: 9,
        };
        let all = [
            noisy(second.clone(), denies("first")),
            noisy(json!({"status": "done"}), denies("first")),
            noisy(second, "decision: deny".to_owned()),
            ended(Output::Json(
                json!([{"decision": "deny", "reason": "first"}]),
            )),
            ended(Output::Text("{'decision': 'deny'}".to_owned())),
            ended(Output::Text(
                "{'decision': 'deny', 'reason': \"don't\", 'hint': 'a'}".to_owned(),
            )),
            ended(big("zzz")),
        ];
        let said = all.map(|report| match of(&report).0 {
            Err(HookFailure::Deny(deny)) => deny.reason,
            other => format!("{other:?}"),
        });
        insta::assert_snapshot!(said.join("\n"), @"
        first
        first
        second
        first
        a policy refused it and gave no reason
        don't
        first
        ");
        for report in [
            noisy(json!({"decision": "allow"}), denies("first")),
            noisy(
                json!({"decision": "deny"}),
                "{\"decision\": \"allow\"}".to_owned(),
            ),
            ended(big("{\"decision\": \"allow\"}")),
        ] {
            assert!(
                matches!(of(&report).0, Err(HookFailure::Failed(_))),
                "{report:?}"
            );
        }
    }
}
