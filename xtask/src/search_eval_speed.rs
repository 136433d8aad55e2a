//! How quick search is over many skills.

use std::time::{Duration, Instant};

use metier_search::{Query, SkillDocument, SkillIndex};

use crate::search_eval_data::LabelledQuery;

/// So many hits are asked for.
const HITS: usize = 10;

/// Prints how long it takes to build an index of `size` skills, to search it, to add one skill and to take it out.
/// Beyond the corpus the skills are copies with their words in another order.
pub(crate) fn measure(
    size: usize,
    documents: &[SkillDocument],
    queries: &[LabelledQuery],
    index: &mut dyn SkillIndex,
) -> Result<(), String> {
    let started = Instant::now();
    index.index(pool(size, documents));
    println!("{size} skills: built in {:.2?}", started.elapsed());

    let mut times = Vec::new();
    for query in queries {
        let asked = Query::new(query.query.as_str(), HITS);
        let started = Instant::now();
        let answer = index.search(&asked).map_err(|error| error.to_string())?;
        times.push(started.elapsed());
        std::hint::black_box(answer);
    }
    println!("  a query {}", pace(times));

    let mut added = Vec::new();
    let mut removed = Vec::new();
    for number in 0..20 {
        let id = format!("added-{number}");
        let one = SkillDocument {
            id: id.clone(),
            ..documents
                .get(number % documents.len().max(1))
                .cloned()
                .unwrap_or_default()
        };
        let started = Instant::now();
        index.index(vec![one]);
        added.push(started.elapsed());
        if number % 2 == 0 {
            let started = Instant::now();
            index.remove(&id);
            removed.push(started.elapsed());
        }
    }
    println!("  one more {}, one less {}", pace(added), pace(removed));
    Ok(())
}

/// The quickest, the median and the slow end. On a busy machine the quickest tells the most.
pub(crate) fn pace(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| {
        let place = times.len().saturating_sub(1) * share / 100;
        times.get(place).copied().unwrap_or_default()
    };
    format!(
        "least {:.1?}, p50 {:.1?}, p99 {:.1?}",
        at(0),
        at(50),
        at(99)
    )
}

fn pool(size: usize, documents: &[SkillDocument]) -> Vec<SkillDocument> {
    let mut state = 1_u64;
    (0..size)
        .zip(documents.iter().cycle())
        .map(|(number, document)| {
            if number < documents.len() {
                return document.clone();
            }
            let mut words: Vec<&str> = document.description.split_whitespace().collect();
            for place in (1..words.len()).rev() {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let other = usize::try_from(state >> 33).unwrap_or_default() % (place + 1);
                words.swap(place, other);
            }
            SkillDocument {
                id: format!("{}-{number}", document.id),
                name: format!("{}-{number}", document.name),
                description: words.join(" "),
                ..document.clone()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_names_of_their_own_and_the_same_words() {
        let one = SkillDocument {
            id: "a".into(),
            description: "one two three".into(),
            ..SkillDocument::default()
        };
        let pool = pool(3, &[one]);
        assert_eq!(
            pool.iter()
                .map(|skill| skill.id.as_str())
                .collect::<Vec<_>>(),
            ["a", "a-1", "a-2"]
        );
        let mut words: Vec<&str> = pool[2].description.split(' ').collect();
        words.sort_unstable();
        assert_eq!(words, ["one", "three", "two"]);
    }

    #[test]
    fn the_pace_of_nothing_is_nothing() {
        assert_eq!(pace(Vec::new()), "least 0.0ns, p50 0.0ns, p99 0.0ns");
        assert!(pace(vec![Duration::from_millis(2); 3]).starts_with("least 2.0ms, p50 2.0ms"));
    }
}
