//! Where skills lie below `skill://` whose name an earlier skill has.

use std::collections::BTreeSet;

use metier_loader::LoadedSkill;

/// The place of a shadowed skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShadowedPlace {
    /// What would stand between `skill://` and its files.
    pub key: String,
    /// Why its files cannot be served there, where they cannot.
    pub obstacle: Option<PlaceObstacle>,
}

/// Why a place is none for a skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceObstacle {
    /// The label of its root is the name of a skill that is served.
    #[error("its URI would lie inside the skill `{0}`")]
    InsideSkill(String),
    /// An earlier skill of the same root has its name.
    #[error("another skill of this name is served as skill://{0}")]
    Taken(String),
}

/// The places of shadowed skills, in their order. `has_name` says whether a skill of that name is served.
pub fn shadowed_places<'a>(
    has_name: impl Fn(&str) -> bool,
    shadowed: impl IntoIterator<Item = &'a LoadedSkill>,
) -> Vec<ShadowedPlace> {
    let mut taken = BTreeSet::new();
    let places = shadowed.into_iter().map(|skill| {
        // The label that the skill's id begins with, which tells two roots of a kind apart.
        let label = skill.id.as_str().split(':').next().unwrap_or_default();
        let key = format!("{label}/{}", skill.metadata.name);
        let obstacle = if has_name(label) {
            Some(PlaceObstacle::InsideSkill(label.to_owned()))
        } else if taken.contains(&key) {
            Some(PlaceObstacle::Taken(key.clone()))
        } else {
            None
        };
        // One that serves nothing leaves its place to the next.
        if obstacle.is_none() && skill.not_served.is_none() {
            taken.insert(key.clone());
        }
        ShadowedPlace { key, obstacle }
    });
    places.collect()
}
