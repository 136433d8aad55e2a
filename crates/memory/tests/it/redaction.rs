//! Secrets and prompts do not get in, and what gets in has a size.

use std::sync::Arc;

use metier_memory::{AgentMemory, MemoryFilter, MemoryLayer, MemoryQuery, MemoryRecorder, redact};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::clock::{called, ended, entry, memory};

fn redacted(facts: &Value) -> Value {
    Value::Object(redact(facts.as_object().unwrap()))
}

#[test]
fn members_that_speak_of_a_secret_or_a_prompt_are_dropped_at_any_depth() {
    let facts = json!({
        "apiKey": "x", "API-KEY": "x", "api_key": "x", "Authorization": "x", "user_password": "x", "systemPrompt": "x",
        "pwd": "x", "auth": "x", "ssh_key": "x", "author": "ann",
        "client_secret": "x", "accessToken": "x", "aws_access_key_id": "x", "Set-Cookie": "x",
        "tool": "render", "inner": {"token": "x", "list": [{"prompt": "x", "frames": 3}]},
    });
    assert_eq!(
        redacted(&facts),
        json!({"author": "ann", "tool": "render", "inner": {"list": [{"frames": 3}]}})
    );
}

#[test]
fn words_that_look_like_secrets_are_replaced() {
    for (text, kept) in [
        ("rig__build took 3 s", "rig__build took 3 s"),
        (
            "Authorization: Bearer abc.def",
            "Authorization: Bearer [redacted]",
        ),
        ("key sk-abcdefghijklmnop123 used", "key [redacted] used"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
        (
            "https://ann:pw@host:8080/a?b",
            "https://[redacted]@host:8080/a?b",
        ),
        ("https://host/a@b", "https://host/a@b"),
        (
            "password=hunter2, user=ann",
            "password=[redacted], user=ann",
        ),
        ("--token=abc", "--token=[redacted]"),
        ("d41d8cd98f00b204e9800998ecf8427e", "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB", "[redacted]"),
        (
            "maya_geometry__create_sphere_with_many_segments_2",
            "maya_geometry__create_sphere_with_many_segments_2",
        ),
        ("多边形球体", "多边形球体"),
        (
            r#"{"password":"hunter2", "n": 1}"#,
            r#"{"password":"[redacted]", "n": 1}"#,
        ),
        ("{'Password': 'hunter2'}", "{'Password': '[redacted]'}"),
        ("password: hunter2 is set", "password: [redacted]"),
        (
            "api-key: abc, token : x",
            "api-key: [redacted], token : [redacted]",
        ),
        ("Secret = x y", "Secret = [redacted] y"),
        ("run --password hunter2 -v", "run --password [redacted] -v"),
        (
            "https://h/x?token=abc123&a=1",
            "https://h/x?token=[redacted]&a=1",
        ),
        ("cookie: sid=abc", "cookie: [redacted]"),
        (
            "hf_abcdefghijklmnop npm_abcdefghijklmnop",
            "[redacted] [redacted]",
        ),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[redacted]"),
        ("密码：hunter2", "密码：[redacted]"),
        ("密码: hunter2", "密码: [redacted]"),
        (
            "the token is short, the author passes",
            "the token is short, the author passes",
        ),
        (
            "bake/textures/Hero/UdimTilesOfTheFirstPass2",
            "bake/textures/Hero/UdimTilesOfTheFirstPass2",
        ),
    ] {
        assert_eq!(
            redacted(&json!({"note": text})),
            json!({"note": kept}),
            "{text}"
        );
    }
}

#[test]
fn the_memory_redacts_whoever_puts() {
    let (memory, _) = memory();
    for layer in [
        MemoryLayer::Ephemeral,
        MemoryLayer::Working,
        MemoryLayer::LongTerm,
    ] {
        let entry = entry(layer, "a", "key sk-abcdefghijklmnop123")
            .fact("password", "hunter2")
            .fact("note", "x".repeat(10_000));
        memory.put(entry).unwrap();
    }
    let kept = memory
        .query(&MemoryQuery::all(MemoryFilter::new()))
        .unwrap();
    assert_eq!(kept.len(), 3);
    for entry in kept {
        assert_eq!(entry.key, "key [redacted]");
        assert_eq!(entry.facts.keys().collect::<Vec<_>>(), ["note"]);
        assert_eq!(entry.facts["note"].as_str().unwrap().len(), 512);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        ".{0,600}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 200, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..24).prop_map(Value::from),
            prop::collection::btree_map(".{0,24}", inner, 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn facts_are_bounded_and_a_second_redaction_changes_nothing(
        facts in prop::collection::btree_map(".{0,24}", any_json(), 0..40)
    ) {
        let facts: Map<String, Value> = facts.into_iter().collect();
        let once = redact(&facts);
        let text = serde_json::to_string(&once).unwrap();
        prop_assert!(text.chars().count() <= 4_096);
        prop_assert_eq!(redact(&once), once);
    }

    #[test]
    fn a_secret_member_never_stays(
        before in "[a-z_]{0,8}",
        name in prop::sample::select(vec!["password", "API_KEY", "Prompt", "toKen", "client-secret"]),
        after in "[a-z_]{0,8}",
        depth in 0_usize..6,
    ) {
        let mut facts = json!({format!("{before}{name}{after}"): "zqxjw"});
        for _ in 0..depth {
            facts = json!({"in": [facts]});
        }
        prop_assert!(!redacted(&facts).to_string().contains("zqxjw"));
    }
}

/// A client without a session is `client:NAME`, and the name is its own word.
#[test]
fn what_a_client_calls_itself_is_redacted_from_its_beginning() {
    for (name, kept) in [
        ("password=hunter2", "[redacted]"),
        ("my password=hunter2", "[redacted]"),
        ("my password hunter2", "[redacted]"),
        ("api key hunter2", "[redacted]"),
        ("prompt tell me a cube please", "[redacted]"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
        ("Bearer abcdef0123456789", "[redacted]"),
        ("--token abc", "[redacted]"),
        ("ann:hunter2@git.example.com", "[redacted]"),
        ("x: \u{1b}[2J", "[redacted]"),
        ("one two three four five six seven", "[redacted]"),
        ("Claude Desktop", "Claude Desktop"),
        ("@scope/inspector-2.12 (dev)", "@scope/inspector-2.12 (dev)"),
        ("映像ツール", "映像ツール"),
    ] {
        let recorder = MemoryRecorder::new(Arc::new(AgentMemory::in_memory()));
        let session = format!("client:{name}");
        recorder.observe(&called(Some(&session), "t", "ok"));
        recorder.observe(&ended(Some(&session)));
        let all = MemoryQuery::all(MemoryFilter::new());
        let sessions: Vec<String> = recorder
            .memory()
            .query(&all)
            .unwrap()
            .into_iter()
            .map(|entry| entry.session_id)
            .collect();
        assert_eq!(sessions, [format!("client:{kept}")]);
    }
}

/// What speaks of a key, a token or a password by other names, and the same in other spellings.
#[test]
fn names_of_keys_are_known_in_every_spelling() {
    let long = "dapi1234567890abcdef1234567890abcdef";
    for (text, kept) in [
        ("AccountKey=q1", "AccountKey=[redacted]"),
        (
            "AccountName=rig;AccountKey=q1==;Suffix=net",
            "AccountName=rig;AccountKey=[redacted];Suffix=net",
        ),
        ("accountkey=q2", "accountkey=[redacted]"),
        ("account_key: q3", "account_key: [redacted]"),
        ("encryptionKey=q14", "encryptionKey=[redacted]"),
        ("--license-key q15", "--license-key [redacted]"),
        ("--token=abc -v", "--token=[redacted] -v"),
        ("key=a1b2c3d4e5", "key=[redacted]"),
        ("key: a1b2c3d4e5", "key: [redacted]"),
        (r#"{"key": "a1b2c3d4e5"}"#, r#"{"key": "[redacted]"}"#),
        ("shotKey=a1b2c3d4e5", "shotKey=[redacted]"),
        ("jwt=abc", "jwt=[redacted]"),
        ("id_jwt: abc", "id_jwt: [redacted]"),
        (
            "https://h/x?sv=1&sig=abc",
            "https://h/x?sv=1&sig=[redacted]",
        ),
        ("sv=1&sig=abc", "sv=1&sig=[redacted]"),
        ("azure:sig=abc", "azure:sig=[redacted]"),
        (long, "[redacted]"),
        ("password hunter2x", "password [redacted]"),
        (
            "my password is hunter2x, thanks",
            "my password is [redacted], thanks",
        ),
        ("token a1b2c3d4e5", "token [redacted]"),
        ("密码 hunter2x", "密码 [redacted]"),
        ("ｐａｓｓｗｏｒｄ：hunter2", "ｐａｓｓｗｏｒｄ：[redacted]"),
        ("ｔｏｋｅｎ＝abc", "token=[redacted]"),
        ("token＝abc", "token=[redacted]"),
        ("ＡｃｃｏｕｎｔＫｅｙ=q1", "ＡｃｃｏｕｎｔＫｅｙ=[redacted]"),
        ("token%3Dabc", "token=[redacted]"),
        ("token%3dabc", "token=[redacted]"),
        ("token%253Dabc", "token=[redacted]"),
        ("password%3A%20hunter2", "password: [redacted]"),
        ("token％３Ｄabc", "token=[redacted]"),
        (
            "next=https%3A%2F%2Fh%2Fx%3Ftoken%3Dabc",
            "next=https://h/x?token=[redacted]",
        ),
    ] {
        let once = redacted(&json!({"note": text}));
        assert_eq!(once, json!({"note": kept}), "{text}");
        assert_eq!(redacted(&once), once, "again: {text}");
    }
    let facts = json!({
        "AccountKey": "q1", "account_key": "q3", "encryptionKey": "q14", "jwt": "x", "sig": "x", "ｐａｓｓｗｏｒｄ": "x",
        "key": "a1b2c3d4e5", "frame": 3,
    });
    assert_eq!(redacted(&facts), json!({"key": "[redacted]", "frame": 3}));
}

/// What people and tools write around a secret: several words, names of two words, other languages, other signs.
#[test]
fn a_secret_of_several_words_goes_whole() {
    const SECRET: &str = "hunter2zq";
    for text in [
        "secret=\"a §\"",
        "secret='a b §', frame",
        "password: correct § battery",
        "password=correct §",
        "Passphrase : a b c §",
        "prompt: tell me § and more",
        "Set-Cookie: sid=1; b=§",
        "Cookie: a=1; b=§; c=§",
        "API KEY: §",
        "API KEY=§",
        "api key §",
        "secret key is §",
        "db_pass=§",
        "SMTP_PASS: §",
        "mypass=§",
        "pin=§",
        "otp: §",
        "csrf=§",
        "nonce=§",
        "hmac=§",
        "ハ\u{309a}スワート\u{3099}=§",
        "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝=§",
        "ⓟⓐⓢⓢⓦⓞⓡⓓ: §",
        "password﹕§",
        "password﹦§",
        "password→§",
        "password -> §",
        "password => §",
        "password|§",
        "金鑰=§",
        "密鑰: §",
        "秘密鍵=§",
        "暗証番号：§",
        "암호=§",
        "пароль: §",
        "Passwort: §",
        "Kennwort=§",
        "contraseña=§",
        "senha: §",
        "user:§@host",
        "//u:§@h",
        "u:§@git.example.com",
        "secret(§)",
        "secret[§]",
        "secret{§}",
        "secret<§>",
    ] {
        let text = text.replace('§', SECRET);
        let once = redacted(&json!({"note": text}));
        assert!(!once.to_string().contains(SECRET), "{text}: {once}");
        assert_eq!(redacted(&once), once, "again: {text}");
    }
    for (text, kept) in [
        ("password=a b, user=ann", "password=[redacted], user=ann"),
        ("password=a b user=ann", "password=[redacted] user=ann"),
        ("prompt: a b\nframe 3", "prompt: [redacted]\nframe 3"),
        (
            "{\"secret\": \"a b\", \"n\": 1}",
            "{\"secret\": \"[redacted]\", \"n\": 1}",
        ),
        ("user:pw@host/path", "[redacted]@host/path"),
    ] {
        assert_eq!(
            redacted(&json!({"note": text})),
            json!({"note": kept}),
            "{text}"
        );
    }
}

#[test]
fn honest_words_near_keys_stay() {
    for text in [
        "monkey=12",
        "the monkey a1b2c3d4e5 sits",
        "keyframe: 24, keyframes=[1, 2]",
        "keyboard=us",
        "key light: 0.5",
        "key light intensity 12",
        "hotkey=F5",
        "hotKey: ctrl+a",
        "shared keyframes of the account",
        "sharedKeyframe=12",
        "accountKeyboard=de",
        "key=12",
        "key: shot_0120",
        "key=left",
        "key=1920x1080",
        "shapeKey=smile",
        "shape_key: Basis",
        "turkey 2024",
        "donkey: 3",
        "primary_key=id",
        "sort_key: name",
        "whiskey=12years",
        "wrong password given",
        "the password is wrong",
        "password reset for ann",
        "signal=4, sigma: 0.3",
        "design=blue",
        "passes: beauty, bypass=on",
        "100%25 done",
        "a%3Db",
        "全部完成：１２帧",
        "キーフレーム＝１２",
        "ratio 16:9, C:/shots/010",
        "dapi_documentation_of_the_studio",
        "https://host:8080/a?key=left&frame=3",
    ] {
        assert_eq!(redacted(&json!({"note": text})), json!({"note": text}));
    }
    let facts = json!({
        "monkey": 1, "keyframe": 2, "keyboard": "us", "keyLight": 0.5, "hotkey": "F5", "key": "left", "shapeKey": "smile",
        "masterKeyframe": 3, "design": "x", "signal": "x",
    });
    assert_eq!(redacted(&facts), facts);
}
