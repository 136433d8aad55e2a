//! `cargo xtask search-eval`: how well search ranks labelled queries, overall and by slice.
//!
//! Any corpus and query file of the same shape can be given: one JSON object a line, a skill with `id`, `name`,
//! `description` and whatever else a search document has, a query with `qid`, `slice`, `query`, `relevant` ids and
//! `neutral` ids, which are taken out before scoring. Run it with `--release`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use metier_search::{LexicalSkillIndex, Query, SkillDocument, SkillIndex, Weights};
use serde_json::json;

use crate::search_eval_data::{self as data, LabelledQuery};
use crate::search_eval_score::{Table, score};
use crate::steps::Report;

/// So many ids of each query go into the file of ranked lists, and so many are looked at.
const DEPTH: usize = 30;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct SearchEval {
    /// The skills, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,
    /// The labelled queries, one JSON object a line; may be given several times.
    #[arg(long, value_name = "FILE", required = true)]
    queries: Vec<PathBuf>,
    /// Ways of searching, each a table of its own.
    #[arg(
        long,
        value_name = "ARM",
        value_delimiter = ',',
        default_value = "lexical"
    )]
    arms: Vec<Arm>,
    /// What is left out, to see what it is worth.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    without: Vec<Part>,
    /// Writes the ranked ids of the last arm, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Prints so many queries without a relevant skill among the first ten.
    #[arg(long, default_value_t = 0)]
    misses: usize,
}

/// A way of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Arm {
    /// Words alone.
    Lexical,
}

/// A part of search that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Indexed words that stand in for misspelt ones.
    Fuzzy,
    /// Indexed words that an unknown one begins.
    Prefix,
    /// How much of the query was matched.
    Coverage,
}

pub(crate) fn run(options: &SearchEval) -> Report {
    match measure(options) {
        Ok(()) => Report::passed(),
        Err(why) => Report::failed(why),
    }
}

fn measure(options: &SearchEval) -> Result<(), String> {
    let documents: Vec<SkillDocument> = data::lines(&options.corpus)?;
    let mut queries: Vec<LabelledQuery> = Vec::new();
    for file in &options.queries {
        queries.extend(data::lines(file)?);
    }
    println!("{} skills, {} queries", documents.len(), queries.len());
    for arm in &options.arms {
        let started = Instant::now();
        let mut index = index(*arm, &weights(&options.without));
        index.index(documents.clone());
        let built = started.elapsed();
        let mut table = Table::default();
        let mut runs = String::new();
        let mut times = Vec::new();
        let mut missed = Vec::new();
        for query in &queries {
            let asked = Query::new(query.query.as_str(), DEPTH);
            let started = Instant::now();
            let answer = index.search(&asked).map_err(|error| error.to_string())?;
            times.push(started.elapsed());
            let ranked: Vec<String> = answer.hits.into_iter().map(|hit| hit.id).collect();
            let figures = score(&query.relevant, &ranked, &query.neutral);
            if !query.relevant.is_empty() {
                table.add(&query.slice, figures);
                if figures.recall_10 <= 0.0 {
                    missed.push(query);
                }
            }
            runs.push_str(&json!({"qid": query.qid, "ranked": ranked}).to_string());
            runs.push('\n');
        }
        println!("\n{arm:?}{}", without(&options.without));
        print!("{table}");
        println!("built in {built:.1?}, {}", pace(times));
        for query in missed.into_iter().take(options.misses) {
            println!(
                "MISS {} {}: {} {:?}",
                query.qid, query.slice, query.query, query.relevant
            );
        }
        if let Some(out) = &options.out {
            std::fs::write(out, runs)
                .map_err(|error| format!("{} could not be written: {error}", out.display()))?;
        }
    }
    Ok(())
}

fn index(arm: Arm, weights: &Weights) -> Box<dyn SkillIndex> {
    match arm {
        Arm::Lexical => Box::new(LexicalSkillIndex::with_weights(*weights)),
    }
}

fn weights(without: &[Part]) -> Weights {
    let mut weights = Weights::DEFAULT;
    for part in without {
        match part {
            Part::Fuzzy => weights.fuzzy = 0.0,
            Part::Prefix => weights.prefix = 0.0,
            Part::Coverage => weights.coverage = 0.0,
        }
    }
    weights
}

fn without(parts: &[Part]) -> String {
    if parts.is_empty() {
        String::new()
    } else {
        format!(" without {parts:?}")
    }
}

/// The median and the slow end.
fn pace(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len().saturating_sub(1) * share / 100)
            .copied()
            .unwrap_or_default()
    };
    format!("a query p50 {:.1?}, p99 {:.1?}", at(50), at(99))
}
