//! What the command says, by the functions that it is made of, beside what clients are told.

use std::collections::BTreeMap;

use metier_catalog::TextState;
use metier_diagnostics::Severity;
use metier_skill_model::{SkillStatus, SkillSummary};
use serde_json::{Value, json};

use super::model::{Expected, Model};
use super::surfaces::Surfaces;

impl Surfaces<'_> {
    /// The list of the command, the tool `list_skills` and `skills/list` of one generation.
    pub(crate) async fn lists_agree(&self, model: &Model, list: &Value) {
        let catalog = &self.bench.catalog;
        let skills = catalog.list_skills(None);
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let states = catalog.text_states(&names);
        let mut reasons = BTreeMap::new();
        let mut served = Vec::new();
        for (skill, state) in skills.iter().zip(&states) {
            let state = state.as_ref().unwrap();
            assert_ne!(state.uri.is_some(), state.not_served.is_some(), "{state:?}");
            let expected = model.served.get(skill.name.as_str());
            match (&state.not_served, expected) {
                (Some(reason), _) => {
                    // What is found by its name alone is in no list, whatever its files are.
                    let info = catalog.get_skill_info(&skill.name).unwrap();
                    if !info.metadata.unwrap().allow_implicit_invocation {
                        continue;
                    }
                    reasons.insert(skill.name.clone(), reason.clone());
                }
                (None, Some(expected)) => {
                    assert_eq!(skill.description.trim(), expected.description);
                    served.push(skill.name.as_str());
                }
                (None, None) => panic!("`{}` is served and may not be", skill.name),
            }
        }
        assert_eq!(served, model.first().map(|it| it.name).collect::<Vec<_>>());
        let shadowed = catalog.list_skills(Some(SkillStatus::Shadowed));
        let shadowed_states = catalog.texts_of(&shadowed);
        let mut keys = Vec::new();
        for (skill, state) in shadowed.iter().zip(&shadowed_states) {
            let (label, _) = skill.id.as_deref().unwrap().split_once(':').unwrap();
            let key = format!("{label}/{}", skill.name);
            let own = state.as_ref().unwrap().not_served.as_deref();
            assert_eq!(own.is_none(), model.served.contains_key(&key), "{key}");
            // What is wrong with the skill itself comes first.
            let place = "another skill of its name comes first; its own URI leads to this one";
            reasons.insert(key.clone(), own.unwrap_or(place).to_owned());
            keys.push(key);
        }
        keys.sort();
        let mut expected = model.shadowed.clone();
        expected.sort();
        assert_eq!(keys, expected);
        for skill in catalog.list_skills(Some(SkillStatus::Skipped)) {
            let mut errors = skill.diagnostics.iter();
            let error = errors.find(|finding| finding.severity == Severity::Error);
            let why = format!("it was found and rejected: {}", error.unwrap());
            reasons.insert(skill.name, why);
        }
        let left_out = list.pointer("/_meta/dcc/left_out").cloned();
        assert_eq!(left_out.unwrap_or(json!({})), json!(reasons));

        self.rows_agree(json!({"limit": 200}), &skills, &states)
            .await;
        let asked = json!({"limit": 200, "status": "shadowed"});
        self.rows_agree(asked, &shadowed, &shadowed_states).await;
    }

    /// What `list_skills` says of these, and how they are served.
    async fn rows_agree(
        &self,
        asked: Value,
        skills: &[SkillSummary],
        states: &[Option<TextState>],
    ) {
        let heard = self.client.call("list_skills", asked).await;
        let rows = &heard.answer["result"]["structuredContent"]["skills"];
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), skills.len());
        for ((row, skill), state) in rows.iter().zip(skills).zip(states) {
            let state = state.as_ref().unwrap();
            assert_eq!(row["name"], skill.name);
            assert_eq!(row["description"], skill.description);
            assert_eq!(row["tool_names"], json!(skill.tool_names));
            assert_eq!(
                row.get("not_served").cloned(),
                state.not_served.clone().map(Value::from)
            );
            let passed_over = row.get("left_out").cloned().unwrap_or(json!({}));
            assert_eq!(passed_over, json!(state.left_out));
        }
    }

    /// What the command tells of one skill, and the entry of it.
    pub(crate) fn command_agrees(&self, key: &str, skill: &Expected, entry: &Value) {
        let name = skill.id.as_deref().unwrap_or(key);
        let state = self
            .bench
            .catalog
            .text_states(&[name])
            .pop()
            .flatten()
            .unwrap();
        assert_eq!(entry["uri"], json!(state.uri));
        let files: Vec<Value> = state
            .files
            .iter()
            .map(|file| {
                let path = file.path.replace(' ', "%20").replace('é', "%C3%A9");
                json!({"uri": format!("skill://{key}/{path}"), "digest": file.digest, "size": file.size})
            })
            .collect();
        assert_eq!(entry["resources"], json!(files));
        let info = self.bench.catalog.get_skill_info(name).unwrap();
        let metadata = info.metadata.unwrap();
        assert_eq!(entry["frontmatter"], json!(metadata.front_matter));
        let hidden = skill.folder.join(".hidden").exists();
        assert_eq!(state.left_out.contains_key(".hidden"), hidden);
    }
}
