//! `memory SIZE [CORPUS QUERIES]`: what an index holds for each skill, and how often a query allocates.
//!
//! A program of its own, because counting costs time.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use allocation_counter::measure;
use search_beside_tantivy::pool::Pool;
use search_beside_tantivy::sides::build;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size: usize = arguments.first().ok_or("how many skills?")?.parse()?;
    let pool = match arguments.get(1..3) {
        Some([documents, queries]) => Pool::read(Path::new(documents), Path::new(queries))?,
        _ => Pool::written(),
    };
    // What is loaded once, the tables of words, is not counted.
    black_box(build("fused", pool.documents(1))?.search("render"));
    let mut figures = serde_json::Map::new();
    for side in ["lexical", "fused"] {
        // The documents are freed with the building; what they held must not count as given back.
        let mut index = None;
        let whole = measure(|| index = Some(build(side, pool.documents(size))));
        let index = index.ok_or("nothing was built")??;
        let mut allocations: Vec<u64> = pool
            .queries
            .iter()
            .map(|query| measure(|| _ = black_box(index.search(query))).count_total)
            .collect();
        allocations.sort_unstable();
        let at = |percent: usize| {
            allocations
                .get(allocations.len().saturating_sub(1) * percent / 100)
                .copied()
        };
        let figure = json!({
            "bytes_a_skill": whole.bytes_current / i64::try_from(size.max(1))?,
            "allocations_a_query": { "p50": at(50), "most": at(100) },
        });
        figures.insert(side.to_owned(), figure);
    }
    figures.insert("skills".to_owned(), json!(size));
    println!("{}", serde_json::Value::Object(figures));
    Ok(())
}
