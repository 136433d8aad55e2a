//! Arguments at their worst, over HTTP and from the command line: a script reads exactly what was sent, or the
//! call is refused in clear words; and the server answers others meanwhile.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;

use crate::command::{metier, said, write};
use crate::http_client::{Client, call};

/// Leaves what it reads, and what stands on its command line, in files of the skill's folder.
const PYTHON: &str = "import json, sys\n\
    open('read', 'wb').write(sys.stdin.buffer.read())\n\
    open('argv', 'w').write(json.dumps(sys.argv[1:]))\n\
    print('{\"ok\": true}')\n";
const SHELL: &str = "cat > read\nprintf '%s' \"$#\" > argv\nprintf '{\"ok\": true}'\n";

enum Fate {
    /// The text is in the form in which the server writes JSON, so that every byte is compared.
    Delivered,
    /// Over HTTP and from the command line, with these words.
    Refused(&'static str),
    /// Too large for a message; a command has no such bound.
    TooLarge,
}
use Fate::{Delivered, Refused, TooLarge};

fn nested(levels: usize) -> String {
    let (open, close) = ("{\"a\":".repeat(levels), "}".repeat(levels));
    format!("{open}1{close}")
}

#[rustfmt::skip]
fn cases() -> Vec<(&'static str, String, Fate)> {
    let text = |text: &str| text.to_owned();
    let keys: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
    vec![
        ("NUL", text(r#"{"a":"x\u0000y","\u0000":1}"#), Delivered),
        ("controls", text(r#"{"a":"\u0001\u001b[31m\b\f\r\t"}"#), Delivered),
        ("new lines", text(r#"{"a":"b\nc\n","d\ne":"\r\n"}"#), Delivered),
        ("options", text(r#"{"--x":1,"-c":"import os","--":"-rf","a=b":"=","-":true}"#), Delivered),
        ("empty keys", text(r#"{"":{"":[""]}}"#), Delivered),
        ("shell words", text(r#"{"$(touch x)":"`touch x`; touch x & 'a' \"b\" %PATH% !x! * ~ \\"}"#), Delivered),
        ("keys of classes", text(r#"{"constructor":{"__proto__":2},"toString":null}"#), Delivered),
        ("no plane but the first", text("{\"🎬\":\"\u{10ffff}\u{feff}\u{202e}\u{2028}\"}"), Delivered),
        ("minus zero", text(r#"{"a":-0.0}"#), Delivered),
        ("64 bits", text(r#"{"a":18446744073709551615,"b":-9223372036854775808}"#), Delivered),
        ("large fractions", text(r#"{"a":1.7976931348623157e+308,"b":5e-324,"c":1e+300}"#), Delivered),
        ("deep", nested(100), Delivered),
        ("100,000 keys", format!("{{{}}}", keys.join(",")), Delivered),
        ("3 MB", format!(r#"{{"a":"{}"}}"#, "x".repeat(3_000_000)), Delivered),
        ("10 MB", format!(r#"{{"a":"{}"}}"#, "x".repeat(10_000_000)), TooLarge),
        ("half a pair", text(r#"{"a":"\ud800"}"#), Refused("unexpected end of hex escape")),
        ("the other half", text(r#"{"a":"\udc00x"}"#), Refused("lone leading surrogate in hex escape")),
        ("65 bits", text(r#"{"a":18446744073709551616}"#), Refused("a: the integer 18446744073709551616 is too large to be carried exactly: 64 bits are the most (send text where the tool takes it)")),
        ("beyond all numbers", text(r#"{"a":1e400}"#), Refused("number out of range")),
        ("twice", text(r#"{"a":1,"b":2,"a":3}"#), Refused("a: stands twice in the same object; send it once")),
        ("too deep", nested(2_000), Refused("recursion limit exceeded")),
        ("no number", text(r#"{"a":NaN}"#), Refused("expected value")),
    ]
}

/// The command line hands on what the reader of JSON says; a model is told in words.
fn to_a_model(words: &'static str) -> &'static str {
    match words {
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
            "is half a character"
        }
        "number out of range" => "larger than any that can be carried",
        "recursion limit exceeded" => "nested deeper than",
        words => words,
    }
}

fn skill(folder: &Path) {
    let skill = folder.join("skills/odd");
    write(
        skill.join("SKILL.md"),
        "---\nname: odd\ndescription: Odd.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        skill.join("tools.yaml"),
        "tools:\n  - name: py\n    source_file: scripts/py.py\n  - name: sh\n    source_file: scripts/sh.sh\n",
    );
    write(skill.join("scripts/py.py"), PYTHON);
    write(skill.join("scripts/sh.sh"), SHELL);
}

/// What a script left in its folder, which is taken away.
fn left(folder: &Path, name: &str) -> Option<String> {
    let file = folder.join("skills/odd").join(name);
    let text = std::fs::read_to_string(&file).ok()?;
    std::fs::remove_file(file).unwrap();
    Some(text)
}

const PING: &str = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;

fn served(folder: &Path, argv: bool) -> (std::process::Child, Client) {
    let mut server = metier(folder)
        .args(["serve", "--port", "0", "--no-config", "skills"])
        .env("METIER_ARGV", argv.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut client = Client::of(&mut server);
    client.exchange(&call(1, "load_skill", r#"{"skill_name":"odd"}"#));
    (server, client)
}

/// The answer to a call, during which and after which the server has answered others.
fn answered(client: &mut Client, tool: &str, arguments: &str) -> String {
    let mut sent = client.send(&call(7, tool, arguments));
    let meanwhile = client.exchange(PING);
    let mut answer = String::new();
    // Of a message that is too large the server reads no more, and closes.
    let _ = sent.read_to_string(&mut answer);
    for pong in [meanwhile, client.exchange(PING)] {
        assert!(pong.contains(r#""id":3,"result":{"#), "{pong}");
    }
    answer
}

#[test]
fn over_http_each_is_delivered_to_the_byte_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let (mut server, mut client) = served(folder.path(), false);
    for (what, arguments, fate) in cases() {
        for (tool, argv) in [("odd__py", "[]"), ("odd__sh", "0")] {
            let answer = answered(&mut client, tool, &arguments);
            let read = left(folder.path(), "read");
            match fate {
                Delivered => {
                    assert!(answer.contains(r#""ok":true"#), "{what}: {answer:.2000}");
                    assert!(
                        read.as_deref() == Some(&*arguments),
                        "{what}, {tool}: {read:.500?}"
                    );
                    assert_eq!(left(folder.path(), "argv").unwrap(), argv, "{what}");
                }
                Refused(words) => {
                    let words = to_a_model(words);
                    assert!(answer.contains(words), "{what}: {answer:.2000}");
                    // What is no JSON at all has no id.
                    let with_id = answer.contains(r#""id":7"#);
                    assert_eq!(with_id, what != "no number", "{what}: {answer:.2000}");
                    assert_eq!(read, None, "{what}: the script ran");
                }
                TooLarge => {
                    assert!(answer.starts_with("HTTP/1.1 413"), "{what}: {answer:.2000}");
                    assert!(answer.contains("4194304"), "{what}: {answer:.2000}");
                    assert_eq!(read, None, "{what}: the script ran");
                }
            }
        }
    }
    assert!(!folder.path().join("skills/odd/x").exists());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn from_the_command_line_each_is_delivered_to_the_byte_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    for (what, arguments, fate) in cases() {
        let mut child = metier(folder.path())
            .args(["call", "odd__py", "--no-config", "--args", "-", "skills"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(arguments.as_bytes()).unwrap();
        drop(stdin);
        let said = said(&child.wait_with_output().unwrap());
        let read = left(folder.path(), "read");
        match fate {
            Delivered | TooLarge => {
                assert!(said.starts_with("exit 0"), "{what}: {said:.2000}");
                assert!(read.as_deref() == Some(&*arguments), "{what}: {read:.500?}");
                assert_eq!(left(folder.path(), "argv").unwrap(), "[]", "{what}");
            }
            Refused(words) => {
                assert!(said.starts_with("exit 2"), "{what}: {said:.2000}");
                assert!(
                    said.contains("error: standard input: "),
                    "{what}: {said:.2000}"
                );
                assert!(said.contains(words), "{what}: {said:.2000}");
                assert_eq!(read, None, "{what}: the script ran");
            }
        }
    }
}

#[test]
fn on_a_command_line_no_argument_becomes_another_option() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let (mut server, mut client) = served(folder.path(), true);
    let arguments = r#"{"to_file":"a\nb","--x":1,"-c":"id","":"e","a=b":"c","all":"--force","by":-5,"on":true,"list":["a"],"none":null,"nul":"a\u0000b","long":""#.to_owned()
        + &"x".repeat(9_000)
        + r#"","last":"$(touch x) & \"y\""}"#;
    let answer = answered(&mut client, "odd__py", &arguments);
    assert!(answer.contains(r#""ok":true"#), "{answer:.2000}");
    assert_eq!(left(folder.path(), "read").unwrap(), arguments);
    assert_eq!(
        left(folder.path(), "argv").unwrap(),
        r#"["--to-file", "a\nb", "--all=--force", "--by", "-5", "--on", "true", "--last", "$(touch x) & \"y\""]"#
    );
    // What a command line does not hold is on standard input alone, and named.
    let keys: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let arguments = format!("{{{}}}", keys.join(","));
    let answer = answered(&mut client, "odd__py", &arguments);
    assert!(answer.contains(r#""ok":true"#), "{answer:.2000}");
    assert!(
        answer.contains("(the command line is full)") && answer.contains(" more\""),
        "{answer:.2000}"
    );
    assert_eq!(left(folder.path(), "read").unwrap(), arguments);
    let passed = left(folder.path(), "argv").unwrap();
    assert!(passed.starts_with(r#"["--k0", "0", "--k1", "1", "#) && passed.len() > 20_000);
    assert!(!folder.path().join("skills/odd/x").exists());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_workspace_of_odd_letters_arrives_in_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path());
    let script = "import json, os\nprint(json.dumps({'roots': json.loads(os.environ['DCC_MCP_WORKSPACE_ROOTS'])}))\n";
    write(folder.path().join("skills/odd/scripts/py.py"), script);
    let root = folder.path().join("a \"b\"\nc=$(touch x);--d 球");
    std::fs::create_dir(&root).unwrap();
    let output = metier(folder.path())
        .args(["call", "odd__py", "--no-config", "skills", "--root"])
        .arg(&root)
        .output()
        .unwrap();
    let answer = crate::command::json(&output);
    assert_eq!(answer["roots"], serde_json::json!([root]));
}
