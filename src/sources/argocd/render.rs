//! Renders the templates of charts in the repo. What cannot be rendered is reported, and the rest is kept.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::super::{Expanded, ReadContext};
use super::chart_tree::Templates;
use super::rendered;
use crate::facts::Resource;
use base::{FileId, Finding, Place};
use helm::{Chart, Library, Missing, Value};

/// Which objects of a chart are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Everything,
    /// Only Applications: the chart is installed by hand.
    Applications,
}

/// A chart as it is installed.
pub struct Render<'r> {
    /// Release name that Helm uses.
    pub release: Value,
    pub namespace: Value,
    pub tree: &'r Templates,
    pub given: &'r Value,
    pub wanted: Wanted,
}

/// Why a template cannot be rendered, and the line.
type RenderFault = (u32, String);

impl Render<'_> {
    pub fn all(&self, context: &ReadContext<'_>, expanded: &mut Expanded) {
        let tree = self.tree;
        let makes_any = tree.makes_any();
        if self.wanted == Wanted::Applications && !makes_any {
            return;
        }
        let repo = context.facts.repo;
        let given = helm::subchart_values(tree, self.given, context);
        let is_wanted: Vec<bool> = given.iter().map(Option::is_some).collect();
        let library = tree.library(&is_wanted, repo);
        expanded.files.extend(tree.files(repo));
        if tree.is_cut {
            let top = tree.charts.first();
            let file = top.and_then(|top| repo.file_in(&top.directory, "Chart.yaml"));
            expanded.findings.extend(file.map(cut));
            expanded.is_partial = true;
        }
        let mut seen: BTreeSet<[SmolStr; 4]> = BTreeSet::new();
        for (at, values) in given.into_iter().enumerate() {
            let making = &tree.making[at];
            let templates = match self.wanted {
                Wanted::Everything => &tree.all[at],
                Wanted::Applications => making,
            };
            let Some(values) = values.filter(|_| !templates.is_empty()) else {
                continue;
            };
            if tree.read[at].is_too_large {
                expanded.findings.push(too_large(templates[0]));
            }
            expanded.files.extend(templates);
            expanded.files.extend(&tree.read[at].files);
            let values = match self.wanted {
                Wanted::Everything => values,
                // Whoever installs the chart gives it what it leaves open, so this overrides nothing.
                Wanted::Applications => values.without_nulls(),
            };
            let root = self.root(&tree.charts[at], at, values);
            let mut is_reported = false;
            for file in templates {
                match self.one((at, *file), &library, &root, context) {
                    Ok(resources) => {
                        expanded
                            .resources
                            .extend(resources.into_iter().filter(|it| {
                                let id = &it.id;
                                let parts = [&id.group, &id.kind, &id.namespace, &id.name];
                                seen.insert(parts.map(SmolStr::clone))
                            }))
                    }
                    Err((line, why)) if making.contains(file) => {
                        expanded.is_partial = true;
                        expanded.findings.push(unfollowed(*file, line, &why));
                    }
                    // One finding for a chart: its templates usually fail for the same reason.
                    Err((line, why)) => {
                        if !std::mem::replace(&mut is_reported, true) {
                            expanded.findings.push(unrendered(*file, line, &why));
                        }
                    }
                }
            }
        }
    }

    /// Root context of a chart's templates.
    fn root(&self, chart: &Chart, at: usize, values: Value) -> Value {
        let mut root = Value::default();
        root.set(&["Values"], values);
        root.set(&["Release", "Name"], self.release.clone());
        root.set(&["Release", "Service"], Value::text("Helm"));
        root.set(&["Release", "Namespace"], self.namespace.clone());
        root.set(&["Release", "IsInstall"], Value::Bool(true));
        root.set(&["Release", "IsUpgrade"], Value::Bool(false));
        root.set(&["Release", "Revision"], Value::Int(1));
        for entry in chart.metadata.entries() {
            let key = match entry.key.as_str() {
                "apiVersion" => "APIVersion".to_owned(),
                key => capitalised(key),
            };
            let value = match entry.value.text() {
                Some(text) => Value::text(text),
                None => Value::from_node(&entry.value),
            };
            root.set(&["Chart", &key], value);
        }
        root.set(&["Chart", "Name"], Value::Text(chart.name.clone()));
        root.set(&["Capabilities"], helm::capabilities());
        root.set(&["Files"], self.tree.read[at].texts.clone());
        root
    }

    fn one(
        &self,
        (at, file): (usize, FileId),
        library: &Library,
        root: &Value,
        context: &ReadContext<'_>,
    ) -> Result<Vec<Resource>, RenderFault> {
        let repo = context.facts.repo;
        let mut root = root.clone();
        let name = self.tree.name_of(at, file);
        if let Some((name, base)) = name {
            root.set(&["Template", "Name"], Value::Text(name.clone()));
            root.set(&["Template", "BasePath"], Value::Text(base.clone()));
        }
        let known = name.and_then(|(name, _)| library.run(name, &root, Missing::Empty));
        let written = match known {
            Some(written) => written,
            None => {
                let text = repo
                    .read_text(file)
                    .map_err(|_| (1, "it cannot be read".to_owned()))?;
                helm::run(&text, library, &root, Missing::Empty)
            }
        };
        let written = written.map_err(|fault| (fault.line, fault.message))?;
        let made = rendered::objects(written, file, repo.path(file), self.wanted)?;
        match made.iter().find(|one| one.id.name.is_empty()) {
            Some(one) if one.id.group == super::GROUP => {
                Err((one.place.line, "one of them has no name".to_owned()))
            }
            _ => Ok(made),
        }
    }
}

/// Helm's fields are those of `Chart.yaml` in upper case.
fn capitalised(key: &str) -> String {
    let mut letters = key.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn unfollowed(file: FileId, line: u32, why: &str) -> Finding {
    let message =
        format!("the Applications from this template are missing from the catalogue: {why}");
    left_out(file, line, message)
}

fn unrendered(file: FileId, line: u32, why: &str) -> Finding {
    let message = format!("some objects of this chart are missing from the catalogue: {why}");
    left_out(file, line, message)
}

fn cut(file: FileId) -> Finding {
    let message = "some objects from subcharts of this chart are missing from the catalogue: there \
                   are too many subcharts";
    left_out(file, 1, message.to_owned())
}

fn too_large(file: FileId) -> Finding {
    let message = "some objects of this chart are missing from the catalogue: it has too many files \
                   that templates may read, or they are too large";
    left_out(file, 1, message.to_owned())
}

pub fn left_out(file: FileId, line: u32, message: String) -> Finding {
    let place = Place {
        line: line.max(1),
        ..Place::start_of(file)
    };
    Finding::info("template-unfollowed", place, message)
        .help("no action needed: Argo CD still creates what is missing from the catalogue")
}
