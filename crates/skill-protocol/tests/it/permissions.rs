//! The table of permissions.

use metier_skill_protocol::{Decision, PermissionRules, effects};
use serde_json::json;

use crate::with_front;

/// Rules, whether the skill asks for nothing, and what is decided.
type Row<'a> = (&'a [(Decision, &'a str)], bool, Decision);

fn rules(written: &[(Decision, &str)]) -> PermissionRules {
    let mut rules = PermissionRules::default();
    for (decision, rule) in written {
        rules.add(*decision, rule).unwrap();
    }
    rules
}

#[test]
fn deny_before_allow_before_ask_before_the_properties() {
    use Decision::{Allow, Ask, Deny};
    let safe = json!({"name": "pdf-fill", "description": "x", "license": "MIT", "metadata": {"a": {"b": 1}}, "version": 1.2,
        "compatibility": "any", "argument-hint": "FILE", "tags": ["a"], "allowed-tools": ""});
    let effective = json!({"name": "pdf-fill", "allowed-tools": "Bash(git *)"});
    let table: &[Row<'_>] = &[
        (&[], true, Allow),
        (&[], false, Ask),
        (&[(Allow, "Skill")], false, Allow),
        (&[(Allow, "Skill(pdf-fill)")], false, Allow),
        (&[(Allow, "pdf-fill")], false, Allow),
        (&[(Allow, "/pdf-fill")], false, Allow),
        (&[(Allow, "user:pdf-fill")], false, Allow),
        (&[(Allow, "Skill(pdf:*)")], false, Allow),
        (&[(Allow, "Skill(pdf-f:*)")], false, Ask),
        (&[(Allow, "Skill(pd:*)")], false, Ask),
        (&[(Allow, "Skill(other)")], false, Ask),
        (&[(Allow, "Skill"), (Deny, "Skill(pdf-fill)")], false, Deny),
        (&[(Deny, "*"), (Allow, "Skill(pdf-fill)")], true, Deny),
        (&[(Ask, "Skill(pdf:*)")], true, Ask),
        (&[(Ask, "Skill"), (Allow, "Skill(pdf-fill)")], false, Allow),
    ];
    for (written, is_safe, wanted) in table {
        let entry = with_front("pdf-fill", if *is_safe { &safe } else { &effective });
        let outcome = rules(written).decide(&entry);
        assert_eq!(outcome.decision, *wanted, "{written:?}");
        assert_eq!(outcome.suggestions.is_empty(), *wanted != Ask);
        assert_eq!(outcome.or_denied(&entry).is_err(), *wanted == Deny);
    }
}

#[test]
fn a_prefix_ends_where_a_name_has_its_joint() {
    let rules = rules(&[(Decision::Deny, "Skill(pdf:*)")]);
    let decide = |name: &str| rules.decide(&with_front(name, &json!({}))).decision;
    assert_eq!(decide("pdf"), Decision::Deny);
    assert_eq!(decide("pdf-fill"), Decision::Deny);
    assert_eq!(decide("pdf:fill"), Decision::Deny);
    assert_eq!(decide("pdfevil"), Decision::Allow);
}

#[test]
fn what_has_an_effect_is_named() {
    let front = json!({"name": "x", "description": "y", "hooks": {"PreToolUse": []}, "model": "big", "shell": "bash", "effort": "high",
        "context": "fork", "agent": "a", "on-load": {"run": "x"}, "odd": [["x"]], "tags": ["a"], "allowed-tools": ["Read", "Bash"]});
    let found = effects(front.as_object().unwrap());
    let keys: Vec<&str> = found.iter().map(|effect| effect.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "hooks",
            "model",
            "shell",
            "effort",
            "context",
            "agent",
            "on-load",
            "odd",
            "allowed-tools"
        ]
    );
    assert_eq!(found[8].value, "Read, Bash");
}

#[test]
fn what_is_no_rule_is_refused() {
    for wrong in ["", "Skill(", "Skill()", "Skill(a*b)", "Skill(:*)", "a(b)"] {
        let mut rules = PermissionRules::default();
        assert!(rules.add(Decision::Allow, wrong).is_err(), "{wrong}");
    }
}
