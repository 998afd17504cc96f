//! Default runbooks for every component of a kind: Markdown files of the theme whose placeholders are filled with the
//! component's own names. To add one, create a file in `theme/runbooks/`.
//!
//! A line that names an object is repeated for each object of the component, up to a limit. A line whose placeholder
//! has no value is omitted. So the files need no conditions.

mod case;
mod fill;
mod pods;

pub use case::{Case, paths, unit};
use fill::{FillValues, Template};
use markdown::{BlockKind, Blocks, blocks};

/// All default runbooks, by name.
#[derive(Debug, Default)]
pub struct Standards(Vec<Standard>);

/// A default runbook, before it is about any component.
#[derive(Debug)]
pub struct Standard {
    /// The name of its file, without the ending.
    pub name: String,
    pub title: String,
    /// In a line, with code in backticks.
    pub symptom: String,
    /// Alerts and error messages that it is found by, besides its symptom.
    pub search: Vec<String>,
    subject: RunbookCondition,
    /// Words that, all in the title of an authored runbook, say that it is about the same.
    replaced_by: Vec<Vec<String>>,
    parts: Vec<RunbookBlock>,
}

/// The condition under which a runbook applies to a component.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RunbookCondition {
    /// A unit of this kind that applies it.
    Unit(String),
    /// An object, by kind and group.
    Object {
        kind: String,
        group: String,
    },
    /// Kinds that another component brings.
    ForeignKind,
    Webhook,
    MemoryLimit,
    Image,
    Volume,
    /// Something that keeps pods running.
    Workload,
    /// A chart that was not read, so that its workloads are not known.
    UnreadChart,
    /// An object that routes requests to it.
    Route,
}

#[derive(Debug)]
enum RunbookBlock {
    /// Begins a part such as *Diagnose* or *Fix*.
    Heading(String),
    Paragraph(Template),
    /// One for each object.
    Item(Template),
    Commands(Vec<CommandStep<Template>>),
}

/// Commands under the question that they answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandStep<T = String> {
    pub comment: Option<T>,
    pub commands: Vec<T>,
}

/// A part of a runbook that is filled in for one component. Code in text is in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filled {
    Heading(String),
    Paragraph(String),
    Items(Vec<String>),
    Commands(Vec<CommandStep>),
}

impl Standards {
    /// Out of files by name; later ones take the place of earlier ones of their name, and one that says nothing removes it.
    pub fn new(files: impl IntoIterator<Item = (String, String)>) -> Standards {
        let mut all: Vec<Standard> = Vec::new();
        for (name, text) in files {
            all.retain(|other| other.name != name);
            all.extend(read(&name, &text));
        }
        all.sort_by(|a, b| a.order().cmp(&b.order()));
        Standards(all)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Standard> {
        self.0.iter()
    }

    pub fn get(&self, at: usize) -> Option<&Standard> {
        self.0.get(at)
    }

    /// Default runbooks that apply to a component and that no authored one replaces, by position.
    pub fn applicable(&self, case: &Case<'_>, titles: &[&str], replaces: &[String]) -> Vec<usize> {
        let words: Vec<Vec<String>> = titles.iter().map(|title| words(title)).collect();
        let own = self.0.iter().enumerate().filter(|(_, standard)| {
            !replaces.contains(&standard.name)
                && !words.iter().any(|title| standard.is_replaced_by(title))
                && case.has(&standard.subject)
        });
        own.map(|(at, _)| at).collect()
    }
}

impl Standard {
    /// Its text with the names of a component.
    pub fn filled(&self, case: &Case<'_>) -> Vec<Filled> {
        let all = case.about(&self.subject);
        let values = FillValues::new(case, &all);
        let filled = self
            .parts
            .iter()
            .fold(Vec::new(), |mut filled: Vec<Filled>, part| {
                match part {
                    RunbookBlock::Heading(title) => filled.push(Filled::Heading(title.clone())),
                    RunbookBlock::Paragraph(text) => {
                        filled.extend(values.once(text).map(Filled::Paragraph))
                    }
                    RunbookBlock::Item(text) => {
                        let items = values.each(text);
                        match filled.last_mut() {
                            Some(Filled::Items(list)) => list.extend(items),
                            _ => filled.push(Filled::Items(items)),
                        }
                    }
                    RunbookBlock::Commands(steps) => {
                        filled.push(Filled::Commands(values.steps(steps)))
                    }
                }
                filled
            });
        let is_empty = |part: &Filled| match part {
            Filled::Heading(text) | Filled::Paragraph(text) => text.is_empty(),
            Filled::Items(items) => items.is_empty(),
            Filled::Commands(steps) => steps.is_empty(),
        };
        let mut said: Vec<Filled> = filled.into_iter().filter(|part| !is_empty(part)).collect();
        remove_empty_headings(&mut said);
        said
    }

    fn is_replaced_by(&self, title: &[String]) -> bool {
        let has = |word: &String| title.iter().any(|own| own.starts_with(word.as_str()));
        self.replaced_by.iter().any(|words| words.iter().all(has))
    }

    /// Sort key: runbooks about the whole component come first.
    fn order(&self) -> (usize, &str) {
        let rank = match &self.subject {
            RunbookCondition::Unit(_) => 0,
            RunbookCondition::Object { kind, .. } if kind == "HelmRelease" => 1,
            RunbookCondition::Object { .. } => 2,
            RunbookCondition::ForeignKind => 3,
            RunbookCondition::Webhook => 4,
            RunbookCondition::Workload
            | RunbookCondition::UnreadChart
            | RunbookCondition::Route => 5,
            RunbookCondition::MemoryLimit | RunbookCondition::Image | RunbookCondition::Volume => 6,
        };
        (rank, &self.name)
    }
}

/// A heading stays only if something follows it before the next one.
fn remove_empty_headings(parts: &mut Vec<Filled>) {
    let mut has_content = false;
    let mut kept: Vec<Filled> = Vec::with_capacity(parts.len());
    for part in std::mem::take(parts).into_iter().rev() {
        let is_heading = matches!(part, Filled::Heading(_));
        if !is_heading || has_content {
            kept.push(part);
        }
        has_content = !is_heading;
    }
    kept.reverse();
    *parts = kept;
}

/// A file; none when it is no runbook.
fn read(name: &str, text: &str) -> Option<Standard> {
    let Blocks {
        front_matter,
        blocks,
    } = blocks(text);
    let field = |key: &str| front_matter.fields.get(key).map(String::as_str);
    let subject = match field("for")? {
        "unit" => RunbookCondition::Unit(field("kind").unwrap_or_default().to_owned()),
        "foreign-kind" => RunbookCondition::ForeignKind,
        "webhook" => RunbookCondition::Webhook,
        "memory-limit" => RunbookCondition::MemoryLimit,
        "image" => RunbookCondition::Image,
        "volume" => RunbookCondition::Volume,
        "workload" => RunbookCondition::Workload,
        "unread-chart" => RunbookCondition::UnreadChart,
        "route" => RunbookCondition::Route,
        object => {
            let (kind, group) = object.split_once('.').unwrap_or((object, ""));
            RunbookCondition::Object {
                kind: kind.to_owned(),
                group: group.to_owned(),
            }
        }
    };
    let parts = blocks.into_iter().filter_map(|block| match block.kind {
        BlockKind::Paragraph(text) => {
            Some(RunbookBlock::Paragraph(Template::new(&with_code(&text))))
        }
        BlockKind::Item { text, .. } => Some(RunbookBlock::Item(Template::new(&with_code(&text)))),
        BlockKind::Code { text, .. } => Some(RunbookBlock::Commands(steps(&text))),
        BlockKind::Heading { text, .. } => Some(RunbookBlock::Heading(text.plain)),
        BlockKind::Row { .. } => None,
    });
    Some(Standard {
        name: name.to_owned(),
        title: front_matter.title?,
        symptom: field("symptom").unwrap_or_default().to_owned(),
        search: field("search")
            .unwrap_or_default()
            .split(',')
            .map(|phrase| phrase.trim().to_owned())
            .filter(|phrase| !phrase.is_empty())
            .collect(),
        subject,
        replaced_by: field("replaced-by")
            .unwrap_or_default()
            .split(',')
            .map(words)
            .filter(|words| !words.is_empty())
            .collect(),
        parts: parts.collect(),
    })
}

/// Text as it was written, with its code in backticks.
fn with_code(text: &markdown::Text) -> String {
    let mut written = String::new();
    let mut at = 0;
    for code in &text.code {
        written.push_str(&text.plain[at..code.start]);
        written.push('`');
        written.push_str(&text.plain[code.clone()]);
        written.push('`');
        at = code.end;
    }
    written.push_str(&text.plain[at..]);
    written.replace('\n', " ")
}

/// Commands line by line; a comment begins a step.
fn steps(code: &str) -> Vec<CommandStep<Template>> {
    let mut steps: Vec<CommandStep<Template>> = Vec::new();
    for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix('#') {
            Some(comment) => steps.push(CommandStep {
                comment: Some(Template::new(comment.trim())),
                commands: Vec::new(),
            }),
            None => {
                if steps.is_empty() {
                    steps.push(CommandStep::default());
                }
                if let Some(step) = steps.last_mut() {
                    step.commands.push(Template::new(line));
                }
            }
        }
    }
    steps
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
