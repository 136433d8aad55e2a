//! The demo skills do what they say.

use serde_json::Value;

use crate::command::{fixtures, metier};

fn call(tool: &str, arguments: &Value) -> Value {
    let output = metier(&fixtures())
        .args([
            "call",
            tool,
            "--json",
            "--args",
            &arguments.to_string(),
            "demo",
            "seed",
        ])
        .output()
        .unwrap();
    let result: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].clone()
}

#[test]
fn gaps_in_a_sequence() {
    let folder = tempfile::tempdir().unwrap();
    for frame in [1, 2, 5] {
        std::fs::write(folder.path().join(format!("shot.{frame:04}.exr")), "").unwrap();
    }
    let found = call(
        "image_sequence__find_gaps",
        &serde_json::json!({"folder": folder.path()}),
    );
    assert!(
        found.to_string().contains('3') && found.to_string().contains('4'),
        "{found}"
    );
}

#[test]
fn a_sphere_that_checks_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ball.obj");
    call(
        "obj_wangge__create_sphere",
        &serde_json::json!({"file": file, "radius": 2}),
    );
    let checked = call("obj_wangge__check_mesh", &serde_json::json!({"file": file}));
    assert_eq!(checked["success"], true, "{checked}");
}

#[test]
fn disk_usage_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let report = call(
        "project_report__disk_usage",
        &serde_json::json!({"folder": folder.path()}),
    );
    assert_eq!(report["folders"][0]["path"], "sub", "{report}");
}

#[test]
fn the_seeds_sphere() {
    let made = call(
        "maya_geometry__create_sphere",
        &serde_json::json!({"radius": 3}),
    );
    assert_eq!(made["success"], true, "{made}");
}
