//! Which skills come before a model, who chooses among them and who may activate them: by metier.toml, a variable or an
//! option.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::{answered, json as json_of, metier, on_a_pipe, run, said, write};
use crate::persist_server::{Server, said_in};

/// A search that cannot be sure of any of them.
const VAGUE: &str = "something with ambient maps";

fn skills(folder: &Path) {
    for (name, description, more) in [
        ("bake-one", "Bakes ambient light into maps.", ""),
        ("bake-two", "Bakes ambient shadow into maps.", ""),
        (
            "git-push",
            "Pushes work.",
            "allowed-tools: Bash(git push)\n",
        ),
        ("gitlike", "Looks like git.", "allowed-tools: Bash\n"),
        ("pack-maps", "Packs maps for the farm.", ""),
    ] {
        write(
            folder.join("skills").join(name).join("SKILL.md"),
            &format!("---\nname: {name}\ndescription: {description}\n{more}---\n\nDo it.\n"),
        );
    }
}

fn settings(folder: &Path, text: &str) {
    write(folder.join("metier.toml"), text);
}

fn discovered(folder: &Path, variables: &[(&str, &str)]) -> Value {
    let output = metier(folder)
        .envs(variables.iter().copied())
        .args(["discover", VAGUE, "--json", "skills"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    json_of(&output)
}

fn names(answer: &Value) -> Vec<&str> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["name"].as_str().unwrap()).collect()
}

#[test]
fn a_disabled_skill_is_gone_everywhere_and_told_to_be_disabled() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    let by_option = ["list", "--disable", "bake-one", "--json", "skills"];
    let list = run(folder.path(), &by_option);
    assert!(
        !list.contains("bake-one") && list.contains("bake-two"),
        "{list}"
    );

    settings(folder.path(), "disabled = ['bake-one', 'bake-tow']\n");
    for command in ["list", "search maps", "discover maps", "listing", "deps"] {
        let words: Vec<&str> = command.split(' ').chain(["skills"]).collect();
        let said = run(folder.path(), &words);
        assert!(
            !said.contains("bake-one") && said.contains("bake-two"),
            "{said}"
        );
    }
    let mut server = Server::start(folder.path(), &["skills"]);
    let refused = server.load("bake-one").unwrap();
    assert_eq!(refused["result"]["structuredContent"]["code"], "disabled");
    let refused = server.call("skill", &json!({"skill": "bake-one"})).unwrap();
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "the skill `bake-one` is disabled; whoever runs the server can enable it"
    );
    let listed = server.listed();
    assert!(
        !listed.contains("bake-one") && !listed.contains("bake_one"),
        "{listed}"
    );
    server.end();
    let warning = "disabled bake-tow: there is no such skill, and nothing is disabled by it; did you mean `bake-two`?";
    let told = said_in(folder.path());
    assert!(
        told.contains(warning) && told.matches("nothing is disabled").count() == 1,
        "{told}"
    );
    let doctor = run(folder.path(), &["doctor", "skills"]);
    assert!(
        doctor.contains(warning.split("; ").next().unwrap()),
        "{doctor}"
    );
    let info = run(folder.path(), &["info", "bake-one", "skills"]);
    assert!(
        info.contains("the skill `bake-one` is disabled (metier.toml:1:1: disabled)"),
        "{info}"
    );
}

#[test]
fn the_permissions_of_the_file_decide_who_is_activated() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    settings(
        folder.path(),
        "[permissions]\ndeny = ['bake:*', 'git']\nallow = ['Skill(git:*)', 'bake-two']\nask = ['pack-maps']\n",
    );
    let mut server = Server::start(folder.path(), &["skills"]);
    let mut activated = |skill: &str| {
        let answer = server.call("skill", &json!({"skill": skill})).unwrap();
        let result = &answer["result"];
        if result["isError"] == true {
            return result["content"][0]["text"].as_str().unwrap().to_owned();
        }
        let permission = &result["structuredContent"]["permission"];
        format!(
            "{} {}",
            permission["decision"], result["structuredContent"]["scope"]
        )
    };
    // Deny counts before allow, and a prefix ends at a hyphen.
    assert_eq!(
        activated("bake-two"),
        "the skill `bake-two` is denied by the rule `bake:*`"
    );
    let allowed = activated("git-push");
    assert!(
        allowed.starts_with("\"allow\"") && allowed.contains("git push"),
        "{allowed}"
    );
    for asked in ["gitlike", "pack-maps"] {
        assert_eq!(activated(asked), "\"ask\" {\"id\":\"\"}");
    }
    server.end();

    settings(
        folder.path(),
        "[permissions]\nallow = ['a b*', 'x']\nalow = []\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:2:9: `permissions.allow`: found `a b*`; expected a list of rules, each `NAME`, `PREFIX:*` or `*` for every skill
    error: metier.toml:3:1: unknown key `permissions.alow`; did you mean `permissions.allow`?
    ");
}

#[test]
fn the_window_bounds_a_listing() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    settings(folder.path(), "window = 3000\n");
    let output = metier(folder.path())
        .args(["listing", "--json", "skills"])
        .output()
        .unwrap();
    let listing = json_of(&output);
    // A hundredth, at four characters a token.
    let text = listing["text"].as_str().unwrap();
    assert!(text.chars().count() <= 120, "{text}");
    assert_eq!(listing["visible"], 5);
    let mut server = Server::start(folder.path(), &["--window", "1000000", "skills"]);
    let answer = server.call("skills_listing", &json!({})).unwrap();
    let whole = answer["result"]["structuredContent"]["text"]
        .as_str()
        .unwrap();
    assert!(
        whole.chars().count() > 120 && whole.contains("Packs maps for the farm."),
        "{whole}"
    );
    server.end();
    settings(folder.path(), "window = 5\n");
    insta::assert_snapshot!(run(folder.path(), &["listing", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:1:10: `window`: found the number 5; expected a number of tokens, 1000 to 100000000
    ");
}

#[test]
fn what_a_listing_leaves_out_is_told_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (name, description) in [("good", "Says."), ("colon", "a: b")] {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
        write(folder.path().join(format!("skills/{name}/SKILL.md")), &text);
    }
    let output = metier(folder.path())
        .args(["listing", "skills"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let left_out = said.split_once("1 skill left out:\n").unwrap().1;
    assert!(left_out.starts_with("  colon: "), "{said}");
    let output = metier(folder.path())
        .args(["listing", "--json", "skills"])
        .output()
        .unwrap();
    let reason = &json_of(&output)["left_out"]["colon"];
    assert!(left_out.contains(reason.as_str().unwrap()), "{reason}");
}

#[test]
fn a_file_of_answers_chooses() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    let caller = discovered(folder.path(), &[]);
    assert_ne!(caller["stage"], "select", "{caller}");
    settings(
        folder.path(),
        "[selector]\nuse = 'scripted'\nanswers = 'answers.txt'\n",
    );
    write(
        folder.path().join("answers.txt"),
        "{\"brief_plan\": \"Pack them.\", \"skills\": [\"pack-maps\", \"made-up\"]}\n",
    );
    let chosen = discovered(folder.path(), &[]);
    assert_eq!(names(&chosen), ["pack-maps"], "{chosen}");
    assert_eq!(chosen["stage"], "select");
    // A variable counts before the file.
    let caller = discovered(folder.path(), &[("METIER_SELECTOR_USE", "caller")]);
    assert_ne!(caller["stage"], "select", "{caller}");
}

#[test]
fn a_model_behind_an_address_chooses_and_gets_its_key() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    settings(
        folder.path(),
        &format!(
            "[selector]\nuse = 'http'\nurl = 'http://{}/v1'\nmodel = 'small'\nkey_variable = 'STUDIO_KEY'\ntimeout = 20\n",
            listener.local_addr().unwrap()
        ),
    );
    let model = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut heard, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().unwrap();
            }
            heard.push_str(&line);
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        heard.push_str(&String::from_utf8(body).unwrap());
        let answer = json!({"choices": [{"message": {"content": "{\"skills\": [\"bake-two\"]}"}}]});
        let answer = answer.to_string();
        let mut stream = reader.into_inner();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
            answer.len()
        )
        .unwrap();
        heard
    });
    let chosen = discovered(folder.path(), &[("STUDIO_KEY", "sesame")]);
    assert_eq!(names(&chosen), ["bake-two"], "{chosen}");
    let heard = model.join().unwrap();
    for part in [
        "POST /v1/chat/completions",
        "Bearer sesame",
        "\"model\":\"small\"",
        VAGUE,
    ] {
        assert!(heard.contains(part), "{part}: {heard}");
    }
    // The model has gone: the search stands, and the answer says why.
    let fallen_back = discovered(folder.path(), &[("STUDIO_KEY", "sesame")]);
    assert!(names(&fallen_back).contains(&"bake-one"), "{fallen_back}");
    assert!(
        fallen_back["notes"].to_string().contains("http"),
        "{fallen_back}"
    );
    // Without its key nothing starts, and the key is said nowhere.
    let without = run(folder.path(), &["discover", VAGUE, "skills"]);
    assert!(
        without.contains("the variable STUDIO_KEY is not set"),
        "{without}"
    );
    let shown = run(folder.path(), &["config", "show"]);
    assert!(
        shown.contains("STUDIO_KEY") && !shown.contains("sesame"),
        "{shown}"
    );
    // Whoever shows the settings need not hold the key.
    assert!(
        shown.starts_with("exit 0")
            && shown.contains("warning: metier.toml:5:1: selector.key_variable: the variable STUDIO_KEY is not set; "),
        "{shown}"
    );
    let output = metier(folder.path())
        .args(["config", "show", "--json"])
        .output()
        .unwrap();
    let shown = json_of(&output);
    assert_eq!(shown["faults"], json!([]), "{shown}");
    let place = &shown["lacking"][0]["place"];
    assert_eq!(place, "metier.toml:5:1: selector.key_variable", "{shown}");
    // A fault of the settings themselves still ends it.
    let path = folder.path().join("metier.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("model = 'small'\n", "")).unwrap();
    let shown = run(folder.path(), &["config", "show"]);
    assert!(shown.starts_with("exit 2"), "{shown}");
}

#[test]
fn the_clients_model_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    settings(folder.path(), "[selector]\nuse = 'client'\n");
    let (mut server, mut input, mut output) = on_a_pipe(folder.path(), &[]);
    let mut send = |message: &Value| writeln!(input, "{message}").unwrap();
    send(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"sampling": {}}, "clientInfo": {"name": "t", "version": "0"}}}),
    );
    answered(&mut output, 1);
    send(
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "discover_skills", "arguments": {"query": VAGUE}}}),
    );
    let mut line = String::new();
    while !line.contains("sampling/createMessage") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "it was not asked");
    }
    let asked: Value = serde_json::from_str(&line).unwrap();
    send(
        &json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"role": "assistant", "model": "m",
        "content": {"type": "text", "text": "{\"skills\": [\"bake-two\"]}"}}}),
    );
    let answer: Value = serde_json::from_str(&answered(&mut output, 2)).unwrap();
    let skills = answer["result"]["structuredContent"]["hits"]
        .as_array()
        .unwrap();
    assert!(
        skills.len() == 1 && skills[0]["name"] == "bake-two",
        "{answer}"
    );
    drop(input);
    server.wait().unwrap();
}

#[test]
fn a_selector_that_cannot_work_is_told_with_its_cure() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path());
    let mut said = String::new();
    for text in [
        "[selector]\nuse = 'http'\nmodel = 'm'\n",
        "[selector]\nuse = 'http'\nurl = 'ftp://api.example/v1'\nmodel = 'm'\n",
        "[selector]\nuse = 'scripted'\n",
        "[selector]\nuse = 'scripted'\nanswers = 'nowhere.txt'\n",
        "[selector]\nuse = 'gpt'\n",
        "selector = 'http'\n",
        "use = 'http'\n",
    ] {
        settings(folder.path(), text);
        let output = run(folder.path(), &["discover", "maps", "skills"]);
        assert!(output.starts_with("exit 2"), "{output}");
        said.extend(output.lines().skip(3));
        said.push('\n');
    }
    insta::assert_snapshot!(said, @"
    error: metier.toml:2:1: selector.use: the selector `http` needs `selector.url`; write `url` below `[selector]` in metier.toml, or set METIER_SELECTOR_URL
    error: metier.toml:3:1: selector.url ftp://api.example/v1: the address of a selector is http://HOST[:PORT]/PATH or https://…, such as http://127.0.0.1:11434/v1; correct it
    error: metier.toml:2:1: selector.use: the selector `scripted` needs `selector.answers`; write `answers` below `[selector]` in metier.toml, or set METIER_SELECTOR_ANSWERS
    error: metier.toml:3:1: selector.answers nowhere.txt: No such file or directory (os error 2); name a file with an answer on each line
    error: metier.toml:2:7: `selector.use`: found the text `gpt`; expected caller, client, http or scripted
    error: metier.toml:1:12: `selector` must be a table; write `[selector]` on a line of its own and the keys below it
    error: metier.toml:1:1: unknown key `use`; write `use` below `[selector]`
    ");
    // What the option replaces is not asked for.
    settings(folder.path(), "[selector]\nuse = 'http'\n");
    let output = run(folder.path(), &["stdio", "--selector", "caller", "skills"]);
    assert!(output.starts_with("exit 0"), "{output}");
}
