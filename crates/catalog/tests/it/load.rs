//! Loading, unloading, reloading.

use metier_catalog::{CatalogEventKind, LoadRequest};
use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

const GO: &str = "tools:\n  - name: go\n    source_file: scripts/run.py\n";

#[tokio::test]
async fn dependencies_come_first_and_in_one_generation() {
    let bench = Bench::new();
    bench.skill_with_tools("base", GO, ECHO);
    bench.skill("rig", &["depends: [base]", "tools: tools.yaml"]);
    bench.file("rig/tools.yaml", GO);
    bench.file("rig/scripts/run.py", ECHO);
    bench.discover();
    let mut events = bench.catalog.subscribe();
    let before = bench.catalog.snapshot().generation();
    let report = bench.catalog.load(LoadRequest::new("rig")).await.unwrap();
    assert_eq!(report.loaded, ["rig"]);
    assert_eq!(report.dependencies, ["base"]);
    assert_eq!(bench.catalog.snapshot().generation(), before + 1);
    let event = events.try_recv().unwrap();
    assert_eq!(
        event.kind,
        CatalogEventKind::SkillLoaded {
            names: vec!["base".to_owned(), "rig".to_owned()]
        }
    );
    assert!(event.tools_changed);
    assert!(events.try_recv().is_err());
    assert_eq!(bench.beyond_core(), ["base__go", "rig__go"]);

    let again = bench.catalog.load(LoadRequest::new("rig")).await.unwrap();
    assert_eq!(again.already_loaded, ["rig"]);
    assert_eq!(again.tools.len(), 1);
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn what_is_needed_stays() {
    let bench = Bench::new();
    bench.skill_with_tools("base", GO, ECHO);
    bench.skill("rig", &["depends: [base]", "tools: tools.yaml"]);
    bench.file("rig/tools.yaml", GO);
    bench.file("rig/scripts/run.py", ECHO);
    bench.discover();
    bench.catalog.load_skill("rig").await.unwrap();
    let refused = bench
        .output("unload_skill", json!({"skill_name": "base"}))
        .await;
    assert!(
        refused.is_error && refused.joined_text().contains("needed by rig"),
        "{refused:?}"
    );
    assert_eq!(bench.catalog.unload_skill("rig"), Ok(1));
    assert_eq!(bench.catalog.unload_skill("rig"), Ok(0));
    assert!(bench.catalog.is_loaded("base"));
    bench.catalog.load_skill("rig").await.unwrap();
    let forced = bench
        .structured("unload_skill", json!({"skill_name": "base", "force": true}))
        .await;
    assert_eq!(forced["unloaded"], json!(["rig", "base"]));
    assert_eq!(forced["tools_removed"], 2);
    assert_eq!(bench.beyond_core(), ["__skill__base", "__skill__rig"]);
}

#[tokio::test]
async fn a_skill_without_tools_loads() {
    let bench = Bench::new();
    bench.skill("words", &[]);
    bench.discover();
    let answer = bench
        .output("load_skill", json!({"skill_name": "words"}))
        .await;
    assert!(!answer.is_error);
    assert_eq!(answer.structured.unwrap()["loaded"], json!(["words"]));
    assert!(bench.beyond_core().is_empty());
}

#[tokio::test]
async fn an_unknown_name_offers_what_looks_like_it() {
    let bench = Bench::new();
    bench.skill("maya-geometry", &[]);
    bench.discover();
    let refused = bench
        .output("load_skill", json!({"skill_name": "maya-geometri"}))
        .await;
    assert!(refused.is_error);
    assert!(
        refused
            .joined_text()
            .contains("did you mean `maya-geometry`?"),
        "{}",
        refused.joined_text()
    );
}

#[tokio::test]
async fn several_at_once_fail_one_by_one() {
    let bench = Bench::new();
    bench.skill_with_tools("one", GO, ECHO);
    bench.discover();
    let answer = bench
        .output("load_skill", json!({"skill_names": ["one", "two"]}))
        .await;
    assert!(answer.is_error);
    let facts = answer.structured.unwrap();
    assert_eq!(facts["loaded"], json!(["one"]));
    assert_eq!(facts["errors"].as_array().unwrap().len(), 1);
    assert!(bench.catalog.is_loaded("one"));
}

#[tokio::test]
async fn many_names_are_one_generation() {
    let bench = Bench::new();
    bench.skill("base", &[]);
    bench.skill("broken", &["depends: [nowhere]"]);
    for n in 0..50 {
        let name = format!("skill-{n:02}");
        bench.skill(&name, &["depends: [base]", "tools: tools.yaml"]);
        bench.file(&format!("{name}/tools.yaml"), GO);
        bench.file(&format!("{name}/scripts/run.py"), ECHO);
    }
    bench.discover();
    let mut events = bench.catalog.subscribe();
    let before = bench.catalog.snapshot().generation();
    let mut names: Vec<String> = (0..50).map(|n| format!("skill-{n:02}")).collect();
    names.insert(3, "broken".to_owned());
    names.insert(7, "nobody".to_owned());
    names.push("base".to_owned());
    let answer = bench
        .output("load_skill", json!({"skill_names": names}))
        .await;
    assert!(answer.is_error);
    let facts = answer.structured.unwrap();
    assert_eq!(facts["loaded"].as_array().unwrap().len(), 50);
    assert_eq!(facts["errors"].as_array().unwrap().len(), 2);
    assert_eq!(bench.catalog.loaded_count(), 51);
    assert_eq!(bench.catalog.snapshot().generation(), before + 1);
    assert!(events.try_recv().unwrap().tools_changed);
    assert!(events.try_recv().is_err(), "one event for all of them");
    let again = bench
        .structured("load_skill", json!({"skill_names": ["base", "skill-01"]}))
        .await;
    assert_eq!(again["already_loaded"], json!(["base", "skill-01"]));
    assert_eq!(bench.catalog.snapshot().generation(), before + 1);
}

#[tokio::test]
async fn a_loaded_skill_follows_its_files() {
    let bench = Bench::new();
    bench.skill_with_tools("live", GO, ECHO);
    bench.discover();
    bench.catalog.load_skill("live").await.unwrap();
    let mut events = bench.catalog.subscribe();

    bench.catalog.rediscover();
    assert!(
        events.try_recv().is_err(),
        "nothing changed on disk, so there is nothing to tell"
    );

    bench.file("live/tools.yaml", "tools:\n  - name: go\n    source_file: scripts/run.py\n  - name: more\n    source_file: scripts/run.py\n");
    bench.catalog.rediscover();
    assert!(events.try_recv().unwrap().tools_changed);
    assert_eq!(bench.beyond_core(), ["live__go", "live__more"]);

    std::fs::remove_dir_all(bench.path().join("live")).unwrap();
    bench.catalog.rediscover();
    assert!(bench.beyond_core().is_empty());
    assert!(!bench.catalog.is_loaded("live"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_loads_at_once_settle() {
    let bench = Bench::new();
    bench.skill_with_tools("one", GO, ECHO);
    bench.discover();
    let tasks: Vec<_> = (0..20)
        .map(|n| {
            let catalog = bench.catalog.clone();
            tokio::spawn(async move {
                if n % 2 == 0 {
                    catalog
                        .load_skill("one")
                        .await
                        .map(|_| ())
                        .map_err(|error| error.to_string())
                } else {
                    catalog
                        .unload_skill("one")
                        .map(|_| ())
                        .map_err(|error| error.to_string())
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    bench.catalog.load_skill("one").await.unwrap();
    assert_eq!(bench.beyond_core(), ["one__go"]);
}

#[tokio::test]
async fn an_unusable_schema_is_told_before_and_at_its_word() {
    let bench = Bench::new();
    let tools = "tools:\n  - name: go\n    source_file: scripts/run.py\n    input_schema:\n      properties: {n: {type: int}}\n";
    bench.skill_with_tools("rig", tools, ECHO);
    bench.discover();
    let told = |found: &[metier_diagnostics::Diagnostic]| {
        let about = found.iter().filter(|found| found.code.id == "MT505");
        about.map(ToString::to_string).collect::<Vec<_>>()
    };
    let listed = told(
        &bench
            .catalog
            .get_skill_info("rig")
            .unwrap()
            .summary
            .diagnostics,
    );
    assert_eq!(listed.len(), 1);
    assert!(
        listed[0].starts_with("rig/tools.yaml:5:30: error[MT505]: "),
        "{listed:?}"
    );
    assert!(
        listed[0].ends_with("(did you mean `integer`?)"),
        "{listed:?}"
    );
    let tool = &bench
        .catalog
        .get_skill_info("rig")
        .unwrap()
        .metadata
        .unwrap()
        .tools[0];
    assert!(tool.refusal.is_some());
    let report = bench.catalog.load(LoadRequest::new("rig")).await.unwrap();
    assert_eq!(told(&report.diagnostics), listed);
}

/// A tools file with so many tools of one description.
fn numbered(count: usize, description: &str) -> String {
    let tool = |number| format!("  - name: t{number}\n    description: {description}\n");
    let tools: Vec<String> = (0..count).map(tool).collect();
    format!("tools:\n{}", tools.concat())
}

#[tokio::test]
async fn a_name_that_is_said_often_is_loaded_and_told_once() {
    let bench = Bench::new();
    bench.skill_with_tools("many", &numbered(60, "Says."), "print(1)\n");
    bench.skill("other", &[]);
    bench.discover();
    let once = bench
        .structured("load_skill", json!({"skill_names": ["many", "other"]}))
        .await;
    assert_eq!(once["loaded"], json!(["many", "other"]));
    let mut names = vec!["many"; 98];
    names.push("other");
    let often = bench
        .structured(
            "load_skill",
            json!({"skill_names": names, "skill_name": "other"}),
        )
        .await;
    assert_eq!(often["already_loaded"], json!(["many", "other"]));
    assert_eq!(often["tool_count"], 60);
    let refused = bench
        .output("load_skill", json!({"skill_names": vec!["many"; 101]}))
        .await;
    assert!(
        refused.is_error && refused.joined_text().contains("skill_names"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_answer_has_an_end_however_much_is_loaded() {
    let bench = Bench::new();
    let text = "x".repeat(20_000);
    for skill in 0..4 {
        bench.skill_with_tools(
            &format!("large-{skill}"),
            &numbered(20, &text),
            "print(1)\n",
        );
    }
    bench.discover();
    let names: Vec<String> = (0..4).map(|skill| format!("large-{skill}")).collect();
    let answer = bench
        .structured("load_skill", json!({"skill_names": names}))
        .await;
    assert_eq!(answer["tool_count"], 80);
    let shown = answer["tools"].as_array().unwrap().len();
    let more = answer["more_tools"].as_array().unwrap();
    assert_eq!(shown + more.len(), 80);
    assert!(!more.is_empty() && answer.to_string().len() < 2 << 20);
    let listed = bench.listed();
    assert!(
        more.iter()
            .all(|name| listed.contains(&name.as_str().unwrap().to_owned()))
    );
}

#[tokio::test]
async fn names_that_nothing_has_are_not_repeated_at_length() {
    let bench = Bench::new();
    bench.skill("one", &[]);
    bench.discover();
    let long = "y".repeat(1_000_000);
    let many: Vec<String> = (0..100)
        .map(|number| format!("no-{number}-{}", "z".repeat(10_000)))
        .collect();
    for (tool, arguments) in [
        ("load_skill", json!({"skill_name": long})),
        ("load_skill", json!({"skill_names": many})),
        ("get_skill_info", json!({"skill_name": long})),
        ("list_skills", json!({"cursor": long})),
    ] {
        let answer = bench.output(tool, arguments).await;
        assert!(answer.is_error, "{tool}");
        let size = answer.joined_text().len() + json!(answer.structured).to_string().len();
        assert!(size < 20_000, "{tool}: {size}");
    }
}

/// What a policy refuses is not all that happened.
#[tokio::test]
async fn what_was_loaded_is_told_beside_what_was_refused() {
    let hooks = LifecycleHooks::new();
    hooks.on(
        HookEvent::BeforeSkillLoad,
        |context: &HookContext| match &context.payload {
            HookPayload::BeforeSkillLoad { skill_name, .. } if skill_name == "base" => {
                Err(HookDeny::new("not today").hint("ask").into())
            }
            _ => Ok(()),
        },
    );
    let mut bench = Bench::new();
    bench.catalog = bench.catalog.clone().with_hooks(hooks);
    bench.skill_with_tools("solo", GO, ECHO);
    bench.skill("base", &[]);
    bench.skill("rig", &["depends: [base]"]);
    bench.discover();
    let both = json!({"skill_names": ["solo", "rig"]});
    let answer = bench.output("load_skill", both).await;
    assert!(answer.is_error);
    assert_eq!(
        bench.beyond_core(),
        ["solo__go", "__skill__base", "__skill__rig"]
    );
    let told = "loading `base`, which `rig` needs, was denied by policy: not today\nask\nloaded all the same: `solo`";
    assert_eq!(answer.joined_text(), told);
    let facts = serde_json::to_value(answer.structured.unwrap()).unwrap();
    let expected = json!({"code": "denied", "reason": "not today", "hint": "ask", "skill_name": "base", "loaded": ["solo"]});
    assert_eq!(facts, expected);
    // And as before where nothing was.
    let one = bench
        .output("load_skill", json!({"skill_name": "rig"}))
        .await;
    assert!(!one.structured.unwrap().contains_key("loaded"));
    let other = json!({"skill_names": ["solo", "nothing"]});
    assert!(
        !bench
            .output("load_skill", other)
            .await
            .joined_text()
            .contains("all the same")
    );
}
