//! `unused-variable`: a variable that is set for units that never name it.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Check, Scene, wording};
use crate::compose::{Applied, Cluster, ClusterUnit};
use crate::diagnostic::{FileId, Finding, Place, Rule, Severity};
use crate::fact::{Target, Variable};
use crate::hash::{HashMap, HashSet};

pub struct UnusedVariable;

pub static RULE: Rule = Rule {
    name: "unused-variable",
    severity: Severity::Info,
    summary: "A variable is set for units, none of which uses it.",
    about: r#"
## What it does

Looks for variables in ConfigMaps that units substitute from, and in units themselves, that no object of these units
names, in any cluster. A ConfigMap that something else uses as well is left alone, and so is what is set for a unit whose
files are elsewhere, all or some of them. All unused variables of one ConfigMap are one finding, and so are all units that set the same one for nothing.

## Why is this bad

Somebody will change the variable one day and wonder why nothing happens. Often its name has a typing error, and the
object that should use it has the default instead.

## Example

```yaml
spec:
  postBuild:
    substitute:
      DOMIAN: example.com     # the objects say ${DOMAIN}
```

## Fix

Remove it, or correct its name.
"#,
};

impl Check for UnusedVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let mut uses = Uses::default();
        for cluster in scene.clusters {
            uses.take(cluster);
        }
        uses.findings()
    }
}

/// Every variable by where it is set, and whether anybody names it.
#[derive(Default)]
struct Uses<'a> {
    of_sources: BTreeMap<Place, (&'a SmolStr, Used)>,
    of_units: BTreeMap<Place, (&'a SmolStr, Used)>,
}

/// A source of variables, and what the units that take from it name.
struct SourceUse<'a> {
    variables: &'a [Variable],
    named: HashSet<&'a str>,
    /// Whether somebody may use all of them.
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
        // By source: what each of its units names.
        let mut by_source: HashMap<(&str, &str), SourceUse<'a>> = HashMap::default();
        let mut variables: HashMap<(&str, &str), &'a [Variable]> = HashMap::default();
        for (_, object) in cluster.objects() {
            let id = &object.statement.id;
            if id.kind == "ConfigMap" && !object.statement.variables.is_empty() {
                variables.insert((&id.namespace, &id.name), &object.statement.variables);
            }
        }
        for unit in &cluster.units {
            let build = unit.unit.build.as_ref();
            let Some(substitution) = build.and_then(|build| build.substitution.as_ref()) else {
                continue;
            };
            // What was not built may name any of them.
            let is_known = unit.applied.as_ref().is_some_and(is_whole);
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
                    let used = match shared.contains(&key) {
                        true => Used::Yes,
                        false => Used::No,
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
                let used = match !is_known || named.contains(name.as_str()) {
                    true => Used::Yes,
                    false => Used::No,
                };
                note(&mut self.of_units, variable, used);
            }
        }
        for source in by_source.into_values() {
            for variable in source.variables {
                let used = match source.named.contains(variable.name.as_str()) {
                    true => Used::Yes,
                    false => source.all,
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
                1 => format!("no unit uses the variable {}", wording::listed(&names)),
                count => format!(
                    "no unit uses {count} variables: {}",
                    wording::listed(&names)
                ),
            };
            finding(message, &unused)
        });
        let of_units = by_name.into_iter().map(|(name, unused)| {
            let message = match unused.len() {
                1 => format!("the unit sets `{name}`, which none of its objects names"),
                count => format!("{count} units set `{name}`, which none of their objects names"),
            };
            finding(message, &unused)
        });
        of_sources.chain(of_units).collect()
    }
}

/// Whether all that a unit applies is here.
fn is_whole(applied: &Applied) -> bool {
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
    let mut finding = Finding::info(RULE.name, unused[0].0, message)
        .help("remove what is not needed, or correct the name");
    for (place, name) in wording::some(&unused[1..]) {
        finding = finding.note(*place, format!("`{name}` is not used"));
    }
    finding
}

fn names(unit: &ClusterUnit) -> HashSet<&str> {
    let objects = unit.applied.iter().flat_map(|applied| &applied.objects);
    objects
        .flat_map(|object| object.variables.iter().map(SmolStr::as_str))
        .collect()
}

/// ConfigMaps that objects refer to, by namespace and name: their keys are used there.
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
