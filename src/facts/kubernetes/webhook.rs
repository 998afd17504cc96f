//! Admission webhooks: the API groups whose objects the API server rejects while the webhook does not answer.

use smol_str::SmolStr;

use super::is_builtin;
use crate::facts::{Resource, Statement};
use yaml::Node;

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let is_configuration = matches!(
        id.kind.as_str(),
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration"
    );
    if id.group != "admissionregistration.k8s.io" || !is_configuration {
        return;
    }
    let webhooks = resource.node.items_at("webhooks").iter();
    let rules = webhooks
        .filter(|webhook| refuses(webhook))
        .flat_map(|webhook| webhook.items_at("rules"))
        .filter(|rule| is_on_create(rule));
    let groups = rules.flat_map(|rule| rule.items_at("apiGroups"));
    let groups = groups.filter_map(Node::text);
    let groups = groups.filter(|group| *group != "*" && !is_builtin(group));
    let mut guarded: Vec<SmolStr> = groups.map(SmolStr::from).collect();
    guarded.sort();
    guarded.dedup();
    statement.order.guards = guarded;
}

/// Whether objects of any name and namespace are rejected while the webhook is down. One that is only asked about objects
/// with some label is left out: who has it is not known.
fn refuses(webhook: &Node) -> bool {
    let selects = |path: &[&str]| {
        let labels = webhook.at(path).and_then(Node::as_map);
        labels.is_some_and(|labels| !labels.0.is_empty())
    };
    let is_ignored = webhook.text_at(&["failurePolicy"]) == Some("Ignore");
    let has_selector = webhook
        .get("objectSelector")
        .is_some_and(|selector| selector.as_map().is_some_and(|map| !map.0.is_empty()));
    !is_ignored && !has_selector && !selects(&["namespaceSelector", "matchLabels"])
}

fn is_on_create(rule: &Node) -> bool {
    let operations = rule.items_at("operations").iter();
    let mut operations = operations.filter_map(Node::text);
    operations.any(|operation| matches!(operation, "*" | "CREATE"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn guarded(webhooks: &str) -> Vec<String> {
        let text = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n\
             metadata: {{name: a}}\nwebhooks: [{webhooks}]\n"
        );
        let root = yaml::parse(&text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        describe(&Resource::new(root).unwrap(), &mut statement);
        statement
            .order
            .guards
            .iter()
            .map(SmolStr::to_string)
            .collect()
    }

    #[test]
    fn only_groups_that_are_certainly_rejected_count() {
        let rules = "rules: [{apiGroups: [acme.io, '*', apps], operations: [CREATE]}]";
        assert_eq!(guarded(&format!("{{{rules}}}")), ["acme.io"]);
        let silent = [
            "failurePolicy: Ignore",
            "objectSelector: {matchLabels: {a: b}}",
            "namespaceSelector: {matchLabels: {a: b}}",
        ];
        for field in silent {
            assert!(
                guarded(&format!("{{{rules}, {field}}}")).is_empty(),
                "{field}"
            );
        }
        let delete = "{rules: [{apiGroups: [acme.io], operations: [DELETE]}]}";
        assert!(guarded(delete).is_empty());
    }
}
