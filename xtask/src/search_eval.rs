//! `cargo xtask search-eval`: how well search ranks labelled queries, overall and by slice.
//!
//! Any corpus and query file of the same shape can be given: one JSON object a line, a skill with `id`, `name`,
//! `description` and whatever else a search document has, a query with `qid`, `slice`, `query`, `relevant` ids and
//! `neutral` ids, which are taken out before scoring. Run it with `--release`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use metier_embed::ProcessEmbedder;
use metier_search::{
    Embedder, FusedIndex, HashedEmbedder, LexicalSkillIndex, Note, Query, RrfFusionIndex,
    SearchAnswer, SkillDocument, SkillIndex, StaticEmbedder, VectorSkillIndex, Weights,
};
use serde_json::json;

use crate::search_eval_calibrate::{Calibration, Judged};
use crate::search_eval_changes as changes;
use crate::search_eval_data::{self as data, LabelledQuery};
use crate::search_eval_score::{Table, score};
use crate::search_eval_speed::{self as speed, pace};
use crate::steps::Report;

/// So many ids of each query go into the file of ranked lists, and so many are looked at.
const DEPTH: usize = 100;

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
        default_value = "fused"
    )]
    arms: Vec<Arm>,
    /// What is left out, to see what it is worth.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    without: Vec<Part>,
    /// Sets a number of the ranking's table, such as `synonym=0.3`.
    #[arg(long, value_name = "NAME=NUMBER", value_parser = parse_set)]
    set: Vec<(String, f32)>,
    /// A program that embeds texts (`DCC_MCP_EMBED_PROGRAM`): takes part in `fused`, and is the arm `model`.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Also prints how sure the first hits are against how often they are right; with queries that have no
    /// relevant skill among the queries, also how often those are told from the others.
    #[arg(long)]
    calibrate: bool,
    /// Adds as many other skills, takes them out again, and holds every answer against the one before, bit by bit.
    #[arg(long)]
    changes: bool,
    /// Writes the ranked ids of the last arm, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measures the time it takes to build, search and change an index of so many skills, and nothing else.
    #[arg(long, value_name = "SKILLS", value_delimiter = ',')]
    speed: Vec<usize>,
    /// Prints so many queries without a relevant skill among the first ten.
    #[arg(long, default_value_t = 0)]
    misses: usize,
}

/// A way of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Arm {
    /// Words alone.
    Lexical,
    /// Hashed vectors alone, as the default of a vector index.
    Hashed,
    /// Hashed vectors of 2,048 dimensions, weighed by rarity.
    Weighed,
    /// Word vectors alone.
    Semantic,
    /// Words and hashed vectors, by rank.
    Rrf,
    /// Words and word vectors, by score: the product's way.
    Fused,
    /// The vectors of `--program` alone.
    Model,
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
    /// English words for those of other scripts.
    Glossary,
    /// Words of like meaning.
    Synonyms,
    /// Word vectors.
    Semantic,
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
    let model = match &options.program {
        Some(program) => Some(Arc::new(
            ProcessEmbedder::start(Command::new(program)).map_err(|error| error.to_string())?,
        ) as Arc<dyn Embedder>),
        None => None,
    };
    for size in &options.speed {
        for arm in &options.arms {
            println!("{arm:?}");
            let mut index = index(*arm, &weights(options)?, model.as_ref())?;
            speed::measure(*size, &documents, &queries, index.as_mut())?;
        }
    }
    if !options.speed.is_empty() {
        return Ok(());
    }
    for arm in &options.arms {
        let started = Instant::now();
        let mut index = index(*arm, &weights(options)?, model.as_ref())?;
        index.index(documents.clone());
        let built = started.elapsed();
        let mut table = Table::default();
        let mut runs = String::new();
        let mut times = Vec::new();
        let mut missed = Vec::new();
        let mut noted = BTreeSet::new();
        let mut judged = Vec::new();
        for query in &queries {
            let asked = Query::new(query.query.as_str(), DEPTH);
            let started = Instant::now();
            let answer = index.search(&asked).map_err(|error| error.to_string())?;
            times.push(started.elapsed());
            noted.extend(degradations(&answer));
            let scores: Vec<f64> = answer.hits.iter().map(|hit| hit.score).collect();
            let confidences: Vec<f64> = answer.hits.iter().map(|hit| hit.confidence).collect();
            judged.push(Judged::new(query, &answer));
            let ranked: Vec<String> = answer.hits.into_iter().map(|hit| hit.id).collect();
            let figures = score(&query.relevant, &ranked, &query.neutral);
            if !query.relevant.is_empty() {
                table.add(&query.slice, figures);
                if figures.recall_10 <= 0.0 {
                    missed.push(query);
                }
            }
            runs.push_str(
                &json!({"qid": query.qid, "ranked": ranked, "scores": scores, "confidences": confidences}).to_string(),
            );
            runs.push('\n');
        }
        println!("\n{arm:?}{}", without(&options.without));
        print!("{table}");
        println!("built in {built:.1?}, {}", pace(times));
        for note in noted {
            println!("NOTE {note}");
        }
        if options.changes {
            let moved = changes::moved_answers(index.as_mut(), &documents, &queries, DEPTH)?;
            println!(
                "{moved} of {} answers differ after as many skills came and went",
                queries.len()
            );
            if moved > 0 {
                return Err("a change left something behind".to_owned());
            }
        }
        if options.calibrate {
            print!("{}", Calibration::new(&judged));
        }
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

/// Arms that could not take part, in words: figures of an index that lost its model are no figures of the model.
fn degradations(answer: &SearchAnswer) -> impl Iterator<Item = String> + '_ {
    answer.notes.iter().filter_map(|note| match note {
        Note::ArmMissing { .. } => Some(note.to_string()),
        _ => None,
    })
}

fn index(
    arm: Arm,
    weights: &Weights,
    model: Option<&Arc<dyn Embedder>>,
) -> Result<Box<dyn SkillIndex>, String> {
    Ok(match (arm, model) {
        (Arm::Lexical, _) => Box::new(LexicalSkillIndex::with_weights(*weights)),
        (Arm::Hashed, _) => Box::new(VectorSkillIndex::new()),
        (Arm::Weighed, _) => Box::new(VectorSkillIndex::with_embedder(HashedEmbedder::weighed())),
        (Arm::Semantic, _) => Box::new(VectorSkillIndex::with_embedder(StaticEmbedder::new())),
        (Arm::Rrf, _) => Box::new(
            RrfFusionIndex::new()
                .register("lex", LexicalSkillIndex::with_weights(*weights))
                .register("vec", VectorSkillIndex::new()),
        ),
        (Arm::Fused, None) => Box::new(FusedIndex::with_weights(*weights)),
        (Arm::Fused, Some(model)) => {
            Box::new(FusedIndex::with_weights(*weights).with_model("model", Arc::clone(model)))
        }
        (Arm::Model, Some(model)) => Box::new(VectorSkillIndex::with_embedder(Arc::clone(model))),
        (Arm::Model, None) => return Err("the arm `model` needs `--program FILE`".to_owned()),
    })
}

fn weights(options: &SearchEval) -> Result<Weights, String> {
    let mut weights = Weights::DEFAULT;
    for part in &options.without {
        match part {
            Part::Fuzzy => weights.fuzzy = 0.0,
            Part::Prefix => weights.prefix = 0.0,
            Part::Coverage => weights.coverage = 0.0,
            Part::Glossary => weights.glossary = 0.0,
            Part::Synonyms => weights.synonym = 0.0,
            Part::Semantic => weights.semantic = 0.0,
        }
    }
    for (name, value) in &options.set {
        let [of_name, description, hints, tools, body] = &mut weights.field;
        let slot = match name.as_str() {
            "fuzzy" => &mut weights.fuzzy,
            "prefix" => &mut weights.prefix,
            "coverage" => &mut weights.coverage,
            "glossary" => &mut weights.glossary,
            "native" => &mut weights.native,
            "synonym" => &mut weights.synonym,
            "semantic" => &mut weights.semantic,
            "semantic_floor" => &mut weights.semantic_floor,
            "model" => &mut weights.model,
            "model_floor" => &mut weights.model_floor,
            "weak" => &mut weights.weak,
            "piece" => &mut weights.piece,
            "whole" => &mut weights.whole,
            "saturation" => &mut weights.saturation,
            "name" => of_name,
            "description" => description,
            "hints" => hints,
            "tools" => tools,
            "body" => body,
            _ => return Err(format!("`{name}` is not a number of the ranking")),
        };
        *slot = *value;
    }
    Ok(weights)
}

fn parse_set(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let value = value.parse().map_err(|error| format!("{value}: {error}"))?;
    Ok((name.to_owned(), value))
}

fn without(parts: &[Part]) -> String {
    if parts.is_empty() {
        String::new()
    } else {
        format!(" without {parts:?}")
    }
}
