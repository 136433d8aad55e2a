//! Several segments to one, without the documents that were taken out.

use std::collections::BTreeMap;

use fst::Streamer;
use fst::map::OpBuilder;

use super::Part;
use super::build::Flat;
use super::length::Lengths;
use super::segment::{Counts, Entry, Postings, Segment};

/// Where the documents of each part end up; `None` for those that were taken out.
type Moves = Vec<Vec<Option<u32>>>;

pub(super) fn merge(parts: &[Part]) -> Segment {
    let (entries, lengths, moves) = documents(parts);
    let mut by_id: Vec<u32> = (0..).take(entries.len()).collect();
    by_id.sort_by_key(|ordinal| {
        usize::try_from(*ordinal)
            .ok()
            .and_then(|ordinal| entries.get(ordinal))
            .map(|entry| entry.id.as_str())
    });
    Segment {
        names: keys(parts, &moves, |segment| &segment.names),
        tools: keys(parts, &moves, |segment| &segment.tools),
        postings: postings(parts, &moves),
        entries,
        lengths,
        by_id,
    }
}

fn documents(parts: &[Part]) -> (Vec<Entry>, Vec<Lengths>, Moves) {
    let mut live: Vec<(&Entry, Lengths, usize, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let documents = part.segment.entries.iter().zip(&part.segment.lengths);
        for (ordinal, (entry, lengths)) in documents.enumerate() {
            if part.is_live(ordinal) {
                live.push((entry, *lengths, place, ordinal));
            }
        }
    }
    live.sort_by(|(a, ..), (b, ..)| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    let mut moves: Moves = parts
        .iter()
        .map(|part| vec![None; part.segment.len()])
        .collect();
    for (to, (_, _, place, ordinal)) in (0..).zip(&live) {
        if let Some(slot) = moves
            .get_mut(*place)
            .and_then(|moves| moves.get_mut(*ordinal))
        {
            *slot = Some(to);
        }
    }
    let (entries, lengths) = live
        .into_iter()
        .map(|(entry, lengths, ..)| (entry.clone(), lengths))
        .unzip();
    (entries, lengths, moves)
}

fn moved(moves: &Moves, place: usize, ordinal: u32) -> Option<u32> {
    let ordinal = usize::try_from(ordinal).ok()?;
    moves.get(place)?.get(ordinal).copied().flatten()
}

fn keys(
    parts: &[Part],
    moves: &Moves,
    of: impl Fn(&Segment) -> &Vec<(Box<str>, u32)>,
) -> Vec<(Box<str>, u32)> {
    let mut keys: Vec<(Box<str>, u32)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        keys.extend(of(&part.segment).iter().filter_map(|(key, ordinal)| {
            moved(moves, place, *ordinal).map(|ordinal| (key.clone(), ordinal))
        }));
    }
    keys.sort_unstable();
    keys
}

fn postings(parts: &[Part], moves: &Moves) -> Postings {
    let mut flat = Flat::default();
    // For each part, old number of a term to the new one; terms without a live document have none.
    let mut numbers: Vec<Vec<Option<u64>>> = parts
        .iter()
        .map(|part| vec![None; part.segment.postings.terms.len()])
        .collect();
    let mut union = OpBuilder::new();
    for part in parts {
        union = union.add(&part.segment.postings.terms);
    }
    let mut union = union.union();
    let mut together: Vec<(u32, Counts)> = Vec::new();
    while let Some((term, places)) = union.next() {
        together.clear();
        for place in places {
            let Some(postings) = parts.get(place.index).map(|part| &part.segment.postings) else {
                continue;
            };
            let Some(range) = postings.numbered(place.value) else {
                continue;
            };
            let occurrences = postings
                .documents(&range)
                .iter()
                .zip(postings.counts(&range));
            together.extend(occurrences.filter_map(|(document, counts)| {
                moved(moves, place.index, *document).map(|document| (document, *counts))
            }));
        }
        if together.is_empty() {
            continue;
        }
        together.sort_unstable_by_key(|(document, _)| *document);
        let Ok(term) = str::from_utf8(term) else {
            continue;
        };
        let number = flat.push(term.to_owned(), together.drain(..));
        for place in places {
            let slot = numbers
                .get_mut(place.index)
                .zip(usize::try_from(place.value).ok())
                .and_then(|(numbers, old)| numbers.get_mut(old));
            if let Some(slot) = slot {
                *slot = Some(number);
            }
        }
    }
    flat.finish(surfaces(parts, &numbers).into_iter())
}

fn surfaces(parts: &[Part], numbers: &[Vec<Option<u64>>]) -> BTreeMap<String, u64> {
    let mut surfaces = BTreeMap::new();
    for (part, numbers) in parts.iter().zip(numbers) {
        let mut stream = part.segment.postings.surfaces.stream();
        while let Some((surface, old)) = stream.next() {
            let number = usize::try_from(old)
                .ok()
                .and_then(|old| numbers.get(old))
                .copied()
                .flatten();
            if let (Ok(surface), Some(number)) = (str::from_utf8(surface), number) {
                surfaces.insert(surface.to_owned(), number);
            }
        }
    }
    surfaces
}
