//! Tools as authors declare them, in small.

use metier_skill_model::ScriptLookup;
use serde_json::json;

use crate::cases::{Case, head};

fn with_tools(tools: &str) -> Case {
    let head = head("name: kit\ndescription: d\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n");
    Case::new(&[
        ("kit/SKILL.md", &head),
        ("kit/tools.yaml", tools),
        ("kit/scripts/bake.py", ""),
        ("kit/scripts/bake.sh", ""),
        ("kit/scripts/other.py", ""),
    ])
}

#[test]
fn one_bad_entry_costs_that_entry() {
    let case = with_tools(
        "tools:\n  - name: bake\n    desciption: x\n  - 7\n  - description: nameless\n  - other\n  - name: bake\n  - {name: m, <<: {a: b}}\n",
    );
    let names: Vec<_> = case
        .metadata("kit")
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["bake", "other"]);
    let said = case.said("kit");
    for word in [
        "did you mean `description`?",
        "tools[1]",
        "tools[2]",
        "lines 2 and 7",
        "`<<`",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(case.fares("kit").contains("strict skipped"));
}

#[test]
fn a_tools_file_that_cannot_be_used_as_a_whole() {
    for tools in [
        "tools: {a: b}\n",
        "- a\n",
        "tools: [a\n",
        "tools: [a]\n---\ntools: [b]\n",
    ] {
        let case = with_tools(tools);
        let fares = case.fares("kit");
        assert!(
            fares.starts_with("lenient error") && fares.contains("strict skipped"),
            "{tools:?}: {fares}"
        );
        assert!(case.metadata("kit").tools.is_empty(), "{tools:?}");
    }
}

#[test]
fn scripts_are_found_and_never_outside() {
    let case = with_tools(
        "tools:\n  - bake\n  - {name: gone, source_file: scripts/gone.py}\n  - {name: cased, source_file: scripts/OTHER.py}\n  - {name: up, source_file: ../up.py}\n  - {name: absolute, source_file: /bin/sh}\n",
    );
    let tools = &case.metadata("kit").tools;
    let script = |path: &str| ScriptLookup::Script {
        path: path.to_owned(),
    };
    assert_eq!(tools[0].script, script("scripts/bake.py"));
    assert_eq!(
        tools[1].script,
        ScriptLookup::Missing {
            path: "scripts/gone.py".to_owned(),
            similar: None
        }
    );
    assert_eq!(
        tools[2].script,
        ScriptLookup::Missing {
            path: "scripts/OTHER.py".to_owned(),
            similar: Some("scripts/other.py".to_owned()),
        }
    );
    assert!(tools[3].refusal.is_some() && tools[4].refusal.is_some());
    assert!(case.said("kit").contains("MT232"));
    assert!(case.fares("kit").contains("strict skipped"));
}

#[test]
fn needs_in_every_spelling_are_needs() {
    for (keys, needed) in [
        ("requiredCapabilities: [x]", vec!["x"]),
        ("required-capabilities: x", vec!["x"]),
        (
            "requiredCapabilities: [x, y]\n    required_capabilities: [y, z]",
            vec!["x", "y", "z"],
        ),
    ] {
        let case = with_tools(&format!("tools:\n  - name: bake\n    {keys}\n"));
        let tool = &case.metadata("kit").tools[0];
        assert_eq!(tool.required_capabilities, needed, "{keys}");
        assert!(tool.refusal.is_none(), "{keys}");
    }
    for key in [
        "required_capability",
        "requiredCapability",
        "require_capabilities",
        "capabilities",
    ] {
        let case = with_tools(&format!("tools:\n  - name: bake\n    {key}: [x]\n"));
        let refusal = case.metadata("kit").tools[0].refusal.clone().unwrap();
        assert!(refusal.reason.contains(key), "{refusal:?}");
        assert!(case.said("kit").contains("MT234"), "{}", case.said("kit"));
    }
    let case = with_tools("tools:\n  - name: bake\n    requires: [x]\n    captions: [x]\n");
    assert!(case.metadata("kit").tools[0].refusal.is_none());
}

#[test]
fn schemas_in_every_spelling() {
    let schema = "{type: object, properties: {size: {type: number}}}";
    for key in ["input_schema", "inputSchema", "input-schema"] {
        let case = with_tools(&format!("tools:\n  - name: bake\n    {key}: {schema}\n"));
        let read = case.metadata("kit").tools[0].input_schema.clone().unwrap();
        assert_eq!(
            json!(read),
            json!({"type": "object", "properties": {"size": {"type": "number"}}})
        );
    }
    let text = r#"'{"type": "object", "properties": {"size": {"type": "number"}}}'"#;
    let case = with_tools(&format!(
        "tools:\n  - name: bake\n    input_schema: {text}\n"
    ));
    assert!(case.metadata("kit").tools[0].input_schema.is_some());
    for bad in [
        "'{broken'",
        "true",
        "[a]",
        "{type: array}",
        "{$ref: 'http://x/y'}",
    ] {
        let case = with_tools(&format!(
            "tools:\n  - name: bake\n    input_schema: {bad}\n"
        ));
        assert!(case.metadata("kit").tools[0].refusal.is_some(), "{bad}");
    }
}

#[test]
fn a_reference_out_of_a_schema_is_marked_where_it_stands() {
    for (schema, place) in [
        ("{$ref: 'http://x/y'}", "3:26"),
        (
            "\n      type: object\n      default: {$ref: z}\n      properties:\n        size:\n          $ref: sizes.json\n",
            "8:17",
        ),
        ("{allOf: [{type: object}, {$ref: x.json}]}", "3:51"),
        // Of JSON text as well.
        (r#"'{"allOf": [{"$ref": "x.json"}]}'"#, "3:40"),
        (
            "|\n      {\"allOf\": [\n        {\"$ref\": \"x.json\"}]}",
            "5:18",
        ),
        // Unless it is written with escapes.
        (r#""{\"allOf\": [{\"$ref\": \"x.json\"}]}""#, "3:19"),
    ] {
        let case = with_tools(&format!(
            "tools:\n  - name: bake\n    input_schema: {schema}\n"
        ));
        let said = case.said("kit");
        let start = format!("tools.yaml:{place}: error[MT228]");
        assert!(said.contains(&start), "{schema}: {said}");
    }
}

#[test]
fn an_unknown_group_is_one_finding_however_many_tools_name_it() {
    let case = with_tools(
        "tools:\n  - {name: bake, group: gone}\n  - {name: other, group: gone}\n  - {name: third, group: gone}\n  - {name: fourth, group: lost}\n",
    );
    let groups = ["`gone`", "`lost`"];
    let said = case.said("kit");
    // Both modes tell it.
    assert_eq!(groups.map(|group| said.matches(group).count()), [2, 2]);
    assert!(
        said.contains("`bake` and 2 more name the unknown group `gone`"),
        "{said}"
    );
    let tools = &case.metadata("kit").tools;
    assert!(tools.iter().all(|tool| tool.group.is_empty()));
}

#[test]
fn a_script_whose_ending_is_missing_is_offered() {
    let case = with_tools("tools:\n- {name: a, source_file: scripts/other}\n");
    let said = case.said("kit");
    assert!(said.contains("did you mean `scripts/other.py`?"), "{said}");
}

#[test]
fn the_type_of_a_schema_is_marked_at_its_word() {
    let case = with_tools(
        "tools:\n- name: other\n  input_schema:\n    properties: {a: {type: string}}\n    type: Object\n",
    );
    let said = case.said("kit");
    assert!(said.contains("tools.yaml:5:11: "), "{said}");
    assert!(said.contains("did you mean `object`?"), "{said}");
}
