//! What the command tells of skills is what its server tells of them, on trees that nobody chose.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::command::{json, metier};
use crate::stdio::{Session, request};

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn happens(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn skill_file(name: &str, words: u64, implicit: bool) -> String {
    format!(
        "---\nname: {name}\ndescription: \"Does {words}: é things.\"\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n    allow-implicit-invocation: {implicit}\n---\n\n# Number {words}\n"
    )
}

/// Skills with files, tools and faults of all kinds.
fn tree(root: &Path, chance: &mut Chance) {
    for number in 0..6 {
        let name = format!("skill-{number}");
        let text = skill_file(&name, chance.below(1000), !chance.happens(4));
        // A mark that other hosts do not get past, so that its text is not served.
        let mark = if chance.happens(5) { "\u{feff}" } else { "" };
        write(root, &format!("{name}/SKILL.md"), format!("{mark}{text}"));
        let tools: Vec<String> = (0..chance.below(3))
            .map(|tool| format!("- {{name: go-{tool}, source_file: go.py, description: Goes.}}\n"))
            .collect();
        write(
            root,
            &format!("{name}/tools.yaml"),
            format!("tools:\n{}", tools.concat()),
        );
        write(root, &format!("{name}/go.py"), "print('{}')\n");
        for file in 0..chance.below(4) {
            let bytes: Vec<u8> = (0..chance.below(30))
                .map(|_| u8::try_from(chance.below(256)).unwrap())
                .collect();
            write(root, &format!("{name}/more/a b-{file}.é"), bytes);
        }
        if chance.happens(3) {
            write(root, &format!("{name}/.hidden"), "");
        }
        if chance.happens(6) {
            (0..513).for_each(|file| write(root, &format!("{name}/many/{file}"), ""));
        }
    }
}

/// Something that happens while the server runs, and that a look at the files finds.
fn edit(root: &Path, chance: &mut Chance) {
    for number in 0..6 {
        let name = format!("skill-{number}");
        match chance.below(4) {
            0 => write(
                root,
                &format!("{name}/SKILL.md"),
                skill_file(&name, chance.below(1000), true),
            ),
            1 => write(
                root,
                &format!("{name}/more/new-{}.md", chance.below(9)),
                "new",
            ),
            2 => drop(std::fs::remove_dir_all(root.join(&name).join("many"))),
            _ => {}
        }
    }
}

/// By the member of that name.
fn by(entries: &Value, member: &str) -> BTreeMap<String, Value> {
    let entries = entries.as_array().unwrap().iter();
    entries
        .map(|entry| (entry[member].as_str().unwrap().to_owned(), entry.clone()))
        .collect()
}

/// Some members of an object, as far as they are there.
fn some(entry: &Value, members: &[&str]) -> Map<String, Value> {
    let members = members.iter();
    members
        .filter_map(|member| Some(((*member).to_owned(), entry.get(member)?.clone())))
        .collect()
}

fn ask(session: &mut Session, method: &str, params: &Value) -> Value {
    session.send(&request(7, method, params));
    session.next_with("id")["result"].clone()
}

fn everything_agrees(folder: &Path, session: &mut Session) {
    let entries = ask(session, "skills/list", &json!({}));
    let left_out = entries.pointer("/_meta/dcc/left_out").cloned();
    let left_out = left_out.unwrap_or(json!({}));
    let entries = by(&entries["skills"], "uri");
    let output = metier(folder).args(["list", "--json", "skills"]).output();
    let list = json(&output.unwrap());
    let rows = session.call(7, "list_skills", &json!({"limit": 200}));
    let rows = by(&rows["structuredContent"]["skills"], "name");
    let listed = by(&list["skills"], "name");
    assert_eq!(rows.len(), 6);
    assert!(listed.keys().eq(rows.keys()), "{list}");
    let members = [
        "name",
        "description",
        "tool_names",
        "tool_count",
        "not_served",
        "left_out",
    ];
    for (name, row) in &listed {
        assert_eq!(some(row, &members), some(&rows[name], &members));
        let output = metier(folder)
            .args(["info", name, "--json", "skills"])
            .output();
        let info = json(&output.unwrap());
        assert_eq!(some(row, &members), some(&info, &members));
        if let Some(reason) = left_out.get(name) {
            assert_eq!(row["not_served"], *reason);
        }
        let uri = format!("skill://{name}/SKILL.md");
        let got = ask(session, "skills/get", &json!({"uri": uri}));
        let Some(entry) = got.get("skill") else {
            assert!(
                row["not_served"].is_string() && info.get("uri").is_none(),
                "{info}"
            );
            continue;
        };
        assert_eq!(info["uri"], entry["uri"]);
        assert_eq!(row["description"], entry["frontmatter"]["description"]);
        let files = info["files"].as_array().unwrap().iter().map(|file| {
            let path = file["path"].as_str().unwrap();
            let path = path.replace(' ', "%20").replace('é', "%C3%A9");
            json!({"uri": format!("skill://{name}/{path}"), "digest": file["digest"], "size": file["size"]})
        });
        assert_eq!(entry["resources"], files.collect::<Value>());
        let is_listed = info["metadata"]["allow_implicit_invocation"] != json!(false);
        assert_eq!(entries.get(&uri), is_listed.then_some(entry), "{info}");
    }
}

#[test]
fn the_command_and_its_server_say_the_same() {
    for seed in [1, 2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("skills");
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15 ^ seed);
        tree(&root, &mut chance);
        let mut session = Session::start(folder.path(), &["--skill-tools", "on", "skills"]);
        session.initialize();
        everything_agrees(folder.path(), &mut session);
        edit(&root, &mut chance);
        everything_agrees(folder.path(), &mut session);
        // The tools of all skills, by the names that the command tells.
        let mut told = Vec::new();
        for number in 0..6 {
            let name = format!("skill-{number}");
            let output = metier(folder.path())
                .args(["info", &name, "--json", "skills"])
                .output();
            let runs = json(&output.unwrap())["runs"].clone();
            told.extend(by(&runs, "name").into_keys());
            session.call(7, "load_skill", &json!({"skill_name": name}));
        }
        let tools = by(
            &ask(&mut session, "tools/list", &json!({}))["tools"],
            "name",
        );
        let of_skills = tools
            .into_keys()
            .filter(|name| name.starts_with("skill_") && name.contains("__"));
        let of_skills: Vec<String> = of_skills.collect();
        told.sort();
        assert_eq!(of_skills, told);
        assert_eq!(session.end_of_input().0, 0);
    }
}
