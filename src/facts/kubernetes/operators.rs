//! What Subscriptions of the Operator Lifecycle Manager install, by the data in `operators.yaml`.

use std::sync::LazyLock;

use smol_str::SmolStr;

use crate::facts::{Resource, Target};
use base::FileId;
use base::hash::HashMap;
use yaml::Node;

/// The API groups of a package, each with a kind where it shares the group.
type Apis = Vec<(SmolStr, SmolStr)>;

static PACKAGES: LazyLock<HashMap<SmolStr, Apis>> = LazyLock::new(|| {
    let parsed = yaml::parse(include_str!("operators.yaml"), FileId(0));
    let packages = parsed.documents.iter().flat_map(|it| it.root.entries());
    let read = packages.map(|package| {
        let apis = package.value.items().iter().filter_map(Node::text);
        let apis = apis.map(|api| match api.split_once('/') {
            Some((group, kind)) => (group.into(), kind.into()),
            None => (api.into(), SmolStr::default()),
        });
        (package.key.clone(), apis.collect())
    });
    read.collect()
});

/// The types that exist once the operator of a Subscription is installed.
pub fn provided(subscription: &Resource) -> Vec<Target> {
    let package = subscription.node.text_at(&["spec", "name"]);
    let apis = package.and_then(|package| PACKAGES.get(package));
    let targets = apis.into_iter().flatten().map(|(group, kind)| Target::Api {
        group: group.clone(),
        kind: kind.clone(),
    });
    targets.collect()
}
