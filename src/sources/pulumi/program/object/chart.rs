//! Charts, and objects that stand in manifests. Reads files of values and manifests that a program names.

use super::*;

impl Writer<'_, '_, '_> {
    pub(super) fn chart(&mut self, at: usize, form: Option<ChartForm>) -> Node {
        let made = self.made[at].clone();
        let id = self.units[&at].clone();
        let place = self.place(at);
        let heap = &self.run.heap;
        let get = |key: &str| heap.get(&made.arguments, key).cloned();
        let skips = get("skipAwait").and_then(|value| value.truth()) == Some(true);
        let truth = |key: &str| get(key).and_then(|value| value.truth()) == Some(true);
        let creates_namespace = truth("createNamespace");
        let skips_crds = truth("skipCrds") || truth("skipCRDRendering");
        let repository = [
            &["repositoryOpts", "repo"][..],
            &["fetchOpts", "repo"],
            &["repo"],
        ]
        .iter()
        .find_map(|path| {
            let mut at = &made.arguments;
            for key in *path {
                at = heap.get(at, key)?;
            }
            Some((at.text()?.clone(), at.place))
        });
        let (chart, path) = (get("chart"), get("path"));
        let stated = path.as_ref().or(chart.as_ref());
        let name = stated.and_then(|value| Some((self.run.shape(value)?, value.place)));
        let name =
            name.map(|(name, at)| (self.local_chart(&name, path.is_some()).unwrap_or(name), at));
        let version = get("version").and_then(|value| Some((self.run.shape(&value)?, value.place)));
        let stated = version.as_ref().map(|(version, _)| version.as_str());
        let name = name.map(|(name, at)| (packed(&name, stated), at));
        let values = get("values");
        let files = ["valueYamlFiles", "valuesFiles", "valuesYamlFiles"];
        let files = files.iter().find_map(|key| get(key));
        let holes = values
            .as_ref()
            .is_some_and(|values| self.has_holes(values, 0));
        let documents = self.value_files(files.as_ref());
        let is_partial = holes || made.is_changed || files.is_some() && documents.is_empty();
        let mut values = values.and_then(|values| self.node(&values, 0));
        values
            .iter_mut()
            .for_each(|values| drop(secret::seal(values)));
        // Nothing that such a chart brings about is certainly there when those who depend on it go on.
        let waits = !skips && form != Some(ChartForm::V3);
        let kind = id.kind.clone();
        self.unit_node(&kind, &id, place, at, |spec| {
            let mut push = |key: &str, value: Option<(SmolStr, Place)>| {
                if let Some((value, place)) = value {
                    // An address may have a password in it.
                    let value = secret::shown("", &value).unwrap_or(value);
                    spec.push(key, Node::string(value, place));
                }
            };
            push("chart", name);
            push("version", version);
            push("repository", repository);
            spec.push("waits", flag(waits, place));
            spec.push("createNamespace", flag(creates_namespace, place));
            spec.push("skipCrds", flag(skips_crds, place));
            spec.push("partial", flag(is_partial, place));
            let all: Vec<Node> = documents.into_iter().chain(values).collect();
            spec.push("values", Node::seq(all, place));
        })
    }

    /// The path of a chart that lies in the repo.
    pub(super) fn local_chart(&self, name: &str, is_path: bool) -> Option<SmolStr> {
        let is_path =
            is_path || name.starts_with('.') || name.starts_with(super::super::load::ROOT);
        let path = self
            .run
            .loader
            .repo_path(name, &self.run.project.root)
            .filter(|_| is_path)?;
        let repo = self.run.loader.facts().repo;
        repo.file_in(&path, "Chart.yaml")?;
        Some(path.as_str().into())
    }

    /// What stands in files of values.
    pub(super) fn value_files(&mut self, files: Option<&Value>) -> Vec<Node> {
        let paths = self.texts(files);
        let mut documents = Vec::new();
        for path in paths {
            let file = self.file_at(&path);
            if let Some(file) = file {
                self.run.loader.files.insert(file);
                let found = &self.run.loader.facts().of(file).other_documents;
                documents.extend(found.iter().map(|node| (**node).clone()));
            }
        }
        documents
    }

    pub(super) fn texts(&self, value: Option<&Value>) -> Vec<SmolStr> {
        match value.map(|value| &value.kind) {
            Some(Kind::Array(at)) => {
                let items = self.run.heap.arrays[*at].iter();
                items.filter_map(|item| item.text().cloned()).collect()
            }
            Some(Kind::Text(text)) => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    pub(super) fn file_at(&self, path: &str) -> Option<FileId> {
        let path = self.run.loader.repo_path(path, &self.run.project.root)?;
        self.run.loader.facts().repo.file(&path)
    }

    pub(super) fn has_holes(&self, value: &Value, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        match value.kind {
            Kind::Hole(_) => true,
            Kind::Array(at) => {
                let items = self.run.heap.arrays[at].iter().take(1_000);
                items
                    .into_iter()
                    .any(|item| self.has_holes(item, depth + 8))
            }
            Kind::Object(at) => {
                let entries = self.run.heap.objects[at].iter().take(1_000);
                entries
                    .into_iter()
                    .any(|entry| self.has_holes(&entry.value, depth + 8))
            }
            _ => false,
        }
    }
}

/// A chart that lies somewhere as an archive goes by the name of that, without its version.
fn packed(name: &SmolStr, version: Option<&str>) -> SmolStr {
    let stem = name.strip_suffix(".tgz");
    let Some(stem) = stem.filter(|stem| !stem.contains("://")) else {
        return name.clone();
    };
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    let plain = version.and_then(|version| stem.strip_suffix(version)?.strip_suffix('-'));
    plain.unwrap_or(stem).into()
}
