//! The skills of agents, in the project and in the home folder: read only when asked for.

use std::path::Path;

use crate::command::{json, metier, placeless, run, said, write};

fn skill(folder: &Path, name: &str, description: &str) {
    write(
        folder.join(name).join("SKILL.md"),
        &format!("---\nname: {name}\ndescription: {description}\n---\n"),
    );
}

/// A home with a project in it, and skills in the folders of agents of both. The tests work in `home/project/deep`.
fn world() -> tempfile::TempDir {
    let world = tempfile::tempdir().unwrap();
    let at = |path: &str| world.path().join(path);
    std::fs::create_dir_all(at("home/project/deep")).unwrap();
    std::fs::create_dir_all(at("home/project/.git")).unwrap();
    for (folder, name) in [
        ("home/project/deep/.agents/skills", "deep-agents"),
        ("home/project/.claude/skills", "root-claude"),
        ("home/project/.openspace/skills", "root-openspace"),
        ("home/.claude/skills", "user-claude"),
        // Above the project and the home folder nothing counts.
        (".claude/skills", "beyond"),
        ("home/.dcc-mcp/python/skills", "at-home"),
        ("home/project/deep/skills", "given"),
    ] {
        skill(&at(folder), name, &format!("From {name}."));
    }
    for (folder, description) in [
        ("home/project/deep/.claude/skills", "The nearest."),
        ("home/project/deep/.agents/skills", "Second."),
        ("home/project/.claude/skills", "Third."),
        ("home/.agents/skills", "The user's."),
        ("home/.dcc-mcp/python/skills", "The application's."),
    ] {
        skill(&at(folder), "twin", description);
    }
    world
}

fn command(world: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = metier(&world.join("home/project/deep"));
    command.env("HOME", world.join("home")).args(arguments);
    command
}

/// The names of the skills that are served, the twin's with its description, and the ids of those that another one comes
/// before.
fn listed(world: &Path, arguments: &[&str]) -> (Vec<String>, Vec<String>) {
    ids(&mut command(world, arguments))
}

fn ids(command: &mut std::process::Command) -> (Vec<String>, Vec<String>) {
    let value = json(&command.arg("--json").output().unwrap());
    let texts = |list: &str, key: &str| {
        let skills = value[list].as_array().unwrap().iter();
        let texts = skills.map(|skill| match skill["name"].as_str().unwrap() {
            "twin" if key == "name" => format!("twin: {}", skill["description"].as_str().unwrap()),
            _ => skill[key].as_str().unwrap().to_owned(),
        });
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        texts
    };
    (texts("skills", "name"), texts("shadowed", "id"))
}

const AGENTS: [&str; 4] = [
    "deep-agents",
    "root-claude",
    "root-openspace",
    "twin: The nearest.",
];

#[test]
fn they_are_read_only_when_asked_for() {
    let world = world();
    let (served, shadowed) = listed(world.path(), &["list"]);
    assert_eq!(served, ["at-home", "twin: The application's."]);
    assert_eq!(shadowed, Vec::<String>::new());
}

#[test]
fn the_project_comes_first_then_the_user_then_the_application() {
    let world = world();
    let (served, shadowed) = listed(world.path(), &["list", "--agent-skills"]);
    assert_eq!(
        served,
        [&["at-home"][..], &AGENTS, &["user-claude"]].concat()
    );
    // Each folder of agents counts on its own: the second one of a label is `project-2`.
    assert_eq!(
        shadowed,
        [
            "home:twin",
            "project-2:twin",
            "project-4:twin",
            "user-2:twin"
        ]
    );
    let text = run_in(world.path(), &["info", "twin", "--agent-skills"]);
    assert!(text.contains("The nearest."), "{text}");
}

fn run_in(world: &Path, arguments: &[&str]) -> String {
    placeless(&said(&command(world, arguments).output().unwrap()), world)
}

#[test]
fn the_file_and_a_variable_can_ask_for_them() {
    let world = world();
    let of = |command: &mut std::process::Command| ids(command).0.len();
    let mut by_variable = command(world.path(), &["list"]);
    assert_eq!(of(by_variable.env("METIER_AGENT_SKILLS", "true")), 6);
    write(
        world.path().join("home/project/metier.toml"),
        "agent_skills = true\n",
    );
    assert_eq!(of(&mut command(world.path(), &["list"])), 6);
    let shown = run_in(world.path(), &["config", "show"]);
    let line = shown.lines().find(|line| line.starts_with("agent_skills"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words, ["agent_skills", "true", "../metier.toml:1:1"]);
    let mut other_way = command(world.path(), &["list"]);
    assert_eq!(of(other_way.env("METIER_AGENT_SKILLS", "false")), 2);
}

#[test]
fn a_path_replaces_them_unless_the_command_line_asks_for_them() {
    let world = world();
    write(
        world.path().join("home/project/metier.toml"),
        "agent_skills = true\n",
    );
    let (served, _) = listed(world.path(), &["list", "skills"]);
    assert_eq!(served, ["given"]);
    let (served, _) = listed(world.path(), &["list", "--agent-skills", "skills"]);
    let mut wanted = [&AGENTS[..], &["user-claude", "given"]].concat();
    wanted.sort_unstable();
    assert_eq!(served, wanted);
    let (served, _) = listed(world.path(), &["list", "--with-defaults", "skills"]);
    wanted.insert(0, "at-home");
    assert_eq!(served, wanted);
}

#[test]
fn the_home_folder_is_searched_once() {
    let world = world();
    let mut at_home = metier(&world.path().join("home"));
    at_home.env("HOME", world.path().join("home"));
    let (served, shadowed) = ids(at_home.args(["list", "--agent-skills"]));
    assert_eq!(served, ["at-home", "twin: The user's.", "user-claude"]);
    assert_eq!(shadowed, ["home:twin"]);
}

#[test]
fn check_and_doctor_look_there_too() {
    let world = world();
    write(
        world
            .path()
            .join("home/project/.claude/skills/broken/SKILL.md"),
        "no front matter\n",
    );
    let without = run_in(world.path(), &["check", "skills"]);
    assert!(without.starts_with("exit 0"), "{without}");
    let with = run_in(world.path(), &["check", "--agent-skills", "skills"]);
    assert!(
        with.starts_with("exit 1") && with.contains("broken/SKILL.md"),
        "{with}"
    );
    let doctor = run_in(world.path(), &["doctor", "--agent-skills"]);
    for row in [
        "found   project   WORLD/home/project/.claude/skills",
        "absent  project   WORLD/home/project/.agents/skills",
        "found   user      WORLD/home/.claude/skills",
    ] {
        assert!(
            doctor.contains(&row.replace("WORLD", "FOLDER")),
            "{row}\n{doctor}"
        );
    }
    assert!(!doctor.contains("FOLDER/.claude"), "{doctor}");
}

#[test]
fn a_client_s_entry_asks_for_them_as_its_command_does() {
    let world = world();
    let entry = run(
        &world.path().join("home/project/deep"),
        &["connect-client", "vscode", "--agent-skills"],
    );
    assert!(entry.contains("--agent-skills"), "{entry}");
}
