//! Objects that one unit applies: its directory is built with the unit's own overrides, variables are substituted,
//! and every object is described. YAML trees end here; later stages see only statements.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::build::Builder;
use super::charts::{ObjectDigest, TemplateLine};
use super::composition::InstalledChart;
use super::elsewhere::set_images;
use super::substitute::{self, Lookup, SubstitutionBudget};
use crate::facts::{
    Build, Disabled, Gate, MARKER, Relation, Resource, Statement, Target, Unit, Variable,
};
use crate::input::repo::RepoPath;
use crate::sources;
use base::bytes;
use base::hash::{HashMap, HashSet};
use base::index::IndexVec;
use base::{Effect, FileId, Finding, Place, Severity, index_type};
use kustomize::BuildObject;
use kustomize::Built;
use yaml::{Node, Value};

index_type! {
    /// Position of an object among those that one unit, or the entry point, applies.
    pub struct ObjectIx;
}

pub type Objects = IndexVec<ObjectIx, Object>;

/// Objects that a unit applies, or that a cluster's entry point contains.
#[derive(Debug, Default)]
pub struct Applied {
    pub objects: Objects,
    pub findings: Vec<Finding>,
    pub files: BTreeSet<FileId>,
    pub disabled: Vec<(RepoPath, Disabled)>,
    /// Further objects exist that cannot be known here.
    pub is_partial: bool,
    /// Addresses of the bases that are not fetched.
    pub bases_elsewhere: Vec<SmolStr>,
    /// Images that it sets, and that nothing here runs: what runs them is in those bases.
    pub images_elsewhere: Vec<SmolStr>,
    /// Some of its objects take values from others.
    pub has_values_from: bool,
    /// Places of values that a chart writes where they are secret.
    pub hidden: Vec<Place>,
}

impl Applied {
    /// Merges the result of a second build of the same unit.
    pub fn join(&mut self, other: Applied) {
        self.objects.extend(other.objects);
        self.findings.extend(other.findings);
        self.files.extend(other.files);
        self.disabled.extend(other.disabled);
        self.is_partial |= other.is_partial;
        self.bases_elsewhere.extend(other.bases_elsewhere);
        self.images_elsewhere.extend(other.images_elsewhere);
        self.has_values_from |= other.has_values_from;
        self.hidden.extend(other.hidden);
    }

    /// Why it cannot be built, if it cannot: its objects never reach a cluster.
    pub fn build_fault(&self) -> Option<&Finding> {
        let mut findings = self.findings.iter();
        findings.find(|finding| finding.severity == Severity::Error)
    }

    /// Whether something belongs to it that is not here: it is elsewhere, or was not followed.
    pub fn is_in_part(&self) -> bool {
        let left_out =
            |finding: &Finding| matches!(finding.effect, Effect::Remote | Effect::Unsupported);
        self.is_partial || self.findings.iter().any(left_out)
    }

    /// Takes away what a reconciler, by its API group, does not apply.
    pub fn leave_out(&mut self, group: &str) {
        self.objects
            .retain(|object| object.statement.order.left_out_by != Some(group));
    }

    /// Drops references to the reconciler's own CRDs. A cluster with such a unit already has them.
    pub fn forget_types_of(&mut self, group: &str) {
        for object in &mut self.objects {
            object.statement.references.retain(|reference| {
                let Target::Api { group: needed, .. } = &reference.target else {
                    return true;
                };
                reference.relation != Relation::CustomResource || needed != group
            });
        }
    }
}

/// An applied object: its statement, and how it was included.
#[derive(Debug)]
pub struct Object {
    pub statement: Statement,
    /// The comment above its section in the list that included it.
    pub heading: Option<SmolStr>,
    /// Variables that were substituted in it, and those that it names but nothing sets.
    pub variables: Vec<SmolStr>,
    pub unset: Vec<SmolStr>,
    /// Variables that were substituted into a secret value.
    pub secret: Vec<SmolStr>,
    /// Variables that nothing sets, with the default that was used and its place.
    pub defaulted: Vec<Variable>,
    /// The line of a chart's template that wrote it.
    pub template: Option<Arc<TemplateLine>>,
    /// What it holds, if a chart yields it.
    pub digest: Option<ObjectDigest>,
    /// The object itself, if somebody wants to print it.
    pub tree: Option<Arc<Node>>,
}

/// The variables of a unit: known ones, and whether there are sources that cannot be read.
#[derive(Debug, Default)]
pub struct Variables {
    /// Variables that the unit sets itself. They take precedence.
    pub own: HashMap<SmolStr, Variable>,
    /// Shared by all units that use the same sources; later ones win.
    pub sources: Vec<Arc<HashMap<SmolStr, Variable>>>,
    /// A source that is not in the repo may set any variable.
    pub incomplete: bool,
    /// Substitutes even when nothing is known.
    pub always: bool,
    /// Annotation or label, with its value, that exempts an object from substitution.
    pub opt_out: Option<(&'static str, &'static str)>,
    /// The kind of the unit that substitutes them.
    pub put_in_by: SmolStr,
}

impl Variables {
    pub fn get(&self, name: &str) -> Option<&Variable> {
        let own = self.own.get(name);
        own.or_else(|| {
            self.sources
                .iter()
                .rev()
                .find_map(|source| source.get(name))
        })
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.sources.iter().all(|source| source.is_empty())
    }
}

pub fn apply(
    builder: &Builder<'_>,
    directory: &RepoPath,
    build: Option<&Build>,
    variables: &Variables,
) -> Applied {
    let mut built = builder.build(directory, build);
    if let Some(build) = build {
        kustomize::metadata(&mut built.items, "labels", &build.common_labels);
        kustomize::metadata(&mut built.items, "annotations", &build.common_annotations);
        let default = build.default_namespace.as_ref();
        default.inspect(|namespace| kustomize::default_namespace(&mut built.items, namespace));
    }
    let substitutes = build.is_some_and(|build| build.substitution.is_some())
        && (variables.always || variables.incomplete || !variables.is_empty());
    describe(builder, built, substitutes.then_some(variables))
}

/// The objects of a few files, unchanged.
pub fn apply_files(builder: &Builder<'_>, files: &BTreeSet<FileId>) -> Applied {
    let resources = files.iter().flat_map(|file| builder.resources_of(*file));
    let built = Built {
        items: resources.map(BuildObject::new).collect(),
        files: files.clone(),
        ..Built::default()
    };
    describe(builder, built, None)
}

/// Objects that a reconciler generates from the template of a unit.
pub fn expand(builder: &Builder<'_>, unit: &Unit, template: &Resource) -> Applied {
    let expanded = sources::expand(template, builder.context());
    let mut items: Vec<BuildObject> = expanded.resources.iter().map(BuildObject::new).collect();
    let mut namespaces = unit
        .builds()
        .filter_map(|build| build.default_namespace.as_ref());
    if let Some(namespace) = namespaces.next() {
        kustomize::default_namespace(&mut items, namespace);
    }
    let built = Built {
        items,
        findings: expanded.findings,
        files: expanded.files,
        ..Built::default()
    };
    let mut applied = describe(builder, built, None);
    applied.is_partial = expanded.is_partial;
    for (object, sync_wave) in applied.objects.iter_mut().zip(expanded.sync_waves) {
        let statement = &mut object.statement;
        let is_later = sync_wave.is_some_and(|sync_wave| sync_wave.number > 0);
        statement.order.is_in_order |= expanded.is_stepped && is_later;
        if let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) {
            if sync_wave.is_some() && !expanded.is_stepped {
                unit.gate = Gate::Wait;
            }
            unit.apply.sync_wave = sync_wave;
        }
    }
    for (object, name) in applied.objects.iter_mut().zip(expanded.called) {
        let unit = name.as_ref().and(object.statement.unit.as_mut());
        if let Some(remote) = unit.and_then(|unit| Arc::make_mut(unit).remote.as_mut()) {
            remote.name = remote.name.take().or(name);
        }
    }
    applied
}

/// Objects of a chart that is installed by hand.
pub fn install(builder: &Builder<'_>, chart: &InstalledChart) -> Applied {
    let environment = chart.environment.as_ref();
    let made = sources::install(&chart.directory, environment, builder.context());
    let expanded = made.unwrap_or_default();
    let built = Built {
        items: expanded.resources.iter().map(BuildObject::new).collect(),
        findings: expanded.findings,
        files: expanded.files,
        ..Built::default()
    };
    describe(builder, built, None)
}

/// The object that represents a whole program: the start of its run.
pub fn start(builder: &Builder<'_>, unit: &Resource, files: &BTreeSet<FileId>) -> Applied {
    let built = Built {
        items: vec![BuildObject::new(unit)],
        files: files.clone(),
        ..Built::default()
    };
    describe(builder, built, None)
}

/// Objects as they were built, described.
pub fn describe_built(builder: &Builder<'_>, built: Built) -> Applied {
    describe(builder, built, None)
}

fn describe(builder: &Builder<'_>, built: Built, variables: Option<&Variables>) -> Applied {
    let mut findings = built.findings;
    let mut has_values_from = false;
    let mut budget = SubstitutionBudget::default();
    let objects = built.items.into_iter().map(|mut item| {
        let mut names = VariableUse::default();
        if let Some(variables) = variables
            && is_substituted(&item, variables)
        {
            names = put_in(&mut item, variables, &mut budget, &mut findings);
        }
        let heading = item.heading.take();
        let is_partial = item.generated.as_ref().is_some_and(|made| made.is_partial);
        let resource = item.into_resource();
        let mut statement = sources::describe(&resource, &builder.context().facts.kinds);
        // The API server drops what kustomize gives to kinds that it does not know.
        let id = &mut statement.id;
        if !id.namespace.is_empty() && builder.is_cluster_wide(id) {
            id.namespace = SmolStr::default();
        }
        statement.supplies.has_more_variables = is_partial;
        has_values_from |= statement.supplies.values_from.is_some();
        if statement.unit.is_some() {
            let context = builder.context();
            findings.extend(sources::resolve_files(&resource, context, &mut statement));
        }
        Object {
            statement,
            heading,
            variables: names.used.list,
            unset: names.unset.list,
            secret: names.secret.list,
            defaulted: names.defaulted,
            template: None,
            digest: None,
            tree: builder.keeps_trees().then(|| resource.node.clone()),
        }
    });
    let objects: Objects = objects.collect();
    let images_elsewhere = if built.remote.is_empty() {
        Vec::new()
    } else {
        set_images(builder, &built.files, &objects)
    };
    Applied {
        images_elsewhere,
        objects,
        findings,
        is_partial: false,
        bases_elsewhere: built.remote,
        has_values_from,
        hidden: Vec::new(),
        files: built.files,
        disabled: built.disabled,
    }
}

/// Whether variables are substituted in an object. An object can opt out.
fn is_substituted(item: &BuildObject, variables: &Variables) -> bool {
    let marked = |part: &str| {
        variables
            .opt_out
            .is_some_and(|(key, value)| item.node.text_at(&["metadata", part, key]) == Some(value))
    };
    // A tree of its own need not be looked at twice; a shared one is copied when it is changed.
    let is_own = Arc::strong_count(&item.node) == 1;
    !marked("annotations") && !marked("labels") && (is_own || has_dollar(&item.node))
}

fn has_dollar(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => is_dollar_in(&scalar.text),
        Value::Seq(items) => items.iter().any(has_dollar),
        Value::Map(map) => map
            .0
            .iter()
            .any(|entry| is_dollar_in(&entry.key) || has_dollar(&entry.value)),
    }
}

fn is_dollar_in(text: &str) -> bool {
    bytes::any(text.as_bytes(), |byte| byte == b'$')
}

#[derive(Default)]
struct VariableUse {
    used: substitute::NameList,
    unset: substitute::NameList,
    secret: substitute::NameList,
    defaulted: Vec<Variable>,
    /// Places of substitutions, with the variables used there.
    changed: Vec<(Place, Vec<SmolStr>)>,
}

fn put_in(
    item: &mut BuildObject,
    variables: &Variables,
    budget: &mut SubstitutionBudget,
    findings: &mut Vec<Finding>,
) -> VariableUse {
    let lookup = |name: &str| match variables.get(name) {
        Some(Variable {
            value: Some(value), ..
        }) if value != MARKER => Lookup::Value(value.clone()),
        Some(_) => Lookup::Opaque,
        None if variables.incomplete => Lookup::Unknown,
        None => Lookup::Unset,
    };
    let mut puts = Puts {
        lookup: &lookup,
        budget,
        names: VariableUse::default(),
        bad: None,
    };
    puts.walk(item.node_mut());
    let Puts { mut names, bad, .. } = puts;
    if let Some((place, message)) = bad {
        findings.push(Finding::error(
            "substitution-invalid",
            place,
            format!(
                "{message}; the {} that applies this fails",
                variables.put_in_by
            ),
        ));
    }
    if !names.changed.is_empty() {
        // A variable's value may be secret in the place where it was substituted.
        secret::seal(item.node_mut());
        item.refresh();
        let mut sealed = HashSet::default();
        sealed_places(&item.node, &mut sealed);
        let changed = std::mem::take(&mut names.changed).into_iter();
        for (_, used) in changed.filter(|(place, _)| sealed.contains(place)) {
            used.iter().for_each(|name| names.secret.add(name));
        }
    }
    names
}

/// Collects the places in a tree whose values were sealed.
fn sealed_places(node: &Node, found: &mut HashSet<Place>) {
    match &node.value {
        Value::Scalar(scalar) => {
            // In a text of several lines, the variable may be in another line than the secret.
            if scalar.text.contains(MARKER) && !scalar.text.contains('\n') {
                found.insert(node.place);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| sealed_places(item, found)),
        Value::Map(map) => {
            let values = map.0.iter().map(|entry| &entry.value);
            values.for_each(|value| sealed_places(value, found));
        }
    }
}

/// Putting variables into one object.
struct Puts<'a> {
    lookup: &'a dyn Fn(&str) -> Lookup,
    budget: &'a mut SubstitutionBudget,
    names: VariableUse,
    /// The first expression that cannot be substituted.
    bad: Option<(Place, String)>,
}

impl Puts<'_> {
    fn walk(&mut self, node: &mut Node) {
        let place = node.place;
        match &mut node.value {
            Value::Scalar(scalar) => {
                if let Some(text) = self.substituted(&scalar.text, place) {
                    scalar.text = reparsed(&scalar.text, text).into();
                }
            }
            Value::Seq(items) => items.iter_mut().for_each(|item| self.walk(item)),
            Value::Map(map) => {
                for entry in &mut map.0 {
                    if let Some(key) = self.substituted(&entry.key, entry.key_place) {
                        entry.key = key.into();
                    }
                    self.walk(&mut entry.value);
                }
            }
        }
    }

    fn substituted(&mut self, text: &str, place: Place) -> Option<String> {
        if !is_dollar_in(text) {
            return None;
        }
        match substitute::substitute(text, self.lookup, self.budget) {
            Ok(None) => None,
            Ok(Some(outcome)) => {
                outcome
                    .used
                    .iter()
                    .for_each(|name| self.names.used.add(name));
                outcome
                    .unset
                    .iter()
                    .for_each(|name| self.names.unset.add(name));
                let defaulted = outcome.defaulted.into_iter().map(|(name, value)| Variable {
                    value: Some(value)
                        .filter(|value| value != MARKER && secret::shown(&name, value).is_none()),
                    name,
                    place,
                    has_lines: false,
                });
                self.names.defaulted.extend(defaulted);
                self.names.changed.push((place, outcome.used));
                Some(outcome.text)
            }
            Err(error) => {
                self.bad.get_or_insert((place, error.message));
                None
            }
        }
    }
}

/// Variables are put into text that is then read as YAML again. A text that begins with one stands
/// there without quotes, so that quotes in its value, which people use to keep `"00"` from becoming
/// a number, are taken away.
fn reparsed(before: &str, after: String) -> String {
    if !before.starts_with('$') || before.contains(['#', '\n']) || before.contains(": ") {
        return after;
    }
    for quote in ['"', '\''] {
        let inner = after
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains([quote, '\\'])) {
            return inner.to_owned();
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_that_a_variable_brings_are_read_as_quotes() {
        let read = |before, after: &str| reparsed(before, after.to_owned());
        assert_eq!(read("${CLUSTER}", "\"00\""), "00");
        assert_eq!(read("${VERSION}", "'1.20'"), "1.20");
        assert_eq!(read("${A}${B}", "\"a\"\"b\""), "\"a\"\"b\"");
        assert_eq!(read("\"${CLUSTER}\"", "\"00\""), "\"00\"");
        assert_eq!(read("x-${CLUSTER}", "x-\"00\""), "x-\"00\"");
    }
}
