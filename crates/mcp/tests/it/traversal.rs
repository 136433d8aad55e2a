//! Ways out of a skill that somebody might try, and what each surface says to them.

use serde_json::json;

use crate::bench::{Bench, Client};
use crate::skill_folder::{bench, both, write};

/// Lies where nobody may read it.
const SENTINEL: &str = "nobody may read this";

/// What may stand behind `skill://bake/`; none of it is a file that is served.
const TRIES: &[&str] = &[
    // Dots, plain and escaped, once and twice.
    "../one/SKILL.md",
    "./SKILL.md",
    "references/../SKILL.md",
    "references/./a%20b.md",
    "references/a%20b.md/",
    "SKILL.md/",
    "%2e%2e/one/SKILL.md",
    "%2E%2E/one/SKILL.md",
    ".%2e/one/SKILL.md",
    "%252e%252e/one/SKILL.md",
    "%25252e%25252e/one/SKILL.md",
    "..%2fone%2fSKILL.md",
    "%2e%2e%2fone%2fSKILL.md",
    "..%252fone%252fSKILL.md",
    "references/..%2f..%2fone/SKILL.md",
    ".../one/SKILL.md",
    "references/.%20./SKILL.md",
    // Separators of another system.
    "..\\one\\SKILL.md",
    "..%5cone%5cSKILL.md",
    "references\\a%20b.md",
    "references%5ca%20b.md",
    "C:%5cx",
    "C:/x",
    "//etc/hostname",
    "%2fetc%2fhostname",
    "/etc/hostname",
    // Bytes that end or hide a name.
    "nul.txt%00",
    "nul.txt%00.md",
    "nul.txt%0a",
    "nul.txt%20",
    "nul.txt.",
    "nul.txt::$DATA",
    "nul.txt%E2%80%8B",
    "%EF%BB%BFnul.txt",
    "%E2%80%AEtxt.lun",
    // Not UTF-8, among them dots and a slash that are longer than they need be.
    "%c0%ae%c0%ae/one/SKILL.md",
    "%e0%80%ae%e0%80%ae/one/SKILL.md",
    "..%c0%afone",
    "%ff",
    "%u002e%u002e/one/SKILL.md",
    // Characters that look like dots, slashes and letters.
    "\u{2024}\u{2024}/one/SKILL.md",
    "\u{FF0E}\u{FF0E}/one/SKILL.md",
    "\u{2025}/one/SKILL.md",
    "..\u{2215}one\u{2215}SKILL.md",
    "..\u{FF0F}one\u{FF0F}SKILL.md",
    "\u{FF33}KILL.md",
    "SK\u{0406}LL.md",
    "S\u{212A}ILL.md",
    // Another case, and the same letter put together another way.
    "skill.md",
    "SKILL.MD",
    "References/a%20b.md",
    "re%CC%81sume%CC%81.md",
    "re\u{301}sume\u{301}.md",
    // What is hidden, what leads out, and what is no file.
    ".git/config",
    "%2egit/config",
    ".git",
    "references/.hidden",
    "out.txt",
    "out/secret.txt",
    "pipe",
    "references",
    "references/a%20b.md/",
    "nul.txt/x",
    // What belongs to other parts of a URI.
    "SKILL.md?x",
    "SKILL.md#x",
    "SKILL.md%3Fx",
    "a%20b.md",
    "%",
    "%2",
    "%zz",
];

/// A skill with a file beside it that must not be read.
fn guarded() -> (Bench, tempfile::TempDir) {
    let bench = bench();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.txt", SENTINEL);
    let root = bench.root();
    write(root, "bake/.git/config", SENTINEL);
    write(root, "bake/references/.hidden", SENTINEL);
    write(root, "bake/r\u{e9}sum\u{e9}.md", "composed");
    write(
        root,
        "one/SKILL.md",
        format!("---\nname: one\ndescription: x\n---\n{SENTINEL}\n"),
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), root.join("bake/out")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(root.join("bake/pipe"))
            .status();
        assert!(pipe.unwrap().success());
    }
    bench.rediscover();
    (bench, outside)
}

#[tokio::test]
async fn nothing_but_the_files_of_the_manifest_is_read_whatever_is_asked_for() {
    let (bench, _outside) = guarded();
    let client = bench.session().await;
    let refused = |raw: &str, asked: &str| {
        assert!(!raw.contains(SENTINEL), "{asked}: {raw}");
        let root = bench.root().to_string_lossy();
        assert!(!raw.contains(&*root), "no path of the server: {raw}");
    };
    for path in TRIES {
        let uri = format!("skill://bake/{path}");
        for method in ["resources/read", "skills/get"] {
            // The one slash at the end is that of a folder, and means the same file.
            if path.ends_with(".md/") {
                continue;
            }
            let heard = both(&bench, &client, method, json!({"uri": uri})).await;
            assert_eq!(heard.code(), -32602, "{method} {uri}");
            refused(&heard.raw, &uri);
        }
        if *path != "references" {
            let heard = both(
                &bench,
                &client,
                "resources/directory/read",
                json!({"uri": uri}),
            )
            .await;
            assert_eq!(heard.code(), -32602, "{uri}");
            refused(&heard.raw, &uri);
        }
        // A client without resources asks with the path as it is, and with its escapes taken away.
        for path in [
            (*path).to_owned(),
            path.replace("%2e", ".").replace("%2f", "/"),
        ] {
            let arguments = json!({"skill_name": "bake", "path": path});
            let heard = client.call("read_skill_file", arguments).await;
            assert_eq!(
                heard.answer["result"]["isError"], true,
                "{path}: {}",
                heard.raw
            );
            refused(&heard.raw, &path);
        }
        if !path.ends_with(".md/") {
            let below = format!("bake/{path}");
            assert!(bench.server.agent_skills(&below).await.is_none(), "{below}");
        }
    }
    for name in [
        "BAKE",
        "bake/../one",
        "Bake",
        "b\u{430}ke",
        "bake%2f..%2fone",
        "bake@one",
        "one:80",
        ".",
        "",
    ] {
        let uri = format!("skill://{name}/SKILL.md");
        let heard = both(&bench, &client, "resources/read", json!({"uri": uri})).await;
        assert_eq!(heard.code(), -32602, "{uri}");
        let heard = client
            .call("read_skill_file", json!({"skill_name": name}))
            .await;
        assert_eq!(heard.answer["result"]["isError"], true, "{name}");
    }
    let composed = "skill://bake/r%C3%A9sum%C3%A9.md";
    let heard = both(&bench, &client, "resources/read", json!({"uri": composed})).await;
    assert_eq!(heard.answer["result"]["contents"][0]["text"], "composed");
}

/// What three surfaces say of a file; each either nothing or its text.
async fn read_everywhere(bench: &Bench, client: &Client<'_>, path: &str) -> Vec<String> {
    let uri = format!("skill://bake/{path}");
    let read = client.request("resources/read", json!({"uri": uri})).await;
    let arguments = json!({"skill_name": "bake", "path": path});
    let tool = client.call("read_skill_file", arguments).await;
    let file = bench.server.agent_skills(&format!("bake/{path}")).await;
    let mut texts = Vec::new();
    texts.extend(read.answer.pointer("/result/contents/0/text").cloned());
    if tool.answer["result"]["isError"] != true {
        texts.extend(tool.answer.pointer("/result/content/0/text").cloned());
    }
    let mut texts: Vec<String> = texts
        .iter()
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    texts.extend(file.map(|file| String::from_utf8(file.bytes.to_vec()).unwrap()));
    assert!(!read.raw.contains(SENTINEL) && !tool.raw.contains(SENTINEL));
    texts
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_swapped_while_it_is_read_leads_nowhere() {
    use std::fs::{remove_file, rename};
    use std::os::unix::fs::symlink;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let (bench, outside) = guarded();
    let bake = bench.root().join("bake");
    write(&bake, "swap/secret.txt", "inside");
    write(&bake, "single.txt", "inside");
    bench.rediscover();
    let client = bench.session().await;
    let done = Arc::new(AtomicBool::new(false));
    let (is_done, out) = (Arc::clone(&done), outside.path().to_owned());
    let swapper = std::thread::spawn(move || {
        let mut swaps = 0;
        while !is_done.load(Ordering::Relaxed) {
            // The folder becomes a link that leads out, and the file as well, and back.
            rename(bake.join("swap"), bake.join(".kept")).unwrap();
            symlink(&out, bake.join("swap")).unwrap();
            rename(bake.join("single.txt"), bake.join(".single")).unwrap();
            symlink(out.join("secret.txt"), bake.join("single.txt")).unwrap();
            remove_file(bake.join("swap")).unwrap();
            rename(bake.join(".kept"), bake.join("swap")).unwrap();
            rename(bake.join(".single"), bake.join("single.txt")).unwrap();
            swaps += 1;
        }
        swaps
    });
    let mut read = Vec::new();
    for _ in 0..60 {
        read.extend(read_everywhere(&bench, &client, "swap/secret.txt").await);
        read.extend(read_everywhere(&bench, &client, "single.txt").await);
    }
    done.store(true, Ordering::Relaxed);
    assert!(swapper.join().unwrap() > 0);
    assert!(read.iter().all(|text| text == "inside"), "{read:?}");
    // When it is over everything is as it was.
    for path in ["swap/secret.txt", "single.txt"] {
        assert_eq!(read_everywhere(&bench, &client, path).await, ["inside"; 3]);
    }
}
