//! What spec-kit and OpenSpec write in forms of their own: titles, requirements, scenarios, open questions and tasks.

use base::hash::HashMap;
use markdown::{BlockKind, Blocks, Text};

use super::{Tasks, ticked};
use crate::knowledge::artifact::{Artifact, ArtifactClaim};
use claims::looks_like_path;

/// How much a spec asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpecCounts {
    pub requirements: usize,
    pub scenarios: usize,
    /// Questions that nobody has answered yet.
    pub questions: usize,
}

impl SpecCounts {
    pub fn add(&mut self, other: SpecCounts) {
        self.requirements += other.requirements;
        self.scenarios += other.scenarios;
        self.questions += other.questions;
    }
}

/// An item of a list of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// With code between backticks.
    pub text: String,
    pub is_done: bool,
    pub line: u32,
    /// The paths that it names.
    pub files: Vec<String>,
}

/// The most tasks that are read of one spec.
const MOST_TASKS: usize = 1_000;

/// Words that a title of its own kind may begin or end with.
const KINDS: &[&str] = &[
    "spec",
    "specification",
    "proposal",
    "change",
    "change proposal",
    "feature",
    "feature spec",
    "feature specification",
    "capability",
    "requirements",
];

/// A title without the word for what it is and without a day; none if nothing else is in it.
pub fn clean_title(title: &str) -> Option<&str> {
    let mut title = title.trim();
    for separator in [":", " - ", " \u{2014} ", " \u{2013} "] {
        if let Some((before, after)) = title.split_once(separator)
            && KINDS.contains(&before.trim().to_lowercase().as_str())
        {
            title = after.trim();
        }
    }
    let title = without_day(title);
    let lower = title.to_lowercase();
    if KINDS.contains(&lower.as_str()) || title.is_empty() {
        return None;
    }
    let last = title
        .rsplit_once(' ')
        .map(|(rest, last)| (rest.trim(), last.to_lowercase()));
    match last {
        Some((rest, last)) if matches!(last.as_str(), "spec" | "specification" | "proposal") => {
            Some(rest)
        }
        _ => Some(title),
    }
}

/// A name without the day that it begins with: `2026-01-05-add-a-queue`.
pub fn without_day(name: &str) -> &str {
    let is_day = name.len() > 11
        && name.is_char_boundary(10)
        && name
            .bytes()
            .take(10)
            .enumerate()
            .all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
    let rest = if is_day { &name[10..] } else { name };
    rest.trim_start_matches(['-', '_', ' ', ':'])
}

/// A title out of the name of a directory, with its words as the document spells them: `Ghcr` as `GHCR`.
pub fn spelled(title: &str, blocks: &Blocks) -> String {
    let is_own = |word: &str| word.chars().skip(1).any(char::is_uppercase);
    let mut known: HashMap<String, &str> = HashMap::default();
    let texts = blocks.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Heading { text, .. }
        | BlockKind::Paragraph(text)
        | BlockKind::Item { text, .. } => Some(&text.plain),
        BlockKind::Row { .. } | BlockKind::Code { .. } => None,
    });
    for text in texts {
        let words = text.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| is_own(word)) {
            known.entry(word.to_lowercase()).or_insert(word);
        }
    }
    let words = title.split(' ');
    let spelled = words.map(|word| match known.get(&word.to_lowercase()) {
        Some(own) if !is_own(word) => own,
        _ => word,
    });
    spelled.collect::<Vec<_>>().join(" ")
}

/// The requirements, scenarios and open questions of a document.
pub fn counts(blocks: &Blocks) -> SpecCounts {
    let mut counts = SpecCounts::default();
    let mut questions_below = None;
    let mut scenarios_below = false;
    for block in &blocks.blocks {
        match &block.kind {
            BlockKind::Heading { level, text } => {
                let title = text.plain.trim().to_lowercase();
                counts.requirements += usize::from(title.starts_with("requirement:"));
                counts.scenarios += usize::from(title.starts_with("scenario:"));
                if questions_below.is_some_and(|open| *level <= open) {
                    questions_below = None;
                }
                if matches!(
                    title.trim_end_matches(':'),
                    "open questions" | "questions" | "outstanding questions"
                ) {
                    questions_below = Some(*level);
                }
                scenarios_below = title.contains("acceptance scenarios");
            }
            BlockKind::Paragraph(text) => {
                counts.questions += marked(text);
                let lower = text.plain.trim().to_lowercase();
                scenarios_below = lower.starts_with("acceptance scenarios");
            }
            BlockKind::Item {
                text, done, number, ..
            } => {
                counts.questions += marked(text);
                let plain = text.plain.trim();
                let is_requirement = is_numbered(plain, "FR-") || is_numbered(plain, "NFR-");
                counts.requirements += usize::from(is_requirement);
                let lower = plain.to_lowercase();
                let is_scenario =
                    scenarios_below && number.is_some() || lower.starts_with("given ");
                counts.scenarios += usize::from(is_scenario && block.depth <= 2);
                let is_question = questions_below.is_some() && marked(text) == 0;
                let is_none = matches!(lower.trim_end_matches('.'), "none" | "n/a" | "-");
                counts.questions +=
                    usize::from(is_question && !is_none && *done != Some(true) && block.depth <= 1);
            }
            BlockKind::Row { .. } | BlockKind::Code { .. } => {}
        }
    }
    counts
}

/// Marks that spec-kit leaves where something is open.
fn marked(text: &Text) -> usize {
    text.plain.matches("[NEEDS CLARIFICATION").count()
}

/// `FR-001`, at the start of an item.
fn is_numbered(text: &str, prefix: &str) -> bool {
    let rest = text.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The tasks of a document, ticked and open.
pub fn tasks(blocks: &Blocks) -> Vec<Task> {
    let items = blocks.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Item {
            text,
            done: Some(done),
            ..
        } => Some((text, *done, block.line)),
        _ => None,
    });
    items
        .take(MOST_TASKS)
        .map(|(text, is_done, line)| Task {
            text: ticked(text),
            is_done,
            line,
            files: files(text),
        })
        .collect()
}

/// Ticked and total tasks; none if there are none.
pub fn progress(tasks: &[Task]) -> Option<Tasks> {
    (!tasks.is_empty()).then(|| Tasks {
        done: tasks.iter().filter(|task| task.is_done).count(),
        all: tasks.len(),
    })
}

/// Paths in code, or bare words with a directory and an ending: `Create the model in src/models/user.py`.
fn files(text: &Text) -> Vec<String> {
    let codes = text
        .codes()
        .filter(|code| code.contains('/') && looks_like_path(code));
    let mut files: Vec<String> = codes.map(clean_path).collect();
    for word in text.plain.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"./_-".contains(c));
        let word = word.trim_end_matches('.');
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_file = word.contains('/') && name.contains('.') && !name.starts_with('.');
        if is_file && !word.contains("://") && looks_like_path(word) {
            files.push(clean_path(word));
        }
    }
    files.sort();
    files.dedup();
    files
}

fn clean_path(path: &str) -> String {
    path.trim_start_matches("./")
        .trim_end_matches('/')
        .to_owned()
}

/// The files that finished tasks name, as artifacts. Others may have moved them since, so a missing file proves nothing.
/// `is_root` says whether something at the root of the repo has a name: `actions/checkout` is no path here.
pub fn artifacts(tasks: &[Task], is_root: &dyn Fn(&str) -> bool) -> Vec<Artifact> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    for task in tasks.iter().filter(|task| task.is_done) {
        let words = task.text.to_lowercase();
        let first = words
            .split(|c: char| !c.is_alphabetic())
            .find(|word| word.len() > 2 && !word.starts_with("us"));
        let claim = match first {
            Some("create" | "add" | "write" | "implement" | "scaffold" | "define") => {
                ArtifactClaim::Created
            }
            Some("delete" | "remove" | "drop") => ArtifactClaim::Deleted,
            Some("update" | "modify" | "edit" | "change" | "extend" | "refactor" | "rename") => {
                ArtifactClaim::Modified
            }
            _ => ArtifactClaim::Other("named".to_owned()),
        };
        let own = task.files.iter().filter(|file| {
            let root = file.split('/').next().unwrap_or_default();
            is_root(root)
        });
        for file in own {
            if artifacts.iter().all(|known| known.path != *file) {
                artifacts.push(Artifact::new(file, claim.clone(), task.line));
            }
        }
    }
    artifacts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_what_it_is_about() {
        for (title, clean) in [
            ("Change: Add a cache", Some("Add a cache")),
            (
                "Feature Specification: Measure the queue",
                Some("Measure the queue"),
            ),
            ("queue Specification", Some("queue")),
            ("Proposal", None),
            ("Spec", None),
            ("2026-01-05 Add a queue", Some("Add a queue")),
            ("Proposal: ", None),
        ] {
            assert_eq!(clean_title(title), clean, "{title}");
        }
        let blocks = markdown::blocks("Push images to GHCR with OpenSpec.\n");
        assert_eq!(
            spelled("Add Ghcr Images By Openspec", &blocks),
            "Add GHCR Images By OpenSpec"
        );
        assert_eq!(without_day("2026-01-05-add-a-queue"), "add-a-queue");
        assert_eq!(without_day("2026-01"), "2026-01");
    }

    #[test]
    fn requirements_scenarios_and_questions_are_counted_in_both_forms() {
        let kit = "# Feature Specification: X\n\n### User Story 1 - A (Priority: P1)\n\n**Acceptance Scenarios**:\n\n1. **Given** a, **When** b, **Then** c\n2. **Given** d, **When** e, **Then** f\n\n### Functional Requirements\n\n- **FR-001**: System MUST a\n- **FR-002**: System MUST b [NEEDS CLARIFICATION: how?]\n";
        let found = counts(&markdown::blocks(kit));
        assert_eq!(
            (found.requirements, found.scenarios, found.questions),
            (2, 2, 1)
        );
        let open = "# q Specification\n\n## Requirements\n\n### Requirement: Wait\n\nThe queue SHALL wait.\n\n#### Scenario: Full\n\n- **WHEN** full\n- **THEN** wait\n\n#### Scenario: Empty\n\n## Open Questions\n\n- How long?\n- None\n";
        let found = counts(&markdown::blocks(open));
        assert_eq!(
            (found.requirements, found.scenarios, found.questions),
            (1, 2, 1)
        );
    }

    #[test]
    fn tasks_name_files_with_and_without_backticks() {
        let text = "- [x] T001 [P] [US1] Create the model in src/models/user.py\n- [x] 1.2 Remove `apps/old.yaml`\n- [ ] T003 Write docs/a.md\n- [x] See https://a.example.com/x.html\n- [x] Use `actions/checkout`\n";
        let tasks = tasks(&markdown::blocks(text));
        assert_eq!(progress(&tasks), Some(Tasks { done: 4, all: 5 }));
        let artifacts = artifacts(&tasks, &|root| root != "actions");
        let found: Vec<(&str, &str)> = artifacts
            .iter()
            .map(|one| (one.path.as_str(), one.claim.name()))
            .collect();
        assert_eq!(
            found,
            [
                ("src/models/user.py", "created"),
                ("apps/old.yaml", "deleted")
            ]
        );
    }
}
