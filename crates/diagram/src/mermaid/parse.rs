//! Turns the Mermaid source that people write into a diagram: flowcharts, sequence, state, entity relationship and class diagrams.
//! Limits: 50 KiB of source, 300 nodes, groups or participants, 1,200 edges, 2,000 steps, 32 levels of nesting.
//! Takes time in proportion to the source. What Mermaid rejects is an error with its line: a wrong picture is worse than none.

mod class;
mod colour;
mod cursor;
mod entity;
mod flowchart;
mod graph;
mod lines;
mod sequence;
mod state;
mod style;
#[cfg(test)]
mod tests;
mod text;

use crate::{Diagram, DiagramBody};

pub(crate) const MOST_BYTES: usize = 50 * 1024;
const MOST_NODES: usize = 300;
const MOST_EDGES: usize = 1_200;
const MOST_STEPS: usize = 2_000;
const MOST_LEVELS: usize = 32;

/// A diagram parsed from an author's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authored {
    /// Its `title` is that of the front matter or `accTitle`; otherwise the kind of diagram.
    pub diagram: Diagram,
    /// The title to show above the picture, from the front matter or a `title` line.
    pub heading: Option<String>,
    /// `accDescr`.
    pub description: Option<String>,
}

/// Why a source cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the first line names no kind of diagram, such as `flowchart TD` or `sequenceDiagram`")]
    Unknown,
    #[error("catalog does not draw the kind of diagram `{kind}`")]
    Unsupported { kind: String },
    #[error("the source has {bytes} bytes, more than the {most} that are drawn; split it")]
    TooLong { bytes: usize, most: usize },
    #[error("it has {count} {what}, more than the {most} that are drawn; split it")]
    TooLarge {
        what: &'static str,
        count: usize,
        most: usize,
    },
    #[error("line {line}: {message}")]
    Source { line: usize, message: String },
}

impl Error {
    fn at(line: usize, message: impl Into<String>) -> Error {
        Error::Source {
            line,
            message: message.into(),
        }
    }
}

/// The kinds of diagram that are drawn.
#[derive(Clone, Copy)]
enum DiagramKind {
    Flowchart,
    Sequence,
    State,
    Entity,
    Class,
}

/// Kinds that Mermaid draws and this crate does not. Many have or had `-beta` at the end of their name.
const OTHER_KINDS: [&str; 31] = [
    "C4Component",
    "C4Container",
    "C4Context",
    "C4Deployment",
    "C4Dynamic",
    "architecture",
    "block",
    "error",
    "eventmodeling",
    "gantt",
    "gitGraph",
    "info",
    "ishikawa",
    "journey",
    "kanban",
    "mindmap",
    "packet",
    "pie",
    "quadrantChart",
    "radar",
    "requirement",
    "requirementDiagram",
    "sankey",
    "swimlane",
    "timeline",
    "treeView",
    "treemap",
    "venn",
    "wardley",
    "xychart",
    "zenuml",
];

/// Parses Mermaid source.
pub fn parse(source: &str) -> Result<Authored, Error> {
    if source.len() > MOST_BYTES {
        return Err(Error::TooLong {
            bytes: source.len(),
            most: MOST_BYTES,
        });
    }
    let document = lines::read(source);
    let kind = kind_named(&document.kind)?;
    let mut heading = document.title.clone();
    let body = match kind {
        DiagramKind::Flowchart => DiagramBody::Flow(flowchart::parse(&document)?),
        DiagramKind::State => DiagramBody::Flow(state::parse(&document)?),
        DiagramKind::Entity => DiagramBody::Flow(entity::parse(&document)?),
        DiagramKind::Class => DiagramBody::Flow(class::parse(&document)?),
        DiagramKind::Sequence => {
            let parsed = sequence::parse(&document)?;
            heading = heading.or(parsed.title);
            DiagramBody::Sequence(parsed.sequence)
        }
    };
    let title = document
        .accessible_title
        .or_else(|| heading.clone())
        .unwrap_or_else(|| kind_title(kind).to_owned());
    Ok(Authored {
        diagram: Diagram { title, body },
        heading,
        description: document.description,
    })
}

fn kind_named(word: &str) -> Result<DiagramKind, Error> {
    match word {
        "graph" | "flowchart" | "flowchart-elk" => return Ok(DiagramKind::Flowchart),
        "sequenceDiagram" => return Ok(DiagramKind::Sequence),
        "stateDiagram" | "stateDiagram-v2" => return Ok(DiagramKind::State),
        "erDiagram" => return Ok(DiagramKind::Entity),
        "classDiagram" | "classDiagram-v2" => return Ok(DiagramKind::Class),
        _ => {}
    }
    let name = word.strip_suffix(':').unwrap_or(word);
    let stem = name.strip_suffix("-beta").unwrap_or(name);
    if OTHER_KINDS.contains(&stem) {
        return Err(Error::Unsupported {
            kind: name.to_owned(),
        });
    }
    Err(Error::Unknown)
}

fn kind_title(kind: DiagramKind) -> &'static str {
    match kind {
        DiagramKind::Flowchart => "Flowchart",
        DiagramKind::Sequence => "Sequence diagram",
        DiagramKind::State => "State diagram",
        DiagramKind::Entity => "Entity relationship diagram",
        DiagramKind::Class => "Class diagram",
    }
}

/// Fails if a count exceeds a limit.
fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), Error> {
    if count > most {
        return Err(Error::TooLarge { what, count, most });
    }
    Ok(())
}
