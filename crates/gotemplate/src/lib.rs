//! Go templates, as ApplicationSets and ResourceSets use them. Unsupported constructs are a fault, never a guess; work
//! and output are limited. Text in, text out: no files, clock or environment.

mod change;
mod function;
mod lex;
mod output;
mod parse;
mod run;
mod value;
mod weight;

pub use function::normal;
pub use value::Value;

/// Limits on steps and on text that is written.
const MAX_STEPS: u64 = 200_000;
const MAX_TEXT: usize = 2 * 1024 * 1024;
/// Limit on values and bytes that are visited. Shared values count each time.
const MAX_VISITED: u64 = 8 * 1024 * 1024;
/// Maximum nesting of values.
const MAX_NESTED: u32 = 300;
/// Maximum nesting of templates and of actions.
const MAX_DEPTH: usize = 40;

/// Why a template fails, and the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub line: u32,
}

impl Fault {
    /// Whether the template exceeded a limit, which different values would not change.
    pub fn is_endless(&self) -> bool {
        [ENDLESS, TOO_MUCH].contains(&self.message.as_str())
    }
}

const ENDLESS: &str = "the template never ends, or its output is too large";
const TOO_MUCH: &str = "the template uses too much memory";

/// The result of reading a field that a map does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Null, and so are all its fields; printed as `<no value>`.
    NoValue,
    /// Null; reading its fields fails; printed as `<no value>`.
    Zero,
    /// The template fails.
    Fault,
}

/// The output of a template, with the line of the template that wrote each line.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    pub lines: Vec<u32>,
}

/// Runs a template on a value.
pub fn run(text: &str, root: &Value, missing: Missing) -> Result<Written, Fault> {
    let mut blocks = parse::Blocks::default();
    let body = parse::parse(text, &mut blocks)?;
    run::run(&body, blocks, root, missing)
}

#[cfg(test)]
mod bombs;

#[cfg(test)]
mod tests;
