//! Whoever answers: both of our indexes, and tantivy with the fields that a skill has.

use std::error::Error;

use metier_search::{FusedIndex, LexicalSkillIndex, Query, SkillDocument, SkillIndex};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{Index, IndexReader, TantivyDocument};

/// So many hits are asked for.
pub const HITS: usize = 10;

/// A way of searching.
pub trait Side {
    /// Searches, and says how many hits came back.
    fn search(&self, query: &str) -> usize;
}

/// Those that are measured, in the order in which they take turns.
pub const SIDES: [&str; 3] = ["lexical", "fused", "tantivy"];

/// Builds the index of that side.
pub fn build(side: &str, documents: Vec<SkillDocument>) -> Result<Box<dyn Side>, Box<dyn Error>> {
    match side {
        "lexical" => Ok(Box::new(Ours::new(LexicalSkillIndex::new(), documents))),
        "fused" => Ok(Box::new(Ours::new(FusedIndex::new(), documents))),
        "tantivy" => Ok(Box::new(Tantivy::new(documents)?)),
        other => Err(format!("no side is called `{other}`").into()),
    }
}

struct Ours<I>(I);

impl<I: SkillIndex> Ours<I> {
    fn new(mut index: I, documents: Vec<SkillDocument>) -> Self {
        index.index(documents);
        Self(index)
    }
}

impl<I: SkillIndex> Side for Ours<I> {
    fn search(&self, query: &str) -> usize {
        self.0
            .search(&Query::new(query, HITS))
            .map_or(0, |answer| answer.hits.len())
    }
}

/// English stems, five fields with our weights, one segment in memory, ids stored.
struct Tantivy {
    reader: IndexReader,
    parser: QueryParser,
    id: Field,
}

impl Tantivy {
    fn new(documents: Vec<SkillDocument>) -> Result<Self, Box<dyn Error>> {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("en_stem")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let weighed = [
            ("name", 2.5),
            ("description", 1.0),
            ("hints", 0.7),
            ("tools", 0.3),
            ("body", 0.15),
        ];
        let fields = weighed.map(|(name, _)| schema.add_text_field(name, text.clone()));
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 256 << 20)?;
        for skill in documents {
            let mut hints = skill.tags.join(" ");
            for more in [
                &skill.when_to_use,
                &skill.search_hint,
                &skill.dcc,
                &skill.search_aliases.join(" "),
            ] {
                hints.push(' ');
                hints.push_str(more);
            }
            let mut tools = String::new();
            for tool in &skill.tools {
                for part in [
                    &tool.name.replace('_', " "),
                    &tool.description,
                    &tool.aliases.join(" "),
                ] {
                    tools.push_str(part);
                    tools.push(' ');
                }
            }
            let mut document = TantivyDocument::default();
            document.add_text(id, &skill.id);
            let body: String = skill
                .body
                .chars()
                .take(metier_search::BODY_CHARACTERS)
                .collect();
            for (field, text) in
                fields
                    .iter()
                    .zip([&skill.name, &skill.description, &hints, &tools, &body])
            {
                document.add_text(*field, text);
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        let mut parser = QueryParser::for_index(&index, fields.to_vec());
        for (field, (_, boost)) in fields.iter().zip(weighed) {
            parser.set_field_boost(*field, boost);
        }
        Ok(Self {
            reader: index.reader()?,
            parser,
            id,
        })
    }
}

impl Side for Tantivy {
    fn search(&self, query: &str) -> usize {
        let searcher = self.reader.searcher();
        let (query, _) = self.parser.parse_query_lenient(query);
        let Ok(found) = searcher.search(&query, &TopDocs::with_limit(HITS).order_by_score()) else {
            return 0;
        };
        // The ids are read as well: an answer is not a number.
        found
            .into_iter()
            .filter_map(|(_, address)| searcher.doc::<TantivyDocument>(address).ok())
            .filter(|document| {
                document
                    .get_first(self.id)
                    .is_some_and(|id| id.as_str().is_some())
            })
            .count()
    }
}
