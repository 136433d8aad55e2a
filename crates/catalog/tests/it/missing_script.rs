//! Scripts that are not there when they are called.

use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

async fn loaded(tools: &str) -> Bench {
    let bench = Bench::new();
    bench.skill_with_tools("box", tools, ECHO);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    bench
}

#[tokio::test]
async fn a_script_that_is_not_there_is_named() {
    let bench = loaded("tools:\n  - name: go\n    source_file: scripts/gone.py\n  - name: other\n    source_file: scripts/RUN.py\n").await;
    let gone = bench.output("box__go", json!({})).await;
    assert!(gone.is_error);
    assert_eq!(
        gone.joined_text(),
        "script not found: scripts/gone.py; `metier check` shows the place and the cure"
    );
    let other = bench.output("box__other", json!({})).await.joined_text();
    assert!(
        other.starts_with("script not found: scripts/RUN.py") && other.contains("scripts/run.py"),
        "{other}"
    );

    let bench = loaded("tools:\n  - name: go\n").await;
    std::fs::remove_file(bench.path().join("box/scripts/run.py")).unwrap();
    let removed = bench.output("box__go", json!({})).await;
    assert!(removed.is_error);
    assert_eq!(removed.joined_text(), "script not found: scripts/run.py");
}
