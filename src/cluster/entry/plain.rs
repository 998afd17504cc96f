//! Directories that people and pipelines apply with a command, because nothing here is a reconciler's: kustomizations that
//! none includes, and directories with manifests. Scripts and READMEs say how, if anything does.

mod copies;
mod find;
mod layout;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::{SmolStr, format_smolstr};

use super::super::composition::{Cluster, Role};
use super::{Aside, EntrySearch, common, reach};
use crate::facts::kubernetes::scope::is_local_tool;
use crate::facts::{
    AppliedBy, Build, FileFilter, Listing, Located, Naming, Reaches, Remote, Resource, Unit, UnitId,
};
use crate::input::repo::RepoPath;
use crate::sources::apply_command::{self, ApplyCommand, StatedIn};
use crate::sources::kustomize::included;
use crate::sources::{self, Facts};
use base::hash::HashMap;
use base::text::last_part;
use base::{FileId, Place};
use find::{is_aside, is_workload};
use kustomize::AssemblyKind;
use layout::{Layout, layout};
use shell::kubectl::{Namespace, Reads};

/// The kind under which such a directory is shown.
const KIND: &str = "Directory";

/// A directory that is applied as a whole.
struct Entry {
    directory: RepoPath,
    reads: Reads,
    /// Its files that run something.
    files: BTreeSet<FileId>,
    command: Option<ApplyCommand>,
    layout: Layout,
}

/// Adds what no reconciler applies: to the clusters that it belongs to, or as clusters of their own. Beside a reconciler
/// only what a script in the directory itself says counts. One that takes everything from elsewhere does not say how this
/// repo is applied.
pub fn add(search: &EntrySearch<'_>, clusters: &mut Vec<Cluster>) {
    let is_reconciled = clusters.iter().any(Cluster::reconciles_this_repo);
    let mut entries = entries(search, Aside::Skipped, is_reconciled);
    if entries.is_empty() && !is_reconciled {
        entries = self::entries(search, Aside::Taken, is_reconciled);
    }
    if is_reconciled {
        entries.retain(|entry| is_certain(search, entry));
    }
    without_unused_bases(&mut entries);
    let entries = copies::without_copies(search.builder, entries);
    let mut homes: BTreeMap<EntryHome, Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        homes.entry(home(&entry, clusters)).or_default().push(entry);
    }
    for (home, entries) in homes {
        let at = match home {
            EntryHome::Known(at) => at,
            EntryHome::Own(name) => {
                let directories = entries.iter().map(|entry| entry.directory.clone());
                let root = common(&directories.collect()).unwrap_or_else(RepoPath::root);
                clusters.push(Cluster::new(&name, &root, search.own));
                clusters.len() - 1
            }
        };
        let units = units(search.facts, entries);
        clusters[at].apply_by_command(search.builder, units, search.own);
    }
}

/// The cluster that an entry belongs to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum EntryHome {
    Known(usize),
    Own(String),
}

/// The name of the cluster where nothing says what it is called.
const NAMELESS: &str = "cluster";

fn home(entry: &Entry, clusters: &[Cluster]) -> EntryHome {
    let stated = entry.command.as_ref().and_then(|it| it.cluster.as_ref());
    let layout = &entry.layout;
    let names = [&layout.cluster, &layout.environment];
    let name = names.into_iter().flatten().chain(stated).next();
    let kubernetes = clusters.iter().enumerate();
    let kubernetes = kubernetes.filter(|(_, cluster)| cluster.role == Role::Kubernetes);
    let Some(name) = name else {
        let mut only = kubernetes.map(|(at, _)| at);
        return match (only.next(), only.next()) {
            (Some(at), None) => EntryHome::Known(at),
            _ => EntryHome::Own(NAMELESS.to_owned()),
        };
    };
    let same = |cluster: &Cluster| cluster.name == name.as_str();
    // A context has the name that a cloud knows, and a directory more words.
    let alike = |cluster: &Cluster| {
        let before = cluster.name.strip_suffix(name.as_str());
        before.is_some_and(|before| before.ends_with(['-', '.', '_']))
    };
    let find = |fits: &dyn Fn(&Cluster) -> bool| {
        let mut found = kubernetes.clone().filter(|(_, cluster)| fits(cluster));
        let first = found.next().map(|(at, _)| at);
        first.filter(|_| found.next().is_none())
    };
    match find(&same).or_else(|| find(&alike)) {
        Some(at) => EntryHome::Known(at),
        None => EntryHome::Own(name.to_string()),
    }
}

/// Whether a script in the directory itself, or right above it, applies what nothing else does.
fn is_certain(search: &EntrySearch<'_>, entry: &Entry) -> bool {
    let by_script = entry.command.as_ref().is_some_and(|command| {
        let parent = entry.directory.parent();
        let is_own =
            command.stated_at == entry.directory || parent == Some(command.stated_at.clone());
        let is_tool = |part: &str| matches!(part, "hack" | "scripts" | "bootstrap");
        command.stated_in == StatedIn::Script
            && is_own
            && !entry.directory.as_str().split('/').any(is_tool)
    });
    let free = |file: FileId| {
        let found = search.facts.file(file);
        let declares = found
            .resources
            .iter()
            .any(|one| sources::unit(one).is_some());
        let installs = sources::preinstalled_groups(found).next().is_some();
        !search.is_reached(file) && !declares && !installs
    };
    by_script && files_of(search.facts, entry).into_iter().all(free)
}

/// The files that an entry applies, other than through a kustomization.
fn files_of(facts: &Facts<'_>, entry: &Entry) -> Vec<FileId> {
    if entry.reads == Reads::Kustomization {
        return included(facts, &entry.directory).into_iter().collect();
    }
    let files = facts.repo.below(&entry.directory).filter(|file| {
        let parent = facts.repo.path(*file).parent();
        let is_direct = parent.as_ref() == Some(&entry.directory);
        facts.is_manifest(*file) && (is_direct || entry.reads == Reads::FilesBelow)
    });
    files.collect()
}

fn entries(search: &EntrySearch<'_>, aside: Aside, is_reconciled: bool) -> Vec<Entry> {
    let files: Vec<FileId> = find::running(search, aside).collect();
    let spaces = if is_reconciled {
        Vec::new()
    } else {
        find::namespaces(search, aside)
    };
    let overlays = if is_reconciled {
        Vec::new()
    } else {
        find::overlays(search, aside)
    };
    if files.is_empty() && spaces.is_empty() {
        return Vec::new();
    }
    let facts = search.facts;
    let mut found: BTreeMap<RepoPath, (Reads, BTreeSet<FileId>)> = BTreeMap::new();
    let mut includers = reach::includers(facts);
    for directories in includers.values_mut() {
        directories.retain(|one| aside == Aside::Taken || !is_aside(one));
    }
    includers.retain(|_, directories| !directories.is_empty());
    let patches = reach::patches(facts);
    for file in files.into_iter().filter(|file| !patches.contains(file)) {
        let path = facts.repo.path(file);
        let directory = path.parent().unwrap_or_else(RepoPath::root);
        if !includers.contains_key(path) {
            // A kustomization beside it leaves it out.
            if facts.assembly_file(&directory).is_none() {
                let (_, files) = found
                    .entry(directory)
                    .or_insert((Reads::Files, BTreeSet::new()));
                files.insert(file);
            }
            continue;
        }
        for top in reach::tops(path, &includers) {
            if is_whole(facts, &top) {
                let new = (Reads::Kustomization, BTreeSet::new());
                let (_, files) = found.entry(top).or_insert(new);
                files.insert(file);
            }
        }
    }
    for directory in spaces {
        if !includers.contains_key(&directory) {
            let new = (Reads::Files, BTreeSet::new());
            found.entry(directory).or_insert(new);
        }
    }
    for directory in overlays {
        if !includers.contains_key(&directory) {
            let new = (Reads::Kustomization, BTreeSet::new());
            found.entry(directory).or_insert(new);
        }
    }
    with_commands(search, found, aside)
}

/// Whether a directory has a kustomization that can be applied by itself.
fn is_whole(facts: &Facts<'_>, directory: &RepoPath) -> bool {
    let file = facts.assembly_file(directory);
    let assembly = file.and_then(|file| facts.file(file).assembly.as_ref());
    assembly.is_some_and(|assembly| assembly.kind == AssemblyKind::Whole)
}

/// Removes bases that nothing includes, where others have overlays: they are not applied.
fn without_unused_bases(entries: &mut Vec<Entry>) {
    let is_base = |entry: &Entry| {
        let mut parts = entry.directory.as_str().split('/');
        entry.reads == Reads::Kustomization
            && entry.command.is_none()
            && parts.any(|part| matches!(part, "base" | "bases"))
    };
    if entries
        .iter()
        .any(|entry| layout::is_overlay(&entry.directory))
    {
        entries.retain(|entry| !is_base(entry) || layout::is_shelved(&entry.directory));
    }
}

/// Gives each entry the command that applies it, and adds those that only a command shows.
fn with_commands(
    search: &EntrySearch<'_>,
    mut found: BTreeMap<RepoPath, (Reads, BTreeSet<FileId>)>,
    aside: Aside,
) -> Vec<Entry> {
    let facts = search.facts;
    let mut commands: HashMap<RepoPath, ApplyCommand> = HashMap::default();
    let mut all = apply_command::commands(facts.repo);
    all.retain(|command| {
        let is_pipeline = command.stated_at.as_str() == ".github/workflows";
        let is_used = is_pipeline || aside == Aside::Taken || !is_aside(&command.stated_at);
        is_used && !is_aside(&command.target)
    });
    all.sort_by_key(|command| command.stated_in);
    for command in all {
        let is_file = facts.repo.file(&command.target).is_some();
        let directory = if is_file {
            command.target.parent().unwrap_or_else(RepoPath::root)
        } else {
            command.target.clone()
        };
        let is_built = facts.assembly_file(&directory).is_some();
        let is_known = found.contains_key(&directory);
        let may_add = command.stated_in != StatedIn::Guide && !is_file && !is_known;
        match command.reads {
            Reads::FilesBelow if !is_built => {
                let inside: Vec<RepoPath> = found
                    .keys()
                    .filter(|one| **one == directory || one.is_below(&directory))
                    .filter(|one| !commands.contains_key(*one))
                    .cloned()
                    .collect();
                let parts = inside.iter().filter_map(|one| found.remove(one));
                let files: BTreeSet<FileId> = parts.flat_map(|(_, files)| files).collect();
                if files.is_empty() {
                    continue;
                }
                found.insert(directory.clone(), (Reads::FilesBelow, files));
            }
            Reads::Files if may_add && !is_built && has_free_objects(search, &directory) => {
                found.insert(directory.clone(), (Reads::Files, BTreeSet::new()));
            }
            _ if !is_known => continue,
            _ => {}
        }
        commands.entry(directory).or_insert(command);
    }
    let entries = found.into_iter().map(|(directory, (reads, files))| Entry {
        command: commands.remove(&directory),
        layout: layout(facts, &directory),
        directory,
        reads,
        files,
    });
    entries.collect()
}

/// Whether files directly in a directory have objects that nothing applies yet.
fn has_free_objects(search: &EntrySearch<'_>, directory: &RepoPath) -> bool {
    let facts = search.facts;
    let files = facts.repo.below(directory).filter(|file| {
        facts.is_manifest(*file) && facts.repo.path(*file).parent().as_ref() == Some(directory)
    });
    let mut objects = files.flat_map(|file| {
        let free = !search.is_reached(file);
        facts.file(file).resources.iter().filter(move |_| free)
    });
    objects.any(|one| !one.id.name.is_empty() && sources::unit(one).is_none())
}

/// The units of one cluster.
fn units(facts: &Facts<'_>, entries: Vec<Entry>) -> Vec<Unit> {
    let mut taken: BTreeSet<UnitId> = BTreeSet::new();
    let mut components: BTreeSet<(SmolStr, SmolStr)> = BTreeSet::new();
    let units = entries.into_iter().map(|entry| {
        let layout = &entry.layout;
        let name = layout.name.clone();
        let mut id = UnitId {
            kind: KIND.into(),
            namespace: layout.scope.clone(),
            name: name.clone().unwrap_or_else(|| fallback(&entry)),
        };
        if taken.contains(&id) {
            id.namespace = entry.directory.as_str().into();
        }
        taken.insert(id.clone());
        let mut unit = Unit::new(id, place(facts, &entry));
        unit.apply.applied_by = AppliedBy::Command;
        unit.appearance.naming = match (&name, &entry.command) {
            (None, _) => Naming::Workload,
            (Some(_), _) if layout.namespace.is_some() => Naming::Own,
            (Some(_), Some(command)) if is_about(command, &entry) => Naming::Own,
            _ => Naming::Derived,
        };
        unit.build = Some(Box::new(build(facts, &entry, unit.place)));
        if layout.cluster.is_some()
            && let Some(environment) = &layout.environment
        {
            unit.remote = Some(Remote {
                way: format_smolstr!("environment {environment}"),
                name: Some(environment.clone()),
                host: None,
                reaches: Reaches::Environment,
            });
            // Two namespaces of one application in one environment stay apart.
            let shared = (layout.shared.clone(), environment.clone());
            if components.insert(shared) {
                unit.appearance.shared_name = Some(layout.shared.clone());
            }
        }
        unit.appearance.command = entry.command.map(|command| Located {
            value: command.text,
            place: command.place,
        });
        unit
    });
    units.collect()
}

/// Whether a command is about one directory, because it stands there.
fn is_about(command: &ApplyCommand, entry: &Entry) -> bool {
    let home = &command.stated_at;
    let is_own = *home == entry.directory || entry.directory.is_below(home);
    command.stated_in == StatedIn::Script && is_own && !home.as_str().is_empty()
}

/// The name of a unit whose path says nothing.
fn fallback(entry: &Entry) -> SmolStr {
    match last_part(entry.directory.as_str()) {
        "" => "manifests".into(),
        name => name.into(),
    }
}

/// The kustomization, else the first file.
fn place(facts: &Facts<'_>, entry: &Entry) -> Place {
    let assembly = facts.assembly_file(&entry.directory);
    let first = || entry.files.first().copied();
    let file = assembly.or_else(first);
    let file = file.or_else(|| files_of(facts, entry).into_iter().next());
    file.map(Place::start_of).unwrap_or_default()
}

fn build(facts: &Facts<'_>, entry: &Entry, place: Place) -> Build {
    let namespace = match (&entry.layout.namespace, &entry.command) {
        (Some(own), _) => Some(own.clone()),
        (None, Some(command)) => match &command.namespace {
            Namespace::Named(name) => Some(name.clone()),
            Namespace::Default => Some("default".into()),
            Namespace::Unknown => None,
        },
        (None, None) => None,
    };
    let filter = FileFilter {
        include: SmolStr::default(),
        exclude: foreign(facts, entry),
    };
    Build {
        listing: match entry.reads {
            Reads::Kustomization => Listing::Tree,
            Reads::Files => Listing::Files(filter),
            Reads::FilesBelow => Listing::FilesBelow(filter),
        },
        path: entry.directory.as_str().into(),
        path_place: place,
        // Whoever applies it may render them.
        renders_charts: true,
        is_inferred: entry.command.is_none(),
        default_namespace: namespace.map(|value| Located { value, place }),
        ..Build::default()
    }
}

/// A pattern for files with objects that no cluster serves: settings of tools that look like manifests.
fn foreign(facts: &Facts<'_>, entry: &Entry) -> SmolStr {
    if entry.reads == Reads::Kustomization {
        return SmolStr::default();
    }
    let files = files_of(facts, entry).into_iter().filter(|file| {
        let resources = &facts.file(*file).resources;
        let is_foreign = |one: &Resource| one.id.name.is_empty() || is_local_tool(&one.id.group);
        !resources.is_empty() && resources.iter().all(is_foreign)
    });
    let start = entry.directory.as_str().len();
    let local = files.map(|file| facts.repo.path(file).as_str()[start..].trim_start_matches('/'));
    let names: Vec<&str> = local
        .filter(|name| !name.contains(['{', '}', ',']))
        .collect();
    match names.as_slice() {
        [] => SmolStr::default(),
        [one] => (*one).into(),
        several => format_smolstr!("{{{}}}", several.join(",")),
    }
}
