//! Manifests that a program applies: those in files of the repo, those that it spells out itself, and directories that
//! kustomize builds. Reads files that the program names.

use super::*;
use crate::sources;

impl ObjectWriter<'_, '_, '_> {
    /// The objects of a `ConfigFile` or a `ConfigGroup`.
    pub(super) fn manifests(&mut self, at: usize, keys: &[&str]) -> Vec<Node> {
        let made = self.resources[at].clone();
        let stated = keys
            .iter()
            .find_map(|key| self.evaluation.get(&made.arguments, key).cloned());
        let given = |key: &str| self.evaluation.get(&made.arguments, key).cloned();
        let (text, objects) = (given("yaml"), given("objs"));
        let is_inline = text.is_some() || objects.is_some();
        let paths = match (&made.class, &stated) {
            (_, Some(stated)) => self.texts(Some(stated)),
            // A file that is not named is the name.
            (ResourceClass::ConfigFile(_), None) => vec![made.name.clone()],
            _ => Vec::new(),
        };
        let mut nodes: Vec<Node> = Vec::new();
        let mut lacks = Lacks::Nothing;
        if paths.is_empty() && (stated.is_some() || !is_inline) {
            lacks = Lacks::Some;
        }
        for path in &paths {
            let found = self.files_at(path);
            if found.is_empty() {
                lacks = if path.contains("://") {
                    Lacks::Address(path.clone())
                } else {
                    Lacks::Some
                };
            }
            for file in found {
                nodes.extend(self.resources_of(file));
            }
        }
        for value in self.elements(text) {
            self.written_out(&value, &mut nodes, &mut lacks);
        }
        for value in self.elements(objects) {
            match self.evaluation.to_yaml(&value).filter(is_object) {
                Some(node) => nodes.push(node),
                None => lacks = Lacks::Some,
            }
        }
        self.say_lacking(&made, &lacks);
        let waits = self.waits(at);
        for node in &mut nodes {
            secret::seal(node);
            if let Some(map) = node.as_map_mut() {
                map.push(RUN, waits.clone());
            }
        }
        nodes
    }

    fn say_lacking(&mut self, made: &Resource, lacks: &Lacks) {
        let name = &made.name;
        let message = match lacks {
            Lacks::Nothing => return,
            Lacks::Some => format!(
                "some manifests that `{name}` applies are not in this repository; their objects are \
                 missing from the catalogue"
            ),
            Lacks::Address(address) => format!(
                "`{name}` applies `{address}`, which is not in this repository; its objects are missing \
                 from the catalogue"
            ),
        };
        self.evaluation.report(made.place, message);
    }

    fn resources_of(&mut self, file: FileId) -> Vec<Node> {
        self.evaluation.add_file(file);
        let resources = &self.facts.file(file).resources;
        let nodes = resources.iter().map(|resource| (*resource.node).clone());
        nodes.collect()
    }

    /// Manifests in a text of the program, or in a file that it reads as text.
    fn written_out(&mut self, value: &ProgramValue, nodes: &mut Vec<Node>, lacks: &mut Lacks) {
        if let Some(file) = self.evaluation.file_of(value) {
            nodes.extend(self.resources_of(file));
            return;
        }
        let Some(text) = self.evaluation.partial_text(value) else {
            *lacks = Lacks::Some;
            return;
        };
        let (documents, findings) = sources::read_inline(&Node::string(text, value.place));
        let known = documents.len();
        nodes.extend(documents.into_iter().filter(is_object));
        if known == 0 || !findings.is_empty() {
            *lacks = Lacks::Some;
        }
    }

    fn elements(&self, value: Option<ProgramValue>) -> Vec<ProgramValue> {
        let all = value.map(|value| self.evaluation.elements(&value));
        all.unwrap_or_default()
    }

    /// The directory of the repo that a resource has kustomize build.
    pub(super) fn built_directory(&self, made: &Resource) -> Option<(RepoPath, Place)> {
        let stated = self.evaluation.get(&made.arguments, "directory")?;
        let path = self.evaluation.repo_path(stated.text()?)?;
        self.facts.assembly_file(&path)?;
        Some((path, stated.place))
    }

    /// A directory that kustomize builds: a unit, since what it makes is found out with all others of the kind.
    pub(super) fn directory(&mut self, at: usize) -> Vec<Node> {
        let made = self.resources[at].clone();
        let (Some((path, stated)), Some(id)) =
            (self.built_directory(&made), self.units.get(&at).cloned())
        else {
            let directory = self.evaluation.text_at(&made.arguments, &["directory"]);
            let name = &made.name;
            let message = match directory.filter(|directory| directory.contains("://")) {
                Some(address) => format!(
                    "`{name}` uses kustomize to build `{address}`, which is not in this repository; its \
                     objects are missing from the catalogue"
                ),
                None => {
                    format!(
                        "the directory that `{name}` builds with kustomize cannot be determined; its \
                             objects are missing from the catalogue"
                    )
                }
            };
            self.evaluation.report(made.place, message);
            return Vec::new();
        };
        let node = self.unit_node("Directory", &id, made.place, at, |spec| {
            spec.push("path", Node::string(path.as_str(), stated));
        });
        vec![node]
    }

    /// A file, or those that a pattern of one directory names.
    pub(super) fn files_at(&self, path: &str) -> Vec<FileId> {
        if let Some(file) = self.file_at(path) {
            return vec![file];
        }
        let Some((directory, pattern)) =
            path.rsplit_once('/').filter(|(_, name)| name.contains('*'))
        else {
            return Vec::new();
        };
        let Some((start, end)) = pattern.split_once('*') else {
            return Vec::new();
        };
        let repo = self.facts.repo;
        let directory: Option<RepoPath> = self.evaluation.repo_path(directory);
        let Some(directory) = directory else {
            return Vec::new();
        };
        let files = repo.below(&directory).filter(|file| {
            let path = repo.path(*file);
            let name = path.file_name();
            let fits = name
                .strip_prefix(start)
                .is_some_and(|rest| rest.ends_with(end));
            fits && path.parent().as_ref() == Some(&directory)
        });
        files.collect()
    }
}

/// Objects that cannot be shown.
enum Lacks {
    Nothing,
    Some,
    /// Objects at a remote address.
    Address(SmolStr),
}

fn is_object(node: &Node) -> bool {
    node.text_at(&["apiVersion"]).is_some() && node.text_at(&["kind"]).is_some()
}
