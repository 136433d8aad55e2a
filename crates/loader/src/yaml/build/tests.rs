//! The tree of the full parser.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn root(text: &str) -> Node<'_> {
    parse(text, 0).unwrap().root.unwrap()
}

fn fault(text: &str) -> Fault {
    match parse(text, 0) {
        Ok(mut tree) => tree.faults.remove(0),
        Err(fault) => fault,
    }
}

#[test]
fn places_are_bytes_of_the_text() {
    let text = "名: 灯光\r\nlist:\r\n  - {a: 渲染, b: \"x y\"}\r\nend: 1.10\r\n";
    let node = root(text);
    assert_eq!(&text[node.get("名").unwrap().span.clone()], "灯光");
    let entry = &node.get("list").unwrap().list().unwrap()[0];
    assert_eq!(&text[entry.get("a").unwrap().span.clone()], "渲染");
    assert_eq!(&text[entry.get("b").unwrap().span.clone()], "\"x y\"");
    assert_eq!(&text[entry.span.clone()], "{a: 渲染, b: \"x y\"}");
    assert_eq!(node.get("end").unwrap().text(), Some("1.10"));
    assert_eq!(&text[node.get("end").unwrap().span.clone()], "1.10");
}

#[test]
fn a_duplicate_names_both_places() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\n";
    let found = fault(text);
    assert_eq!(found.kind, FaultKind::DuplicateKey);
    assert_eq!(found.first, Some(10..11));
    assert_eq!(found.span, 17..18);
}

#[test]
fn a_duplicate_is_found_in_a_large_mapping() {
    let mut text = String::new();
    for number in 0..40 {
        writeln!(text, "k{number}: 1").unwrap();
    }
    text.push_str("k7: 2\n");
    let found = fault(&text);
    assert_eq!(found.kind, FaultKind::DuplicateKey);
    assert!(found.message.contains("`k7`"), "{found:?}");
}

#[test]
fn what_costs_the_whole_text() {
    assert_eq!(fault("a: 1\n---\nb: 2\n").kind, FaultKind::Documents);
    assert_eq!(fault("a: &x [*x]\n").kind, FaultKind::Aliases);
    assert_eq!(fault("a: [b\n").kind, FaultKind::Invalid);
    let tab = fault("a:\n\tb: 1\n");
    assert!(tab.message.contains("tab"), "{tab:?}");
    assert_eq!(tab.span, 3..4);
    let deep = "[".repeat(5000);
    assert_eq!(fault(&deep).kind, FaultKind::Invalid);
}

#[test]
fn aliases_are_shared_and_bounded() {
    let node = root("a: &x [1, 2]\nb: *x\n");
    assert_eq!(node.get("b").unwrap().list().unwrap().len(), 2);
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let before = level - 1;
        let items = vec![format!("*a{before}"); 9].join(",");
        writeln!(bomb, "a{level}: &a{level} [{items}]").unwrap();
    }
    let found = fault(&bomb);
    assert_eq!(found.kind, FaultKind::Aliases);
    assert!(found.message.contains("alias limit"), "{found:?}");
}

#[test]
fn a_core_tag_says_how_a_scalar_is_read() {
    let text = "a: !!int \"7\"\nb: !!bool 'true'\nc: !!float '.5'\nd: !!null ''\ne: !!int seven\nf: !!str 7\n\
                g: !<tag:yaml.org,2002:int> '7'\n";
    assert_eq!(
        root(text).to_json(),
        serde_json::json!({"a": 7, "b": true, "c": 0.5, "d": null, "e": "seven", "f": "7", "g": 7})
    );
}

#[test]
fn tags_and_merge_keys() {
    let found = fault("a: !!python/object/apply:os.system [x]\n");
    assert_eq!(found.kind, FaultKind::Tag);
    assert!(found.message.contains("`!!python/object"), "{found:?}");
    assert!(fault("a: !own x\n").message.contains("`!own`"));
    assert_eq!(
        fault("a: &x {b: 1}\nc:\n  <<: *x\n").kind,
        FaultKind::MergeKey
    );
    assert_eq!(
        root("a: !!str 12\n").to_json(),
        serde_json::json!({"a": "12"})
    );
    assert_eq!(root("a: ! 12\n").to_json(), serde_json::json!({"a": "12"}));
}

fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1.0e9..1.0e9).prop_map(|number: f64| number.into()),
        "[a-z0-9 :#,.+-]{0,12}".prop_map(Into::into),
        "[灯光渲染é🎬\n\t '\"x]{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map("[a-z名字]{1,6}", inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Every plain scalar is found again at its place.
fn check_spans(text: &str, node: &Node<'_>) {
    match &node.kind {
        Kind::Scalar { text: own, plain } => {
            let written = &text[node.span.clone()];
            if *plain && !written.is_empty() && !written.contains('\n') {
                assert_eq!(written, &**own);
            }
        }
        Kind::List(items) => items.iter().for_each(|item| check_spans(text, item)),
        Kind::Map(entries) => entries.iter().for_each(|(key, value)| {
            check_spans(text, key);
            check_spans(text, value);
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_another_writer_writes_is_read_with_its_meaning(value in any_value()) {
        let text = serde_yaml::to_string(&value).unwrap();
        let tree = parse(&text, 0).unwrap();
        let root = tree.root.unwrap();
        prop_assert_eq!(root.to_json(), value, "{}", text);
        check_spans(&text, &root);
    }
}
