//! Alerts: alerting rules, as objects of their own or inside chart values.

use smol_str::SmolStr;

use crate::facts::values::is_off;
use crate::facts::{Alert, Located, Resource, Statement};
use yaml::{Node, Value};

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let id = &resource.id;
    let is_rule = id.is("monitoring.coreos.com", "PrometheusRule")
        || id.is("operator.victoriametrics.com", "VMRule");
    let groups = resource.node.at(&["spec", "groups"]);
    if let Some(groups) = groups.filter(|_| is_rule) {
        let rules = groups
            .items()
            .iter()
            .flat_map(|group| group.items_at("rules"));
        statement.alerts.extend(rules.filter_map(alert));
    }
}

/// Finds alerts anywhere in values. Anything with a name and an expression is one, in any chart.
pub fn inside(values: &Node, alerts: &mut Vec<Alert>) {
    match &values.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items.iter().for_each(|item| inside(item, alerts)),
        Value::Map(_) if is_off(values) => {}
        Value::Map(map) => match alert(values) {
            Some(found) => alerts.push(found),
            None => map.0.iter().for_each(|entry| inside(&entry.value, alerts)),
        },
    }
}

/// An alerting rule. None for a recording rule.
fn alert(rule: &Node) -> Option<Alert> {
    let name = rule.text_at(&["alert"])?;
    let expression = rule.text_at(&["expr"])?;
    let annotations = rule.get("annotations");
    let said = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| annotations?.get(key)?.text());
        found.map(one_line).filter(|text| !text.is_empty())
    };
    let runbook = annotations.and_then(|all| {
        let mut keys = ["runbook_url", "runbook", "runbookUrl", "runbookURL"].iter();
        keys.find_map(|key| all.get(key).filter(|node| node.text().is_some()))
    });
    (!name.is_empty()).then(|| Alert {
        name: name.into(),
        expression: one_line(expression),
        lasting: rule.text_at(&["for"]).map(SmolStr::from),
        severity: rule.text_at(&["labels", "severity"]).map(SmolStr::from),
        summary: said(&["summary", "message", "description"]),
        runbook: runbook.and_then(|node| {
            let url = node.text()?.trim();
            (!url.is_empty()).then(|| Located {
                value: url.into(),
                place: node.place,
            })
        }),
        place: rule.place,
    })
}

fn one_line(text: &str) -> SmolStr {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn node(text: &str) -> Node {
        yaml::parse(text, FileId(0)).documents.remove(0).root
    }

    #[test]
    fn rules_that_record_are_no_alerts() {
        let rule = node(
            "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\nspec:\n  groups:\n  - name: g\n    rules:\n    - {record: a:b, expr: up}\n    - alert: Down\n      expr: |\n        up\n          == 0\n      for: 5m\n      labels: {severity: critical}\n      annotations: {summary: It is down, runbook_url: docs/down.md}\n",
        );
        let mut statement = Statement::default();
        describe(&Resource::new(rule).unwrap(), &mut statement);
        let [alert] = statement.alerts.as_slice() else {
            panic!("one alert: {:?}", statement.alerts);
        };
        assert_eq!(alert.name, "Down");
        assert_eq!(alert.expression, "up == 0");
        assert_eq!(alert.lasting.as_deref(), Some("5m"));
        assert_eq!(alert.severity.as_deref(), Some("critical"));
        assert_eq!(alert.runbook.as_ref().unwrap().value, "docs/down.md");
        assert_eq!(alert.place.line, 9);
    }

    #[test]
    fn alerts_in_the_values_of_a_chart_are_found_wherever_the_chart_wants_them() {
        let values = node(
            "additionalPrometheusRulesMap:\n  oom:\n    groups:\n    - name: oom\n      rules:\n      - {alert: OOMKilled, expr: vector(1)}\nprometheusRule:\n  rules:\n  - {alert: Probe, expr: probe_success == 0}\nalert: {expr: x}\nmore: {enabled: false, rules: [{alert: Off, expr: up}]}\n",
        );
        let mut alerts = Vec::new();
        inside(&values, &mut alerts);
        let names: Vec<&str> = alerts.iter().map(|alert| alert.name.as_str()).collect();
        assert_eq!(names, ["OOMKilled", "Probe"]);
    }
}
