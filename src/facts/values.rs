//! Values of charts: every leaf is a setting; images, alerts and hosts are what they commonly say.
//! Charts differ, so only forms that mean one thing are taken.

mod image;
mod main_image;
mod port;
pub mod route;
mod shape;
mod stated;
mod template;
mod volume;

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::facts::kubernetes::{alert, needs};
use crate::facts::{MARKER, SettingFact, Statement};
use base::hash::HashSet;
use yaml::{Node, Value};

pub use main_image::{Image, ImageRole, main_image};
use shape::Objects;
pub use stated::{stated_objects, states_objects};
use template::Scope;

/// The values of one chart, among the settings of the object that installs it.
#[derive(Debug, Clone, Copy)]
pub struct ChartValues<'s> {
    pub statement: &'s Statement,
    /// Common prefix of its setting names.
    pub prefix: &'s str,
}

impl<'s> ChartValues<'s> {
    pub fn setting(self, name: &str) -> Option<&'s str> {
        let mut settings = self.statement.settings.iter();
        let found =
            settings.find(|setting| setting.name.strip_prefix(self.prefix) == Some(name))?;
        found.value.as_deref()
    }
}

/// Limit on settings per release. A longer table is unreadable.
const MAX_SETTINGS: usize = 400;

pub fn describe(values: &Node, statement: &mut Statement) {
    let scope = Scope::of_release(statement, values);
    shape::describe(values, "storage", scope, Objects::Installed, statement);
    alert::inside(values, &mut statement.alerts);
    needs::of_values(values, statement);
    flatten(values, &mut String::new(), &mut statement.settings);
}

/// What the fields of a custom resource say in the forms that values have, too.
pub fn describe_fields(fields: &Node, owner: &str, statement: &mut Statement) {
    shape::describe(
        fields,
        owner,
        Scope::default(),
        Objects::Templates,
        statement,
    );
}

/// A host as it can be shown, unless it is one inside of a cluster.
pub fn shown_host(text: &str) -> Option<Cow<'_, str>> {
    route::shown_host(text, &Scope::default())
}

/// Forgets what values said of a release, so that others can be described instead.
pub fn forget(statement: &mut Statement) {
    statement.settings.clear();
    statement.runs.images.clear();
    statement.runs.volumes.clear();
    statement.reached.urls.clear();
    statement.reached.ports.clear();
    statement.alerts.clear();
}

/// All leaves of some values, as settings.
pub fn settings(values: &Node) -> Vec<SettingFact> {
    let mut settings = Vec::new();
    flatten(values, &mut String::new(), &mut settings);
    settings
}

/// Merges the values documents of one release as Helm does: later ones override earlier ones, and all override previous
/// settings.
pub fn describe_over<'n>(documents: impl IntoIterator<Item = &'n Node>, statement: &mut Statement) {
    let mut documents = documents.into_iter();
    let Some(mut values) = documents.next().cloned() else {
        return;
    };
    documents.for_each(|over| helm::merge_values(&mut values, over));
    let before = std::mem::take(&mut statement.settings);
    describe(&values, statement);
    // A value that is set by its path may exist next to the one that it overrides.
    let mut names: HashSet<SmolStr> = HashSet::default();
    let stated = std::mem::take(&mut statement.settings);
    let mut settings: Vec<SettingFact> = before.into_iter().chain(stated).rev().collect();
    settings.retain(|setting| names.insert(setting.name.clone()));
    settings.reverse();
    settings.truncate(MAX_SETTINGS);
    statement.settings = settings;
}

/// Whether a mapping says itself that it is switched off: what it holds counts for nothing then.
pub fn is_off(node: &Node) -> bool {
    node.get("enabled").and_then(Node::as_bool) == Some(false)
}

/// Every leaf of the values under the path that leads to it; short lists count as one value.
fn flatten(node: &Node, path: &mut String, settings: &mut Vec<SettingFact>) {
    if settings.len() >= MAX_SETTINGS {
        return;
    }
    match &node.value {
        Value::Map(map) => {
            for entry in &map.0 {
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&entry.key);
                flatten(&entry.value, path, settings);
                path.truncate(length);
            }
        }
        Value::Seq(items) if items.iter().all(|item| item.as_scalar().is_some()) => {
            let texts: Vec<&str> = items.iter().filter_map(Node::text).collect();
            settings.push(stated(path, &texts.join(", ").into(), node));
        }
        Value::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                let length = path.len();
                match item.text_at(&["name"]) {
                    Some(name) => path.push_str(&format!("[{name}]")),
                    None => path.push_str(&format!("[{index}]")),
                }
                flatten_item(item, path, settings);
                path.truncate(length);
            }
        }
        Value::Scalar(scalar) if scalar.is_null() => {}
        Value::Scalar(scalar) => settings.push(stated(path, &scalar.text, node)),
    }
}

/// An element that is told by its name: `{name: LEVEL, value: info}` is the value of `[LEVEL]`.
fn flatten_item(item: &Node, path: &mut String, settings: &mut Vec<SettingFact>) {
    let entries = item.entries();
    let named = item.text_at(&["name"]).is_some();
    match entries {
        [_, _] if named && item.get("value").is_some() => {
            let value = item.get("value").expect("looked just above");
            flatten(value, path, settings);
        }
        _ if named => {
            let length = path.len();
            for entry in entries.iter().filter(|entry| entry.key != "name") {
                path.push('.');
                path.push_str(&entry.key);
                flatten(&entry.value, path, settings);
                path.truncate(length);
            }
        }
        _ => flatten(item, path, settings),
    }
}

/// One value under a name; none where it is empty on purpose or holds others.
pub fn setting(name: &str, node: &Node) -> Option<SettingFact> {
    let scalar = node.as_scalar().filter(|scalar| !scalar.is_null())?;
    Some(stated(name, &scalar.text, node))
}

fn stated(path: &str, text: &SmolStr, node: &Node) -> SettingFact {
    SettingFact {
        name: path.into(),
        value: (!text.contains(MARKER)).then(|| shown(text)),
        place: node.place,
    }
}

/// A text of several lines is told by its first and their number.
fn shown(text: &SmolStr) -> SmolStr {
    // Most are as they are, and then they need not be copied.
    if !text.contains('\n') && !text.ends_with(char::is_whitespace) {
        return text.clone();
    }
    let lines = text.trim_end().lines().count();
    if lines > 1 {
        let first = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        format!("{} … ({lines} lines)", first.trim()).into()
    } else {
        text.trim_end().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn described(text: &str) -> (Vec<String>, Vec<String>) {
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        describe(&root, &mut statement);
        let urls = statement
            .reached
            .urls
            .into_iter()
            .map(|url| url.url)
            .collect();
        let images = statement.runs.images.into_iter();
        (urls, images.map(|image| image.value.to_string()).collect())
    }

    #[test]
    fn hosts_are_found_in_the_forms_that_charts_use() {
        let (urls, _) = described(
            "ingress:\n  hosts: [{host: a.example.com, paths: []}]\n  tls: [{hosts: [a.example.com]}]\nroute:\n  app:\n    hostnames: ['b.example.com', '{{ .Release.Name }}.example.com']\nadmin:\n  ingress: {enabled: false, hosts: [c.example.com]}\n",
        );
        assert_eq!(urls, ["https://a.example.com/", "https://b.example.com/"]);
    }

    #[test]
    fn later_documents_count_for_all_that_is_said_about_a_release() {
        let texts = [
            "image: {repository: a/b, tag: 1.0.0}\ningress: {hosts: [a.example.com]}\nsize: 1\ngone: 2\n",
            "image: {tag: 2.0.0}\ningress: {hosts: [b.example.com]}\ngone: null\n",
            "image.tag: 3.0.0\n",
        ];
        let documents = texts.map(|text| {
            let mut parsed = yaml::parse(text, FileId(0));
            parsed.documents.remove(0).root
        });
        let mut statement = Statement::default();
        describe_over(&documents[..2], &mut statement);
        let images: Vec<&str> = statement
            .runs
            .images
            .iter()
            .map(|one| &*one.value)
            .collect();
        let urls: Vec<&str> = statement.reached.urls.iter().map(|one| &*one.url).collect();
        assert_eq!(images, ["a/b:2.0.0"]);
        assert_eq!(urls, ["http://b.example.com/"]);
        describe_over(&documents[2..], &mut statement);
        let settings = statement.settings.iter();
        let settings: Vec<(&str, &str)> = settings
            .map(|one| (&*one.name, one.value.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(
            settings,
            [
                ("image.repository", "a/b"),
                ("ingress.hosts", "b.example.com"),
                ("size", "1"),
                ("image.tag", "3.0.0")
            ]
        );
    }

    #[test]
    fn images_are_put_together() {
        let (_, images) = described(
            "image: {registry: ghcr.io, repository: a/b, tag: 1.2.3}\nsidecar:\n  image: {repository: c, digest: 'sha256:1'}\nother: {image: {tag: x}}\n",
        );
        assert_eq!(images, ["ghcr.io/a/b:1.2.3", "c@sha256:1"]);
    }

    #[test]
    fn values_become_settings_under_their_paths() {
        let text = "replicas: 2\nenv: [{name: LEVEL, value: info}, {name: DB, valueFrom: {key: x}}]\nhosts: [a, b]\nlist: [{port: 80}]\nnone: ~\nscript: |\n  one\n  two\n";
        let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let mut settings = Vec::new();
        flatten(&root, &mut String::new(), &mut settings);
        let shown: Vec<(String, String)> = settings
            .into_iter()
            .map(|setting| (setting.name.to_string(), setting.value.unwrap().to_string()))
            .collect();
        let expected = [
            ("replicas", "2"),
            ("env[LEVEL]", "info"),
            ("env[DB].valueFrom.key", "x"),
            ("hosts", "a, b"),
            ("list[0].port", "80"),
            ("script", "one … (2 lines)"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(shown, expected);
    }
}
