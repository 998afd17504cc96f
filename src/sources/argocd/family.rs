//! A chart with the charts in it: those below its `charts/`, and those that it names by a path. Looked up once for each
//! chart; what they are given is not known here.

use std::collections::BTreeSet;
use std::iter;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::super::around::Around;
use super::apps_chart;
use super::making::{self, Borrowed, Making};
use super::metadata;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use base::hash::{HashMap, HashSet};
use helm::Library;
use yaml::Node;

/// More charts in one than this are not followed, nor charts within charts deeper than this.
const MAX_IMPORTS: usize = 64;
const MAX_CHARTS: usize = 100;
const MAX_DEPTH: usize = 8;

/// What was found of charts, by their directories.
#[derive(Debug, Default)]
pub struct Families {
    whole: HashMap<RepoPath, Arc<Family>>,
    making: HashMap<RepoPath, Arc<Making>>,
}

#[derive(Debug)]
pub struct Family {
    /// The chart itself, then those in it, each after the one that it is a part of.
    pub members: Vec<Member>,
    pub borrowed: Vec<Borrowed>,
    /// There are more charts in it than were followed.
    pub is_cut: bool,
}

#[derive(Debug)]
pub struct Member {
    pub directory: RepoPath,
    pub metadata: Arc<Node>,
    /// What it is called here, which is what its values stand under.
    pub name: SmolStr,
    /// What it is a part of; nothing for the chart itself.
    pub parent: Option<usize>,
    /// Where values say whether it is wanted, the first that is stated first.
    pub conditions: Vec<SmolStr>,
    pub tags: Vec<SmolStr>,
    /// Where what it has goes among the values of what it is a part of: a path in its own, and one there.
    pub imports: Vec<(SmolStr, SmolStr)>,
    /// Those of its templates that make Applications.
    pub templates: Vec<FileId>,
}

/// The family of the chart in a directory.
pub fn of(directory: &RepoPath, metadata: &Arc<Node>, around: &Around<'_>) -> Arc<Family> {
    let mut known = around.lock_families();
    if let Some(family) = known.whole.get(directory) {
        return family.clone();
    }
    let family = Arc::new(gathered(directory, metadata, around, &mut known.making));
    known.whole.insert(directory.clone(), family.clone());
    family
}

impl Family {
    pub fn makes_any(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|member| !member.templates.is_empty())
    }

    /// Who is a part of a member, by name.
    pub fn names_in(&self, at: usize) -> impl Iterator<Item = &SmolStr> {
        let parts = self.members.iter();
        let parts = parts.filter(move |member| member.parent == Some(at));
        parts.map(|member| &member.name)
    }

    /// What those members that are wanted define for all of them. The nearer to the top, the more it counts.
    pub fn library(&self, is_wanted: impl Fn(usize) -> bool, repo: &Repo) -> Library {
        let mut library = Library::default();
        let mut seen: BTreeSet<&RepoPath> = BTreeSet::new();
        for (at, member) in self.members.iter().enumerate().rev() {
            if !is_wanted(at) || !seen.insert(&member.directory) {
                continue;
            }
            for text in making::helpers(repo, &member.directory) {
                // What is wrong with a helper shows where it is included.
                let _ = library.add(&text);
            }
        }
        library
    }

    /// The files that say what it makes, of parts that are not wanted too: nobody installs these by themselves.
    pub fn files(&self, repo: &Repo) -> BTreeSet<FileId> {
        let mut files = BTreeSet::new();
        for member in &self.members {
            let own = |name: &str| repo.file_in(&member.directory, name);
            files.extend(own("Chart.yaml").filter(|_| member.parent.is_some()));
            files.extend(own("values.yaml"));
            files.extend(&member.templates);
        }
        files
    }
}

fn gathered(
    directory: &RepoPath,
    metadata: &Arc<Node>,
    around: &Around<'_>,
    known: &mut HashMap<RepoPath, Arc<Making>>,
) -> Family {
    let mut members = vec![Member::new(
        (directory.clone(), metadata.clone()),
        None,
        None,
    )];
    let (mut is_cut, mut is_missing) = (false, false);
    let mut at = 0;
    while at < members.len() {
        let parts = parts(&members, at, around);
        is_missing |= parts.is_missing;
        let is_deep = line(&members, at).count() > MAX_DEPTH;
        for part in parts.here {
            match is_deep || members.len() >= MAX_CHARTS {
                true => is_cut = true,
                false => members.push(part),
            }
        }
        at += 1;
    }
    let repo = around.facts.repo;
    let making = members.iter().map(|member| {
        let known = known.entry(member.directory.clone());
        let making = known.or_insert_with(|| Arc::new(making::of(repo, &member.directory)));
        making.clone()
    });
    let making: Vec<Arc<Making>> = making.collect();
    let helper_makes = making.iter().any(|one| one.helper_makes);
    let mut borrowed = Vec::new();
    for (member, making) in members.iter_mut().zip(&making) {
        if !member.is_filled_in() {
            continue;
        }
        member.templates.extend(&making.files);
        // Where a helper makes them, so may whatever includes helpers.
        if helper_makes {
            member.templates.extend(&making.including);
            member.templates.sort();
        }
        // What is filled in says so itself.
        if is_missing && !helper_makes {
            borrowed.extend(making.borrowed.iter().cloned());
        }
    }
    borrowed.retain(|one: &Borrowed| {
        let definition = format!("define \"{}\"", one.name);
        let texts = members.iter();
        let mut texts = texts.flat_map(|member| making::helpers(repo, &member.directory));
        !texts.any(|text| text.contains(&definition))
    });
    Family {
        members,
        borrowed,
        is_cut,
    }
}

type Found = (RepoPath, Arc<Node>);

impl Member {
    fn new((directory, metadata): Found, parent: Option<usize>, stated: Option<&Node>) -> Member {
        let text = |key: &str| stated.and_then(|stated| stated.text_at(&[key]));
        let own = metadata.text_at(&["name"]).unwrap_or_default();
        let conditions = text("condition").unwrap_or_default().split(',');
        let conditions = conditions.map(str::trim).filter(|path| !path.is_empty());
        let tags = stated.map(|stated| stated.items_at("tags"));
        let tags = tags.unwrap_or_default().iter().filter_map(Node::text);
        Member {
            name: text("alias").unwrap_or(own).into(),
            parent,
            conditions: conditions.map(SmolStr::from).collect(),
            tags: tags.map(SmolStr::from).collect(),
            imports: stated.map(imports).unwrap_or_default(),
            templates: Vec::new(),
            directory,
            metadata,
        }
    }

    /// Whether its templates write anything: a library only lends them. What is known by its values is read from those.
    fn is_filled_in(&self) -> bool {
        let text = |key: &str| self.metadata.text_at(&[key]);
        let is_known = text("name") == Some(apps_chart::NAME) && self.parent == Some(0);
        text("type") != Some("library") && !is_known
    }
}

/// What a chart takes over of the values of a part: what that exports under a name, or what stands at a path of it.
fn imports(stated: &Node) -> Vec<(SmolStr, SmolStr)> {
    let items = stated.items_at("import-values").iter();
    let each = items.filter_map(|item| match item.text() {
        Some(name) => Some((format_smolstr!("exports.{name}"), SmolStr::default())),
        None => {
            let text = |key: &str| item.text_at(&[key]).map(SmolStr::from);
            Some((text("child")?, text("parent")?))
        }
    });
    each.take(MAX_IMPORTS).collect()
}

/// A member, what it is a part of, and so on up to the top.
fn line(members: &[Member], at: usize) -> impl Iterator<Item = &Member> {
    let line = iter::successors(Some(at), move |at| members[*at].parent);
    line.map(move |at| &members[at])
}

#[derive(Default)]
struct Parts {
    here: Vec<Member>,
    /// Some of those that it lists are not here.
    is_missing: bool,
}

/// What a member is made of: all that lies below its `charts/`, and what it lists.
fn parts(members: &[Member], at: usize, around: &Around<'_>) -> Parts {
    let member = &members[at];
    let inside = inside(&member.directory, around);
    let listed = member.metadata.items_at("dependencies");
    let names = listed.iter().filter_map(|stated| stated.text_at(&["name"]));
    let names: HashSet<&str> = names.collect();
    let mut parts = Parts::default();
    let mut below: HashMap<&str, &Found> = HashMap::default();
    for found in &inside.charts {
        match found.1.text_at(&["name"]) {
            Some(name) if names.contains(name) => drop(below.entry(name).or_insert(found)),
            _ => parts.here.push(Member::new(found.clone(), Some(at), None)),
        }
    }
    for stated in listed {
        let Some(name) = stated.text_at(&["name"]) else {
            continue;
        };
        // Whatever comes now is not followed.
        if parts.here.len() > MAX_CHARTS {
            break;
        }
        let is_called = |found: &Found| found.1.text_at(&["name"]) == Some(name);
        let below = below.get(name).map(|found| Found::clone(found));
        let linked = || {
            let path = member.directory.join("charts")?.join(name)?;
            chart_at(&path, around).filter(is_called)
        };
        // Helm puts what is named by a path below `charts/` for the chart at the top only: of the others, it has what was
        // packed when somebody did so there.
        let by_path = || {
            let is_put = at == 0 || inside.has_packed(name);
            let path = stated.text_at(&["repository"]).filter(|_| is_put)?;
            let path = member.directory.join(path.strip_prefix("file://")?)?;
            chart_at(&path, around).filter(is_called)
        };
        match below.or_else(linked).or_else(by_path) {
            Some(found) => parts.here.push(Member::new(found, Some(at), Some(stated))),
            None => parts.is_missing = true,
        }
    }
    let is_above = |part: &Member| line(members, at).any(|above| above.directory == part.directory);
    parts.here.retain(|part| !is_above(part));
    parts
}

/// The chart in a directory.
fn chart_at(path: &RepoPath, around: &Around<'_>) -> Option<Found> {
    let repo = around.facts.repo;
    let directory = repo.resolve_dir(path)?;
    let (_, metadata) = metadata::of(&directory, around)?;
    Some((directory, metadata))
}

/// What lies below `charts/`.
#[derive(Default)]
struct Inside {
    charts: Vec<Found>,
    /// The names of files that hold a chart each.
    packed: Vec<SmolStr>,
}

impl Inside {
    fn has_packed(&self, name: &str) -> bool {
        let mut packed = self.packed.iter();
        packed.any(|file| {
            let version = file
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'));
            version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        })
    }
}

fn inside(directory: &RepoPath, around: &Around<'_>) -> Inside {
    let repo = around.facts.repo;
    let mut inside = Inside::default();
    let home = directory.join("charts");
    let Some(home) = home.and_then(|home| repo.resolve_dir(&home)) else {
        return inside;
    };
    for file in repo.below(&home) {
        let path = repo.path(file);
        let name = path.file_name();
        let is_chart = name == "Chart.yaml";
        let is_packed = path.extension() == Some("tgz");
        let Some(parent) = path.parent().filter(|_| is_chart || is_packed) else {
            continue;
        };
        if is_packed && parent == home {
            inside.packed.push(name.into());
        }
        // Helm passes over these names.
        let is_read = is_chart && !parent.file_name().starts_with(['_', '.']);
        if is_read && parent.parent().as_ref() == Some(&home) {
            inside.charts.extend(chart_at(&parent, around));
        }
    }
    inside
}
