//! `time SIZE [CORPUS QUERIES]`: how long a query takes on each side, and how long the index takes to build.
//!
//! The sides take turns, query list by query list; printed is, as one line of JSON, the median over the rounds of
//! each round's p50 and p99, in microseconds.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use metier_search::{FusedIndex, SkillDocument, SkillIndex};
use search_beside_tantivy::pool::Pool;
use search_beside_tantivy::sides::{SIDES, build};
use serde_json::json;

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size: usize = arguments.first().ok_or("how many skills?")?.parse()?;
    let pool = match arguments.get(1..3) {
        Some([documents, queries]) => Pool::read(Path::new(documents), Path::new(queries))?,
        _ => Pool::written(),
    };
    let mut built = Vec::new();
    let mut sides = Vec::new();
    for name in SIDES {
        let documents = pool.documents(size);
        let started = Instant::now();
        sides.push(build(name, documents)?);
        built.push(started.elapsed().as_secs_f64() * 1e3);
    }
    let mut rounds = vec![Vec::new(); sides.len()];
    for round in 0..=ROUNDS {
        for (side, rounds) in sides.iter().zip(&mut rounds) {
            let mut times: Vec<f64> = pool
                .queries
                .iter()
                .map(|query| {
                    let started = Instant::now();
                    black_box(side.search(query));
                    started.elapsed().as_secs_f64() * 1e6
                })
                .collect();
            times.sort_by(f64::total_cmp);
            // The first round warms up.
            if round > 0 {
                rounds.push((at(&times, 50), at(&times, 99)));
            }
        }
    }
    let mut figures = serde_json::Map::new();
    for ((name, built), rounds) in SIDES.iter().zip(built).zip(rounds) {
        let (mut middles, mut ends): (Vec<f64>, Vec<f64>) = rounds.into_iter().unzip();
        middles.sort_by(f64::total_cmp);
        ends.sort_by(f64::total_cmp);
        let figure =
            json!({ "p50_us": at(&middles, 50), "p99_us": at(&ends, 50), "built_ms": built });
        figures.insert((*name).to_owned(), figure);
    }
    drop(sides);
    figures.insert("one_more_ms".to_owned(), json!(one_more(&pool, size)));
    figures.insert("skills".to_owned(), json!(size));
    println!("{}", serde_json::Value::Object(figures));
    Ok(())
}

/// The median time in milliseconds of adding one skill to the product's index, as the catalog does it: to a copy.
fn one_more(pool: &Pool, size: usize) -> f64 {
    let mut index = FusedIndex::new();
    index.index(pool.documents(size));
    let mut times = Vec::new();
    for (number, document) in pool.documents(21).into_iter().enumerate() {
        let one = SkillDocument {
            id: format!("one-more-{number}"),
            ..document
        };
        let started = Instant::now();
        let mut next = index.clone();
        next.index(vec![one]);
        index = next;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    at(&times, 50)
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted
        .get(sorted.len().saturating_sub(1) * percent / 100)
        .copied()
        .unwrap_or_default()
}
