//! `unused-variable`: a variable that is set but never used.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Check, CheckContext, wording};
use crate::cluster::{Applied, Cluster, ClusterUnit};
use crate::facts::{Target, Variable};
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding, Place, Rule, Severity};

pub struct UnusedVariable;

pub static RULE: Rule = Rule {
    name: "unused-variable",
    severity: Severity::Info,
    skips_input: false,
    security: None,
    summary: "A variable is set but never used.",
    about: r#"
## What it does

Checks for variables that no object uses, in any cluster. Looks at the variables that Kustomizations set in `postBuild`, and at
the ConfigMaps that they substitute from.

A ConfigMap that is also used in another way is ignored. So are variables of a Kustomization whose files are wholly or partly
outside this repository. All unused variables of a ConfigMap are reported as one finding, and so is one variable that several
Kustomizations set.

## Why is this bad?

Somebody will change the variable one day and wonder why nothing happens. Often the name is misspelt, and the object that
should use it falls back to its default.

## Example

```yaml
spec:
  postBuild:
    substitute:
      DOMIAN: example.com     # the manifests use ${DOMAIN}
```

## How to fix it

Remove it, or correct its name.
"#,
};

impl Check for UnusedVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let mut uses = Uses::default();
        for cluster in context.clusters {
            uses.take(cluster);
        }
        uses.findings()
    }
}

/// Every variable by the place that sets it, and whether an object uses it.
#[derive(Default)]
struct Uses<'a> {
    of_sources: BTreeMap<Place, (&'a SmolStr, Used)>,
    of_units: BTreeMap<Place, (&'a SmolStr, Used)>,
}

/// A source of variables, and the variables that the units substituting from it use.
struct SourceUse<'a> {
    variables: &'a [Variable],
    named: HashSet<&'a str>,
    /// Whether all of them may be used.
    all: Used,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Used {
    No,
    Yes,
}

impl<'a> Uses<'a> {
    fn take(&mut self, cluster: &'a Cluster) {
        let shared = objects_used_otherwise(cluster);
        // By namespace and name of the source.
        let mut by_source: HashMap<(&str, &str), SourceUse<'a>> = HashMap::default();
        let mut variables: HashMap<(&str, &str), &'a [Variable]> = HashMap::default();
        for (_, object) in cluster.objects() {
            let id = &object.statement.id;
            if id.kind == "ConfigMap" && !object.statement.supplies.variables.is_empty() {
                variables.insert(
                    (&id.namespace, &id.name),
                    &object.statement.supplies.variables,
                );
            }
        }
        for unit in &cluster.units {
            let build = unit.unit.build.as_ref();
            let Some(substitution) = build.and_then(|build| build.substitution.as_ref()) else {
                continue;
            };
            // Objects that were not built may use any variable.
            let is_known = unit.applied.as_ref().is_some_and(is_complete);
            let named: HashSet<&str> = names(unit);
            for from in substitution
                .from
                .iter()
                .filter(|from| from.kind == "ConfigMap")
            {
                let key = (unit.unit.id.namespace.as_str(), from.name.as_str());
                let Some(found) = variables.get(&key) else {
                    continue;
                };
                let source = by_source.entry(key).or_insert_with(|| {
                    let used = if shared.contains(&key) {
                        Used::Yes
                    } else {
                        Used::No
                    };
                    SourceUse {
                        variables: found,
                        named: HashSet::default(),
                        all: used,
                    }
                });
                source.named.extend(&named);
                if !is_known {
                    source.all = Used::Yes;
                }
            }
            for (name, variable) in &unit.variables.own {
                let used = if !is_known || named.contains(name.as_str()) {
                    Used::Yes
                } else {
                    Used::No
                };
                note(&mut self.of_units, variable, used);
            }
        }
        for source in by_source.into_values() {
            for variable in source.variables {
                let used = if source.named.contains(variable.name.as_str()) {
                    Used::Yes
                } else {
                    source.all
                };
                note(&mut self.of_sources, variable, used);
            }
        }
    }

    fn findings(self) -> Vec<Finding> {
        let mut by_file: BTreeMap<FileId, Vec<(Place, &SmolStr)>> = BTreeMap::new();
        for (place, name) in unused(self.of_sources) {
            by_file.entry(place.file).or_default().push((place, name));
        }
        let mut by_name: BTreeMap<&SmolStr, Vec<(Place, &SmolStr)>> = BTreeMap::new();
        for (place, name) in unused(self.of_units) {
            by_name.entry(name).or_default().push((place, name));
        }
        let of_sources = by_file.into_values().map(|unused| {
            let names: Vec<String> = unused.iter().map(|(_, name)| name.to_string()).collect();
            let message = match names.len() {
                1 => format!("{} is set but never used", wording::listed(&names)),
                count => format!(
                    "{count} variables are set but never used: {}",
                    wording::listed(&names)
                ),
            };
            finding(message, &unused)
        });
        let of_units = by_name.into_iter().map(|(name, unused)| {
            let message = match unused.len() {
                1 => format!("`{name}` is set in `postBuild.substitute`, but no manifest uses it"),
                count => {
                    format!(
                        "{count} Kustomizations set `{name}`, but none of their manifests use it"
                    )
                }
            };
            finding(message, &unused)
        });
        of_sources.chain(of_units).collect()
    }
}

/// Whether everything that a unit applies was read.
fn is_complete(applied: &Applied) -> bool {
    let mut findings = applied.findings.iter();
    !applied.is_in_part() && !findings.any(|finding| finding.severity == Severity::Error)
}

fn note<'a>(all: &mut BTreeMap<Place, (&'a SmolStr, Used)>, variable: &'a Variable, used: Used) {
    let noted = all.entry(variable.place).or_insert((&variable.name, used));
    noted.1 = noted.1.max(used);
}

fn unused(all: BTreeMap<Place, (&SmolStr, Used)>) -> impl Iterator<Item = (Place, &SmolStr)> {
    let unused = all.into_iter().filter(|(_, (_, used))| *used == Used::No);
    unused.map(|(place, (name, _))| (place, name))
}

fn finding(message: String, unused: &[(Place, &SmolStr)]) -> Finding {
    let mut finding =
        Finding::info(RULE.name, unused[0].0, message).help("remove it, or correct its name");
    for (place, name) in wording::some(&unused[1..]) {
        finding = finding.note(*place, format!("`{name}` is never used"));
    }
    for (place, name) in unused {
        finding = finding.covers(*place, name);
    }
    finding
}

fn names(unit: &ClusterUnit) -> HashSet<&str> {
    let objects = unit.applied.iter().flat_map(|applied| &applied.objects);
    objects
        .flat_map(|object| object.variables.iter().map(SmolStr::as_str))
        .collect()
}

/// ConfigMaps that objects refer to, by namespace and name: those objects may use their keys.
fn objects_used_otherwise(cluster: &Cluster) -> HashSet<(&str, &str)> {
    let references = cluster
        .objects()
        .flat_map(|(_, object)| &object.statement.references);
    let maps = references.filter_map(|reference| match &reference.target {
        Target::Object {
            kind,
            namespace,
            name,
        } if kind == "ConfigMap" => Some((namespace.as_str(), name.as_str())),
        _ => None,
    });
    maps.collect()
}
