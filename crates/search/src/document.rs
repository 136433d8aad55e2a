//! What of a skill can be searched.

use serde::{Deserialize, Serialize};

/// What is searchable of one skill: plain values, all of them optional but the id.
///
/// Write the fields you have and take the rest from [`Default`]:
///
/// ```
/// use metier_search::SkillDocument;
///
/// let skill = SkillDocument {
///     id: "maya-geometry".into(),
///     name: "maya-geometry".into(),
///     description: "Polygon modelling in Maya.".into(),
///     ..SkillDocument::default()
/// };
/// assert_eq!(skill.layer, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillDocument {
    /// Names the document in answers; a document with the same id is replaced.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// What the skill is for.
    pub description: String,
    /// The author's advice when to use it; empty when there is none.
    pub when_to_use: String,
    /// Free labels; [`Filter::tags`](crate::Filter::tags) compares with them.
    pub tags: Vec<String>,
    /// Further key words, as one text (`metadata.dcc-mcp.search-hint`).
    pub search_hint: String,
    /// Synonyms and local words (`metadata.dcc-mcp.search-aliases`).
    pub search_aliases: Vec<String>,
    /// The application the skill belongs to, such as `maya`.
    pub dcc: String,
    /// `infrastructure` and `example` skills rank below domain skills on an equal match.
    pub layer: Option<String>,
    /// The tools that the skill offers.
    pub tools: Vec<ToolDocument>,
    /// The instructions. The first 8,000 characters are indexed, and nothing of it is kept or returned.
    pub body: String,
    /// The state at the time of indexing, such as `loaded`. One that changes without indexing anew
    /// belongs into [`Filter::predicate`](crate::Filter::predicate).
    pub status: String,
    /// Where the skill comes from, such as `user` or `bundled`.
    pub source: String,
}

impl SkillDocument {
    /// The skill in one text, for models: name, description, further words, tools. Without the body.
    pub fn summary_text(&self) -> String {
        let mut text = self.name.replace(['-', '_'], " ");
        let mut add = |part: &str| {
            if !part.trim().is_empty() {
                text.push_str(". ");
                text.push_str(part.trim());
            }
        };
        for part in [&self.description, &self.when_to_use, &self.search_hint] {
            add(part);
        }
        add(&self.tags.join(", "));
        add(&self.search_aliases.join(", "));
        for tool in &self.tools {
            add(&tool.name.replace('_', " "));
            add(&tool.description);
        }
        text
    }
}

/// What is searchable of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolDocument {
    /// The tool's name, without the skill's.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// Synonyms and local words (`search_aliases` of tools.yaml).
    pub aliases: Vec<String>,
    /// The names of the properties in the input schema.
    pub properties: Vec<String>,
}
