//! Whether skills that came and went leave answers as they were.

use metier_search::{Query, SearchAnswer, SkillDocument, SkillIndex};

use crate::search_eval_data::LabelledQuery;

/// How many queries are answered otherwise, in ids, scores, confidences or notes, after as many skills as there are were
/// added, some singly, and taken out again. The guests hold the words of the skills, so that each statistic moves.
pub(crate) fn moved_answers(
    index: &mut dyn SkillIndex,
    documents: &[SkillDocument],
    queries: &[LabelledQuery],
    depth: usize,
) -> Result<usize, String> {
    let before = answers(index, queries, depth)?;
    let guests: Vec<SkillDocument> = documents
        .iter()
        .map(|document| SkillDocument {
            id: format!("guest of {}", document.id),
            name: format!("guest-{}", document.name),
            description: document.body.chars().take(200).collect::<String>()
                + &document.description,
            ..document.clone()
        })
        .collect();
    let ids: Vec<String> = guests.iter().map(|guest| guest.id.clone()).collect();
    for part in guests.chunks(97) {
        index.index(part.to_vec());
    }
    for id in &ids {
        index.remove(id);
    }
    let after = answers(index, queries, depth)?;
    Ok(before
        .iter()
        .zip(&after)
        .filter(|(one, other)| one != other)
        .count())
}

fn answers(
    index: &dyn SkillIndex,
    queries: &[LabelledQuery],
    depth: usize,
) -> Result<Vec<SearchAnswer>, String> {
    queries
        .iter()
        .map(|query| {
            index
                .search(&Query::new(query.query.as_str(), depth))
                .map_err(|error| error.to_string())
        })
        .collect()
}
