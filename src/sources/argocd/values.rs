//! The values that an Application gives a chart: files, then what it states itself, then single parameters.

use std::sync::Arc;

use super::super::ReadContext;
use crate::input::repo::RepoPath;
use base::{FileId, Finding};
use helm::Data;
use helm::set::{self as parameter, Completeness};
use kustomize::read_inline;
use yaml::Node;

/// Values from the least to the most telling.
#[derive(Debug, Default)]
pub struct LayeredValues {
    pub documents: Vec<Arc<Node>>,
    /// The texts of files that single values are set to, over all others. They are no settings.
    pub texts: Option<Arc<Node>>,
    pub files: Vec<FileId>,
    pub findings: Vec<Finding>,
    /// Some of them are not here to be read.
    pub is_partial: bool,
}

impl LayeredValues {
    /// Adds the values of the chart itself, which all others override.
    pub fn put_under(&mut self, own: Option<FileId>, context: &ReadContext<'_>) {
        let Some(own) = own.filter(|own| !self.files.contains(own)) else {
            return;
        };
        self.files.insert(0, own);
        let documents = context.documents(own).iter().cloned();
        self.documents.splice(0..0, documents);
    }

    /// Adds the texts of files that `fileParameters` names, as `helm --set-file` does.
    fn add_texts(
        &mut self,
        parameters: &[Node],
        find: impl Fn(&str) -> ValueFile,
        context: &ReadContext<'_>,
    ) {
        let repo = context.facts.repo;
        let mut texts = Vec::new();
        for parameter in parameters {
            let (Some(name), Some(path)) = (parameter.text_at(&["name"]), parameter.get("path"))
            else {
                continue;
            };
            let Some(text) = path.text() else { continue };
            match find(text) {
                ValueFile::Here(found) => match repo.file(&found) {
                    Some(file) => {
                        self.files.push(file);
                        // Files that become Secrets are not read.
                        let content = repo.withheld(file).is_none().then(|| repo.read_text(file));
                        match content {
                            Some(Ok(content)) => texts.push((name, content, path.place)),
                            _ => self.is_partial = true,
                        }
                    }
                    None => {
                        self.findings.push(base::missing(text, &found, path.place));
                        self.is_partial = true;
                    }
                },
                ValueFile::Outside => self.findings.push(base::outside(text, path.place)),
                ValueFile::Elsewhere => self.is_partial = true,
            }
        }
        let (document, completeness) = parameter::texts(&texts, &self.documents);
        self.texts = document.map(Arc::new);
        self.is_partial |= completeness == Completeness::Partial;
    }

    /// All of them as one.
    pub fn data(&self) -> Data {
        let mut data = Data::map();
        for document in self.documents.iter().chain(&self.texts) {
            data.merge(&Data::from_node(document));
        }
        data
    }
}

/// The values of one source. Files may be reference by another source of the same Application; others lie in the chart.
pub fn chart_values(
    source: &Node,
    all: &[&Node],
    chart: Option<&RepoPath>,
    context: &ReadContext<'_>,
) -> LayeredValues {
    let mut given = LayeredValues::default();
    let Some(helm) = source.get("helm") else {
        return given;
    };
    let may_miss = helm.get("ignoreMissingValueFiles").and_then(Node::as_bool) == Some(true);
    for entry in helm.items_at("valueFiles") {
        let Some(text) = entry.text() else {
            continue;
        };
        match file(text, all, chart, context) {
            ValueFile::Here(path) => match context.facts.repo.file(&path) {
                Some(file) => {
                    given.files.push(file);
                    given
                        .documents
                        .extend(context.documents(file).iter().cloned());
                }
                None if may_miss => {}
                None => given.findings.push(base::missing(text, &path, entry.place)),
            },
            ValueFile::Outside => given.findings.push(base::outside(text, entry.place)),
            ValueFile::Elsewhere => given.is_partial = true,
        }
    }
    let object = helm.get("valuesObject").filter(|values| !values.is_null());
    let text = helm.get("values").filter(|values| values.text().is_some());
    // The text counts only if there is no object.
    match (object, text) {
        (Some(values), _) => given.documents.push(Arc::new(values.clone())),
        (None, Some(values)) => {
            let (documents, findings) = read_inline(values);
            given.documents.extend(documents.into_iter().map(Arc::new));
            // A template that is yet to be filled in need not be YAML.
            let is_template = values.text().is_some_and(|text| text.contains("{{"));
            given
                .findings
                .extend(findings.into_iter().filter(|_| !is_template));
        }
        (None, None) => {}
    }
    let parameters = helm.items_at("parameters");
    let (document, completeness) = parameter::document(parameters, &given.documents);
    given.documents.extend(document.map(Arc::new));
    given.is_partial |= completeness == Completeness::Partial;
    given.add_texts(
        helm.items_at("fileParameters"),
        |text| file(text, all, chart, context),
        context,
    );
    given
}

enum ValueFile {
    Here(RepoPath),
    Outside,
    /// In another repository, or in a chart that is not here.
    Elsewhere,
}

fn file(
    text: &str,
    all: &[&Node],
    chart: Option<&RepoPath>,
    context: &ReadContext<'_>,
) -> ValueFile {
    // Patterns, variables of the build and addresses are not followed.
    if text.contains(['*', '?', '{', '[']) || text.contains("://") || text.contains("$ARGOCD") {
        return ValueFile::Elsewhere;
    }
    let root = RepoPath::root();
    let (base, path) = match text.strip_prefix('$') {
        Some(reference) => {
            let (name, path) = reference.split_once('/').unwrap_or((reference, ""));
            let named = all.iter().find(|one| one.text_at(&["ref"]) == Some(name));
            let Some(url) = named.and_then(|one| one.text_at(&["repoURL"])) else {
                return ValueFile::Elsewhere;
            };
            let target = root.join(path);
            if !target
                .as_ref()
                .is_some_and(|target| context.is_own(url, target))
            {
                return ValueFile::Elsewhere;
            }
            (&root, path)
        }
        None => match (chart, text.strip_prefix('/')) {
            (None, _) => return ValueFile::Elsewhere,
            (Some(_), Some(path)) => (&root, path),
            (Some(chart), None) => (chart, text),
        },
    };
    base.join(path).map_or(ValueFile::Outside, ValueFile::Here)
}
