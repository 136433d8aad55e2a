//! Whatever stands in the file.

use metier_persistence::{LoadedState, parse_state, state_text};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::store::{at, load, names};

/// JSON that looks like a state often enough to get behind the first checks.
fn like_a_state() -> impl Strategy<Value = Value> {
    let odd = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "[a:\\PC]{0,5}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ];
    let member = prop_oneof![4 => "(name|version|skill_path|loaded_at_ms)", 1 => "[a-z]{1,3}"];
    let record = proptest::collection::vec((member, odd.clone()), 0..5).prop_map(|members| {
        let mut record = json!({"name": "one"});
        for (name, value) in members {
            record[name] = value;
        }
        record
    });
    let skills = proptest::collection::vec(prop_oneof![3 => record, 1 => odd.clone()], 0..5)
        .prop_map(Value::from);
    let groups = proptest::collection::vec(odd.clone(), 0..4).prop_map(Value::from);
    (
        prop_oneof![4 => Just(json!(1)), 1 => odd.clone()],
        prop_oneof![4 => skills, 1 => odd.clone()],
        prop_oneof![4 => groups, 1 => odd.clone()],
        odd,
    )
        .prop_map(|(version, skills, groups, other)| {
            json!({"schema_version": version, "skills": skills, "active_groups": groups, "x": other})
        })
}

/// What is written of a state is read again as that state, and the same.
fn comes_back(state: &LoadedState) {
    let text = state_text(state);
    let again = parse_state(text.as_bytes());
    assert_eq!(again.faults, [""; 0], "{text}");
    assert_eq!(&again.state, state);
    assert_eq!(state_text(&again.state), text);
}

proptest! {
    #[test]
    fn bytes_give_a_state(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        comes_back(&parse_state(&bytes).state);
    }

    #[test]
    fn json_gives_a_state(value in like_a_state(), cut in 0_usize..200) {
        let text = value.to_string();
        comes_back(&parse_state(text.as_bytes()).state);
        comes_back(&parse_state(text.as_bytes().get(..cut).unwrap_or_default()).state);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_server_starts_and_saves_over_anything(value in like_a_state(), cut in proptest::option::of(0_usize..200)) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("maya")).unwrap();
        let text = value.to_string();
        let bytes = match cut {
            Some(cut) => text.as_bytes().get(..cut).unwrap_or(text.as_bytes()),
            None => text.as_bytes(),
        };
        let file = folder.path().join("maya/loaded.json");
        std::fs::write(&file, bytes).unwrap();
        let store = at(folder.path(), 5);
        let reading = store.load();
        let saved = store.save(&load("fresh")).unwrap();
        prop_assert_eq!(saved.kept_aside.is_some(), !reading.warnings.is_empty());
        if let Some(kept) = saved.kept_aside {
            prop_assert_eq!(std::fs::read(kept).unwrap(), bytes);
        }
        let mut expected: Vec<String> = reading.state.skills.into_iter().map(|it| it.name).collect();
        expected.push("fresh".to_owned());
        prop_assert_eq!(names(&store), expected);
    }
}
