//! Search follows the snapshot.

use serde_json::json;

use crate::bench_folder::Bench;

#[tokio::test]
async fn hits_say_how_to_load() {
    let bench = Bench::new();
    bench.file(
        "qiu-ti/SKILL.md",
        "---\nname: qiu-ti\ndescription: 创建多边形球体、立方体等几何体。\n---\n",
    );
    bench.skill("render-queue", &["tags: [render]"]);
    bench.discover();
    let answer = bench
        .structured("search_skills", json!({"query": "如何创建多边形球体"}))
        .await;
    assert_eq!(answer["hits"][0]["name"], "qiu-ti");
    assert_eq!(
        answer["hits"][0]["load"],
        json!({"tool": "load_skill", "arguments": {"skill_name": "qiu-ti"}})
    );
    bench.catalog.load_skill("qiu-ti").await.unwrap();
    let answer = bench
        .structured("search_skills", json!({"query": "球体"}))
        .await;
    assert_eq!(answer["hits"][0]["loaded"], true);
    assert_eq!(answer["hits"][0].get("load"), None);
    let tagged = bench
        .structured("search_skills", json!({"query": "", "tags": ["render"]}))
        .await;
    assert_eq!(tagged["total"], 1);
}

#[tokio::test]
async fn filters_are_asked_before_the_list_is_cut() {
    let bench = Bench::new();
    for number in 0..30 {
        bench.skill(&format!("render-{number:02}"), &[]);
    }
    bench.skill("zz-render-queue", &["tags: [Farm, nightly]"]);
    bench.discover();
    bench.catalog.load_skill("zz-render-queue").await.unwrap();
    for filter in [
        json!({"status": "loaded"}),
        json!({"tags": ["farm"]}),
        json!({"tags": ["nightly", "FARM"], "source": "explicit"}),
    ] {
        let mut asked = filter.clone();
        asked["query"] = json!("render");
        asked["limit"] = json!(1);
        let answer = bench.structured("search_skills", asked).await;
        assert_eq!(answer["hits"][0]["name"], "zz-render-queue", "{filter}");
        assert_eq!(answer["total"], 1, "{filter}");
        let listed = bench.structured("list_skills", filter.clone()).await;
        assert_eq!(listed["skills"][0]["name"], "zz-render-queue", "{filter}");
        assert_eq!(listed["total"], 1, "{filter}");
    }
    for (filter, total) in [
        (json!({"status": "unloaded"}), 30),
        (json!({"source": "explicit"}), 31),
        (json!({"source": "user"}), 0),
        (json!({"tags": ["farm", "daily"]}), 0),
    ] {
        for tool in ["search_skills", "list_skills"] {
            let answer = bench.structured(tool, filter.clone()).await;
            assert_eq!(answer["total"], total, "{tool} {filter}");
        }
    }
}

#[tokio::test]
async fn no_ghosts() {
    let bench = Bench::new();
    bench.skill("old-one", &[]);
    bench.discover();
    std::fs::remove_dir_all(bench.path().join("old-one")).unwrap();
    bench.catalog.rediscover();
    let answer = bench
        .structured("search_skills", json!({"query": "old-one"}))
        .await;
    assert_eq!(answer["hits"], json!([]));
}

#[tokio::test]
async fn odd_limits() {
    let bench = Bench::new();
    bench.skill("one", &[]);
    bench.discover();
    let refused = bench
        .output("search_skills", json!({"query": "one", "limit": 0}))
        .await;
    assert!(
        refused.is_error && refused.joined_text().contains("1 to 100"),
        "{refused:?}"
    );
    for large in [
        json!(100_000_000_u64),
        json!(u64::MAX),
        json!(18_446_744_073_709_551_616_f64),
    ] {
        let many = bench
            .structured("search_skills", json!({"query": "one", "limit": large}))
            .await;
        assert_eq!(many["total"], 1, "{large}");
    }
    for (tool, limit) in [
        ("list_skills", json!(0)),
        ("list_skills", json!(18_446_744_073_709_551_616_f64)),
    ] {
        let refused = bench.output(tool, json!({"limit": limit})).await;
        assert!(
            refused.is_error && refused.joined_text().contains("1 to 200"),
            "{refused:?}"
        );
    }
    let nothing = bench
        .structured("search_skills", json!({"query": "the ???"}))
        .await;
    assert_eq!(nothing["hits"], json!([]));
    assert_eq!(nothing["notes"].as_array().unwrap().len(), 1);
}
