//! Specs: requested work in writing. Recognises `.sdd` trees, spec-kit and OpenSpec, and reads what each spec asks for.
//! Reads only the Markdown passed in; opens no other file.

use crate::catalog;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use markdown::{Block, BlockKind, Blocks, Text};

use super::artifact::Artifact;
use super::day::date;
use super::mention::Mention;
use super::name::{is_about_others, is_markdown, stem};
use super::outline::{DocumentOutline, OutlineSection, fields, outline};
use super::plan::{Planned, planned};
use super::reference::{Number, leading_number};
use super::validation::ValidationStep;
pub use kit::{SpecCounts, Task};

pub(super) mod kit;

/// A spec as its file has it.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Such as `0003a`; where another has it already, the path without its ending.
    pub id: String,
    pub number: Option<Number>,
    pub form: SpecForm,
    /// Without the number.
    pub title: String,
    pub file: FileId,
    /// The stated status, for forms that have one.
    pub status: Option<String>,
    pub date: Option<String>,
    /// Prerequisites, as text.
    pub prerequisites: Vec<SpecStatement>,
    /// The specs that it comes after, by position.
    pub after: Vec<usize>,
    /// Earlier specs that it repairs, by position: it says their number, and changes what they made.
    pub fixes: Vec<usize>,
    /// The decisions that it names, by position, with the line that does.
    pub decisions: Vec<(usize, u32)>,
    /// Files that it says to create, modify or delete.
    pub planned: Vec<Planned>,
    pub steps: Vec<ValidationStep>,
    /// YAML that it shows, each with the titles that it stands under.
    pub yaml: Vec<(String, String)>,
    /// Manual steps.
    pub manual: Vec<SpecStatement>,
    /// Other files of the same spec: its plan, its tasks.
    pub parts: Vec<FileId>,
    pub tasks: Option<Tasks>,
    /// The items of its list of tasks.
    pub task_list: Vec<Task>,
    /// Files that its finished tasks name.
    pub artifacts: Vec<Artifact>,
    pub counts: SpecCounts,
    /// For a living spec, the changes to it; for a change, the living specs that it changes. By position.
    pub related: Vec<usize>,
    /// By position in the records.
    pub record: Option<usize>,
    pub mentions: Vec<Mention>,
    /// Missing sections, by their usual names.
    pub lacks: Vec<&'static str>,
}

/// The convention that a spec follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecForm {
    /// A spec with a record of how it was carried out.
    Recorded,
    SpecKit,
    OpenSpecChange,
    OpenSpec,
}

/// A sentence, with code between backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecStatement {
    pub text: String,
    pub line: u32,
}

/// Ticked and total tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tasks {
    pub done: usize,
    pub all: usize,
}

/// The role of a file in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecFileRole {
    Spec(SpecForm),
    Record,
    /// A plan or a list of tasks beside the spec at this path.
    Part(RepoPath),
}

/// The role of a file, judged by its path; `None` for most files.
pub fn role(repo: &Repo, path: &RepoPath) -> Option<SpecFileRole> {
    if !is_markdown(path) {
        return None;
    }
    let text = path.as_str();
    let names: Vec<&str> = text.split('/').collect();
    let (name, directories) = names.split_last()?;
    let below = |wanted: &[&str]| {
        let mut windows = directories.windows(wanted.len());
        windows.any(|window| window == wanted)
    };
    if below(&[".sdd", "specification"]) || below(&[".sdd", "specs"]) || below(&[".spec"]) {
        return (!is_about_others(path)).then_some(SpecFileRole::Spec(SpecForm::Recorded));
    }
    if below(&[".sdd", "provenance"]) || below(&[".provenance"]) {
        return (!is_about_others(path)).then_some(SpecFileRole::Record);
    }
    let beside = |name: &str| path.parent().and_then(|parent| parent.join(name));
    if let [.., tree, "specs", _] = directories
        && *tree == "openspec"
    {
        return (*name == "spec.md").then_some(SpecFileRole::Spec(SpecForm::OpenSpec));
    }
    // What a change does to living specs is a part of it: `changes/add-a-cache/specs/queue/spec.md`.
    if below(&["openspec", "changes"])
        && let [.., _, "specs", _] = directories
    {
        let change = path.parent()?.parent()?.parent()?.join("proposal.md")?;
        return (*name == "spec.md").then_some(SpecFileRole::Part(change));
    }
    let is_change = below(&["openspec", "changes"]) && !directories.contains(&"specs");
    if is_change {
        return match *name {
            "proposal.md" => Some(SpecFileRole::Spec(SpecForm::OpenSpecChange)),
            "tasks.md" | "design.md" => Some(SpecFileRole::Part(beside("proposal.md")?)),
            _ => None,
        };
    }
    if let [above @ .., "specs", feature] = directories
        && leading_number(feature).is_some()
    {
        let is_kit = match above {
            [.., ".specify"] => true,
            _ => {
                let root = RepoPath::new(&above.join("/"))?;
                repo.is_dir(&root.join(".specify")?)
            }
        };
        return match *name {
            _ if !is_kit => None,
            "spec.md" => Some(SpecFileRole::Spec(SpecForm::SpecKit)),
            "plan.md" | "tasks.md" | "research.md" | "data-model.md" | "quickstart.md" => {
                Some(SpecFileRole::Part(beside("spec.md")?))
            }
            _ => None,
        };
    }
    None
}

/// The spec that a file is; none for one that is yet to be filled in.
pub fn spec(repo: &Repo, file: FileId, form: SpecForm, blocks: &Blocks) -> Option<Spec> {
    let path = repo.path(file);
    let outline = outline(&blocks.blocks);
    let written = blocks.front_matter.title.as_deref().or(outline.title);
    if written.is_some_and(|title| title.contains("NNN") || title.contains("[FEATURE")) {
        return None;
    }
    let directory = path.parent()?;
    let (key, rest) = match form {
        SpecForm::Recorded => {
            let stem = stem(path);
            let bare = stem.strip_prefix("spec").unwrap_or(stem);
            (bare.trim_start_matches(['-', '_', ' ']), stem)
        }
        _ => (directory.file_name(), directory.file_name()),
    };
    let number = leading_number(key).filter(|_| !super::reference::starts_with_day(key));
    let id = match (&number, form) {
        (Some((_, after)), SpecForm::Recorded) => key[..key.len() - after.len()].to_owned(),
        _ => rest.to_owned(),
    };
    let head = fields(outline.head);
    let field = |name: &str| {
        let mut fields = head.iter();
        let found = fields.find(|field| field.key == name && !field.value.is_empty());
        found.map(|field| field.value.clone())
    };
    let is_archived = directory.as_str().contains("openspec/changes/archive/");
    let archived = || date(directory.file_name()).filter(|day| day.len() == 10);
    Some(Spec {
        id,
        number: number.as_ref().map(|(number, _)| number.clone()),
        form,
        title: match form {
            SpecForm::Recorded => written.map(bare_title).filter(|title| !title.is_empty()),
            _ => written.and_then(kit::clean_title),
        }
        .filter(|title| {
            let is_own = *title != rest && *title != kit::without_day(rest);
            form == SpecForm::Recorded || is_own
        })
        .map_or_else(
            || kit::spelled(&own_title(&number, rest), blocks),
            str::to_owned,
        ),
        file,
        status: if is_archived {
            Some("archived".to_owned())
        } else {
            field("status").map(|status| status.to_lowercase())
        },
        date: if is_archived {
            archived()
        } else {
            field("created")
                .or(field("date"))
                .and_then(|text| date(&text))
        },
        prerequisites: outline
            .section(&[
                "prerequisites",
                "prerequisite",
                "preconditions",
                "dependencies",
            ])
            .map(|section| statements(section.all))
            .unwrap_or_default(),
        after: Vec::new(),
        fixes: Vec::new(),
        decisions: Vec::new(),
        planned: planned(&blocks.blocks),
        steps: match form {
            SpecForm::Recorded => steps(&outline),
            _ => Vec::new(),
        },
        yaml: shown_yaml(&outline),
        manual: outline
            .section(&[
                "manual steps",
                "manual step",
                "manual actions",
                "post-merge",
                "after merge",
            ])
            .map(|section| statements(section.all))
            .unwrap_or_default(),
        parts: Vec::new(),
        tasks: None,
        task_list: Vec::new(),
        artifacts: Vec::new(),
        counts: match form {
            SpecForm::Recorded => SpecCounts::default(),
            _ => kit::counts(blocks),
        },
        related: Vec::new(),
        record: None,
        mentions: Vec::new(),
        lacks: match form {
            SpecForm::Recorded => lacks(&outline),
            _ => Vec::new(),
        },
    })
}

/// A title from the name of a directory: `2026-01-05-add-a-queue` is "Add a Queue".
fn own_title(number: &Option<(Number, &str)>, name: &str) -> String {
    let bare = match number {
        Some((_, after)) => after.trim_start_matches(['-', '_', ' ']),
        None => kit::without_day(name),
    };
    catalog::title(if bare.is_empty() { name } else { bare })
}

/// `Spec 0003a: Title`, `Change: Title`, `Feature Specification: Title`.
fn bare_title(title: &str) -> &str {
    let title = title.trim();
    let Some((before, after)) = title.split_once(':') else {
        return title;
    };
    let before = before.to_lowercase();
    let word = before.split_whitespace().next().unwrap_or_default();
    let is_label = matches!(
        word,
        "spec" | "change" | "feature" | "proposal" | "specification" | "provenance"
    );
    if is_label && before.split_whitespace().count() <= 3 {
        after.trim()
    } else {
        title
    }
}

const VALIDATION: &[&str] = &[
    "validation",
    "verification",
    "acceptance criteria",
    "acceptance",
    "success criteria",
    "definition of done",
    "checks",
];
const REASON: &[&str] = &[
    "context",
    "problem",
    "background",
    "motivation",
    "why",
    "purpose",
    "goal",
    "goals",
    "overview",
    "summary",
    "objective",
    "rationale",
    "introduction",
    "intent",
];

/// Missing sections that state why the work is done, or when it is finished.
fn lacks(outline: &DocumentOutline<'_>) -> Vec<&'static str> {
    let mut lacks = Vec::new();
    let mut need = |names: &[&str], called: &'static str| {
        if outline.section(names).is_none() {
            lacks.push(called);
        }
    };
    need(REASON, "Context");
    need(VALIDATION, "Validation steps");
    lacks
}

/// YAML in code blocks, once for each heading above it.
fn shown_yaml(outline: &DocumentOutline<'_>) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for section in &outline.sections {
        for block in section.all {
            if let BlockKind::Code { language, text, .. } = &block.kind
                && matches!(language.as_str(), "yaml" | "yml")
                && shown.len() < MOST_STEPS
            {
                shown.push((section.title.plain.clone(), text.clone()));
            }
        }
    }
    shown
}

/// Most steps that are read from one spec.
const MOST_STEPS: usize = 500;

/// The validation steps of a spec, without manual ones.
fn steps(outline: &DocumentOutline<'_>) -> Vec<ValidationStep> {
    let Some(section) = outline.section(VALIDATION) else {
        return Vec::new();
    };
    let below = outline.sections.iter();
    let below = below.filter(|sub| sub.line > section.line && sub.level > section.level);
    let end = section.all.last().map_or(section.line, |block| block.line);
    let wanted = below.filter(|sub| sub.line <= end && !is_manual(sub));
    let blocks = [section].into_iter().chain(wanted.copied());
    let items: Vec<(&Text, u32)> = blocks.flat_map(|section| top_items(section.own)).collect();
    let numbered = items.into_iter().take(MOST_STEPS).enumerate();
    numbered
        .map(|(at, (text, line))| ValidationStep::new(at + 1, text.clone(), line))
        .collect()
}

fn is_manual(section: &OutlineSection<'_>) -> bool {
    let title = section.title.plain.to_lowercase();
    let words = [
        "manual",
        "post-merge",
        "after merge",
        "operator",
        "by hand",
        "runtime",
    ];
    words.iter().any(|word| title.contains(word))
}

/// Items that are not nested in another item.
fn top_items(blocks: &[Block]) -> impl Iterator<Item = (&Text, u32)> {
    let depths = blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Item { .. } => Some(block.depth),
        _ => None,
    });
    let top = depths.min().unwrap_or(0);
    blocks.iter().filter_map(move |block| match &block.kind {
        BlockKind::Item { text, .. } if block.depth == top => Some((text, block.line)),
        _ => None,
    })
}

pub fn statements(blocks: &[Block]) -> Vec<SpecStatement> {
    let items = top_items(blocks);
    items
        .map(|(text, line)| SpecStatement {
            text: ticked(text),
            line,
        })
        .collect()
}

/// A text with its code between backticks, as messages have it.
pub fn ticked(text: &Text) -> String {
    let mut ticked = String::with_capacity(text.plain.len() + 8);
    let mut end = 0;
    for range in &text.code {
        ticked.push_str(&text.plain[end..range.start]);
        ticked.push('`');
        ticked.push_str(&text.plain[range.clone()].replace('`', "'"));
        ticked.push('`');
        end = range.end;
    }
    ticked.push_str(&text.plain[end..]);
    ticked.replace('\n', " ")
}
