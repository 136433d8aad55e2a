//! Skills with files of every kind, and requests that are made in both eras at once.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::bench::{Bench, Client, Heard};

pub(crate) const BODY: &str = "---\nname: bake\ndescription: Bakes. And more.\nversion: 1.10\narguments: [path]\n---\n\n# Bake $path from {baseDir}\n";

pub(crate) fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A skill with files of every kind beside the two of the bench.
pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    let root = bench.root();
    write(root, "bake/SKILL.md", BODY);
    write(root, "bake/references/a b.md", "# é\r\n");
    write(root, "bake/references/deep/x.json", "{}");
    write(root, "bake/assets/dot.png", b"\x89PNG\r\n\x1a\n\0\xff");
    write(root, "bake/nul.txt", b"a\0b");
    write(root, "bake/.git/config", "secret");
    write(
        root,
        "Illegal/SKILL.md",
        "---\nname: Illegal_Name\ndescription: x\n---\n",
    );
    write(
        root,
        "hidden/SKILL.md",
        "---\nname: hidden\ndescription: x\nuser-invocable: false\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n---\nHi\n",
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", root.join("bake/out.txt")).unwrap();
    bench.rediscover();
    bench
}

/// The same request in both eras, which must agree but for what an era adds.
pub(crate) async fn both(bench: &Bench, client: &Client<'_>, method: &str, params: Value) -> Heard {
    let legacy = client.request(method, params.clone()).await;
    let modern = bench.modern(method, params).await;
    assert_eq!(
        (legacy.status, modern.status),
        (200, 200),
        "{method}: {}",
        modern.raw
    );
    let mut stripped = modern.answer.clone();
    if let Some(result) = stripped.get_mut("result").and_then(Value::as_object_mut) {
        assert_eq!(
            result.remove("resultType"),
            Some(json!("complete")),
            "{method}"
        );
        result.remove("ttlMs");
        result.remove("cacheScope");
        let meta = result["_meta"].as_object_mut().unwrap();
        meta.remove("io.modelcontextprotocol/serverInfo");
        if meta.is_empty() {
            result.remove("_meta");
        }
    }
    assert_eq!(
        without_place(&legacy.answer),
        without_place(&stripped),
        "{method}"
    );
    legacy
}

/// Where in the text something was wrong depends on what an era adds to it.
pub(crate) fn without_place(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(Value::String(message)) = answer.pointer_mut("/error/message")
        && let Some((what, _)) = message.split_once(" at line ")
    {
        *message = what.to_owned();
    }
    answer
}

pub(crate) async fn error(
    bench: &Bench,
    client: &Client<'_>,
    method: &str,
    params: Value,
) -> String {
    let heard = both(bench, client, method, params).await;
    assert_eq!(heard.code(), -32602, "{}", heard.raw);
    heard.answer["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

pub(crate) fn bytes_of(content: &Value) -> Vec<u8> {
    match &content["blob"] {
        Value::String(blob) => STANDARD.decode(blob).unwrap(),
        _ => content["text"].as_str().unwrap().as_bytes().to_vec(),
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// The same with `TIME` for every time, after a look at its form.
pub(crate) fn timeless(value: &Value) -> Value {
    let mut value = value.clone();
    let mut rest = vec![&mut value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                for (name, value) in members {
                    if name == "lastModified" {
                        let text = value.as_str().unwrap();
                        assert!(text.len() == 20 && text.ends_with('Z'), "{text}");
                        *value = json!("TIME");
                    } else {
                        rest.push(value);
                    }
                }
            }
            _ => {}
        }
    }
    value
}
