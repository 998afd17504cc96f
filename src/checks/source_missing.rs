//! `source-missing`: a unit takes its files or its chart from a source that is not declared.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::order::StartupOrder;
use super::{Check, CheckContext, dependency, wording};
use crate::cluster::{Destination, UnitIx};
use crate::facts::SourceRef;
use crate::sources;
use base::hash::HashSet;
use base::text::has_gap;
use base::{Finding, Place, Rule, Severity};

pub struct SourceMissing;

pub static RULE: Rule = Rule {
    name: "source-missing",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A Kustomization or HelmRelease uses a source that is not declared.",
    about: r#"
## What it does

Checks for `sourceRef` and `chartRef` entries that name a GitRepository, OCIRepository, Bucket, HelmRepository or HelmChart
that the cluster does not contain. A reference without `namespace` means the namespace of the referring object. All
Kustomizations and HelmReleases that miss the same source are reported as one finding.

Nothing is reported if the source may come from elsewhere:

- it is the source of the entry point, which bootstrapping creates;
- the cluster declares no other source of that kind;
- a file that no cluster applies declares it, so somebody may apply it by hand;
- a release has the same name, so its chart may create the source;
- the cluster also applies something that is not in this repository.

## Why is this bad?

The Kustomization or HelmRelease never becomes ready, and nothing in it is applied:

```text
HelmChart 'flux-system/web-podinfo' is not ready: failed to get source: HelmRepository.source.toolkit.fluxcd.io "podinfo" not found
```

## Example

```yaml
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: podinfo
  namespace: web
spec:
  chart:
    spec:
      chart: podinfo
      sourceRef:
        kind: HelmRepository
        name: podinfo           # is in namespace flux-system
```

## How to fix it

Correct the name, add the `namespace` of the source, or declare the source. If somebody creates it by hand, add it to the
repository: a new cluster does not have it.
"#,
};

impl Check for SourceMissing {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let each = context.orders.iter().map(declared);
        let declared: Vec<BTreeSet<SourceRef>> = each.collect();
        let applied = declared.iter().flatten();
        let applied: HashSet<(&SmolStr, &SmolStr)> =
            applied.map(|source| (&source.kind, &source.name)).collect();
        let by_hand = context.inventory.origins.iter();
        let by_hand = by_hand
            .map(|(kind, name)| (kind, name))
            .filter(|origin| !applied.contains(origin));
        let files = DeclaredSources {
            anywhere: declared.iter().flatten().collect(),
            by_hand: by_hand.collect(),
        };
        let orders = context.orders.iter().zip(&declared);
        orders
            .flat_map(|(order, declared)| findings(order, declared, &files))
            .collect()
    }
}

/// Above this many pairs of names, no similar name is suggested.
const MAX_PAIRS: usize = 100_000;

/// A unit that names a source, and where.
type SourceMention = (UnitIx, Place);

/// Sources declared in any file of the repository.
struct DeclaredSources<'a> {
    /// Sources that some cluster applies.
    anywhere: HashSet<&'a SourceRef>,
    /// Kinds and names of sources that no cluster applies. They may be applied by hand.
    by_hand: HashSet<(&'a SmolStr, &'a SmolStr)>,
}

fn findings(
    order: &StartupOrder<'_>,
    declared: &BTreeSet<SourceRef>,
    files: &DeclaredSources<'_>,
) -> Vec<Finding> {
    let mut missing = undeclared(order, declared);
    if missing.is_empty() {
        return Vec::new();
    }
    let commented = commented_out(order, &mut missing);
    let lost: BTreeSet<UnitIx> = missing.values().flatten().map(|(unit, _)| *unit).collect();
    let mut units = order.cluster.units.iter_enumerated();
    // Files outside the repository may declare any source, except those that the missing source itself would provide.
    let is_open = dependency::is_broken(order)
        || units.any(|(index, unit)| {
            let is_lost = lost.contains(&index);
            unit.unit.is_program() || !is_lost && dependency::is_elsewhere(unit)
        });
    if is_open {
        return commented;
    }
    let kinds: BTreeSet<&str> = declared.iter().map(|source| source.kind.as_str()).collect();
    for source in from_outside(order, &missing) {
        missing.remove(&source);
    }
    let releases = order.cluster.units.iter();
    let releases = releases.filter_map(|unit| unit.unit.release.as_ref());
    let releases: HashSet<&str> = releases.map(|release| release.name.as_str()).collect();
    missing.retain(|source, uses| {
        // A chart that creates a source names it after its release.
        let is_made = releases.contains(source.name.as_str()) && builds(order, uses) > 0;
        // Two apparent clusters may be two parts of one.
        let is_beside = !order.cluster.is_self_applied() && files.anywhere.contains(source);
        let is_by_hand = files.by_hand.contains(&(&source.kind, &source.name));
        kinds.contains(source.kind.as_str()) && !is_made && !is_beside && !is_by_hand
    });
    let mut by_name: BTreeMap<(&str, &str), Vec<(&SourceRef, SourceMention)>> = BTreeMap::new();
    for (source, uses) in &missing {
        let same = by_name.entry((source.kind.as_str(), source.name.as_str()));
        same.or_default()
            .extend(uses.iter().map(|at| (source, *at)));
    }
    let candidates: Vec<&SourceRef> = match by_name.len() * declared.len() {
        0..=MAX_PAIRS => declared.iter().collect(),
        _ => Vec::new(),
    };
    let each = by_name.into_values();
    each.map(|uses| finding(order, &uses, &candidates))
        .chain(commented)
        .collect()
}

/// Sources whose declaration is commented out, so that nothing else is meant to declare them.
fn commented_out(
    order: &StartupOrder<'_>,
    missing: &mut BTreeMap<SourceRef, Vec<SourceMention>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for off in &order.cluster.disabled_sources {
        let Some(uses) = missing.remove(&off.value) else {
            continue;
        };
        let uses: Vec<(&SourceRef, SourceMention)> =
            uses.into_iter().map(|at| (&off.value, at)).collect();
        let finding = finding(order, &uses, &[]);
        findings.push(
            finding
                .note(off.place, "the entry that declares it is commented out")
                .help("add the entry again, or take the files from another source"),
        );
    }
    findings
}

/// The sources that the cluster declares.
fn declared(order: &StartupOrder<'_>) -> BTreeSet<SourceRef> {
    let objects = order.cluster.objects().filter(|(unit, object)| {
        object.statement.supplies.source.is_some()
            && order.cluster.target_of(*unit) == Destination::HERE
    });
    let sources = objects.map(|(_, object)| {
        let id = &object.statement.id;
        SourceRef {
            kind: id.kind.clone(),
            namespace: id.namespace.clone(),
            name: id.name.clone(),
        }
    });
    sources.collect()
}

/// The sources that units refer to but that the cluster does not declare.
fn undeclared(
    order: &StartupOrder<'_>,
    declared: &BTreeSet<SourceRef>,
) -> BTreeMap<SourceRef, Vec<SourceMention>> {
    let mut missing: BTreeMap<SourceRef, Vec<SourceMention>> = BTreeMap::new();
    let units = order.cluster.units.iter_enumerated();
    // Another cluster may contain objects from elsewhere.
    let here =
        units.filter(|(_, unit)| unit.declared_in == Destination::HERE && !unit.unit.suspended);
    for (index, unit) in here {
        for taken in &unit.unit.source_refs {
            let source = &taken.value;
            let is_plain = |text: &str| !text.is_empty() && !has_gap(text);
            if is_plain(&source.namespace) && is_plain(&source.name) && !declared.contains(source) {
                let uses = missing.entry(source.clone()).or_default();
                uses.push((index, taken.place));
            }
        }
    }
    missing
}

/// The sources that exist before the first unit: the one that the entry point is fetched from. If the entry point does not
/// name it, it is the one that bootstrapping creates, else the one that most units take their files from.
fn from_outside(
    order: &StartupOrder<'_>,
    missing: &BTreeMap<SourceRef, Vec<SourceMention>>,
) -> Vec<SourceRef> {
    if order.cluster.is_self_applied() {
        let root = order.unit(UnitIx::FIRST).unit.build.as_ref();
        return root.map(|build| build.source.clone()).into_iter().collect();
    }
    let counted = missing
        .iter()
        .map(|(source, uses)| (source, builds(order, uses)));
    let files = counted.filter(|(_, count)| *count > 0);
    let files: Vec<(&SourceRef, usize)> = files.collect();
    let bootstrapped = files.iter().map(|(source, _)| *source);
    let bootstrapped: Vec<SourceRef> = bootstrapped
        .filter(|source| sources::is_bootstrap_source(source))
        .cloned()
        .collect();
    if !bootstrapped.is_empty() {
        return bootstrapped;
    }
    let most = files.iter().map(|(_, count)| *count).max();
    let likely = files.iter().filter(|(_, count)| Some(*count) == most);
    likely.map(|(source, _)| (*source).clone()).collect()
}

/// How many units take files, as opposed to a chart, from a source.
fn builds(order: &StartupOrder<'_>, uses: &[SourceMention]) -> usize {
    let uses = uses.iter();
    uses.filter(|(unit, _)| order.unit(*unit).unit.build.is_some())
        .count()
}

fn finding(
    order: &StartupOrder<'_>,
    uses: &[(&SourceRef, SourceMention)],
    candidates: &[&SourceRef],
) -> Finding {
    let (source, (unit, place)) = uses[0];
    let what = if order.unit(unit).unit.build.is_some() {
        "files"
    } else {
        "chart"
    };
    let others: Vec<UnitIx> = uses[1..].iter().map(|(_, (unit, _))| *unit).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!(", nor do {}", wording::more_units(order, &others))
    };
    let SourceRef {
        kind,
        namespace,
        name,
    } = source;
    let user = order.name(unit);
    let mut finding = Finding::warning(
        RULE.name,
        place,
        format!(
            "`{user}` takes its {what} from {kind} {namespace}/{name}, which is not declared: `{user}` never becomes ready{others}"
        ),
    )
    .help(help(source, candidates))
    .about(order.unit(unit).unit.id.to_string());
    for (source, (unit, place)) in wording::some(&uses[1..]) {
        let note = format!(
            "`{}` looks for it in namespace `{}`",
            order.name(*unit),
            source.namespace
        );
        finding = finding.note(*place, note);
    }
    for (source, (_, place)) in uses {
        let SourceRef {
            kind,
            namespace,
            name,
        } = source;
        finding = finding.covers(*place, format_args!("{kind} {namespace}/{name}"));
    }
    finding
}

/// How to fix the reference, with the source that was probably meant.
fn help(source: &SourceRef, candidates: &[&SourceRef]) -> String {
    let same_kind = candidates.iter().filter(|other| other.kind == source.kind);
    if let Some(other) = same_kind.clone().find(|other| other.name == source.name) {
        return format!(
            "{} `{}` exists in namespace `{}`; add that namespace to the reference",
            other.kind, other.name, other.namespace
        );
    }
    let is_beside =
        |other: &&&SourceRef| other.name == source.name && other.namespace == source.namespace;
    if let Some(other) = candidates.iter().find(is_beside) {
        return format!("`{}` is a {}; correct the `kind`", other.name, other.kind);
    }
    let names: Vec<&str> = same_kind.map(|other| other.name.as_str()).collect();
    match base::text::nearest(&source.name, &names) {
        Some(near) => format!(
            "did you mean `{near}`? If not, declare `{}`",
            source.name
        ),
        None => "correct the name, or declare the source; a new cluster does not have sources that were created by hand".to_owned(),
    }
}
