//! The front matter of a SKILL.md that lies in no folder.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::{parse_recovering, split};

/// The front matter of a whole SKILL.md as JSON, as a scan would read it: the YAML 1.2 core reading in the author's
/// order.
///
/// ```
/// let read = metier_loader::front_matter_of(b"---\nname: bake\nmetadata: {level: 2}\n---\nBody\n").unwrap();
/// assert_eq!(serde_json::Value::Object(read), serde_json::json!({"name": "bake", "metadata": {"level": 2}}));
/// ```
///
/// # Errors
/// What is wrong with it, in words.
pub fn front_matter_of(skill_file: &[u8]) -> Result<Map<String, Value>, String> {
    let parts = split(skill_file, true).map_err(|fault| fault.message)?;
    let room = OnceCell::new();
    let yaml = parts.head.get(parts.yaml.clone()).unwrap_or_default();
    let (tree, recovered) =
        parse_recovering(yaml, parts.yaml.start, &room).map_err(|fault| fault.message)?;
    let root = tree.root.ok_or("the front matter is empty")?;
    if root.map().is_none() {
        return Err(format!("the front matter is {}", root.noun()));
    }
    let mut read = root.to_json_map();
    if let Some(recovered) = recovered {
        read.insert("description".to_owned(), Value::String(recovered.value));
    }
    Ok(read)
}
