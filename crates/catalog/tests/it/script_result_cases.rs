//! What goes wrong with what scripts print: one test for each numbered case from the field, as a caller sees it.

use std::time::Duration;

use metier_catalog::CatalogSettings;
use metier_runner::EnvLookup;
use metier_tool::ToolOutput;
use serde_json::json;

use crate::script_cases::{facts, skill};

async fn python(script: &str) -> ToolOutput {
    let bench = skill(|_| (), &[("go.py", script)]).await;
    bench.output("box__go", json!({})).await
}

fn log(output: &ToolOutput) -> &str {
    output.meta["dcc"]["log"].as_str().unwrap()
}

#[tokio::test]
async fn case_087_noise_before_json() {
    let before = python("print('plugin {2 of 2}\\nold shader')\nprint('{\"success\": false, \"message\": \"nothing is selected\"}')\n").await;
    assert!(before.is_error && before.joined_text().contains("nothing is selected"));
    assert_eq!(log(&before), "plugin {2 of 2}\nold shader");
    let after = python("print('{\"success\": true, \"n\": 1}')\nprint('good night')\n").await;
    assert!(!after.is_error);
    assert_eq!(
        (&facts(&after)["n"], log(&after)),
        (&json!(1), "good night")
    );
    let two = python("print('{\"step\": 1}')\nprint('{\"step\": 2}')\n").await;
    assert_eq!(
        (facts(&two), log(&two)),
        (json!({"step": 2}), "{\"step\": 1}")
    );
    let none = python("print('only words')\n").await;
    assert_eq!(
        facts(&none),
        json!({"success": true, "message": "only words"})
    );
    let long = python("print('noise ' * 100000)\nprint('{\"n\": 1}')\n").await;
    assert_eq!(facts(&long), json!({"n": 1}));
    assert!((1_000..20_000).contains(&log(&long).len()), "capped");
}

#[tokio::test]
async fn case_088_failure_with_exit_zero() {
    let soft = python("print('{\"success\": false, \"message\": \"no mesh\"}')\n").await;
    assert!(soft.is_error && soft.joined_text().contains("no mesh"));
    assert!(
        soft.meta
            .get("dcc")
            .is_none_or(|dcc| dcc.get("exit_code").is_none())
    );
    let hard = python("print('{\"success\": true}')\nraise SystemExit(4)\n").await;
    assert!(hard.is_error && hard.joined_text().contains("exit code 4"));
    assert_eq!(hard.meta["dcc"]["exit_code"], 4);
}

#[tokio::test]
async fn case_089_output_kept_on_failure() {
    let script = "import sys\nprint('first done')\nprint('x' * 100000, file=sys.stderr)\nsys.exit('no room')\n";
    let failed = python(script).await;
    assert!(failed.is_error);
    let text = failed.joined_text();
    let begins = "the script ended with exit code 1\n\noutput:\nfirst done\n\nend of the error output:\n[…] ";
    assert!(text.starts_with(begins), "{text:.300}");
    assert!(text.trim_end().ends_with("x\nno room"), "{text:.300}");
    assert!(text.len() < 20_000);
    // Clients that hand on the structured result alone hand on no more of it.
    for script in [
        "import sys\nprint('x' * 3_000_000 + 'last')\nsys.exit(3)\n",
        "print('{\"a\": \"' + 'x' * 3_000_000 + '\",}last}')\n",
    ] {
        let failed = python(script).await;
        let told = facts(&failed);
        let kept = told["output"].as_str().unwrap();
        assert!(failed.is_error && kept.len() < 10_000 && kept.starts_with("[…] "));
        assert!(kept.trim_end_matches('}').ends_with("last"), "{kept:.50}");
    }
}

#[tokio::test]
async fn case_090_bytes_that_are_not_text() {
    let bench = skill(
        |settings| {
            let path = std::env::var("PATH").unwrap();
            settings.run.environment = EnvLookup::new([
                ("PATH", path.as_str()),
                ("LC_ALL", "C"),
                ("PYTHONIOENCODING", "ascii"),
            ]);
        },
        &[
            ("raw.py", "import os\nos.write(1, b'\\xff\\xfe\\xc4 end')\n"),
            ("han.py", "print('{\"text\": \"球体\"}')\n"),
        ],
    )
    .await;
    let raw = bench.output("box__raw", json!({})).await;
    assert_eq!(facts(&raw)["message"], "\u{fffd}\u{fffd}\u{fffd} end");
    let note = raw.meta["dcc"]["note"].as_str().unwrap();
    assert!(note.contains("not UTF-8"), "{note}");
    let han = bench.output("box__han", json!({})).await;
    assert_eq!(facts(&han), json!({"text": "球体"}));
}

#[tokio::test]
async fn case_091_endless_output() {
    let limited = |settings: &mut CatalogSettings| settings.run.limits.output_bytes = 100_000;
    let fifty = [("fifty.py", "for _ in range(50): print('球' * 333333)\n")];
    let bench = skill(limited, &fifty).await;
    let fifty = bench.output("box__fifty", json!({})).await;
    let text = fifty.joined_text();
    assert!(fifty.is_error, "{text:.300}");
    let (limit, rest) = text.split_once("): ").unwrap();
    assert!(
        limit.starts_with("its output is over the limit of "),
        "{text:.300}"
    );
    assert!(limit.ends_with("(100000 bytes"), "{text:.300}");
    // Of fifty lines of a million bytes the edges are kept.
    let dropped: u64 = rest.split(' ').next().unwrap().parse().unwrap();
    assert!((49_900_000..50_000_000).contains(&dropped), "{dropped}");
    assert!(
        !text.contains('\u{fffd}') && text.contains('球'),
        "cut at characters"
    );
    let short = |settings: &mut CatalogSettings| {
        limited(settings);
        settings.run.limits.deadline = Duration::from_secs(8);
        settings.run.limits.grace = Duration::from_millis(50);
    };
    let forever = [("forever.py", "while True: print('球' * 1000)\n")];
    let bench = skill(short, &forever).await;
    let forever = bench.output("box__forever", json!({})).await;
    let text = forever.joined_text();
    assert!(forever.is_error && text.starts_with("the script was still running at its time limit of 8 s and was ended; its output is over the limit"), "{text:.300}");
    assert!(!text.contains('\u{fffd}'), "cut at characters");
}

#[tokio::test]
async fn case_099_killed_by_signal() {
    let killed = python(
        "import os, signal\nprint('before', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n",
    )
    .await;
    assert!(killed.is_error);
    assert_eq!(
        killed.joined_text().trim_end(),
        "the script was killed by SIGKILL (signal 9)\n\noutput:\nbefore"
    );
    let crashed = python("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n").await;
    assert!(crashed.is_error && crashed.joined_text().contains("SIGSEGV"));
}

#[tokio::test]
async fn case_101_json_but_not_an_object() {
    for (printed, wanted, text) in [
        ("echo '[1, 2]'", json!({"result": [1, 2]}), "[1,2]"),
        ("echo '\"text\"'", json!({"result": "text"}), "\"text\""),
        ("echo 3", json!({"result": 3}), "3"),
        ("echo null", json!({"result": null}), "null"),
        (
            "exit 0",
            json!({"success": true, "message": ""}),
            r#"{"success":true,"message":""}"#,
        ),
    ] {
        let bench = skill(|_| (), &[("go.sh", printed)]).await;
        let output = bench.output("box__go", json!({})).await;
        assert_eq!(
            (facts(&output), output.is_error),
            (wanted, false),
            "{printed}"
        );
        assert_eq!(output.joined_text().replace(' ', ""), text, "{printed}");
    }
}

#[tokio::test]
async fn case_102_bom_and_colour_codes() {
    for script in [
        "import os\nos.write(1, b'\\xef\\xbb\\xbf{\"success\": true}\\n')\n",
        "print('\\x1b[32m{\"success\": true}\\x1b[0m')\n",
        "print('\\x1b]0;title\\x07\\x1b[1;31mred\\x1b[0m\\n\\x1b[32m{\"success\": true}\\x1b[0m')\n",
    ] {
        let output = python(script).await;
        assert_eq!(
            (facts(&output), output.is_error),
            (json!({"success": true}), false),
            "{script}"
        );
    }
}
