//! Shell text into commands: enough of the language to tell words, pipes and redirects apart. Text in, values out: nothing
//! is run.

pub mod kubectl;
mod quote;
mod reader;
mod script;

pub use quote::quote;
pub use script::{ScriptStep, steps};

use reader::ShellEvent;

/// Commands joined by pipes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    pub commands: Vec<Command>,
    /// The destination of its output.
    pub output: CommandOutput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandOutput {
    #[default]
    Shown,
    /// Into a file, a variable or another command's words.
    Kept,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    pub words: Vec<Word>,
    /// As written, with quotes and variables.
    pub text: String,
    /// The line of its first word, counted from the first line of the text.
    pub line: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Without quotes.
    pub text: String,
    pub sense: Sense,
}

/// Whether a word is literal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sense {
    #[default]
    Plain,
    /// It holds a variable, a pattern, a placeholder or what another command prints.
    Open,
}

/// The pipelines of a text, including those inside `$(…)`. Text that breaks off inside a quote ends before that quote.
pub fn pipelines(text: &str) -> Vec<Pipeline> {
    let session = session(text);
    let text = session.as_deref().unwrap_or(text);
    let events = reader::events(text, &|_| None).into_iter();
    let pipeline = |event| match event {
        ShellEvent::Pipeline(pipeline) => Some(pipeline),
        ShellEvent::Enter | ShellEvent::Leave => None,
    };
    events.filter_map(pipeline).collect()
}

/// The typed lines of a terminal session: those after a prompt, with their continuation lines.
fn session(text: &str) -> Option<String> {
    let typed = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("$ ")
            .or_else(|| line.strip_prefix("% "))
            .map(str::to_owned)
    };
    if !text.lines().any(|line| typed(line).is_some()) {
        return None;
    }
    let mut kept = String::new();
    let mut goes_on = false;
    for line in text.lines() {
        let own = if goes_on {
            Some(line.to_owned())
        } else {
            typed(line)
        };
        let own = own.unwrap_or_default();
        goes_on = own.ends_with('\\');
        kept.push_str(&own);
        kept.push('\n');
    }
    Some(kept)
}
