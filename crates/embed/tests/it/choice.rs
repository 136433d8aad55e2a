//! Which embedder is taken.

use std::process::Command;

use metier_embed::{Choice, MODEL, MODEL_DIR, PROGRAM};

#[test]
fn the_folder_is_taken_first_whatever_way_it_is_named() {
    let fixtures = crate::tiny()
        .parent()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let tiny = crate::tiny().to_string_lossy().into_owned();
    for (model, folder) in [
        ("tiny", &fixtures),
        ("someone/tiny", &fixtures),
        ("anything", &tiny),
    ] {
        let choice = Choice::from_variables(|name| match name {
            MODEL => Some(model.to_owned()),
            MODEL_DIR => Some(folder.clone()),
            _ => None,
        });
        let choice = choice.with_program(Command::new("metier-no-such-program"));
        assert_eq!(choice.open().unwrap().dims(), 16, "{model}");
    }
}

#[test]
fn without_a_folder_the_program_is_asked() {
    let choice =
        Choice::from_variables(|_| None).with_program(Command::new("metier-no-such-program"));
    assert!(
        choice
            .open()
            .unwrap_err()
            .to_string()
            .contains("metier-no-such-program")
    );
}

#[test]
fn the_program_can_be_named_by_a_variable_and_naming_nothing_is_no_wish() {
    assert!(!Choice::from_variables(|_| None).names_a_source());
    assert!(!Choice::from_variables(|_| Some("  ".to_owned())).names_a_source());
    let choice = Choice::from_variables(|name| {
        (name == PROGRAM).then(|| "metier-no-such-program".to_owned())
    });
    assert!(choice.names_a_source());
    let error = choice.open().unwrap_err().to_string();
    assert!(error.contains("metier-no-such-program"), "{error}");
}

#[test]
fn a_name_does_not_lead_out_of_the_folder() {
    let below = crate::tiny().join("deeper").to_string_lossy().into_owned();
    let choice = Choice::from_variables(|name| match name {
        MODEL => Some("../tiny".to_owned()),
        _ => Some(below.clone()),
    });
    assert!(choice.open().is_err());
}
