//! Works out the edits of remedies from the files. None if a file is not what the remedy takes it for.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::moved::relinked;
use crate::checks::ordering_fix::listing;
use crate::input::repo::{Repo, RepoPath};
use crate::sources::{self, LineChange, NewUnit};
use base::{Edit, FileId, Finding, Fix, MoveObjects, Place, Remedy, RemedyKind};
use yaml::Node;

/// The fixes of some findings.
#[derive(Debug, Default)]
pub struct Fixes<'f>(BTreeMap<&'f Remedy, Fix>);

impl<'f> Fixes<'f> {
    pub fn work_out(repo: &Repo, findings: impl IntoIterator<Item = &'f Finding>) -> Fixes<'f> {
        // Many findings have the same.
        let remedies = findings.into_iter().filter_map(Finding::remedy);
        let remedies: BTreeSet<&Remedy> = remedies.collect();
        let fixes: Vec<(&Remedy, Fix)> = remedies
            .into_par_iter()
            .filter_map(|remedy| Some((remedy, fix(repo, remedy)?)))
            .collect();
        Fixes(fixes.into_iter().collect())
    }

    /// The fix of a finding, if it has one.
    pub fn get(&self, finding: &Finding) -> Option<&Fix> {
        self.0.get(finding.remedy()?)
    }
}

fn fix(repo: &Repo, remedy: &Remedy) -> Option<Fix> {
    let edits = match &remedy.kind {
        RemedyKind::Edits(edits) => edits.clone(),
        RemedyKind::AddGates(units) => {
            let edits = units.iter().map(|unit| gate(repo, *unit));
            edits.collect::<Option<Vec<Edit>>>()?
        }
        RemedyKind::MoveObjects(split) => move_objects(repo, split)?,
        RemedyKind::AddNamespace { name, path, list } => {
            let mut edits = Vec::new();
            if let Some(list) = list {
                edits.push(listed(repo, *list, name)?);
            }
            edits.push(Edit::Create {
                path: path.clone(),
                text: format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n"),
            });
            edits
        }
    };
    Some(Fix {
        title: remedy.title.clone(),
        edits,
    })
}

fn gate(repo: &Repo, unit: Place) -> Option<Edit> {
    let declared = Declared::at(repo, unit)?;
    let change = sources::write_gate(&declared.document, &declared.text)?;
    Some(lines(&declared.path, change))
}

fn move_objects(repo: &Repo, split: &MoveObjects) -> Option<Vec<Edit>> {
    let (from, to) = (RepoPath::new(&split.from)?, RepoPath::new(&split.to)?);
    let mut edits = moved(repo, &split.objects, &from, &to)?;
    let declared = Declared::at(repo, split.unit)?;
    let new = NewUnit {
        name: &split.new_name,
        directory: to.as_str(),
        depends_on: &split.unit_name,
    };
    let text = sources::write_unit(&declared.document, &declared.text, &new)?;
    edits.extend(added(
        repo,
        &declared,
        &split.unit_name,
        &split.new_name,
        text,
    )?);
    if split.needs_gate {
        edits.push(gate(repo, split.unit)?);
    }
    Some(edits)
}

/// A document, with the text of its file.
struct Declared {
    path: String,
    file: FileId,
    text: String,
    document: Node,
    /// How many documents the file has.
    count: usize,
}

impl Declared {
    fn at(repo: &Repo, place: Place) -> Option<Declared> {
        if place.file == FileId::NONE {
            return None;
        }
        let text = repo.read_text(place.file).ok()?;
        let mut documents = yaml::parse(&text, place.file).documents;
        let count = documents.len();
        let at = documents
            .iter()
            .position(|document| document.root.place == place)?;
        Some(Declared {
            path: repo.path(place.file).as_str().to_owned(),
            file: place.file,
            text,
            document: documents.swap_remove(at).root,
            count,
        })
    }
}

/// Moves the files of custom resources to another directory.
fn moved(repo: &Repo, objects: &[Place], from: &RepoPath, to: &RepoPath) -> Option<Vec<Edit>> {
    let files: BTreeSet<FileId> = objects.iter().map(|object| object.file).collect();
    let list = match listing(repo, from) {
        Some(file) => Some(List::read(repo, file)?),
        None => None,
    };
    let mut edits = Vec::new();
    let mut names = Vec::new();
    let mut moves = BTreeMap::new();
    for file in files {
        let path = repo.path(file);
        let name = path.file_name();
        let text = repo.read_text(file).ok()?;
        let documents = yaml::parse(&text, file).documents;
        // Do not split a file that also contains other objects.
        let are_ours = documents
            .iter()
            .all(|document| objects.contains(&document.root.place));
        if path.parent().as_ref() != Some(from) || !are_ours {
            return None;
        }
        if let Some(list) = &list {
            let line = list.line_of(name)?;
            edits.push(lines(
                &list.path,
                LineChange {
                    first: line,
                    count: 1,
                    text: String::new(),
                },
            ));
        }
        edits.push(Edit::Create {
            path: to.join(name)?.as_str().to_owned(),
            text,
        });
        edits.push(Edit::Remove {
            path: path.as_str().to_owned(),
        });
        names.push(name.to_owned());
        moves.insert(path.clone(), to.join(name)?);
    }
    edits.extend(relinked(repo, &moves, listing(repo, from))?);
    if let Some(list) = list.filter(|list| list.entries.len() > names.len()) {
        edits.push(Edit::Create {
            path: to.join(kustomize::FILE_NAMES[0])?.as_str().to_owned(),
            text: list.with_only(&names),
        });
    } else if listing(repo, from).is_some() {
        return None;
    }
    Some(edits)
}

/// Adds a new unit to the file of an existing one, or in a file next to it.
fn added(
    repo: &Repo,
    declared: &Declared,
    old: &str,
    new: &str,
    text: String,
) -> Option<Vec<Edit>> {
    if declared.count > 1 {
        let end = declared.text.lines().count() as u32 + 1;
        return Some(vec![lines(
            &declared.path,
            LineChange {
                first: end,
                count: 0,
                text: format!("---\n{text}"),
            },
        )]);
    }
    let own = repo.path(declared.file);
    let directory = own.parent()?;
    let name = if own.file_name().contains(old) {
        own.file_name().replacen(old, new, 1)
    } else {
        format!("{new}.yaml")
    };
    let path = directory.join(&name)?;
    if repo.file(&path).is_some() {
        return None;
    }
    let mut edits = Vec::new();
    if let Some(file) = listing(repo, &directory) {
        let list = List::read_any(repo, file)?;
        let line = list.line_of(own.file_name())?;
        let written = list.text.lines().nth(line as usize - 1)?;
        edits.push(lines(
            &list.path,
            LineChange {
                first: line + 1,
                count: 0,
                text: format!("{}{name}\n", &written[..written.find("- ")? + 2]),
            },
        ));
    }
    edits.push(Edit::Create {
        path: path.as_str().to_owned(),
        text,
    });
    Some(edits)
}

fn lines(path: &str, change: LineChange) -> Edit {
    Edit::Lines {
        path: path.to_owned(),
        first: change.first,
        count: change.count,
        text: change.text,
    }
}

/// A `kustomization.yaml`, with the line of each file it lists.
struct List {
    path: String,
    text: String,
    entries: Vec<(String, u32)>,
    api_version: String,
    namespace: Option<String>,
}

impl List {
    /// Reads one that only lists files and sets their namespace.
    fn read(repo: &Repo, file: FileId) -> Option<List> {
        let list = List::read_any(repo, file)?;
        let root = yaml::parse(&list.text, file).documents.pop()?.root;
        let plain = ["apiVersion", "kind", "metadata", "namespace", "resources"];
        let mut fields = root.entries().iter();
        fields
            .all(|field| plain.contains(&field.key.as_str()))
            .then_some(list)
    }

    fn read_any(repo: &Repo, file: FileId) -> Option<List> {
        let text = repo.read_text(file).ok()?;
        let mut documents = yaml::parse(&text, file).documents;
        let root = documents.pop().filter(|_| documents.is_empty())?.root;
        let lines: Vec<&str> = text.lines().collect();
        let mut entries = Vec::new();
        for item in root.items_at("resources") {
            let line = item.place.line;
            let written = lines.get(line as usize - 1)?.trim_start();
            // An entry that shares its line with others cannot be removed on its own.
            if let Some(path) = item.text().filter(|_| written.starts_with("- ")) {
                entries.push((path.trim_start_matches("./").to_owned(), line));
            }
        }
        let version = root.text_at(&["apiVersion"]);
        Some(List {
            path: repo.path(file).as_str().to_owned(),
            api_version: version
                .unwrap_or("kustomize.config.k8s.io/v1beta1")
                .to_owned(),
            namespace: root.text_at(&["namespace"]).map(str::to_owned),
            entries,
            text,
        })
    }

    fn line_of(&self, name: &str) -> Option<u32> {
        let mut entries = self.entries.iter();
        entries
            .find(|(path, _)| path == name)
            .map(|(_, line)| *line)
    }

    /// A `kustomization.yaml` with the same settings that lists these files.
    fn with_only(&self, names: &[String]) -> String {
        let mut text = format!("apiVersion: {}\nkind: Kustomization\n", self.api_version);
        if let Some(namespace) = &self.namespace {
            text += &format!("namespace: {namespace}\n");
        }
        text += "resources:\n";
        for name in names {
            text += &format!("  - {name}\n");
        }
        text
    }
}

/// Adds the file as the first entry of a `kustomization.yaml` that only lists files and sets a namespace. None if it sets
/// a different namespace, because that would rename the Namespace.
fn listed(repo: &Repo, file: FileId, name: &str) -> Option<Edit> {
    let list = List::read(repo, file)?;
    if list.namespace.as_ref().is_some_and(|given| given != name) {
        return None;
    }
    let line = list.entries.iter().map(|(_, line)| *line).min()?;
    let written = list.text.lines().nth(line as usize - 1)?;
    Some(lines(
        &list.path,
        LineChange {
            first: line,
            count: 0,
            text: format!("{}namespace.yaml\n", &written[..written.find("- ")? + 2]),
        },
    ))
}
