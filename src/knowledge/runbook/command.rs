//! Commands in runbooks: parses each one and checks it against its tool's options and the manifests. People on call
//! type commands as written, so they must be right. Only certain mistakes are reported.

mod argocd;
mod container;
mod flux;
mod helm;
mod kubectl;
mod name;
mod reverted;
mod secret;
mod subject;

use super::HEADINGS;
use super::inventory::Inventory;

use base::text::last_part;
use base::{FileId, Finding, Place, Severity};
use markdown::{Block, BlockKind, Text};
use shell::{Command, Pipeline, Sense, Word};

pub use subject::{NamedObject, named_objects};

/// How much of a page is a runbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunbookScope {
    Page,
    /// Only sections below headings such as `Operations`.
    Operations,
}

/// A mistake in a command, before it has a place.
pub struct CommandFault {
    pub rule: &'static str,
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
    /// Where the object of the command is declared.
    pub declared: Option<Place>,
}

/// Most findings reported for one page.
const MOST_FINDINGS: usize = 100;
/// A block of code with more commands is a script, and its first ones tell enough.
const MOST_COMMANDS: usize = 1_000;

/// Findings about the commands of a page. `lines` are its text, `blocks` the parsed form.
pub fn lint(
    file: FileId,
    lines: &[&str],
    blocks: &[Block],
    scope: RunbookScope,
    inventory: &Inventory<'_>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut reconciling = Reconciling::Active;
    for block in in_scope(blocks, scope) {
        if findings.len() > MOST_FINDINGS {
            break;
        }
        match &block.kind {
            BlockKind::Code {
                language,
                text,
                first,
            } => {
                if is_shell(language) {
                    let mut comments = text.lines().filter(|line| line.contains('#'));
                    if comments.any(reverted::is_told) {
                        reconciling = Reconciling::Suspended;
                    }
                    let mut faults = of_text(text, inventory, &mut reconciling);
                    place(&mut faults, *first, file, lines, &mut findings);
                }
            }
            BlockKind::Heading { text, .. }
            | BlockKind::Paragraph(text)
            | BlockKind::Item { text, .. } => {
                if reverted::is_told(&text.plain) {
                    reconciling = Reconciling::Suspended;
                }
                let mut faults = inline(text, block.line, inventory, &mut reconciling);
                place(&mut faults, 0, file, lines, &mut findings);
            }
            BlockKind::Row { cells, .. } => {
                for cell in cells {
                    let mut faults = inline(cell, block.line, inventory, &mut reconciling);
                    place(&mut faults, 0, file, lines, &mut findings);
                }
            }
        }
    }
    findings
}

/// Whether reconcilers would put back what the next command changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reconciling {
    Active,
    /// An earlier command of the page suspended something.
    Suspended,
}

/// Commands that a sentence quotes, with the line of each. Only the first line of the block is known, so the words are
/// looked for from there.
fn inline(
    text: &Text,
    line: u32,
    inventory: &Inventory<'_>,
    reconciling: &mut Reconciling,
) -> Faults {
    let mut all = Faults::new();
    for code in &text.code {
        let quoted = &text.plain[code.clone()];
        let tool = quoted.split_whitespace().next().unwrap_or_default();
        if !TOOLS.iter().any(|known| known.name == tool) {
            continue;
        }
        let before = text.plain[..code.start].matches('\n').count() as u32;
        let faults = of_text(quoted, inventory, reconciling).into_iter();
        all.extend(faults.map(|(own, said, fault)| (line + before + own, said, fault)));
    }
    all
}

/// Below headings of the operations, until one of the same level or above.
fn in_scope(blocks: &[Block], scope: RunbookScope) -> impl Iterator<Item = &Block> {
    let mut inside: Option<u8> = None;
    blocks.iter().filter(move |block| {
        if let BlockKind::Heading { level, text } = &block.kind {
            let title = text.plain.trim().to_lowercase();
            let title = title.trim_matches(|c: char| !c.is_alphanumeric());
            match inside {
                Some(open) if *level > open => {}
                _ => inside = HEADINGS.contains(&title).then_some(*level),
            }
        }
        scope == RunbookScope::Page || inside.is_some()
    })
}

/// Without a language, a block may be anything; then only what begins like a command is read as one.
fn is_shell(language: &str) -> bool {
    const SHELLS: &[&str] = &[
        "",
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "terminal",
        "shell-session",
        "shellsession",
        "fish",
        "text",
        "txt",
        "plain",
    ];
    SHELLS.contains(&language)
}

/// Faults with the lines of their commands, counted from the first line of the text, and the words to find them by.
type Faults = Vec<(u32, String, CommandFault)>;

fn of_text(text: &str, inventory: &Inventory<'_>, reconciling: &mut Reconciling) -> Faults {
    let mut faults = Vec::new();
    let pipelines = shell::pipelines(text).into_iter();
    for pipeline in pipelines.take(MOST_COMMANDS) {
        for (at, command) in pipeline.commands.iter().enumerate() {
            let Some((tool, words)) = tool(command) else {
                continue;
            };
            if is_talk(words) {
                continue;
            }
            let said = words[0].text.clone();
            let found = (tool.check)(words, inventory);
            let printed = secret::printed(tool.name, words, &pipeline, at);
            *reconciling = reverted::after(tool.name, words, *reconciling);
            let is_wrong = found
                .iter()
                .any(|fault| fault.severity >= Severity::Warning);
            let reverted = (*reconciling == Reconciling::Active && !is_wrong)
                .then(|| reverted::reverted(tool.name, words, inventory))
                .flatten();
            let own = found.into_iter().chain(printed).chain(reverted);
            faults.extend(own.map(|fault| (command.line, said.clone(), fault)));
        }
    }
    faults
}

fn place(
    faults: &mut Faults,
    first: u32,
    file: FileId,
    lines: &[&str],
    findings: &mut Vec<Finding>,
) {
    for (line, said, fault) in faults.drain(..) {
        let line = first + line;
        let text = lines.get(line as usize - 1).copied().unwrap_or_default();
        let before = text.find(said.as_str()).map_or("", |at| &text[..at]);
        let begins = text.get(before.len()..).unwrap_or_default();
        let quoted = before.ends_with('`');
        let end = if quoted {
            begins.find('`').unwrap_or(begins.len())
        } else {
            begins.trim_end().len()
        };
        let place = Place {
            file,
            line,
            column: before.chars().count() as u32 + 1,
            len: begins[..end].chars().count() as u32,
        };
        let mut finding = Finding::new(fault.rule, fault.severity, place, fault.message);
        finding.help = fault.help;
        if let Some(declared) = fault.declared {
            finding = finding.note(declared, "declared here");
        }
        findings.push(finding);
    }
}

/// A tool whose commands are understood.
struct Tool {
    name: &'static str,
    check: fn(&[Word], &Inventory<'_>) -> Vec<CommandFault>,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "kubectl",
        check: kubectl::check,
    },
    Tool {
        name: "flux",
        check: flux::check,
    },
    Tool {
        name: "helm",
        check: helm::check,
    },
    Tool {
        name: "argocd",
        check: argocd::check,
    },
];

/// The tool that a command runs, and its words from the tool's name on. What runs others is looked through.
fn tool(command: &Command) -> Option<(&'static Tool, &[Word])> {
    let mut words = command.words.as_slice();
    // Each turn drops a word, and a command has few before its name.
    for _ in 0..8 {
        let first = words.first().filter(|word| word.sense == Sense::Plain)?;
        let name = last_part(&first.text);
        if let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) {
            return Some((tool, words));
        }
        let skip = match first.text.as_str() {
            "sudo" | "watch" | "time" | "nohup" | "exec" | "command" | "env" | "then" | "do"
            | "else" | "if" | "while" | "until" | "!" => 1,
            "timeout" => 2,
            text if is_assignment(text) => 1,
            _ => return None,
        };
        words = words.get(skip..)?;
        // The flags of what was looked through, each with its value where that is a number.
        while let Some(flag) = words.first().filter(|word| word.text.starts_with('-')) {
            let takes_value = matches!(flag.text.as_str(), "-n" | "-u" | "--interval");
            words = words.get(1 + usize::from(takes_value)..)?;
        }
    }
    None
}

/// Whether words are a sentence about a tool, such as "flux is installed".
fn is_talk(words: &[Word]) -> bool {
    const VERBS: &[&str] = &[
        "is", "are", "was", "has", "had", "can", "cannot", "will", "does", "did", "should", "must",
        "may", "needs", "runs", "uses", "itself", "and", "or", "in", "on", "from", "with", "for",
    ];
    let verb = words.get(1).map(|word| word.text.as_str());
    verb.is_some_and(|verb| VERBS.contains(&verb))
}

/// `NAME=value` before a command.
fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A command as it is typed, with what needs quotes in them.
fn typed(words: &[Word]) -> String {
    let quoted = words.iter().map(|word| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+<>$~…".contains(c);
        if !word.text.is_empty() && word.text.chars().all(is_plain) {
            word.text.clone()
        } else {
            shell::quote(&word.text).into_owned()
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The same command with one word in the place of another.
fn with(words: &[Word], at: usize, text: &str) -> String {
    let mut words = words.to_vec();
    if let Some(word) = words.get_mut(at) {
        word.text = text.to_owned();
    }
    typed(&words)
}

fn unknown_verb(severity: Severity, message: String, right: Option<String>) -> CommandFault {
    CommandFault {
        rule: "command-unknown-verb",
        severity,
        message,
        help: right.map(|right| format!("use `{right}`")),
        declared: None,
    }
}

/// The known word that a misspelt one is near to.
fn misspelt<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    const SHORTEST: usize = 4;
    let mut near = known.iter().filter(|known| is_slip(word, known));
    near.next().copied().filter(|_| word.len() >= SHORTEST)
}

/// Whether two words differ in one letter that is wrong, missing or added, or in two that are swapped.
fn is_slip(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    let start = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        0 if start == short.len() => false,
        0 => {
            let rest = |word: &[char], from: usize| word.get(from..).unwrap_or_default().to_vec();
            let swapped = short.len() > start + 1
                && short[start] == long[start + 1]
                && short[start + 1] == long[start]
                && rest(short, start + 2) == rest(long, start + 2);
            swapped || rest(short, start + 1) == rest(long, start + 1)
        }
        1 => short[start..] == long[start + 1..],
        _ => false,
    }
}

/// The commands after position `at` in a pipeline.
fn after(pipeline: &Pipeline, at: usize) -> &[Command] {
    pipeline.commands.get(at + 1..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
