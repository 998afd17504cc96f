//! Charts, and objects in manifests. Reads values files and manifests that a program names.

use super::*;

impl ObjectWriter<'_, '_, '_> {
    pub(super) fn chart(&mut self, at: usize, form: Option<ChartApi>) -> Node {
        let made = self.resources[at].clone();
        let id = self.units[&at].clone();
        let place = self.place(at);
        let evaluation = &*self.evaluation;
        let get = |key: &str| evaluation.get(&made.arguments, key).cloned();
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
                at = evaluation.get(at, key)?;
            }
            Some((at.text()?.clone(), at.place))
        });
        let (chart, path) = (get("chart"), get("path"));
        let stated = path.as_ref().or(chart.as_ref());
        let name =
            stated.and_then(|value| Some((self.evaluation.partial_text(value)?, value.place)));
        let name =
            name.map(|(name, at)| (self.local_chart(&name, path.is_some()).unwrap_or(name), at));
        let version = get("version")
            .and_then(|value| Some((self.evaluation.partial_text(&value)?, value.place)));
        let stated = version.as_ref().map(|(version, _)| version.as_str());
        let name = name.map(|(name, at)| (packed(&name, stated), at));
        let values = get("values");
        let files = ["valueYamlFiles", "valuesFiles", "valuesYamlFiles"];
        let files = files.iter().find_map(|key| get(key));
        let holes = values
            .as_ref()
            .is_some_and(|values| evaluation.has_unknown_part(values));
        let documents = self.value_files(files.as_ref());
        let is_partial = holes || made.is_transformed || files.is_some() && documents.is_empty();
        let mut values = values.and_then(|values| self.evaluation.to_yaml(&values));
        values
            .iter_mut()
            .for_each(|values| drop(secret::seal(values)));
        // Nothing that such a chart brings about is certainly there when those who depend on it go on.
        let waits = !skips && form != Some(ChartApi::V3);
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
        let is_path = is_path || pulumi::is_path(name);
        let path = self.evaluation.repo_path(name).filter(|_| is_path)?;
        let repo = self.facts.repo;
        repo.file_in(&path, "Chart.yaml")?;
        Some(path.as_str().into())
    }

    /// Documents of values files.
    pub(super) fn value_files(&mut self, files: Option<&ProgramValue>) -> Vec<Node> {
        let paths = self.texts(files);
        let mut documents = Vec::new();
        for path in paths {
            let file = self.file_at(&path);
            if let Some(file) = file {
                self.evaluation.add_file(file);
                let found = &self.facts.file(file).other_documents;
                documents.extend(found.iter().map(|node| (**node).clone()));
            }
        }
        documents
    }

    pub(super) fn texts(&self, value: Option<&ProgramValue>) -> Vec<SmolStr> {
        let all = value.map(|value| self.evaluation.elements(value));
        let all = all.unwrap_or_default();
        all.iter().filter_map(|item| item.text().cloned()).collect()
    }

    pub(super) fn file_at(&self, path: &str) -> Option<FileId> {
        let path = self.evaluation.repo_path(path)?;
        self.facts.repo.file(&path)
    }
}

/// A chart that lies somewhere as an archive goes by the name of that, without its version.
fn packed(name: &SmolStr, version: Option<&str>) -> SmolStr {
    let stem = name.strip_suffix(".tgz");
    let Some(stem) = stem.filter(|stem| !stem.contains("://")) else {
        return name.clone();
    };
    let stem = base::text::last_part(stem);
    let plain = version.and_then(|version| stem.strip_suffix(version)?.strip_suffix('-'));
    plain.unwrap_or(stem).into()
}
