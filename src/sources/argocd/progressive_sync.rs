//! Progressive syncs of an ApplicationSet: each step syncs once all Applications of the step before are healthy.

use crate::facts::{Relation, Resource, SyncWave};
use yaml::Node;

/// Whether a set syncs its Applications in steps.
pub fn is_stated(set: &Node) -> bool {
    !steps(set).is_empty()
}

/// The wave of each Application of a set; none where the set states no order. One that no step chooses is
/// synced by hand.
pub fn sync_waves(set: &Node, applications: &[Resource]) -> Vec<Option<SyncWave>> {
    let steps = steps(set);
    if steps.is_empty() {
        return Vec::new();
    }
    let sync_waves = applications.iter().map(|application| {
        let at = steps.iter().position(|step| is_chosen(step, application))?;
        Some(SyncWave {
            number: i64::try_from(at).ok()?,
            relation: Relation::ArgoCdRollingSync,
            place: steps[at].place,
        })
    });
    sync_waves.collect()
}

fn steps(set: &Node) -> &[Node] {
    let strategy = set.at(&["spec", "strategy"]);
    let rolling = strategy.filter(|it| it.text_at(&["type"]) == Some("RollingSync"));
    let rolling = rolling.and_then(|it| it.get("rollingSync"));
    rolling.map_or(&[], |rolling| rolling.items_at("steps"))
}

/// Every expression must hold; a label that is not there speaks against `In` alone.
fn is_chosen(step: &Node, application: &Resource) -> bool {
    let labels = application.node.at(&["metadata", "labels"]);
    let mut expressions = step.items_at("matchExpressions").iter();
    expressions.all(|expression| {
        let operator = expression.text_at(&["operator"]);
        let key = expression.text_at(&["key"]).unwrap_or_default();
        let Some(label) = labels.and_then(|labels| labels.get(key)?.text()) else {
            return operator != Some("In");
        };
        let mut values = expression.items_at("values").iter();
        let is_listed = values.any(|value| value.text() == Some(label));
        match operator {
            Some("In") => is_listed,
            Some("NotIn") => !is_listed,
            _ => false,
        }
    })
}
