//! The quick reader against two full ones.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::super::build::parse_events;
use super::*;

/// Where the quick reader answers, the full ones give the same answer.
fn agrees(text: &str) -> Option<()> {
    let quick = parse(text, 7)?;
    let full = parse_events(text, 7).unwrap_or_else(|fault| panic!("{fault:?} in {text:?}"));
    assert!(full.faults.is_empty(), "{:?} in {text:?}", full.faults);
    let full = full.root.unwrap();
    let comments = text.contains('#');
    assert_same(&quick, &full, comments, text);
    serde_yaml::from_str::<IgnoredAny>(text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
    Some(())
}

/// The places may differ a little: comments behind a collection or a quoted scalar count as a
/// part of it for the full parser, and the first dash of a list beside its key does not.
fn assert_same(one: &Node<'_>, other: &Node<'_>, comments: bool, text: &str) {
    assert_eq!(one.size, other.size, "{text:?}");
    let starts = [0, 2, 3, 4, 5, 6, 7].map(|more| one.span.start + more);
    let is_list = matches!(one.kind, Kind::List(_));
    assert!(
        starts.contains(&other.span.start),
        "{one:?} {other:?} {text:?}"
    );
    assert!(
        is_list || one.span.start == other.span.start,
        "{one:?} {other:?} {text:?}"
    );
    match (&one.kind, &other.kind) {
        (Kind::Scalar { text: a, plain: p }, Kind::Scalar { text: b, plain: q }) => {
            assert_eq!((&**a, p), (&**b, q), "{text:?}");
            assert!(
                comments || one.span == other.span,
                "{one:?} {other:?} {text:?}"
            );
        }
        (Kind::List(a), Kind::List(b)) => {
            assert!(
                comments || one.span.end == other.span.end,
                "{one:?} {other:?} {text:?}"
            );
            assert_eq!(a.len(), b.len(), "{text:?}");
            for (a, b) in a.iter().zip(b.iter()) {
                assert_same(a, b, comments, text);
            }
        }
        (Kind::Map(a), Kind::Map(b)) => {
            assert!(
                comments || one.span == other.span,
                "{one:?} {other:?} {text:?}"
            );
            assert_eq!(a.len(), b.len(), "{text:?}");
            for ((ka, va), (kb, vb)) in a.iter().zip(b.iter()) {
                assert_same(ka, kb, comments, text);
                assert_same(va, vb, comments, text);
            }
        }
        _ => panic!("{one:?} and {other:?} in {text:?}"),
    }
}

#[test]
fn the_usual_files_are_read() {
    for text in [
        "name: a-b\ndescription: \"Does: it\"\nmetadata:\n  dcc-mcp:\n    tags: [a, b c]\n    tools: tools.yaml\n",
        "tools:\n  - name: x # first\n    input_schema:\n      type: object\n      properties:\n        r: {type: number, minimum: 0}\n  # comment\n  - y\n",
        "tools:\n- name: x\n- name: y\ngroups:\n- name: z\n  tools: []\n",
        "说明: 创建球体\nversion: 1.0\nurl: http://a.b/c#d\n",
        "a: 'single'\n\n\nb: {}\n",
        "a:\n  - [1, 2]\n  - {b: [c, {d: e}]}\n",
    ] {
        assert_eq!(agrees(text), Some(()), "{text}");
    }
}

#[test]
fn what_is_left_to_the_full_parser() {
    for text in [
        "",
        "a",
        "- ",
        "a:\n",
        "a: b\n  c\n",
        "a: &x b\n",
        "a: *x\n",
        "a: |\n  b\n",
        "a: >\n  b\n",
        "a: !!str b\n",
        "a: b: c\n",
        "a: \"x\\n\"\n",
        "a: 'it''s'\n",
        "a: [b\n",
        "a: b\n---\n",
        "a: b\na: c\n",
        "<<: b\n",
        "a:\tb\n",
        "a: b\r\n",
        "a: [b: c]\n",
        "a: [b, ]\n",
        "a: {b}\n",
        "a: \"b\" c\n",
        "%YAML 1.2\n",
        "a: b\n c: d\n",
        "- a\n- - b\n",
        "a: \u{A0}b\n",
        "--- \na: b\n",
        "... \n",
        "a : b\n",
        "a: b\n...\n",
    ] {
        assert!(parse(text, 0).is_none(), "{text:?}");
    }
}

#[test]
fn blanks_behind_empty_quotes_are_no_part_of_them() {
    agrees("a: [\"\" ]\n");
    agrees("a: \"\"  \nb: {c: \"\" }\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn all_readers_agree(lines in proptest::collection::vec(
        "( {0,6}(- )?[a-c]{1,2}:?( [a-c]| \"[a-c:# -]{0,4}\"| '[a-c,]{0,3}'| \\[[a-c, :'\"]{0,6}\\]| \\{[a-c]: [a-c1-9.-]{1,3}(, [b-d]: [a-c \\[\\]]{1,4})?\\}| [-a-c:#?,.]{1,5})?( #c)?| *#.*|)\n", 0..9,
    )) {
        agrees(&lines.concat());
    }

    #[test]
    fn any_text_is_read_alike(text in "[ab:\\- \n\"'\\[\\]{},#?.&*]{0,24}") {
        agrees(&text);
    }
}
