//! Placeholders and the values that they stand for.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::Step;
use super::case::{Case, Names};

/// Objects that a line is said for; others are like them.
const MOST: usize = 3;

/// The values of one component, and of each object that a runbook is about.
pub struct Values<'a> {
    component: Names,
    objects: &'a [Names],
}

impl<'a> Values<'a> {
    pub fn new(case: &Case<'_>, objects: &'a [Names]) -> Values<'a> {
        let mut component: Names = vec![
            ("component.id", case.component.id.0.clone()),
            ("component.namespace", case.component.namespace.clone()),
        ];
        if let Some(unit) = case.unit {
            component.push(("unit.name", unit.id.name.clone()));
            component.push(("unit.namespace", unit.id.namespace.clone()));
        }
        component.retain(|(_, value)| !value.is_empty());
        Values { component, objects }
    }

    /// Text that is about the component; none where it names what the component has not.
    pub fn once(&self, text: &str) -> Option<String> {
        let object = self.objects.first().map_or(&[][..], Vec::as_slice);
        fill(text, &[&self.component, object], as_it_is)
    }

    /// A line for each object.
    pub fn each(&self, text: &str) -> Vec<String> {
        let mut lines = self.lines(text, as_it_is);
        let left = self.objects.len().saturating_sub(MOST);
        if left > 0 && lines.len() == MOST {
            lines.push(format!("and {left} more"));
        }
        lines
    }

    /// Steps with their commands; a step that has none left is left out.
    pub fn steps(&self, steps: &[Step]) -> Vec<Step> {
        let filled = steps.iter().map(|step| {
            let mut commands: Vec<String> = Vec::new();
            for line in &step.commands {
                for command in self.lines(line, quoted) {
                    if !commands.contains(&command) {
                        commands.push(command);
                    }
                }
            }
            Step {
                comment: step.comment.as_ref().and_then(|comment| self.once(comment)),
                commands,
            }
        });
        filled.filter(|step| !step.commands.is_empty()).collect()
    }

    fn lines(&self, text: &str, quote: fn(&str) -> Cow<'_, str>) -> Vec<String> {
        let is_about_component = fill(text, &[&self.component], quote);
        if let Some(line) = is_about_component {
            return vec![line];
        }
        let objects = self.objects.iter();
        let lines = objects.filter_map(|object| fill(text, &[&self.component, object], quote));
        let mut lines: Vec<String> = lines.collect();
        lines.dedup();
        lines.truncate(MOST);
        lines
    }
}

/// `text` with every `{{ name }}` replaced; none when one has no value.
fn fill(
    text: &str,
    values: &[&[(&'static str, SmolStr)]],
    quote: fn(&str) -> Cow<'_, str>,
) -> Option<String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}")?;
        let mut all = values.iter().flat_map(|values| values.iter());
        let (_, value) = all.find(|(own, value)| *own == name.trim() && !value.is_empty())?;
        filled.push_str(before);
        filled.push_str(&quote(value));
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled.trim_end().to_owned())
}

fn as_it_is(value: &str) -> Cow<'_, str> {
    Cow::Borrowed(value)
}

/// A value as a word of a shell: names need no quotes, and what was not resolved must not be run.
fn quoted(value: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+".contains(c);
    match value.chars().all(is_plain) && !value.starts_with('-') {
        true => Cow::Borrowed(value),
        false => Cow::Owned(format!("'{}'", value.replace('\'', "'\\''"))),
    }
}
