//! What a program that handles an event has said.

use metier_hooks::{HookDeny, HookFailure, HookResult};
use serde_json::{Map, Value};

use crate::hook_decision::{Decisions, refusals};
use crate::{Exit, Output, Report};

/// The exit code that refuses.
const DENY: i32 = 2;

/// The longest reason or hint that is passed on, in characters.
const LONGEST: usize = 2_000;

/// What a refusal says that says nothing.
const NO_REASON: &str = "a policy refused it and gave no reason";

const MEMBERS: [&str; 4] = ["decision", "reason", "hint", "extra"];

/// The answer of a program that has ended, with what it leaves for later handlers.
///
/// Exit code 0 is no objection, unless the JSON object on standard output denies; 2 denies with the
/// words on standard error; everything else is a failure. An object with a member that means nothing is
/// a failure too, and so is a second decision. Where each decision that stands there says `deny`, or one of several in the
/// same object does, it refuses, whatever is wrong beside it and however the program ended: what was a refusal must not
/// pass for consent.
pub(crate) fn of(report: &Report) -> (HookResult, Map<String, Value>) {
    match &report.exit {
        Exit::DeadlineExceeded { limit } => {
            let late = format!(
                "it had not ended {} s after it began, which is all that its `timeout` gives it",
                limit.as_secs_f64()
            );
            (Err(HookFailure::Late(late)), Map::new())
        }
        Exit::Code(DENY) => (Err(refusal(report).into()), Map::new()),
        _ => match (report.failure(), plain_refusal(report)) {
            (Some(_), Some(deny)) => (Err(deny.into()), Map::new()),
            (Some(_), None) => (Err(failed(report)), Map::new()),
            (None, deny) => consent(report, deny),
        },
    }
}

/// What refuses although it is no answer as it should be: each decision that stands there says `deny`.
fn plain_refusal(report: &Report) -> Option<HookDeny> {
    let object = match &report.output {
        Output::Json(Value::Object(object)) => Some(object),
        _ => None,
    };
    let is_open = object.is_none_or(|object| !object.contains_key("decision"));
    let own = object.and_then(|object| refusal_in(object, &report.overwritten));
    if !is_open && own.is_none() {
        return None;
    }
    let texts = match &report.output {
        Output::Json(Value::Object(_)) | Output::Empty => [report.noise.clone(), String::new()],
        Output::Json(other) => [as_text(other), report.noise.clone()],
        Output::Text(text) | Output::Malformed { text, .. } => [text.clone(), report.noise.clone()],
        Output::Truncated { head, tail, .. } => [head.clone(), tail.clone()],
    };
    let found = texts.each_ref().map(|text| Decisions::of(text));
    let nothing_else = found.iter().all(|found| found.all_deny());
    let any = own.is_some() || found.iter().any(|found| found.refuses());
    if !nothing_else || !any {
        return None;
    }
    let in_list = match &report.output {
        Output::Json(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    // As they stand there: what is noise was printed before the object that is read.
    let mut all = Vec::new();
    all.extend(
        in_list
            .iter()
            .filter_map(|item| refusal_of(item.as_object()?)),
    );
    all.extend(texts.iter().flat_map(|text| refusals(text)));
    all.extend(own);
    let with_reason = all.iter().position(|deny| deny.reason != NO_REASON);
    let first = all.into_iter().nth(with_reason.unwrap_or(0));
    Some(first.unwrap_or_else(|| deny(None, None)))
}

/// An object in which a decision says `deny`, also one that a later member of the same name has taken the place of.
fn refusal_in(object: &Map<String, Value>, overwritten: &[(String, Value)]) -> Option<HookDeny> {
    let denies = |(name, value): &(String, Value)| {
        name == "decision" && value.as_str().is_some_and(|value| value.trim() == "deny")
    };
    refusal_of(object).or_else(|| {
        let said = |name: &str| text(object, name).ok().flatten();
        let denied = overwritten.iter().any(denies);
        denied.then(|| deny(said("reason"), said("hint")))
    })
}

/// An object that says `deny`.
pub(crate) fn refusal_of(object: &Map<String, Value>) -> Option<HookDeny> {
    let denies = text(object, "decision").ok().flatten().as_deref() == Some("deny");
    let said = |name: &str| text(object, name).ok().flatten();
    denies.then(|| deny(said("reason"), said("hint")))
}

/// The whole account for the log.
fn failed(report: &Report) -> HookFailure {
    HookFailure::Failed(report.describe_failure().unwrap_or_default())
}

/// Exit code 2: the reason is on standard error, or both are in the JSON object.
fn refusal(report: &Report) -> HookDeny {
    let said = |name: &str| match &report.output {
        Output::Json(Value::Object(object)) => text(object, name).ok().flatten(),
        _ => None,
    };
    let told = report.stderr_tail.text.trim();
    let reason = if told.is_empty() {
        said("reason")
    } else {
        Some(clipped(told))
    };
    deny(reason, said("hint"))
}

pub(crate) fn deny(reason: Option<String>, hint: Option<String>) -> HookDeny {
    let deny = HookDeny::new(reason.unwrap_or_else(|| NO_REASON.to_owned()));
    match hint {
        Some(hint) => deny.hint(hint),
        None => deny,
    }
}

/// What is wrong with an answer that refuses all the same: an agent is told the refusal, and whoever wrote the program
/// nothing.
pub(crate) fn wrong_beside(report: &Report) -> Option<String> {
    if report.exit == Exit::Code(DENY) {
        return None;
    }
    let failure = report.failure().and_then(|_| report.describe_failure());
    failure.or_else(|| {
        said(report)
            .err()
            .map(|wrong| format!("its answer {wrong}"))
    })
}

/// A value as it was printed, or the text that was made JSON once more.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Exit code 0.
fn consent(report: &Report, refusal: Option<HookDeny>) -> (HookResult, Map<String, Value>) {
    match (said(report), refusal) {
        (said, Some(deny)) => (Err(deny.into()), said.unwrap_or_default()),
        (Ok(extra), None) => (Ok(()), extra),
        (Err(wrong), None) => (
            Err(HookFailure::Failed(format!("its answer {wrong}"))),
            Map::new(),
        ),
    }
}

/// What an answer leaves for later handlers, or what is wrong with it.
fn said(report: &Report) -> Result<Map<String, Value>, String> {
    match &report.output {
        Output::Json(Value::Object(said)) => match beside(report) {
            None => read(said),
            Some(wrong) => Err(wrong),
        },
        Output::Json(Value::String(text)) if !Decisions::of(text).is_none() => {
            Err(format!("{LOOSE} in a text that was made JSON twice"))
        }
        Output::Json(other) if !Decisions::of(&other.to_string()).is_none() => {
            Err(format!("{LOOSE} in a list"))
        }
        Output::Text(text) if !Decisions::of(text).is_none() => {
            Err(format!("{LOOSE} in plain text"))
        }
        // UTF-16 looks so, as some shells write it.
        Output::Text(text) if text.contains('\0') => {
            Err("holds zero bytes; expected UTF-8 text".to_owned())
        }
        _ => Ok(Map::new()),
    }
}

/// Begins what is said of a decision that cannot be read.
const LOOSE: &str = "has a `decision`";

/// What of an answer would be passed over without a word.
fn beside(report: &Report) -> Option<String> {
    if let Some((member, _)) = report.overwritten.first() {
        return Some(format!("has the member `{}` twice", clipped(member)));
    }
    (!Decisions::of(&report.noise).is_none())
        .then(|| "has a second `decision` beside its object".to_owned())
}

/// What an object leaves for later handlers; a refusal was read before.
fn read(object: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    if let Some(unknown) = object.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(format!(
            "has the member `{unknown}`, which means nothing; known are {}",
            MEMBERS.join(", ")
        ));
    }
    let decision = text(object, "decision")?;
    if decision.is_none() && object.contains_key("decision") {
        return Err("has an empty `decision`; expected `allow` or `deny`".to_owned());
    }
    if let Some(other) = &decision
        && !["allow", "deny"].contains(&other.as_str())
    {
        return Err(format!(
            "has the decision `{other}`; expected `allow` or `deny`"
        ));
    }
    let (reason, hint) = (text(object, "reason")?, text(object, "hint")?);
    if decision.is_none() && (reason.is_some() || hint.is_some()) {
        return Err("gives a reason and no decision".to_owned());
    }
    match object.get("extra") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(extra)) => Ok(extra.clone()),
        Some(_) => Err("has an `extra` that is no object".to_owned()),
    }
}

/// A text that says something.
fn text(object: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => {
            let text = text.trim();
            Ok((!text.is_empty()).then(|| beginning(text)))
        }
        Some(_) => Err(format!("has a `{name}` that is no text")),
    }
}

/// The beginning of a text, where a sentence says what it is about.
pub(crate) fn beginning(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} […]", text.get(..end).unwrap_or_default()),
    }
}

/// The end of a text, where a long account says what it comes to.
fn clipped(text: &str) -> String {
    let over = text.chars().count().saturating_sub(LONGEST);
    if over == 0 {
        return text.to_owned();
    }
    let end: String = text.chars().skip(over).collect();
    format!("[…] {end}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Tail;

    fn ended(code: i32, output: Output, stderr: &str) -> Report {
        Report {
            exit: Exit::Code(code),
            output,
            stderr_tail: Tail {
                text: stderr.to_owned(),
                cut: false,
            },
            ..Report::never_started()
        }
    }

    fn answer(code: i32, output: Output, stderr: &str) -> String {
        let (result, extra) = of(&ended(code, output, stderr));
        let result = match result {
            Ok(()) => "no objection".to_owned(),
            Err(error) => error.to_string(),
        };
        if extra.is_empty() {
            result
        } else {
            format!("{result} {}", Value::Object(extra))
        }
    }

    #[test]
    fn exit_code_and_json_decide() {
        let text = |text: &str| Output::Text(text.to_owned());
        let said = [
            answer(0, Output::Empty, "just talk"),
            answer(0, text("hello"), ""),
            answer(0, Output::Json(json!([1])), ""),
            answer(0, Output::Json(json!({"decision": "allow"})), ""),
            answer(0, Output::Json(json!({"extra": {"a": 1}})), ""),
            answer(
                0,
                Output::Json(json!({"decision": "deny", "reason": "no", "hint": "ask"})),
                "talk",
            ),
            answer(0, Output::Json(json!({"decision": "deny"})), ""),
            answer(0, Output::Json(json!({"decison": "deny"})), ""),
            answer(0, Output::Json(json!({"decision": "block"})), ""),
            answer(0, Output::Json(json!({"reason": "no"})), ""),
            answer(0, Output::Json(json!({"decision": true})), ""),
            answer(0, Output::Json(json!({"decision": null})), ""),
            answer(0, Output::Json(json!({"decision": " "})), ""),
            answer(0, Output::Json(json!({"extra": []})), ""),
            answer(2, Output::Empty, " no \n"),
            answer(2, Output::Empty, ""),
            answer(
                2,
                Output::Json(json!({"decision": "deny", "hint": "ask"})),
                "no",
            ),
            answer(2, Output::Json(json!({"reason": "no"})), ""),
            answer(3, Output::Empty, "Traceback"),
        ];
        insta::assert_snapshot!(said.join("\n"), @r#"
        no objection
        no objection
        no objection
        no objection
        no objection {"a":1}
        denied: no; ask
        denied: a policy refused it and gave no reason
        its answer has the member `decison`, which means nothing; known are decision, reason, hint, extra
        its answer has the decision `block`; expected `allow` or `deny`
        its answer gives a reason and no decision
        its answer has a `decision` that is no text
        its answer has an empty `decision`; expected `allow` or `deny`
        its answer has an empty `decision`; expected `allow` or `deny`
        its answer has an `extra` that is no object
        denied: no
        denied: a policy refused it and gave no reason
        denied: no; ask
        denied: no
        the script ended with exit code 3

        error output:
        Traceback
        "#);
    }

    #[test]
    fn a_plain_deny_refuses_whatever_stands_beside_it() {
        let said = [
            json!({"decision": "deny", "message": "m"}),
            json!({"decision": "deny", "reason": 3}),
            json!({"decision": " deny ", "reason": "no", "extra": []}),
        ]
        .map(|object| answer(0, Output::Json(object), ""));
        insta::assert_snapshot!(said.join("\n"), @"
        denied: a policy refused it and gave no reason
        denied: a policy refused it and gave no reason
        denied: no
        ");
        let denies = json!({"decision": "deny", "reason": "no"});
        assert_eq!(answer(1, Output::Json(denies), "Traceback"), "denied: no");
        let utf16 = "{\0\"\0d\0";
        assert_eq!(
            answer(0, Output::Text(utf16.to_owned()), ""),
            "its answer holds zero bytes; expected UTF-8 text"
        );
    }

    /// Whoever wrote it has no other way to find his slip.
    #[test]
    fn what_is_wrong_beside_a_refusal_is_for_the_log() {
        let wrong = |code, output| wrong_beside(&ended(code, output, "")).unwrap_or_default();
        let said = [
            wrong(0, Output::Json(json!({"decision": "deny", "reason": "no"}))),
            wrong(2, Output::Json(json!({"reason": "no"}))),
            wrong(
                0,
                Output::Json(json!({"decision": "deny", "reason": ["no"]})),
            ),
            wrong(0, Output::Json(json!({"decision": "deny", "resaon": "no"}))),
            wrong(0, Output::Text("{'decision': 'deny'}".to_owned())),
            wrong(1, Output::Json(json!({"decision": "deny"}))),
        ];
        insta::assert_snapshot!(said.join("\n"), @"

        its answer has a `reason` that is no text
        its answer has the member `resaon`, which means nothing; known are decision, reason, hint, extra
        its answer has a `decision` in plain text
        the script ended with exit code 1
        ");
    }

    #[test]
    fn an_answer_that_was_made_json_twice_is_read_all_the_same() {
        let twice = |object: Value| Output::Json(Value::String(object.to_string()));
        let denies = json!({"decision": "deny", "reason": "no"});
        assert_eq!(answer(0, twice(denies), ""), "denied: no");
        assert_eq!(
            answer(0, twice(json!({"decision": "allow"})), ""),
            "its answer has a `decision` in a text that was made JSON twice"
        );
        assert_eq!(answer(0, Output::Json(json!("fine")), ""), "no objection");
    }

    #[test]
    fn a_second_decision_is_no_consent() {
        let object = || Output::Json(json!({"decision": "allow"}));
        let said = |report: &Report| match of(report) {
            (Err(HookFailure::Failed(why)), _) => why,
            other => panic!("{other:?}"),
        };
        let mut twice = ended(0, object(), "");
        twice.overwritten = vec![("decision".to_owned(), json!("allow"))];
        let mut beside = ended(0, object(), "");
        beside.noise = "{\"decision\": \"deny\"}".to_owned();
        let list = ended(0, Output::Json(json!([{"decision": "allow"}])), "");
        let text = Output::Text("decision: deny".to_owned());
        let all = [&twice, &beside, &list, &ended(0, text, "")].map(said);
        insta::assert_snapshot!(all.join("\n"), @"
        its answer has the member `decision` twice
        its answer has a second `decision` beside its object
        its answer has a `decision` in a list
        its answer has a `decision` in plain text
        ");
        let mut talk = ended(0, object(), "");
        talk.noise = "{\"level\": \"info\"} no decision yet".to_owned();
        assert_eq!(of(&talk).0, Ok(()));
        twice.exit = Exit::Code(DENY);
        assert!(matches!(of(&twice).0, Err(HookFailure::Deny(_))));
    }

    /// What a program says in one object about one thing is refused when it was refused once.
    #[test]
    fn an_object_that_says_deny_and_something_else_refuses() {
        let said = |first: Value, then: Value, name: &str| {
            let object = json!({"decision": then, "reason": "no"});
            let mut report = ended(0, Output::Json(object), "");
            report.overwritten = vec![(name.to_owned(), first)];
            match of(&report).0 {
                Err(HookFailure::Deny(deny)) => deny.reason,
                other => format!("{other:?}"),
            }
        };
        for [first, then] in [["deny", "deny"], ["deny", "allow"], ["allow", "deny"]] {
            assert_eq!(said(json!(first), json!(then), "decision"), "no");
        }
        assert_eq!(said(json!("why"), json!("deny"), "reason"), "no");
        assert_ne!(said(json!("why"), json!("allow"), "reason"), "no");
    }

    #[test]
    fn time_and_signals_are_no_answers() {
        let mut late = ended(0, Output::Empty, "");
        late.exit = Exit::DeadlineExceeded {
            limit: std::time::Duration::from_secs(5),
        };
        let why = "it had not ended 5 s after it began, which is all that its `timeout` gives it";
        assert_eq!(of(&late).0, Err(HookFailure::Late(why.to_owned())));
        late.exit = Exit::Signal {
            number: 9,
            name: "SIGKILL".to_owned(),
        };
        assert!(matches!(of(&late).0, Err(HookFailure::Failed(_))));
    }

    #[test]
    fn a_long_account_keeps_its_end_and_a_long_reason_its_beginning() {
        let long = format!("{}end", "界".repeat(3_000));
        let (result, _) = of(&ended(2, Output::Empty, &long));
        let Err(HookFailure::Deny(deny)) = result else {
            panic!("{result:?}");
        };
        assert!(deny.reason.starts_with("[…] 界") && deny.reason.ends_with("end"));
        assert_eq!(deny.reason.chars().count(), LONGEST + 4);
        let said = json!({"decision": "deny", "reason": format!("begin{}", "界".repeat(3_000))});
        let (result, _) = of(&ended(0, Output::Json(said), ""));
        let Err(HookFailure::Deny(deny)) = result else {
            panic!("{result:?}");
        };
        assert!(deny.reason.starts_with("begin界") && deny.reason.ends_with("界 […]"));
    }
}
