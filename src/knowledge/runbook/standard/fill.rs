//! Placeholders and the values that they stand for.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::CommandStep;
use super::case::{Case, Placeholders};
use super::pods;
use crate::sources::{self, NameInTool};
use base::text::counted;

/// A line is repeated for at most this many objects.
const MOST: usize = 3;

/// Text with `{{ name }}` in it, taken apart once: it is filled for every component.
#[derive(Debug, Default)]
pub struct Template {
    /// Text, and the name of what follows it.
    parts: Vec<(String, String)>,
    end: String,
}

impl Template {
    pub fn new(text: &str) -> Template {
        let mut parts = Vec::new();
        let mut rest = text.trim_end();
        while let Some((before, after)) = rest.split_once("{{") {
            // An unclosed placeholder has a name without a value, so its line is always omitted.
            let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
            parts.push((before.to_owned(), name.trim().to_owned()));
            rest = behind;
        }
        Template {
            parts,
            end: rest.to_owned(),
        }
    }

    /// With the values of its names; none when one has no value.
    fn filled(
        &self,
        values: &[&[(&'static str, SmolStr)]],
        quote: fn(&str) -> Cow<'_, str>,
    ) -> Option<String> {
        let mut filled = String::with_capacity(128);
        for (before, name) in &self.parts {
            let mut all = values.iter().flat_map(|values| values.iter());
            let (_, value) = all.find(|(own, value)| own == name && !value.is_empty())?;
            filled.push_str(before);
            filled.push_str(&quote(value));
        }
        filled.push_str(&self.end);
        filled.truncate(filled.trim_end().len());
        Some(filled)
    }
}

/// The values of one component, and of each object that a runbook is about.
pub struct FillValues<'a> {
    component: Placeholders,
    objects: &'a [Placeholders],
    /// How to select its pods, for lines that ask for that.
    pods: Vec<Placeholders>,
}

impl<'a> FillValues<'a> {
    pub fn new(case: &Case<'_>, objects: &'a [Placeholders]) -> FillValues<'a> {
        let mut component: Placeholders = vec![
            ("component.id", case.component.id.0.clone()),
            ("component.namespace", case.component.namespace.clone()),
        ];
        if let Some(unit) = case.unit {
            component.push(("unit.name", unit.id.name.clone()));
            component.push(("unit.namespace", unit.id.namespace.clone()));
            match sources::name_in_tool(&unit.id) {
                Some(NameInTool::Kind(kind)) => {
                    component.push(("unit.kind", kind.into()));
                    component.push(("unit.flux", unit.id.name.clone()));
                }
                Some(NameInTool::Name(name)) => {
                    component.push(("unit.application", name.into()));
                }
                None => {}
            }
        }
        let hold = case.component.unit.as_ref();
        if let Some((unit, NameInTool::Kind(kind))) =
            hold.and_then(|unit| Some((unit, sources::name_in_tool(unit)?)))
        {
            component.push(("hold.kind", kind.into()));
            component.push(("hold.name", unit.name.clone()));
            component.push(("hold.namespace", unit.namespace.clone()));
            if case.beside > 0 {
                let others = counted(case.beside, "other component");
                component.push(("hold.beside", others.into()));
            }
        }
        component.retain(|(_, value)| !value.is_empty());
        let pods = pods::selectors(case.component);
        FillValues {
            component,
            objects,
            pods,
        }
    }

    /// Text that is about the component; none where it names what the component has not.
    pub fn once(&self, text: &Template) -> Option<String> {
        self.all(text, as_it_is).into_iter().next()
    }

    /// A line for each object.
    pub fn each(&self, text: &Template) -> Vec<String> {
        let mut lines = self.all(text, as_it_is);
        let left = lines.len().saturating_sub(MOST);
        lines.truncate(MOST);
        if left > 0 {
            lines.push(format!("and {left} more"));
        }
        lines
    }

    /// Steps with their commands; a step that has none left is left out.
    pub fn steps(&self, steps: &[CommandStep<Template>]) -> Vec<CommandStep> {
        let filled = steps.iter().map(|step| {
            let mut commands: Vec<String> = Vec::new();
            for line in &step.commands {
                for command in self.lines(line, shell::quote) {
                    if !commands.contains(&command) {
                        commands.push(command);
                    }
                }
            }
            CommandStep {
                comment: step.comment.as_ref().and_then(|comment| self.once(comment)),
                commands,
            }
        });
        filled.filter(|step| !step.commands.is_empty()).collect()
    }

    /// A line for each of the first few objects.
    fn lines(&self, text: &Template, quote: fn(&str) -> Cow<'_, str>) -> Vec<String> {
        let mut lines = self.all(text, quote);
        lines.truncate(MOST);
        lines
    }

    fn all(&self, text: &Template, quote: fn(&str) -> Cow<'_, str>) -> Vec<String> {
        let is_about_component = text.filled(&[&self.component], quote);
        if let Some(line) = is_about_component {
            return vec![line];
        }
        let filled = |objects: &[Placeholders]| -> Vec<String> {
            let objects = objects.iter();
            let lines = objects.filter_map(|object| text.filled(&[&self.component, object], quote));
            let mut lines: Vec<String> = lines.collect();
            lines.dedup();
            lines
        };
        let lines = filled(self.objects);
        if lines.is_empty() {
            return filled(&self.pods);
        }
        lines
    }
}

fn as_it_is(value: &str) -> Cow<'_, str> {
    Cow::Borrowed(value)
}
