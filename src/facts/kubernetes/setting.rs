//! Settings of plain objects: schedule, images, environment and limits of workloads, and the short values of a
//! ConfigMap.

use crate::facts::values;
use crate::facts::{Resource, SettingFact, Statement};
use yaml::Node;

use super::workload;

/// Limit per object. A longer table is unreadable.
const MAX_SETTINGS: usize = 200;
/// A longer value is a file.
const LONGEST: usize = 300;

pub fn describe(resource: &Resource, statement: &mut Statement) {
    let settings = &mut statement.settings;
    let before = settings.len();
    if resource.id.is("", "ConfigMap") {
        let data = resource.node.entries_at("data");
        for entry in data {
            let is_short = |text: &str| text.len() <= LONGEST && !text.trim_end().contains('\n');
            if entry.value.text().is_some_and(is_short) {
                settings.extend(values::setting(&entry.key, &entry.value));
            }
        }
    } else if let Some(pod) = workload::pod(resource) {
        for field in ["replicas", "schedule", "suspend"] {
            let value = resource.node.at(&["spec", field]);
            settings.extend(value.and_then(|value| values::setting(field, value)));
        }
        let containers = pod.items_at("containers");
        for container in containers {
            let prefix = match (containers.len() > 1, container.text_at(&["name"])) {
                (true, Some(name)) => format!("{name}."),
                _ => String::new(),
            };
            of_container(container, &prefix, settings);
        }
    }
    settings.truncate(before + MAX_SETTINGS);
}

fn of_container(container: &Node, prefix: &str, settings: &mut Vec<SettingFact>) {
    let image = container.get("image");
    settings.extend(image.and_then(|image| values::setting(&format!("{prefix}image"), image)));
    for variable in container.items_at("env") {
        let Some(name) = variable.text_at(&["name"]) else {
            continue;
        };
        let name = format!("{prefix}env.{name}");
        if let Some(value) = variable.get("value") {
            settings.extend(values::setting(&name, value));
        } else if let Some(secret) = variable.at(&["valueFrom", "secretKeyRef"]) {
            settings.push(SettingFact {
                name: name.into(),
                value: None,
                place: secret.place,
            });
        }
    }
    for kind in ["requests", "limits"] {
        let Some(resources) = container.at(&["resources", kind]) else {
            continue;
        };
        for entry in resources.entries() {
            let name = format!("{prefix}resources.{kind}.{}", entry.key);
            settings.extend(values::setting(&name, &entry.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;
    use yaml::parse;

    fn settings(text: &str) -> Vec<(String, String)> {
        let mut root = parse(text, FileId(0)).documents.remove(0).root;
        secret::seal(&mut root);
        let mut statement = Statement::default();
        describe(&Resource::new(root).unwrap(), &mut statement);
        let shown = statement.settings.into_iter().map(|setting| {
            let value = setting.value.map(String::from);
            (setting.name.into(), value.unwrap_or("(secret)".to_owned()))
        });
        shown.collect()
    }

    #[test]
    fn a_workload_is_set_by_its_containers() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n        - name: a\n          image: a:1\n          env:\n            - {name: LEVEL, value: info}\n            - {name: DB_PASSWORD, value: hunter2}\n            - {name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: t}}}\n            - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n          resources: {limits: {memory: 1Gi}}\n";
        let expected = [
            ("replicas", "2"),
            ("image", "a:1"),
            ("env.LEVEL", "info"),
            ("env.DB_PASSWORD", "(secret)"),
            ("env.TOKEN", "(secret)"),
            ("resources.limits.memory", "1Gi"),
        ];
        assert_eq!(settings(text), expected.map(|(a, b)| (a.into(), b.into())));
    }

    #[test]
    fn containers_side_by_side_are_told_apart() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - {name: web, image: w:1}\n    - {name: log, image: l:1}\n";
        let expected = [("web.image", "w:1"), ("log.image", "l:1")];
        assert_eq!(settings(text), expected.map(|(a, b)| (a.into(), b.into())));
    }

    #[test]
    fn a_config_map_is_set_by_its_short_values() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  LEVEL: info\n  apiToken: x\n  app.yaml: |\n    a: 1\n    b: 2\n";
        let expected = [("LEVEL", "info"), ("apiToken", "(secret)")];
        assert_eq!(settings(text), expected.map(|(a, b)| (a.into(), b.into())));
    }
}
