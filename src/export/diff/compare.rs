//! Compares two versions of a catalogue, fact by fact.

use super::*;
use crate::catalog::ComponentIx;

pub(super) fn clusters(base: &Catalog, head: &Catalog) -> NameChanges {
    let names = |catalog: &Catalog| -> BTreeSet<String> {
        let clusters = catalog.kubernetes();
        clusters.map(|cluster| cluster.name.clone()).collect()
    };
    let (before, after) = (names(base), names(head));
    NameChanges {
        added: after.difference(&before).cloned().collect(),
        removed: before.difference(&after).cloned().collect(),
    }
}

/// Components that are the same unit under another id, which the other version does not have: the cluster keeps such a
/// unit. A component that is merely similar is removed and added in the cluster, and here.
pub(super) fn renamed(base: &Catalog, head: &Catalog) -> Vec<Renamed> {
    let by_unit = |catalog: &Catalog, other: &Catalog| {
        let known: BTreeSet<String> = other.components.iter().map(|one| id(one)).collect();
        let mut units: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for component in &catalog.components {
            if let Some(unit) = &component.unit {
                let names = units.entry(unit.to_string()).or_default();
                names.push(id(component));
            }
        }
        let alone = units.into_iter().filter_map(|(unit, names)| match &*names {
            [name] if !known.contains(name) => Some((unit, name.clone())),
            _ => None,
        });
        alone.collect::<BTreeMap<String, String>>()
    };
    let (before, mut after) = (by_unit(base, head), by_unit(head, base));
    let pairs = before.into_iter().filter_map(|(unit, from)| {
        let to = after.remove(&unit)?;
        Some(Renamed { from, to })
    });
    let mut renamed: Vec<Renamed> = pairs.collect();
    renamed.sort_by(|a, b| a.to.cmp(&b.to));
    renamed
}

pub(super) fn id(component: &Component) -> String {
    component.id.0.to_string()
}

pub(super) fn components(
    base: DiffSide<'_>,
    head: DiffSide<'_>,
    new_ids: &BTreeMap<&str, &str>,
) -> Components {
    let current = |component: &Component| {
        let id = component.id.0.as_str();
        new_ids.get(id).copied().unwrap_or(id).to_owned()
    };
    let before: BTreeMap<String, &Component> = {
        let components = base.catalog.components.iter();
        components.map(|one| (current(one), &**one)).collect()
    };
    let after: BTreeMap<String, &Component> = {
        let components = head.catalog.components.iter();
        components.map(|one| (id(one), &**one)).collect()
    };
    let gates = [
        component::gates(base.catalog),
        component::gates(head.catalog),
    ];
    let only = |these: &BTreeMap<String, &Component>, others: &BTreeMap<String, &Component>| {
        let only = these.iter().filter(|(id, _)| !others.contains_key(*id));
        only.map(|(_, component)| brief(component)).collect()
    };
    let changed = after.iter().filter_map(|(id, now)| {
        let then = before.get(id)?;
        component::changed(then, now, &gates)
    });
    Components {
        added: only(&after, &before),
        removed: only(&before, &after),
        renamed: Vec::new(),
        changed: changed.collect(),
    }
}

pub(super) fn brief(component: &Component) -> Brief {
    let chart = component.chart.as_ref();
    let environments = component.environments.iter();
    Brief {
        id: id(component),
        title: component.title.clone(),
        kind: component.kind.to_string(),
        namespace: component.namespace.to_string(),
        layer: component.layer.clone(),
        status: component.status,
        source: component.source.as_ref().map(|path| path.to_string()),
        chart: chart.map(|chart| chart.name.to_string()),
        version: chart.and_then(|chart| Some(chart.version.as_ref()?.to_string())),
        environments: environments.map(|one| one.name.clone()).collect(),
        images: component.images.iter().map(|one| one.to_string()).collect(),
    }
}

pub(super) type EdgeKey = (String, String, Relation);

pub(super) fn edges(
    base: DiffSide<'_>,
    head: DiffSide<'_>,
    new_ids: &BTreeMap<&str, &str>,
) -> Edges {
    let none = BTreeMap::new();
    let (before, after) = (keyed(base.catalog, new_ids), keyed(head.catalog, &none));
    let only =
        |these: &BTreeMap<EdgeKey, Place>, others: &BTreeMap<EdgeKey, Place>, repo: &Repo| {
            let only = these.iter().filter(|(key, _)| !others.contains_key(*key));
            let changes = only.map(|((from, to, relation), at)| {
                let (file, line) = place(repo, *at);
                EdgeChange {
                    from: from.clone(),
                    to: to.clone(),
                    reason: relation.reason().to_owned(),
                    file,
                    line,
                }
            });
            changes.collect()
        };
    Edges {
        gained: only(&after, &before, head.repo),
        lost: only(&before, &after, base.repo),
    }
}

/// Edges by components and reason: several lines may declare one dependency.
pub(super) fn keyed(catalog: &Catalog, new_ids: &BTreeMap<&str, &str>) -> BTreeMap<EdgeKey, Place> {
    let name = |at: ComponentIx| {
        let id = catalog.components[at].id.0.as_str();
        new_ids.get(id).copied().unwrap_or(id).to_owned()
    };
    let mut edges = BTreeMap::new();
    for edge in catalog.edges.iter() {
        let key = (name(edge.from), name(edge.to), edge.relation);
        edges.entry(key).or_insert(edge.place);
    }
    // Groups go by the names of their units.
    for group in catalog.groups.iter() {
        let key = (group.from.to_string(), group.to.to_string(), group.relation);
        edges.entry(key).or_insert(group.place);
    }
    edges
}

pub(super) fn place(repo: &Repo, place: Place) -> (Option<String>, Option<u32>) {
    match place.file {
        FileId::NONE => (None, None),
        file => (Some(repo.path(file).to_string()), Some(place.line)),
    }
}

pub(super) fn documents(base: &Knowledge, head: &Knowledge) -> Vec<DocumentChange> {
    type Said = BTreeMap<(&'static str, String), (String, Option<String>)>;
    let said = |knowledge: &Knowledge| -> Said {
        let decisions = knowledge.decisions.iter().map(|one| {
            let status = Some(one.status.name().to_owned());
            (("decision", one.id.clone()), (one.title.clone(), status))
        });
        let specs = knowledge.specs.iter().map(|one| {
            let told = (one.title.clone(), one.status.clone());
            (("spec", one.id.clone()), told)
        });
        decisions.chain(specs).collect()
    };
    let (before, after) = (said(base), said(head));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let changes = keys.into_iter().filter_map(|key| {
        let (then, now) = (before.get(key), after.get(key));
        let change = match (then, now) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            (Some(then), Some(now)) if then.1 != now.1 => Change::Changed,
            _ => return None,
        };
        let status = |said: Option<&(String, Option<String>)>| said.and_then(|said| said.1.clone());
        Some(DocumentChange {
            kind: key.0,
            id: key.1.clone(),
            title: now.or(then).map(|said| said.0.clone()).unwrap_or_default(),
            change,
            before: status(then),
            after: status(now),
        })
    });
    changes.collect()
}

/// New and fixed findings. They are matched as in a baseline, regardless of the line.
pub(super) fn findings(base: DiffSide<'_>, head: DiffSide<'_>) -> Findings {
    let (new, fixed) = without_moved(base, head, beyond(head, base), gone(base, head));
    let changes = |repo: &Repo, findings: Vec<&Finding>| {
        let mut changes: Vec<FindingChange> = findings
            .into_iter()
            .map(|finding| change_of(repo, finding))
            .collect();
        // A stable sort keeps them sorted by place within a severity.
        changes.sort_by_key(|finding| finding.severity);
        changes
    };
    Findings {
        new: changes(head.repo, new),
        fixed: changes(base.repo, fixed),
    }
}

pub(super) fn beyond<'a>(these: DiffSide<'a>, others: DiffSide<'_>) -> Vec<&'a Finding> {
    let known = Baseline::from_findings(others.repo, others.findings);
    let all = these.findings.iter().collect();
    known.compare(these.repo, &Selection::default(), all).0
}

/// Findings of which nothing is left.
pub(super) fn gone<'a>(these: DiffSide<'a>, others: DiffSide<'_>) -> Vec<&'a Finding> {
    let known = Baseline::from_findings(others.repo, others.findings);
    known.unknown(these.repo, these.findings)
}

/// Drops findings that moved with their file: another new file has the very same one.
pub(super) fn without_moved<'a>(
    base: DiffSide<'_>,
    head: DiffSide<'_>,
    mut new: Vec<&'a Finding>,
    mut fixed: Vec<&'a Finding>,
) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
    let is_only_in = |these: DiffSide<'_>, others: DiffSide<'_>, finding: &Finding| {
        let file = finding.place.file;
        file != FileId::NONE && others.repo.file(these.repo.path(file)).is_none()
    };
    let said = |finding: &Finding| {
        let message = of_message(finding);
        (finding.rule, finding.component.clone(), message)
    };
    let mut gone: BTreeMap<_, usize> = BTreeMap::new();
    for finding in &fixed {
        if is_only_in(base, head, finding) {
            *gone.entry(said(finding)).or_default() += 1;
        }
    }
    let mut moved: BTreeMap<_, usize> = BTreeMap::new();
    new.retain(|finding| {
        let key = said(finding);
        let left = gone.get_mut(&key).filter(|left| **left > 0);
        let Some(left) = left.filter(|_| is_only_in(head, base, finding)) else {
            return true;
        };
        *left -= 1;
        *moved.entry(key).or_default() += 1;
        false
    });
    fixed.retain(|finding| {
        let left = moved.get_mut(&said(finding)).filter(|left| **left > 0);
        let Some(left) = left.filter(|_| is_only_in(base, head, finding)) else {
            return true;
        };
        *left -= 1;
        false
    });
    (new, fixed)
}

pub(super) fn change_of(repo: &Repo, finding: &Finding) -> FindingChange {
    let (file, line) = place(repo, finding.place);
    FindingChange {
        rule: finding.rule.to_owned(),
        severity: finding.severity.into(),
        message: finding.message.clone(),
        file,
        line,
        component: finding.component.clone(),
        help: finding.help.clone(),
    }
}
