//! Name references: once all names of a build are final, updates every field that names a renamed object of the build.

mod target;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use smol_str::SmolStr;

use super::field::{Create, ObjectField, any, visit};
use super::item::{BuildObject, effective_namespace};
use super::schema::is_cluster_scoped;
use super::table::{Extra, REFERENCES, Referral};
use crate::ResourceId;
use base::Finding;
use base::hash::{HashMap, HashSet};
use target::{Referent, Targets};
use yaml::{Node, Value};

pub fn follow(items: &mut [BuildObject], extra: &Extra, findings: &mut Vec<Finding>) {
    // Only a changed name or namespace can make a reference stale.
    if items.iter().all(|item| item.previous.is_empty()) {
        return;
    }
    let configured = if extra.references.is_empty() {
        Vec::new()
    } else {
        sorted(REFERENCES.iter().chain(&extra.references))
    };
    let renamed: HashSet<SmolStr> = items
        .iter()
        .flat_map(|item| item.previous.iter().map(|id| id.kind.clone()))
        .collect();
    let may_be_meant =
        |referral: &Referral| referral.kind.is_empty() || renamed.contains(&referral.kind);
    let may_name = |item: &BuildObject| {
        let mut fields = FIELDS
            .get(item.original().kind.as_str())
            .into_iter()
            .flatten();
        !configured.is_empty() || fields.any(|(referral, _)| may_be_meant(referral))
    };
    // Most builds have no references between their objects.
    if !items.iter().any(may_name) {
        return;
    }
    let targets = Targets::new(items);
    let mut by_kind: HashMap<ResourceId, Vec<(&Referral, &ObjectField)>> = HashMap::default();
    for item in items.iter_mut().filter(|item| may_name(item)) {
        let original = item.original();
        let kind = ResourceId {
            group: original.group.clone(),
            version: original.version.clone(),
            kind: original.kind.clone(),
            ..ResourceId::default()
        };
        let fields = by_kind.entry(kind).or_insert_with_key(|kind| {
            let known = FIELDS.get(kind.kind.as_str()).into_iter().flatten();
            let fields: Vec<(&Referral, &ObjectField)> = if configured.is_empty() {
                known.copied().collect()
            } else {
                all_fields(&configured).collect()
            };
            let fields = fields
                .into_iter()
                .filter(|(referral, _)| may_be_meant(referral));
            fields.filter(|(_, field)| field.applies_to(kind)).collect()
        });
        if fields.is_empty() {
            continue;
        }
        let referrer = Referrer::new(item);
        for (referral, field) in fields {
            let search = Search {
                referrer: &referrer,
                referral,
                names_a_role: field.path.len() >= 2
                    && field.path[field.path.len() - 2].key == "roleRef"
                    && field.path[field.path.len() - 1].key == "name",
                targets: &targets,
            };
            let mut ambiguous = BTreeSet::new();
            let wrong = any(&item.node, &field.path, &mut |node| {
                search.is_wrong(node, &mut ambiguous)
            });
            findings.extend(ambiguous.iter().map(|name| search.ambiguous(item, name)));
            if wrong {
                visit(item.node_mut(), &field.path, Create::Never, &mut |node| {
                    search.mend(node);
                });
            }
        }
    }
}

/// The fields of the built-in table, by the kind of object that has them.
static FIELDS: LazyLock<HashMap<&'static str, Vec<(&'static Referral, &'static ObjectField)>>> =
    LazyLock::new(|| {
        let mut by_kind: HashMap<&str, Vec<(&Referral, &ObjectField)>> = HashMap::default();
        for (referral, field) in all_fields(&sorted(REFERENCES.iter())) {
            let fields = by_kind.entry(field.kind.as_str()).or_default();
            fields.push((referral, field));
        }
        by_kind
    });

fn all_fields<'a>(
    referrals: &[&'a Referral],
) -> impl Iterator<Item = (&'a Referral, &'a ObjectField)> {
    referrals.iter().flat_map(|referral| {
        let fields = referral.fields.iter();
        fields.map(|field| (*referral, field))
    })
}

/// Sorts by the order in which kustomize searches, for fields that may name several kinds.
fn sorted<'a>(referrals: impl Iterator<Item = &'a Referral>) -> Vec<&'a Referral> {
    const FIRST: &[&str] = &[
        "Namespace",
        "ResourceQuota",
        "StorageClass",
        "CustomResourceDefinition",
        "ServiceAccount",
        "PodSecurityPolicy",
        "Role",
        "ClusterRole",
        "RoleBinding",
        "ClusterRoleBinding",
        "ConfigMap",
        "Secret",
        "Endpoints",
        "Service",
        "LimitRange",
        "PriorityClass",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Deployment",
        "StatefulSet",
        "CronJob",
        "PodDisruptionBudget",
    ];
    let rank = |kind: &str| FIRST.iter().position(|first| *first == kind);
    let mut referrals: Vec<&Referral> = referrals.collect();
    referrals.sort_by_key(|referral| {
        let kind = referral.kind.as_str();
        (rank(kind).unwrap_or(FIRST.len()), kind)
    });
    referrals
}

struct Referrer {
    /// Empty for cluster-scoped kinds.
    namespace: SmolStr,
    prefixes: Vec<SmolStr>,
    suffixes: Vec<SmolStr>,
    /// The kind in its `roleRef`.
    role: Option<(SmolStr, SmolStr)>,
    /// The namespaces of the service accounts that a binding names.
    account_namespaces: Vec<SmolStr>,
}

impl Referrer {
    fn new(item: &BuildObject) -> Referrer {
        let role = |key: &str| {
            let text = item.node.text_at(&["roleRef", key]);
            text.map(SmolStr::from)
        };
        let subjects = if item.id.kind == "RoleBinding" {
            item.node.items_at("subjects")
        } else {
            &[]
        };
        let accounts = subjects
            .iter()
            .filter(|subject| subject.text_at(&["kind"]) == Some("ServiceAccount"));
        Referrer {
            namespace: effective_namespace(&item.id).into(),
            prefixes: item.prefixes.clone(),
            suffixes: item.suffixes.clone(),
            role: role("apiGroup").zip(role("kind")),
            account_namespaces: accounts
                .filter_map(|subject| Some(subject.text_at(&["namespace"])?.into()))
                .collect(),
        }
    }

    /// Whether a target is in the same namespace, or cluster-scoped.
    fn reaches(&self, target: &Referent) -> bool {
        self.namespace.is_empty()
            || target.namespace.is_empty()
            || self.namespace == target.namespace
            || target.id.kind == "ServiceAccount"
                && self.account_namespaces.contains(&target.id.namespace)
    }
}

/// The objects that one field of one object may name.
struct Search<'a> {
    referrer: &'a Referrer,
    referral: &'a Referral,
    names_a_role: bool,
    targets: &'a Targets,
}

enum Resolution<'a> {
    Nothing,
    One(&'a Referent),
    Several,
}

impl<'a> Search<'a> {
    /// Whether a reference, in any of its forms, is stale.
    fn is_wrong(&self, node: &Node, ambiguous: &mut BTreeSet<SmolStr>) -> bool {
        let mut found = |name: &str, found: Resolution<'a>| match found {
            Resolution::Nothing => None,
            Resolution::One(target) => Some(target),
            Resolution::Several => {
                ambiguous.insert(name.into());
                None
            }
        };
        match &node.value {
            Value::Seq(items) => {
                // No short circuit: every ambiguity is reported.
                let wrong = items.iter().filter(|item| self.is_wrong(item, ambiguous));
                wrong.count() > 0
            }
            Value::Scalar(scalar) => {
                let target = found(&scalar.text, self.scalar(&scalar.text));
                target.is_some_and(|target| target.id.name != scalar.text)
            }
            Value::Map(_) => {
                let Some(name) = node.text_at(&["name"]) else {
                    return false;
                };
                found(name, self.mapping(node)).is_some_and(|target| {
                    let namespace = target.id.namespace.as_str();
                    target.id.name != name
                        || !namespace.is_empty() && node.text_at(&["namespace"]) != Some(namespace)
                })
            }
        }
    }

    fn mend(&self, node: &mut Node) {
        let place = node.place;
        if let Value::Map(_) = node.value {
            let Resolution::One(target) = self.mapping(node) else {
                return;
            };
            let Some(map) = node.as_map_mut() else {
                return;
            };
            map.set("name", Node::string(target.id.name.clone(), place));
            if !target.id.namespace.is_empty() {
                map.set(
                    "namespace",
                    Node::string(target.id.namespace.clone(), place),
                );
            }
            return;
        }
        match &mut node.value {
            Value::Seq(items) => items.iter_mut().for_each(|item| self.mend(item)),
            Value::Scalar(scalar) => {
                if let Resolution::One(target) = self.scalar(&scalar.text)
                    && scalar.text != target.id.name
                {
                    *node = Node::string(target.id.name.clone(), place);
                }
            }
            Value::Map(_) => {}
        }
    }

    /// The object that a name alone refers to.
    fn scalar(&self, name: &str) -> Resolution<'a> {
        let targets = self.targets;
        let candidates = targets.called(&self.referral.kind, name, self.referrer);
        self.choose(candidates.collect(), |a, b| a.id.name == b.id.name)
    }

    /// The object that a mapping refers to. A namespace in it is the object's original one, or else its current one.
    fn mapping(&self, node: &Node) -> Resolution<'a> {
        let Some(name) = node.text_at(&["name"]) else {
            return Resolution::Nothing;
        };
        let mut candidates: Vec<&Referent> = self
            .targets
            .called(&self.referral.kind, name, self.referrer)
            .collect();
        if let Some(namespace) = node.get("namespace").and_then(Node::as_scalar) {
            let namespace = namespace.text.as_str();
            let original = |target: &&&Referent| {
                let id = target.previous.first().unwrap_or(&target.id);
                !is_cluster_scoped(id) && effective_namespace(id) == namespace
            };
            let reachable = |target: &&&Referent| self.referrer.reaches(target);
            let first: Vec<&Referent> = candidates
                .iter()
                .filter(reachable)
                .filter(original)
                .copied()
                .collect();
            candidates = if first.is_empty() && !self.any_was_in(namespace) {
                candidates
                    .into_iter()
                    .filter(|target| target.namespace == namespace)
                    .collect()
            } else {
                first
            };
        }
        self.choose(candidates, |a, b| {
            a.id.name == b.id.name && a.id.namespace == b.id.namespace
        })
    }

    /// Whether an object in reach came from a namespace: then the reference means that one.
    fn any_was_in(&self, namespace: &str) -> bool {
        let referrer = self.referrer;
        if referrer.namespace.is_empty() {
            return self.targets.origins.contains(namespace);
        }
        let mut reached = referrer
            .account_namespaces
            .iter()
            .chain([&referrer.namespace]);
        reached.any(|now| {
            self.targets
                .moves
                .contains(&(namespace.into(), now.clone()))
        })
    }

    fn choose(
        &self,
        mut candidates: Vec<&'a Referent>,
        same: impl Fn(&Referent, &Referent) -> bool,
    ) -> Resolution<'a> {
        let referrer = self.referrer;
        candidates.retain(|target| {
            let was = |test: &dyn Fn(&ResourceId) -> bool| target.previous.iter().any(test);
            let role = self
                .names_a_role
                .then_some(referrer.role.as_ref())
                .flatten();
            was(&|id| self.referral.is_to(id))
                && role.is_none_or(|(group, kind)| was(&|id| id.is(group, kind)))
                && referrer.reaches(target)
        });
        for absence in [Absence::Fits, Absence::Differs] {
            if let [target] = candidates.as_slice() {
                return Resolution::One(target);
            }
            candidates.retain(|target| {
                same_affixes(&target.prefixes, &referrer.prefixes, absence)
                    && same_affixes(&target.suffixes, &referrer.suffixes, absence)
            });
        }
        match candidates.split_first() {
            None => Resolution::Nothing,
            Some((first, rest)) if rest.iter().all(|other| same(first, other)) => {
                Resolution::One(first)
            }
            Some(_) => Resolution::Several,
        }
    }

    fn ambiguous(&self, item: &BuildObject, name: &str) -> Finding {
        Finding::error(
            "reference-ambiguous",
            item.place,
            format!(
                "{} refers to the {} `{name}`, which matches several objects of this build (by previous \
                 name), so the kustomize build fails",
                item.id, self.referral.kind
            ),
        )
        .help("state the namespace, or rename one of them")
    }
}

/// Whether having no prefix matches having one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absence {
    Fits,
    Differs,
}

/// Whether the outermost prefixes or suffixes agree, as far as both have some.
fn same_affixes(a: &[SmolStr], b: &[SmolStr], absence: Absence) -> bool {
    if a.is_empty() || b.is_empty() {
        return absence == Absence::Fits || a.len() == b.len();
    }
    a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b)
}
