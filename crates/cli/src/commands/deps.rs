//! `metier deps`.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use metier::catalog::codes::{DEPENDENCY_CYCLE, DEPENDS_ON_CYCLE, MISSING_DEPENDENCY};
use metier::depgraph::DependencyGraph;
use metier::diagnostics::{Code, Severity};
use metier::loader::codes::{DEPENDS_FILE, DEPENDS_LINE, DEPENDS_ON_ITSELF};
use metier::{SkillCatalog, skill_model::SkillMetadata};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::Failure;
use crate::findings::tell_those;
use crate::options::SkillPlaces;
use crate::printer::{Printer, count};

/// Findings about dependencies; those about anything else are not asked for here.
const ABOUT: [Code; 6] = [
    MISSING_DEPENDENCY,
    DEPENDENCY_CYCLE,
    DEPENDS_ON_CYCLE,
    DEPENDS_ON_ITSELF,
    DEPENDS_FILE,
    DEPENDS_LINE,
];

#[derive(Args)]
pub(crate) struct Deps {
    /// How the graph is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print JSON.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    places: SkillPlaces,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each skill, in the order in which they load.
    Text,
    /// For Graphviz.
    Dot,
    /// For Markdown.
    Mermaid,
}

impl Deps {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let skills = metadata(&catalog);
        let graph = DependencyGraph::new(skills.iter().map(|skill| {
            let depends: Vec<&str> = skill.depends.iter().map(String::as_str).collect();
            (skill.name.as_str(), depends)
        }));
        if self.json {
            printer.json(&to_json(&graph));
        } else {
            match self.format {
                Format::Text => printer.rows(&rows(&graph)),
                Format::Dot => printer.lines(&dot(&graph)),
                Format::Mermaid => printer.lines(&mermaid(&graph)),
            }
        }
        // Of a skill that was rejected the graph knows nothing.
        tell_those(printer, &catalog.snapshot(), |finding| {
            finding.severity == Severity::Error || ABOUT.contains(&finding.code)
        });
        let found = self.places.tell_if_empty(printer, &catalog);
        let (missing, cycles) = (graph.missing().len(), graph.cycles().len());
        printer.say(&format!(
            "{}, {missing} missing, {}",
            count(graph.len(), "skill"),
            count(cycles, "cycle")
        ));
        if missing + cycles > 0 {
            return Err(Failure::Answered);
        }
        found
    }
}

/// Every known skill, by name.
fn metadata(catalog: &SkillCatalog) -> Vec<Arc<SkillMetadata>> {
    let skills = catalog.list_skills(None);
    let infos = skills
        .iter()
        .filter_map(|skill| catalog.get_skill_info(&skill.name));
    infos.filter_map(|info| info.metadata).collect()
}

fn rows(graph: &DependencyGraph) -> Vec<Vec<String>> {
    let row = |name: &&str| {
        let missing = graph.missing_of(name);
        let missing = missing.iter().map(|missing| format!("{missing} (missing)"));
        let needs: Vec<String> = graph
            .direct(name)
            .into_iter()
            .map(ToOwned::to_owned)
            .chain(missing)
            .collect();
        let needs = if needs.is_empty() {
            String::new()
        } else {
            format!("needs {}", needs.join(", "))
        };
        let standing = if let Some(cycle) = graph.cycle_of(name) {
            format!("cycle: {cycle}")
        } else if let Some(cycle) = graph.blocked_by_cycle(name) {
            format!("waits for a cycle: {cycle}")
        } else {
            String::new()
        };
        vec![(*name).to_owned(), needs, standing]
    };
    graph.order().iter().map(row).collect()
}

fn to_json(graph: &DependencyGraph) -> Value {
    let order = graph.order();
    let skills: Vec<Value> = order
        .iter()
        .map(|name| {
            json!({
                "name": name,
                "needs": graph.direct(name),
                "missing": graph.missing_of(name),
                "needed_by": graph.dependents(name),
                "loadable": graph.is_satisfied(name),
            })
        })
        .collect();
    let missing: Vec<Value> = graph
        .missing()
        .iter()
        .map(|missing| json!({"skill": missing.node, "dependency": missing.dependency}))
        .collect();
    let cycles: Vec<Value> = graph
        .cycles()
        .iter()
        .map(|cycle| json!({"members": cycle.members, "path": cycle.path}))
        .collect();
    json!({"order": order, "skills": skills, "missing": missing, "cycles": cycles})
}

/// The edges of the graph: who needs whom, and how it stands.
fn edges(graph: &DependencyGraph) -> Vec<(&str, &str, Edge)> {
    let mut edges = Vec::new();
    for name in graph.order() {
        for needed in graph.direct(name) {
            let cyclic = graph
                .cycle_of(name)
                .is_some_and(|cycle| cycle.contains(needed));
            let edge = if cyclic { Edge::Cyclic } else { Edge::Sound };
            edges.push((name, needed, edge));
        }
        for missing in graph.missing_of(name) {
            edges.push((name, missing, Edge::Missing));
        }
    }
    edges
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Sound,
    Cyclic,
    Missing,
}

/// Names that are needed and are not there, each once.
fn absent<'a>(edges: &[(&'a str, &'a str, Edge)]) -> Vec<&'a str> {
    let missing = edges.iter().filter(|(.., edge)| *edge == Edge::Missing);
    let mut absent: Vec<&str> = missing.map(|(_, to, _)| *to).collect();
    absent.sort_unstable();
    absent.dedup();
    absent
}

fn dot(graph: &DependencyGraph) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let edges = edges(graph);
    let mut text = "digraph skills {\n  rankdir = LR;\n  node [shape = box];\n".to_owned();
    // Writing to a String cannot fail.
    for name in graph.order() {
        let _ = writeln!(text, "  {};", quoted(name));
    }
    for name in absent(&edges) {
        let _ = writeln!(text, "  {} [style = dashed, color = red];", quoted(name));
    }
    for (from, to, edge) in edges {
        let style = match edge {
            Edge::Sound => "",
            Edge::Cyclic => " [color = red]",
            Edge::Missing => " [style = dashed, color = red]",
        };
        let _ = writeln!(text, "  {} -> {}{style};", quoted(from), quoted(to));
    }
    text.push_str("}\n");
    text
}

fn mermaid(graph: &DependencyGraph) -> String {
    let edges = edges(graph);
    let absent = absent(&edges);
    let order = graph.order();
    let names: Vec<&str> = order.iter().chain(&absent).copied().collect();
    // A name can hold what the notation gives a meaning to, so nodes are numbered and names quoted.
    let id = |wanted: &str| {
        let place = names.iter().position(|name| *name == wanted);
        format!("s{}", place.unwrap_or(names.len()))
    };
    let label = |name: &str| name.replace('#', "#35;").replace('"', "#quot;");
    let mut text = "flowchart LR\n".to_owned();
    // Writing to a String cannot fail.
    for name in &names {
        let class = if absent.contains(name) {
            ":::missing"
        } else if graph.cycle_of(name).is_some() {
            ":::cycle"
        } else {
            ""
        };
        let _ = writeln!(text, "  {}[\"{}\"]{class}", id(name), label(name));
    }
    for (from, to, edge) in &edges {
        let arrow = match edge {
            Edge::Missing => "-.->",
            _ => "-->",
        };
        let _ = writeln!(text, "  {} {arrow} {}", id(from), id(to));
    }
    text.push_str(
        "  classDef missing stroke:red,stroke-dasharray:4\n  classDef cycle stroke:red\n",
    );
    text
}
