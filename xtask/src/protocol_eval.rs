//! `cargo xtask protocol-eval`: what skills cost a model's context, and how many tasks reach their skill.
//!
//! The files are those of `search-eval`. Tokens are counted as four characters each. A task is played like this: the
//! model has the listing; where it sees no skill that fits there, it asks `discover_skills` in the task's words. The
//! model is played by the labels: it takes a right skill wherever it sees one, and never a wrong one.

use std::path::PathBuf;

use clap::Args;
use metier_search::{FusedIndex, SkillDocument, SkillIndex as _};
use metier_skill_protocol::{
    Cascade, Conversation, DiscoverRequest, Discovery, DiscoveryAnswer, ListingOptions,
    MemoryCounters, SkillBook, SkillEntry, Stage, Standing, View, listing,
};
use serde_json::{Value, json};

use crate::search_eval_data::{self as data, LabelledQuery};
use crate::steps::Report;

/// Characters of a token.
const TOKEN: usize = 4;
/// The context window that the share is of, in tokens.
const WINDOW: usize = 200_000;
/// How many hits a discovery has.
const HITS: usize = 10;
/// How many skills there are.
const SIZES: [usize; 3] = [20, 100, 1_000];

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct ProtocolEval {
    /// The skills, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,
    /// The labelled queries, one JSON object a line; may be given several times.
    #[arg(long, value_name = "FILE", required = true)]
    queries: Vec<PathBuf>,
    /// The prompts of undecided discoveries, one JSON object a line, for a model that is asked elsewhere.
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// What such a model said: `{"qid": …, "text": …}`, one JSON object a line. Without it the labels choose.
    #[arg(long, value_name = "FILE")]
    said: Option<PathBuf>,
}

pub(crate) fn run(options: &ProtocolEval) -> Report {
    match measure(options) {
        Ok(()) => Report::passed(),
        Err(why) => Report::failed(why),
    }
}

#[derive(Debug, serde::Deserialize)]
struct Said {
    qid: String,
    text: String,
}

fn measure(options: &ProtocolEval) -> Result<(), String> {
    let documents: Vec<SkillDocument> = data::lines(&options.corpus)?;
    let mut queries: Vec<LabelledQuery> = Vec::new();
    for file in &options.queries {
        queries.extend(data::lines(file)?);
    }
    println!("{} skills, {} queries", documents.len(), queries.len());
    costs(&documents, &queries);
    let said: Vec<Said> = match &options.said {
        Some(file) => data::lines(file)?,
        None => Vec::new(),
    };
    let play = Play::new(&documents, options.said.is_some().then_some(&said[..]));
    let (reach, prompts) = play.all(&queries);
    reach.print();
    if let Some(file) = &options.prompts {
        let lines: Vec<String> = prompts.iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        std::fs::write(file, text)
            .map_err(|error| format!("{} could not be written: {error}", file.display()))?;
    }
    Ok(())
}

fn entries(documents: &[SkillDocument]) -> Vec<SkillEntry> {
    let entry = |document: &SkillDocument| {
        let mut entry = SkillEntry::new(
            document.id.as_str(),
            document.name.as_str(),
            document.description.as_str(),
        );
        entry.when_to_use.clone_from(&document.when_to_use);
        entry
    };
    documents.iter().map(entry).collect()
}

/// Tokens for a turn: everything there is, the listing, one question to discovery.
fn costs(documents: &[SkillDocument], queries: &[LabelledQuery]) {
    println!("\ntokens a turn         dump     names  listing (share)  with a discovery (share)");
    for size in SIZES {
        let some: Vec<SkillDocument> = documents
            .iter()
            .cycle()
            .take(size)
            .cloned()
            .enumerate()
            .map(|(number, mut document)| {
                if number >= documents.len() {
                    document.id = format!("{}-{number}", document.id);
                    document.name = format!("{}-{number}", document.name);
                }
                document
            })
            .collect();
        let whole: usize = some.iter().map(whole_text).sum();
        let cards: usize = some
            .iter()
            .map(|document| {
                document.name.chars().count() + document.description.chars().count() + 4
            })
            .sum();
        let world = World::new(&some);
        let listed = world.with(|view| {
            listing(view, None, &ListingOptions::default())
                .text
                .chars()
                .count()
        });
        let asked: Vec<&LabelledQuery> = queries.iter().take(200).collect();
        let answers: usize = asked
            .iter()
            .map(|query| {
                world
                    .discover(&query.query, 5)
                    .1
                    .to_string()
                    .chars()
                    .count()
            })
            .sum();
        let answer = answers / asked.len().max(1);
        println!(
            "{size:5} skills   {:10} {:9} {:8} {:>8} {:10} {:>8}",
            whole / TOKEN,
            cards / TOKEN,
            listed / TOKEN,
            share(listed / TOKEN),
            (listed + answer) / TOKEN,
            share((listed + answer) / TOKEN),
        );
    }
}

fn share(tokens: usize) -> String {
    let basis = tokens * 10_000 / WINDOW;
    format!("{}.{:02} %", basis / 100, basis % 100)
}

/// All that a host without a protocol puts into the context.
fn whole_text(document: &SkillDocument) -> usize {
    let texts = [
        &document.name,
        &document.description,
        &document.when_to_use,
        &document.body,
    ];
    texts.iter().map(|text| text.chars().count()).sum()
}

/// The skills with their index.
struct World {
    book: SkillBook,
    index: FusedIndex,
    standing: Standing,
    conversation: Conversation,
    quality: MemoryCounters,
}

impl World {
    fn new(documents: &[SkillDocument]) -> Self {
        let mut index = FusedIndex::new();
        index.index(documents.to_vec());
        Self {
            book: SkillBook::new(1, entries(documents)),
            index,
            standing: Standing::default(),
            conversation: Conversation::default(),
            quality: MemoryCounters::default(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&View<'_>) -> T) -> T {
        work(&View::new(
            &self.book,
            &self.standing,
            &self.conversation,
            &self.quality,
        ))
    }

    /// The answer to a query, and as the JSON that a model is sent.
    fn discover(&self, query: &str, limit: usize) -> (DiscoveryAnswer, Value) {
        let mut request = DiscoverRequest::new(query);
        request.limit = limit;
        let answer =
            self.with(
                |view| match Cascade::new(*view).with_hybrid(&self.index).begin(&request) {
                    Discovery::Answered(answer) => answer,
                    Discovery::Asks(pending) => pending.into_found(),
                },
            );
        let json = json!(answer);
        (answer, json)
    }
}

struct Play<'s> {
    world: World,
    listed: Vec<String>,
    said: Option<&'s [Said]>,
}

impl<'s> Play<'s> {
    fn new(documents: &[SkillDocument], said: Option<&'s [Said]>) -> Self {
        let world = World::new(documents);
        let listed = world.with(|view| listing(view, None, &ListingOptions::default()).shown);
        Self {
            world,
            listed,
            said,
        }
    }

    fn all(&self, queries: &[LabelledQuery]) -> (Reach, Vec<Value>) {
        let mut reach = Reach::default();
        let mut prompts = Vec::new();
        for query in queries {
            if query.relevant.is_empty() {
                reach.unanswerable(self, query);
            } else {
                reach.tasks += 1;
                self.task(query, &mut reach, &mut prompts);
            }
        }
        (reach, prompts)
    }

    fn task(&self, query: &LabelledQuery, reach: &mut Reach, prompts: &mut Vec<Value>) {
        let is_right = |id: &String| query.relevant.contains(id);
        let in_listing = self.listed.iter().any(is_right);
        let (found, _) = self.world.discover(&query.query, HITS);
        let in_hits = found.hits.iter().any(|hit| is_right(&hit.id));
        reach.listed += usize::from(in_listing);
        reach.found += usize::from(in_hits);
        reach.reached += usize::from(in_listing || in_hits);
        reach.first += usize::from(found.hits.first().is_some_and(|hit| is_right(&hit.id)));
        let mut request = DiscoverRequest::new(query.query.as_str()).with_selector();
        request.limit = 3;
        self.world.with(|view| {
            let cascade = Cascade::new(*view).with_hybrid(&self.world.index);
            match cascade.begin(&request) {
                Discovery::Answered(answer) => {
                    let right = answer.hits.first().is_some_and(|hit| is_right(&hit.id));
                    let stage = usize::from(answer.stage != Stage::Direct);
                    if let Some(place) = reach.sure.get_mut(stage) {
                        place.0 += 1;
                        place.1 += usize::from(right);
                    }
                }
                Discovery::Asks(pending) => {
                    reach.asked.0 += 1;
                    let offered = pending.candidates().iter().any(|it| is_right(&it.id));
                    reach.offered += usize::from(offered);
                    let prompt = pending.prompt();
                    prompts.push(
                        json!({"qid": query.qid, "system": prompt.system, "user": prompt.user}),
                    );
                    let by_label: Vec<&str> = pending
                        .candidates()
                        .iter()
                        .map(|candidate| candidate.id.as_str())
                        .filter(|id| query.relevant.iter().any(|right| right == id))
                        .collect();
                    let text = match self.said {
                        Some(said) => said
                            .iter()
                            .find(|said| said.qid == query.qid)
                            .map(|said| said.text.clone()),
                        None => Some(json!({"brief_plan": "", "skills": by_label}).to_string()),
                    };
                    let Some(text) = text else {
                        return;
                    };
                    let answer = cascade.resume(pending, "scripted", Ok(&text));
                    reach.asked.1 += usize::from(answer.hits.iter().any(|hit| is_right(&hit.id)));
                }
            }
        });
    }
}

/// How many tasks came how far.
#[derive(Debug, Default)]
struct Reach {
    tasks: usize,
    listed: usize,
    found: usize,
    reached: usize,
    first: usize,
    /// By name, and by words and meaning: how often the cascade ended there, and how often with the right skill first.
    sure: [(usize, usize); 2],
    /// How often a selector is asked, and how often its choice holds a right one.
    asked: (usize, usize),
    offered: usize,
    /// Queries that nothing answers, and how many of them no stage was sure of.
    nothing: (usize, usize),
}

impl Reach {
    fn unanswerable(&mut self, play: &Play<'_>, query: &LabelledQuery) {
        let request = DiscoverRequest::new(query.query.as_str()).with_selector();
        let is_open = play.world.with(|view| {
            let cascade = Cascade::new(*view).with_hybrid(&play.world.index);
            match cascade.begin(&request) {
                Discovery::Asks(_) => true,
                Discovery::Answered(answer) => answer.hits.is_empty(),
            }
        });
        self.nothing.0 += 1;
        self.nothing.1 += usize::from(is_open);
    }

    fn print(&self) {
        let of = |part: usize| percent(part, self.tasks);
        println!("\n{} tasks", self.tasks);
        println!(
            "a right skill is in the listing                   {}",
            of(self.listed)
        );
        println!(
            "among the ten hits of a discovery                 {}",
            of(self.found)
        );
        println!(
            "in one of the two                                 {}",
            of(self.reached)
        );
        println!(
            "first of the hits                                 {}",
            of(self.first)
        );
        let [direct, searched] = self.sure;
        println!(
            "the cascade ends with a name                      {}, right {}",
            of(direct.0),
            percent(direct.1, direct.0)
        );
        println!(
            "ends with words and meaning                       {}, right {}",
            of(searched.0),
            percent(searched.1, searched.0)
        );
        println!(
            "asks a selector                                   {}, offers a right one {}, chooses one {}",
            of(self.asked.0),
            percent(self.offered, self.asked.0),
            percent(self.asked.1, self.asked.0)
        );
        let right = direct.1 + searched.1 + self.asked.1;
        println!(
            "right in the end, with at most three skills       {}",
            of(right)
        );
        println!(
            "{} queries that nothing answers: no stage is sure of {}",
            self.nothing.0,
            percent(self.nothing.1, self.nothing.0)
        );
    }
}

fn percent(part: usize, whole: usize) -> String {
    let tenths = part * 1_000 / whole.max(1);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
