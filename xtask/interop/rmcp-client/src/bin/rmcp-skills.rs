//! What rmcp's own skill server says of a folder of skills: `rmcp-skills DIR`. Prints the entries of `skills/list` and
//! the answer of `resources/directory/read` for each directory as one JSON object.

use std::collections::BTreeMap;
use std::process::ExitCode;

use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::SkillResources;
use serde_json::json;

fn main() -> ExitCode {
    match say() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn say() -> Result<String, String> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let catalog = SkillCatalog::from_dir(folder).map_err(|error| error.to_string())?;
    let skills = catalog.list_skills().skills;
    let mut directories = BTreeMap::new();
    for skill in &skills {
        let SkillResources::Files(files) = &skill.resources else {
            continue;
        };
        let root = skill.uri.trim_end_matches("/SKILL.md");
        for file in files {
            let mut directory = file.uri.as_str();
            while directory != root
                && let Some((parent, _)) = directory.rsplit_once('/')
            {
                directory = parent;
                if !directories.contains_key(directory) {
                    let found = catalog
                        .read_resource_directory(directory)
                        .map_err(|error| error.to_string())?;
                    directories.insert(directory.to_owned(), found.resources);
                }
            }
        }
    }
    Ok(json!({ "skills": skills, "directories": directories }).to_string())
}
