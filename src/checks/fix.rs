//! Fixes for ordering problems: add a health gate to a unit, move custom resources into their own unit, add a Namespace.
//! Returns no fix if the layout leaves any doubt about its effect.

mod namespace;

use std::collections::BTreeSet;

use super::Scene;
use super::order::{Need, Order};
use crate::input::repo::{Repo, RepoPath};
use crate::sources::{self, LineChange, NewUnit};
use base::hash::HashMap;
use base::{Edit, FileId, Fix, Place};
use yaml::Node;

pub use namespace::namespace;

/// Fixes that make units wait until their objects are ready. Cached, because many findings need the same one.
pub struct Gates<'s, 'a> {
    scene: &'s Scene<'a>,
    order: &'s Order<'a>,
    known: HashMap<usize, Option<Edit>>,
}

impl<'s, 'a> Gates<'s, 'a> {
    pub fn of(scene: &'s Scene<'a>, order: &'s Order<'a>) -> Gates<'s, 'a> {
        Gates {
            scene,
            order,
            known: HashMap::default(),
        }
    }

    /// Adds a health gate to each of these units. None if one of them cannot have one.
    pub fn fix(&mut self, units: &[usize]) -> Option<Fix> {
        let mut edits = Vec::new();
        let mut names = Vec::new();
        for unit in units {
            let known = self.known.entry(*unit);
            let edit = known.or_insert_with(|| gate(self.scene, self.order, *unit));
            edits.push(edit.clone()?);
            names.push(format!("`{}`", self.order.name(*unit)));
        }
        let line = sources::gate(&self.order.unit(*units.first()?).unit.id)?;
        Some(Fix {
            title: format!("add `{line}` to {}", names.join(" and ")),
            edits,
        })
    }
}

fn gate(scene: &Scene<'_>, order: &Order<'_>, unit: usize) -> Option<Edit> {
    // With a gate, the unit would wait for one of its children, which waits for the unit.
    if order.is_awaited_below(unit) {
        return None;
    }
    let declared = Declared::at(scene.repo, order.unit(unit).unit.place)?;
    let change = sources::write_gate(&declared.document, &declared.text)?;
    Some(lines(&declared.path, change))
}

/// Moves custom resources out of the unit with the release that installs their CRD, into a new directory and a new unit
/// that depends on it.
pub fn split(scene: &Scene<'_>, order: &Order<'_>, need: &Need<'_>) -> Option<Fix> {
    let unit = order.unit(need.unit);
    let provider = &order.providers[need.provider];
    let directory = unit.directory.as_ref()?;
    let build = unit.unit.build.as_ref()?;
    let is_plain = unit.owner != Some(need.unit)
        && order.unit(provider.unit).owner == Some(need.unit)
        && RepoPath::new(&build.path).as_ref() == Some(directory);
    if !is_plain || directory.as_str().is_empty() {
        return None;
    }
    let name = format!("{}-config", unit.unit.id.name);
    let target = RepoPath::new(&format!("{directory}-config"))?;
    let is_taken = scene.repo.is_dir(&target) || scene.repo.file(&target).is_some();
    let mut units = scene.clusters.iter().flat_map(|cluster| &cluster.units);
    if is_taken || units.any(|unit| unit.unit.id.name == name) || is_swept(scene, &target) {
        return None;
    }
    let mut edits = moved(scene.repo, need, directory, &target)?;
    let declared = Declared::at(scene.repo, unit.unit.place)?;
    let new = NewUnit {
        name: &name,
        directory: target.as_str(),
        depends_on: &unit.unit.id.name,
    };
    let text = sources::write_unit(&declared.document, &declared.text, &new)?;
    edits.extend(added(
        scene.repo,
        &declared,
        &unit.unit.id.name,
        &name,
        text,
    )?);
    if !order.gated(need.unit).contains(&provider.unit) {
        edits.push(gate(scene, order, need.unit)?);
    }
    let what = match need.objects.as_slice() {
        [one] => one.statement.id.to_string(),
        many => format!("{} objects", many.len()),
    };
    Some(Fix {
        title: format!(
            "move {what} into a new {} `{name}` that depends on `{}`",
            unit.unit.id.kind, unit.unit.id.name
        ),
        edits,
    })
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

/// Whether a unit that applies every file below its directory would pick up a new directory.
fn is_swept(scene: &Scene<'_>, target: &RepoPath) -> bool {
    let roots = scene.clusters.iter().map(|cluster| &cluster.root);
    let built = scene.clusters.iter().flat_map(|cluster| {
        let units = cluster.units.iter();
        units.filter_map(|unit| unit.directory.as_ref())
    });
    let mut sweeping = roots
        .chain(built)
        .filter(|directory| target.is_below(directory) && listing(scene.repo, directory).is_none());
    sweeping.next().is_some()
}

/// The `kustomization.yaml` of a directory.
fn listing(repo: &Repo, directory: &RepoPath) -> Option<FileId> {
    let mut names = kustomize::FILE_NAMES.iter();
    names.find_map(|name| repo.file_in(directory, name))
}

/// Moves the files of custom resources to another directory.
fn moved(repo: &Repo, need: &Need<'_>, from: &RepoPath, to: &RepoPath) -> Option<Vec<Edit>> {
    let files: BTreeSet<FileId> = need
        .objects
        .iter()
        .map(|object| object.statement.place.file)
        .collect();
    let list = match listing(repo, from) {
        Some(file) => Some(List::read(repo, file)?),
        None => None,
    };
    let mut edits = Vec::new();
    let mut names = Vec::new();
    for file in files {
        let path = repo.path(file);
        let name = path.file_name();
        let text = repo.read_text(file).ok()?;
        let documents = yaml::parse(&text, file).documents;
        // Do not split a file that also contains other objects.
        let are_ours = documents.iter().all(|document| {
            let mut objects = need.objects.iter();
            objects.any(|object| object.statement.place == document.root.place)
        });
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
    }
    if let Some(list) = list.filter(|list| list.entries.len() > names.len()) {
        edits.push(Edit::Create {
            path: to.join("kustomization.yaml")?.as_str().to_owned(),
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
