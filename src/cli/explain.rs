//! `catalog explain`: explains a rule, or lists all rules.

use anyhow::bail;
use clap::Args;

use super::Outcome;
use super::options::GlobalArgs;
use crate::checks;
use base::Rule;
use system::terminal::{BOLD, Paint};

pub const EXAMPLES: &str = "\
Examples:
  catalog explain                      List all rules
  catalog explain yaml-duplicate-key   Explain one, with an example";

/// Longer lines are hard to read, however wide the terminal is.
const WIDTH: usize = 80;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Rule to explain, as findings name it in brackets
    pub rule: Option<String>,
}

pub fn run(args: &ExplainArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(None)?;
    let paint = options.paint();
    let text = match &args.rule {
        None => list(paint),
        Some(name) => match checks::rule(name) {
            Some(rule) => explained(rule, paint),
            None => bail!("{}", unknown(name)),
        },
    };
    options.print_as_it_is(&text)?;
    Ok(Outcome::Clean)
}

/// The error for a rule that does not exist.
pub fn unknown(name: &str) -> String {
    // It may be anything, and is printed on a terminal.
    let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    let help = match checks::nearest_rule(name) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`catalog explain` lists all rules".to_owned(),
    };
    format!("there is no rule `{shown}`; {help}")
}

fn list(paint: Paint) -> String {
    let topics = checks::topics();
    let names = topics.iter().flat_map(|topic| &topic.rules);
    let widest = names.map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for topic in &topics {
        text += &paint.styled(BOLD, topic.title);
        text += "\n";
        for rule in &topic.rules {
            let severity = rule.severity.to_string();
            text += &format!("  {:widest$}  {severity:7}  {}\n", rule.name, rule.summary);
        }
        text += "\n";
    }
    text += "Run `catalog explain RULE` to explain one of them.\n";
    text
}

fn explained(rule: &Rule, paint: Paint) -> String {
    let mut text = format!("{} ({})\n\n", paint.styled(BOLD, rule.name), rule.severity);
    text += &wrapped(rule.summary, "", "");
    text += "\n";
    text += &plain(rule.about, paint);
    text
}

/// Markdown for a terminal: paragraphs and items wrapped, code indented, headings in bold.
fn plain(markdown: &str, paint: Paint) -> String {
    let mut text = String::new();
    let mut paragraph = Paragraph::default();
    let mut in_code = false;
    // No blank line after a heading, and never two in a row.
    let mut skip_blank = true;
    for line in markdown.trim().lines() {
        let is_fence = line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#').strip_prefix(' ');
        let heading = heading.filter(|_| line.starts_with('#'));
        if is_fence || heading.is_some() || starts_item(line) || line.trim().is_empty() {
            text += &paragraph.take();
        }
        if is_fence {
            in_code = !in_code;
        } else if in_code {
            text += format!("    {line}").trim_end();
            text += "\n";
        } else if line.trim().is_empty() {
            text += if skip_blank { "" } else { "\n" };
        } else if let Some(heading) = heading {
            text += &paint.styled(BOLD, heading.trim());
            text += "\n";
        } else {
            paragraph.add(line);
        }
        skip_blank = heading.is_some() || line.trim().is_empty();
    }
    text + &paragraph.take()
}

fn starts_item(line: &str) -> bool {
    line.starts_with(['-', '*', '|', '>']) || starts_with_number(line)
}

fn starts_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(". ")
}

#[derive(Default)]
struct Paragraph(String);

impl Paragraph {
    fn add(&mut self, line: &str) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0 += line.trim();
    }

    fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.0);
        match text {
            text if text.is_empty() => text,
            text if text.starts_with('|') => text + "\n",
            text if text.starts_with(['-', '*']) => wrapped(&text, "  ", "    "),
            text if starts_with_number(&text) => wrapped(&text, "  ", "     "),
            text => wrapped(&text, "  ", "  "),
        }
    }
}

/// The words of a text in lines; the first begins with `first`, all others with `rest`.
fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines += "\n";
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_explained_in_lines_that_fit_and_code_as_it_is() {
        let rule = checks::rule("env-comment-in-value").unwrap();
        let text = explained(rule, Paint::Plain);
        assert!(
            text.starts_with("env-comment-in-value (warning)\n\n"),
            "{text}"
        );
        assert!(
            text.contains("\nExample\n    TIMEOUT=30 # seconds\n"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn an_unknown_rule_is_answered_with_the_nearest() {
        assert!(unknown("yaml-sytax").ends_with("did you mean `yaml-syntax`?"));
        assert!(unknown("\x1b[31m").contains("\\u{1b}[31m"));
    }
}
