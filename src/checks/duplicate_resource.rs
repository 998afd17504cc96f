//! `duplicate-resource`: an object that two units apply.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::{Check, CheckContext, wording};
use crate::cluster::{Cluster, Destination, Object, UnitIx};
use crate::facts::UnitId;
use base::hash::HashMap;
use base::text::has_gap;
use base::{Finding, Rule, Severity};

pub struct DuplicateResource;

pub static RULE: Rule = Rule {
    name: "duplicate-resource",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "Two Kustomizations or Applications apply the same object.",
    about: r#"
## What it does

Checks for objects with the same kind, namespace and name that two units (Kustomizations, HelmReleases or Applications) of a
cluster apply. Objects that are marked as shared are ignored: those that are never pruned, or only applied if missing. So are
directories that nothing is seen to apply.

## Why is this bad?

If the two versions differ, each unit overwrites the other every few minutes. If they are the same, all is well until one of
the units drops the object: it is then pruned. Pruning a Namespace deletes everything in it.

## Example

```yaml
# apps/web/namespace.yaml and apps/api/namespace.yaml, in two Kustomizations
apiVersion: v1
kind: Namespace
metadata:
  name: shop
```

## How to fix it

Keep the object in one unit, and make the other depend on it.
"#,
};

impl Check for DuplicateResource {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        context.clusters.iter().flat_map(findings).collect()
    }
}

type AppliedIdentity<'a> = (Destination, &'a str, &'a str, &'a str, &'a str);

fn findings(cluster: &Cluster) -> Vec<Finding> {
    let mut owners: HashMap<AppliedIdentity<'_>, Vec<(Option<UnitIx>, &Object)>> =
        HashMap::default();
    for (unit, object) in cluster.objects() {
        let id = &object.statement.id;
        let is_known = !has_gap(&id.name) && !has_gap(&id.namespace);
        // What people apply by hand is often taken over by a unit.
        // So is what several commands apply, which people run for several clusters.
        let is_applied = unit.map_or_else(
            || cluster.is_reconciled_directory(),
            |unit| !cluster.units[unit].unit.is_applied_by_command(),
        );
        // What cannot be built never reaches the cluster.
        let is_lost = unit.is_some_and(|unit| {
            let mut applied = cluster.units[unit].applied.iter();
            applied.any(|applied| applied.build_fault().is_some())
        });
        if !is_known || object.statement.is_shared || !is_applied || is_lost {
            continue;
        }
        let key = (
            unit.map_or(Destination::default(), |unit| cluster.units[unit].target),
            id.group.as_str(),
            id.kind.as_str(),
            id.namespace.as_str(),
            id.name.as_str(),
        );
        let owners = owners.entry(key).or_default();
        let is_same = |(other, _): &(Option<UnitIx>, &Object)| {
            let ids = unit
                .zip(*other)
                .map(|(a, b)| (&cluster.units[a].unit.id, &cluster.units[b].unit.id));
            // One that people apply by hand may name no namespace, and apply itself in another.
            ids.is_some_and(|(a, b)| {
                (&a.kind, &a.name) == (&b.kind, &b.name)
                    && (a.namespace.is_empty() || b.namespace.is_empty())
            })
        };
        if owners.iter().any(is_same) {
            continue;
        }
        if owners.last().is_none_or(|(other, _)| *other != unit) {
            owners.push((unit, object));
        }
    }
    let mut twice: Vec<_> = owners
        .into_values()
        .filter(|owners| owners.len() > 1)
        .collect();
    twice.sort_by_key(|owners| (owners[0].1.statement.place, owners[0].0));
    let findings = twice.iter().map(|owners| {
        let ids: Vec<Option<&UnitId>> = owners
            .iter()
            .map(|(unit, _)| unit.map(|unit| &cluster.units[unit].unit.id))
            .collect();
        let distinct: BTreeSet<&SmolStr> = ids.iter().flatten().map(|id| &id.name).collect();
        let is_distinct = distinct.len() == ids.iter().flatten().count();
        let name = |id: Option<&UnitId>| match id {
            Some(id) if is_distinct => id.name.to_string(),
            Some(id) => id.to_string(),
            None => cluster.root.to_string(),
        };
        let names: Vec<String> = ids.iter().map(|id| name(*id)).collect();
        let first = &owners[0].1.statement;
        let message = format!(
            "{} is applied by {}: they may overwrite each other's changes or prune it",
            first.id,
            wording::listed(&names)
        );
        // One file in several units is one cause, whatever the namespace that each gives it.
        let mut files = owners[1..].iter().map(|(_, object)| object.statement.place);
        let is_one_file = files.all(|place| place == first.place);
        let cause = if is_one_file && owners.len() > 2 {
            format!("{}:{}", first.place.file.0, first.place.line)
        } else {
            names.join(", ")
        };
        let mut finding = Finding::warning(RULE.name, first.place, message)
            .cause(cause)
            .covers(first.place, &first.id)
            .help("keep it in one of them only: if either drops it, pruning deletes it for both");
        for (unit, object) in wording::some(&owners[1..]) {
            let name = name(unit.map(|unit| &cluster.units[unit].unit.id));
            finding = finding.note(object.statement.place, format!("`{name}` applies it too"));
        }
        finding
    });
    findings.collect()
}
