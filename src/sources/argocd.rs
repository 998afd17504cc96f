//! Argo CD: an Application is a unit, and so is an ApplicationSet, whose controller makes Applications out of a
//! template. Reads charts, values and directories of the repo where these say what an Application is.

mod application;
mod applications_from_charts;
mod apps_chart;
mod chart;
mod chart_tree;
mod destination;
mod environment;
mod gap;
mod generator;
mod git;
mod globbing;
mod health;
mod inferred;
mod inflated;
mod installed;
mod memo;
mod options;
mod params;
mod progressive_sync;
mod project;
mod registered;
mod render;
mod set;
mod umbrella;
mod values;

use std::sync::Arc;

use smol_str::SmolStr;

use super::{
    Advice, Describe, Expand, Expanded, Fetched, InstallEnvironment, NameInTool, Operate,
    ReadContext, Reader, Source, Verb,
};
use crate::facts::{
    AppliedBy, ApplyRules, Detail, Gate, HelmChart, Reconcile, Relation, Resource, Statement,
    SyncPolicy, SyncWave, Timing, Unit, UnitId,
};
use crate::input::repo::RepoPath;
use base::{Finding, Place};
use yaml::Node;

pub struct ArgoCd;

pub const SOURCE: Source = Source {
    reader: &ArgoCd,
    describe: Some(&ArgoCd),
    expand: Some(&ArgoCd),
    operate: Some(&ArgoCd),
};

const GROUP: &str = "argoproj.io";
const WAVE: &str = "argocd.argoproj.io/sync-wave";
const HOOK: &str = "argocd.argoproj.io/hook";
const OPTIONS: &str = "argocd.argoproj.io/sync-options";
const HELM_HOOK: &str = "helm.sh/hook";
const SKIP: &str = "Skip";
/// Objects of another phase come before or after all waves of the main one.
const PHASE: i64 = 1 << 40;
const PHASES: &[(&str, i64)] = &[
    ("PreSync", -PHASE),
    ("Sync", 0),
    ("PostSync", PHASE),
    ("SyncFail", 0),
    ("PreDelete", 0),
    ("PostDelete", 0),
    (SKIP, 0),
];
const HELM_PHASES: &[(&str, i64)] = &[
    ("crd-install", 0),
    ("pre-install", -PHASE),
    ("pre-upgrade", -PHASE),
    ("post-install", PHASE),
    ("post-upgrade", PHASE),
    ("post-delete", 0),
];

impl Reader for ArgoCd {
    fn name(&self) -> &'static str {
        "argocd"
    }

    fn unit(&self, resource: &Resource) -> Option<Unit> {
        let kind = ArgoKind::from_resource(resource)?;
        // A name with a placeholder in it is meant to be filled in.
        let is_name = !resource.id.name.is_empty()
            && !resource.id.name.contains(['<', '>', '{', ' '])
            && !resource.id.name.contains("[[");
        is_name.then(|| match kind {
            ArgoKind::Application => application::unit(resource),
            ArgoKind::ApplicationSet => {
                let mut unit = unit(resource);
                unit.template = Some(Arc::new(resource.clone()));
                unit.reconcile.sync_policy = set::sync_policy(&resource.node);
                unit.apply.orders_children = progressive_sync::is_stated(&resource.node);
                unit
            }
        })
    }
}

impl Describe for ArgoCd {
    fn describe(&self, resource: &Resource, statement: &mut Statement) {
        if let Some(annotations) = resource.node.at(&["metadata", "annotations"]) {
            statement.order.sync_wave = sync_wave(annotations).map_or(0, |(number, _)| number);
            statement.order.left_out_by = is_skipped(annotations).then_some(GROUP);
            statement.order.is_let_through = annotations
                .text_at(&[OPTIONS])
                .is_some_and(|all| has_option(all.split(','), "SkipDryRunOnMissingResource"));
        }
        if ArgoKind::from_resource(resource) == Some(ArgoKind::Application) {
            application::describe(resource, statement);
        }
    }

    fn resolve_files(
        &self,
        resource: &Resource,
        context: &ReadContext<'_>,
        statement: &mut Statement,
    ) -> Vec<Finding> {
        let Some(kind) = ArgoKind::from_resource(resource) else {
            return Vec::new();
        };
        let Some(unit) = statement.unit.as_mut().map(Arc::make_mut) else {
            return Vec::new();
        };
        if health::is_assessed(context) {
            unit.gate = Gate::Wait;
        }
        match kind {
            ArgoKind::Application => application::resolve_files(resource, context, statement),
            ArgoKind::ApplicationSet => Vec::new(),
        }
    }

    fn declared_sources(&self, resource: &Resource) -> Vec<Fetched> {
        match ArgoKind::from_resource(resource) {
            Some(ArgoKind::Application) => application::fetched(resource),
            Some(ArgoKind::ApplicationSet) => set::fetched(resource),
            None => Vec::new(),
        }
    }
}

impl Expand for ArgoCd {
    fn makes_unnamed(&self, kind: &str) -> bool {
        kind == "ApplicationSet"
    }

    fn expand(&self, resource: &Resource, context: &ReadContext<'_>) -> Option<Expanded> {
        Some(match ArgoKind::from_resource(resource)? {
            ArgoKind::ApplicationSet => set::expand(resource, context),
            ArgoKind::Application => chart::expand(resource, context),
        })
    }

    fn install(
        &self,
        chart: &RepoPath,
        environment: Option<&InstallEnvironment>,
        context: &ReadContext<'_>,
    ) -> Option<Expanded> {
        chart::install(chart, environment, context)
    }

    fn environments(&self, chart: &RepoPath, context: &ReadContext<'_>) -> Vec<InstallEnvironment> {
        environment::environments(chart, context)
    }

    fn inflate(
        &self,
        chart: &HelmChart,
        directory: &RepoPath,
        context: &ReadContext<'_>,
    ) -> Option<Expanded> {
        inflated::make(chart, directory, context)
    }
}

impl Operate for ArgoCd {
    fn command(&self, unit: &UnitId, sync_policy: SyncPolicy, verb: Verb) -> Option<String> {
        // An Application that syncs only on request needs no suspending.
        if unit.kind != "Application" || !sync_policy.applies {
            return None;
        }
        let name = called(&unit.namespace, &unit.name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/');
        let fits = name.chars().all(is_plain);
        let mut command = fits.then(|| format!("argocd app set {name} --sync-policy"))?;
        match verb {
            Verb::Suspend => command.push_str(" none"),
            Verb::Resume => {
                // The policy begins anew, with nothing of what was stated beside it.
                let stated = [
                    (true, " automated"),
                    (sync_policy.prunes, " --auto-prune"),
                    (sync_policy.reverts, " --self-heal"),
                    (sync_policy.empties, " --allow-empty"),
                ];
                let stated = stated.iter().filter(|(is_stated, _)| *is_stated);
                stated.for_each(|(_, words)| command.push_str(words));
            }
        }
        Some(command)
    }

    fn unit_kinds(&self) -> &'static [&'static str] {
        &["Application"]
    }

    fn name_in_tool(&self, unit: &UnitId) -> Option<NameInTool> {
        let name = || NameInTool::Name(called(&unit.namespace, &unit.name));
        (unit.kind == "Application").then(name)
    }

    /// An Application applies its own Helm releases.
    fn answers_for_release(&self, unit: &UnitId) -> bool {
        unit.kind == "Application"
    }

    fn advice(&self, unit: &UnitId, advice: Advice<'_>) -> Option<String> {
        matches!(unit.kind.as_str(), "Application" | "ApplicationSet").then(|| match advice {
            Advice::Gate => {
                "set `resource.customizations.health.argoproj.io_Application` in the ConfigMap \
                 `argocd-cm`, as described in Argo CD's documentation on resource health"
                    .to_owned()
            }
            Advice::Weakness(name) => format!(
                "by default, Argo CD does not wait for the Application `{name}` to be healthy before it \
                 starts the next sync wave"
            ),
            Advice::After(name) => format!(
                "create both from one parent Application, give it a higher `{WAVE}` than `{name}`, and \
                 configure Argo CD to assess the health of Applications"
            ),
            Advice::Within => format!(
                "annotate it with `{WAVE}: \"1\"`, so that Argo CD applies it once the workloads beside it are \
                 healthy"
            ),
            Advice::Apart(name) => format!(
                "annotate it with `{OPTIONS}: SkipDryRunOnMissingResource=true`, because the dry run comes \
                 before all sync waves, or move it to a separate Application that syncs after `{name}`"
            ),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgoKind {
    Application,
    ApplicationSet,
}

impl ArgoKind {
    fn from_resource(resource: &Resource) -> Option<ArgoKind> {
        if resource.id.group != GROUP {
            return None;
        }
        match resource.id.kind.as_str() {
            "Application" => Some(ArgoKind::Application),
            "ApplicationSet" => Some(ArgoKind::ApplicationSet),
            _ => None,
        }
    }
}

/// Name of an Application for `argocd`: the namespace is omitted in Argo CD's own namespace.
fn called(namespace: &str, name: &str) -> String {
    match namespace {
        "" | "argocd" => name.to_owned(),
        _ => format!("{namespace}/{name}"),
    }
}

/// The parts of a unit that Applications and ApplicationSets share.
fn unit(resource: &Resource) -> Unit {
    let id = UnitId {
        kind: resource.id.kind.clone(),
        namespace: resource.id.namespace.clone(),
        name: resource.id.name.clone(),
    };
    let annotations = resource.node.at(&["metadata", "annotations"]);
    let (number, place) = annotations
        .and_then(sync_wave)
        .unwrap_or((0, resource.place));
    Unit {
        gate: Gate::Unseen,
        reconcile: Reconcile {
            timing: Timing {
                // Argo CD's default delay after a failed sync. It doubles with each retry.
                retry: Some(5),
                ..Timing::default()
            },
            ..Reconcile::default()
        },
        apply: ApplyRules {
            applied_by: AppliedBy::ReconcilerOrHand,
            sync_wave: Some(SyncWave {
                number,
                relation: Relation::ArgoCdSyncWave,
                place,
            }),
            own_group: Some(GROUP),
            ..ApplyRules::default()
        },
        ..Unit::new(id, resource.place)
    }
}

/// When an object is applied, as its annotations have it: the phase, and the wave in it.
fn sync_wave(annotations: &Node) -> Option<(i64, Place)> {
    let stated = annotations.get(WAVE);
    let wave = stated
        .and_then(Node::text)
        .and_then(|text| text.trim().parse::<i32>().ok());
    let hook = hook(annotations);
    let place = stated.or(hook.map(|(_, node)| node))?.place;
    let phase = hook.map_or(0, |(phase, _)| phase);
    Some((phase + i64::from(wave.unwrap_or(0)), place))
}

/// The phase that an object belongs to, as the first annotation that names one has it. One that belongs to several is
/// there from the first of them on.
fn hook(annotations: &Node) -> Option<(i64, &Node)> {
    [(HOOK, PHASES), (HELM_HOOK, HELM_PHASES)]
        .into_iter()
        .find_map(|(key, phases)| {
            let stated = annotations.get(key)?;
            let listed = listed(stated).filter_map(|name| {
                let mut phases = phases.iter();
                phases.find(|(known, _)| *known == name)
            });
            let first = listed.map(|(_, phase)| *phase).min()?;
            Some((first, stated))
        })
}

fn listed(node: &Node) -> impl Iterator<Item = &str> {
    let text = node.text().unwrap_or_default();
    text.split(',').map(str::trim)
}

/// Whether an object says that it shall not be applied. Beside a phase, that counts for nothing.
fn is_skipped(annotations: &Node) -> bool {
    annotations.get(HOOK).is_some_and(|hook| {
        let is_known = |name: &&str| PHASES.iter().any(|(known, _)| known == name);
        let mut known = listed(hook).filter(is_known);
        known.next() == Some(SKIP) && known.next().is_none()
    })
}

/// Whether a list of options has one of them switched on.
fn has_option<'o>(mut options: impl Iterator<Item = &'o str>, name: &str) -> bool {
    options.any(|option| {
        let (key, value) = option.trim().split_once('=').unwrap_or((option.trim(), ""));
        key == name && value == "true"
    })
}

/// A detail, where there is something to say.
fn detail(name: &'static str, value: Option<&str>) -> Option<Detail> {
    Some(Detail {
        name,
        value: SmolStr::from(value?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(text: &str) -> Node {
        let parsed = yaml::parse(text, base::FileId(0));
        parsed.documents.into_iter().next().unwrap().root
    }

    #[test]
    fn lists_of_hooks_are_read_in_any_order_and_with_spaces() {
        let phase = |text: &str| sync_wave(&annotations(text)).map(|(number, _)| number);
        for first in [
            "helm.sh/hook: pre-upgrade, pre-install",
            "helm.sh/hook: post-install,pre-install",
            "argocd.argoproj.io/hook: PostSync,PreSync",
        ] {
            assert_eq!(phase(first), Some(-PHASE), "{first}");
        }
        assert_eq!(
            phase("helm.sh/hook: post-upgrade,post-install"),
            Some(PHASE)
        );
        assert_eq!(phase("helm.sh/hook: crd-install"), Some(0));
        let own = "argocd.argoproj.io/hook: PostSync\nhelm.sh/hook: pre-install";
        assert_eq!(phase(own), Some(PHASE));
        let unknown = "argocd.argoproj.io/hook: Never\nhelm.sh/hook: pre-install";
        assert_eq!(phase(unknown), Some(-PHASE));
    }

    #[test]
    fn resuming_an_application_restores_what_it_states() {
        let stated = |policy: &str| {
            let text = format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec: {{syncPolicy: {policy}}}"
            );
            let unit = ArgoCd
                .unit(&Resource::new(annotations(&text)).unwrap())
                .unwrap();
            let say = |verb| ArgoCd.command(&unit.id, unit.reconcile.sync_policy, verb);
            (say(Verb::Suspend), say(Verb::Resume))
        };
        let suspend = "argocd app set web --sync-policy none".to_owned();
        let resume = "argocd app set web --sync-policy automated".to_owned();
        let plain = stated("{automated: {}}");
        assert_eq!(plain, (Some(suspend.clone()), Some(resume.clone())));
        let whole = stated("{automated: {prune: true, selfHeal: true, allowEmpty: true}}");
        let all = format!("{resume} --auto-prune --self-heal --allow-empty");
        assert_eq!(whole, (Some(suspend), Some(all)));
        for by_hand in [
            "{}",
            "{automated: null}",
            "{automated: {enabled: false, prune: true}}",
        ] {
            assert_eq!(stated(by_hand), (None, None), "{by_hand}");
        }
    }

    #[test]
    fn a_set_puts_back_what_others_change_unless_it_says_otherwise() {
        let reverts = |spec: &str| set::sync_policy(&annotations(&format!("spec: {spec}"))).reverts;
        assert!(reverts("{}"));
        assert!(reverts("{syncPolicy: {applicationsSync: create-update}}"));
        assert!(!reverts("{syncPolicy: {applicationsSync: create-only}}"));
        assert!(!reverts(
            "{ignoreApplicationDifferences: [{jsonPointers: [/spec/syncPolicy]}]}"
        ));
        assert!(reverts(
            "{ignoreApplicationDifferences: [{name: other, jsonPointers: [/spec/syncPolicy]}]}"
        ));
    }

    #[test]
    fn only_what_has_no_other_hook_is_skipped() {
        assert!(is_skipped(&annotations("argocd.argoproj.io/hook: Skip")));
        assert!(!is_skipped(&annotations(
            "argocd.argoproj.io/hook: Skip,PreSync"
        )));
        assert!(!is_skipped(&annotations(
            "argocd.argoproj.io/hook: PreSync"
        )));
    }
}
