//! Every file of every skill, read and held against its promise and its file.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, ResourceContents, Skill,
    SkillResources,
};
use rmcp::service::RunningService;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};

use crate::{Plan, Step, check, words};

type Client<H> = RunningService<RoleClient, H>;

pub(crate) async fn verified<H: ClientHandler>(client: &Client<H>, plan: &Plan) -> Step {
    let skills = client.list_all_skills().await.map_err(words)?;
    let mut names: Vec<&str> = skills.iter().map(Skill::name).collect();
    names.sort_unstable();
    check(
        names == plan.skills,
        format_args!("the skills are {names:?}"),
    )?;
    let mut read = 0;
    for skill in &skills {
        skill.validate().map_err(words)?;
        let found = serde_json::to_value(&skill.frontmatter).map_err(words)?;
        same_fields(skill.name(), &found, plan.front_matter.get(skill.name()))?;
        read += files(client, plan, skill).await?;
    }
    Ok(format!("{read} files of {} skills", skills.len()))
}

async fn files<H: ClientHandler>(
    client: &Client<H>,
    plan: &Plan,
    skill: &Skill,
) -> Result<usize, String> {
    let root = skill.uri.trim_end_matches("/SKILL.md");
    let mut on_disk = BTreeMap::new();
    below(&plan.folder.join(skill.name()), root, &mut on_disk).map_err(words)?;
    let SkillResources::Files(files) = &skill.resources else {
        return Err(format!("{} has no list of files", skill.uri));
    };
    let mut listed: Vec<&str> = files.iter().map(|file| file.uri.as_str()).collect();
    listed.sort_unstable();
    check(
        listed.iter().copied().eq(on_disk.keys()),
        format_args!("{} lists {listed:?}", skill.uri),
    )?;
    for file in files {
        let params = ReadResourceRequestParams::new(&file.uri);
        let result = client.read_resource(params).await.map_err(words)?;
        let bytes = match result.contents.as_slice() {
            [ResourceContents::TextResourceContents { text, .. }] => text.clone().into_bytes(),
            [ResourceContents::BlobResourceContents { blob, .. }] => {
                BASE64_STANDARD.decode(blob).map_err(words)?
            }
            contents => return Err(format!("{}: {} contents", file.uri, contents.len())),
        };
        file.verify(&bytes).map_err(words)?;
        check(
            on_disk.get(&file.uri) == Some(&bytes),
            format_args!("{} has other bytes than its file", file.uri),
        )?;
    }
    for (folder, wanted) in directories(root, &listed) {
        let params = ReadResourceDirectoryRequestParams::new(&folder);
        let result = client
            .read_resource_directory(params)
            .await
            .map_err(words)?;
        let found: BTreeMap<_, _> = result
            .resources
            .iter()
            .map(|child| (child.uri.clone(), child.is_directory()))
            .collect();
        check(found == wanted, format_args!("{folder} holds {found:?}"))?;
    }
    Ok(files.len())
}

fn same_fields(skill: &str, found: &Value, wanted: Option<&Value>) -> Result<(), String> {
    let none = Map::new();
    let found = found.as_object().unwrap_or(&none);
    let wanted = wanted.and_then(Value::as_object).unwrap_or(&none);
    for name in found.keys().chain(wanted.keys()) {
        let (one, other) = (found.get(name), wanted.get(name));
        check(
            one == other,
            format_args!("{skill}: {name} is {one:?}, SKILL.md says {other:?}"),
        )?;
    }
    Ok(())
}

/// The bytes of each file that is not hidden, by its URI.
fn below(folder: &Path, uri: &str, files: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let uri = format!("{uri}/{name}");
        if entry.file_type()?.is_dir() {
            below(&entry.path(), &uri, files)?;
        } else {
            files.insert(uri, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// Each directory from the root on, with its direct children and whether they are directories themselves.
fn directories(root: &str, files: &[&str]) -> BTreeMap<String, BTreeMap<String, bool>> {
    let mut found: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for &file in files {
        let (mut child, mut is_directory) = (file, false);
        while child != root
            && let Some((parent, _)) = child.rsplit_once('/')
        {
            let children = found.entry(parent.to_owned()).or_default();
            children.insert(child.to_owned(), is_directory);
            (child, is_directory) = (parent, true);
        }
    }
    found
}
