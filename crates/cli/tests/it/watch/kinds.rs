//! Every kind of change that an author makes, through each command that follows folders.

use std::fs::{create_dir_all, remove_file, rename};
use std::path::Path;

use serde_json::json;

use super::clients::{Client, Http, Piped};
use super::{Lines, start};
use crate::command::{mixed, write};

const FRONT: &str = "metadata:\n  dcc-mcp:\n    tools: tools.yaml\n";

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n{FRONT}---\n")
}

fn tools(names: &[&str]) -> String {
    let entries = names.iter();
    let entries = entries.map(|name| format!("- name: {name}\n  source_file: scripts/run.py\n"));
    format!("tools:\n{}", entries.collect::<Vec<_>>().concat())
}

/// As editors save: beside it, and then in its place.
fn save(path: &Path, text: &str) {
    let beside = path.with_extension("tmp~");
    write(&beside, text);
    rename(beside, path).unwrap();
}

fn link(target: &Path, at: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, at).unwrap();
    #[cfg(not(unix))]
    std::os::windows::fs::symlink_dir(target, at).unwrap();
}

/// A client and the operator see one change after the other.
fn client_and_operator(command: &[&str], connect: fn(&mut super::Running) -> Box<dyn Client>) {
    let folder = mixed();
    let skills = folder.path().join("skills");
    let mut server = start(folder.path(), command);
    let talk = Lines::of(server.0.stderr.take().unwrap());
    let mut client = connect(&mut server);
    client.call("load_skill", &json!({"skill_name": "good"}));
    let has = |name: &'static str| move |tools: &str| tools.contains(name);
    let lacks = |name: &'static str| move |tools: &str| !tools.contains(name);
    client.tools_until("loaded", &has("good__echo"));

    // tools.yaml is written over.
    write(skills.join("good/tools.yaml"), &tools(&["echo", "again"]));
    client.tools_until("an edited tools.yaml", &has("good__again"));
    talk.wait_for("skill changed: good");

    // It is saved by a rename.
    save(&skills.join("good/tools.yaml"), &tools(&["echo", "moved"]));
    client.tools_until("a save by rename", &has("good__moved"));
    talk.wait_for("skill changed: good");

    // A script runs as it is now.
    write(
        skills.join("good/scripts/run.py"),
        "print('{\"edited\": 1}')\n",
    );
    let answer = client.call("good__echo", &json!({}));
    assert!(answer.contains("edited"), "{answer}");

    // A broken save keeps the last good version, and the next one heals.
    save(&skills.join("good/tools.yaml"), "tools: [unclosed\n");
    let broken = talk.wait_for("skill broken: good: ");
    assert!(broken.contains("good/tools.yaml:1:"), "{broken}");
    assert!(
        broken.contains("the last good version stays in use"),
        "{broken}"
    );
    let kept = client.ask("tools/list", &json!({}));
    assert!(kept.contains("good__moved"), "{kept}");
    let answer = client.call("good__moved", &json!({}));
    assert!(answer.contains("edited"), "{answer}");
    save(&skills.join("good/tools.yaml"), &tools(&["echo", "healed"]));
    talk.wait_for("skill mended: good");
    client.tools_until("a healed save", &has("good__healed"));

    // depends.md tells of a skill that is not there, and is taken away again.
    let depends = skills.join("half/metadata/depends.md");
    write(&depends, "- nowhere\n");
    talk.wait_for("skill broken: half: it needs nowhere, which is not there");
    remove_file(&depends).unwrap();
    talk.wait_for("skill mended: half");

    // The folder goes, and returns as it was: what was loaded is loaded again.
    let away = folder.path().join("away");
    rename(skills.join("good"), &away).unwrap();
    client.tools_until("a folder that vanishes", &lacks("good__echo"));
    talk.wait_for("skill removed: good");
    rename(&away, skills.join("good")).unwrap();
    client.tools_until("a folder that returns", &has("good__healed"));
    talk.wait_for("skill added: good");

    // So does the root itself.
    rename(&skills, &away).unwrap();
    client.tools_until("a root that vanishes", &lacks("good__echo"));
    talk.wait_for("skill removed: good");
    rename(&away, &skills).unwrap();
    client.tools_until("a root that returns", &has("good__healed"));
    talk.wait_for("skill added: good");

    // A skill gets another name, and its folder too.
    rename(skills.join("good"), skills.join("better")).unwrap();
    save(
        &skills.join("better/SKILL.md"),
        &skill("better", "Renamed."),
    );
    client.tools_until("a renamed skill", &|tools| {
        tools.contains("__skill__better") && !tools.contains("good__echo")
    });
    talk.wait_for("skill added: better");

    // What a link leads to is edited where it lies.
    let elsewhere = folder.path().join("elsewhere/linked");
    write(elsewhere.join("SKILL.md"), &skill("linked", "By a link."));
    write(elsewhere.join("tools.yaml"), &tools(&["first"]));
    write(elsewhere.join("scripts/run.py"), "print('{}')\n");
    link(&elsewhere, &skills.join("linked"));
    client.tools_until("a new link", &has("__skill__linked"));
    talk.wait_for("skill added: linked");
    save(
        &elsewhere.join("SKILL.md"),
        &skill("linked", "Edited at its end."),
    );
    client.tools_until("an edited link target", &has("Edited at its end."));
    talk.wait_for("skill changed: linked");
}

#[test]
fn serve_follows_every_kind_of_change() {
    client_and_operator(&["serve", "--port", "0"], |server| {
        Box::new(Http::connect(server))
    });
}

#[test]
fn stdio_follows_every_kind_of_change() {
    client_and_operator(&["stdio"], |server| Box::new(Piped::connect(server)));
}

#[test]
fn list_follows_every_kind_of_change() {
    let folder = mixed();
    let skills = folder.path().join("skills");
    let mut child = start(folder.path(), &["list"]);
    let rows = Lines::of(child.0.stdout.take().unwrap());
    let talk = Lines::of(child.0.stderr.take().unwrap());
    let row = |words: &[&str]| {
        rows.wait_until(&words.join(" "), |line| {
            let line: Vec<&str> = line.split_whitespace().collect();
            line.starts_with(words)
        });
    };
    row(&["good", "unloaded", "python", "1"]);

    write(skills.join("good/tools.yaml"), &tools(&["echo", "again"]));
    row(&["good", "unloaded", "python", "2"]);
    save(&skills.join("good/tools.yaml"), &tools(&["a", "b", "c"]));
    row(&["good", "unloaded", "python", "3"]);

    // A new version of a script is one of its skill, and the list is printed again.
    write(
        skills.join("good/scripts/run.py"),
        "print('{\"edited\": 1}')\n",
    );
    row(&["good", "unloaded", "python", "3"]);

    write(skills.join("good/metadata/depends.md"), "- nowhere\n");
    row(&["good", "pending_deps"]);
    remove_file(skills.join("good/metadata/depends.md")).unwrap();
    row(&["good", "unloaded"]);

    // Nobody loaded it: a broken save is told, and what was read last stays listed.
    save(
        &skills.join("good/SKILL.md"),
        "---\nname: good\ndescription: [unclosed\n---\n",
    );
    talk.wait_for("good/SKILL.md:3:");
    row(&["good", "unloaded", "python", "3"]);
    save(&skills.join("good/SKILL.md"), &skill("good", "Healed."));
    row(&["good", "unloaded", "python", "3", "Healed."]);

    let away = folder.path().join("away");
    rename(skills.join("good"), &away).unwrap();
    talk.wait_for("1 skill, 1 rejected");
    rename(&away, skills.join("good")).unwrap();
    row(&["good", "unloaded", "python", "3", "Healed."]);

    rename(&skills, &away).unwrap();
    talk.wait_for("0 skills");
    rename(&away, &skills).unwrap();
    row(&["good", "unloaded", "python", "3", "Healed."]);

    rename(skills.join("good"), skills.join("better")).unwrap();
    save(
        &skills.join("better/SKILL.md"),
        &skill("better", "Renamed."),
    );
    row(&["better", "unloaded", "python", "3", "Renamed."]);

    let elsewhere = folder.path().join("elsewhere");
    create_dir_all(&elsewhere).unwrap();
    write(
        elsewhere.join("SKILL.md"),
        "---\nname: linked\ndescription: By a link.\n---\n",
    );
    link(&elsewhere, &skills.join("linked"));
    row(&["linked", "unloaded", "python", "0", "By"]);
    save(
        &elsewhere.join("SKILL.md"),
        "---\nname: linked\ndescription: Edited at its end.\n---\n",
    );
    row(&["linked", "unloaded", "python", "0", "Edited"]);
}
