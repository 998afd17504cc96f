//! Authored runbooks: their sections, and the components, kinds and alerts that they name. Names come from front
//! matter, from lines such as `**Alert:** NodeDown`, and from the title or file name.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::alert_subject::AlertSubjects;
use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::RepoPath;
use crate::knowledge::mention::TitleNames;
use crate::knowledge::plain::is_plain_word;
use markdown::{Block, BlockKind, Blocks, Text};

mod commands;
mod section;

pub use section::RunbookSection;

/// The subjects of a runbook: components by position, alerts by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subjects {
    pub components: Vec<ComponentIx>,
    /// Alerts that it is about.
    pub alerts: Vec<SmolStr>,
    /// Alerts that it names in passing.
    pub mentions: Vec<SmolStr>,
    /// Default runbooks that it takes the place of, by name.
    pub replaces: Vec<String>,
}

/// Index of the names that a runbook may use.
pub struct Lookup<'a> {
    components: BTreeMap<String, ComponentIx>,
    /// By name, the components that the alert is about.
    alerts: BTreeMap<&'a str, BTreeSet<ComponentIx>>,
    /// Excludes kinds that belong to no component in particular, such as Deployment.
    kinds: BTreeMap<&'a str, BTreeSet<ComponentIx>>,
    /// Kinds of extensions whose names are words that mean other things, such as Cluster.
    plain_kinds: BTreeMap<&'a str, BTreeSet<ComponentIx>>,
    /// By the first word of the id: all its words.
    sequences: BTreeMap<String, Vec<(Vec<String>, ComponentIx)>>,
    /// Namespaces of components.
    namespaces: BTreeMap<ComponentIx, BTreeSet<&'a str>>,
    /// Directories of manifests with the one component in each.
    directories: BTreeMap<&'a RepoPath, Option<ComponentIx>>,
    objects: commands::ObjectOwners<'a>,
    /// What people call the applications: `CNPG`.
    called: TitleNames,
}

/// A kind that more components have says nothing of one of them.
const MOST_OF_KIND: usize = 3;

/// Kinds of operators whose names mean other things in a title: rebuilding a cluster is not about a database.
const AMBIGUOUS: [&str; 14] = [
    "Application",
    "Backup",
    "Cluster",
    "Database",
    "Group",
    "Job",
    "Node",
    "Policy",
    "Pool",
    "Project",
    "Role",
    "Schedule",
    "Task",
    "User",
];

impl<'a> Lookup<'a> {
    pub fn from_catalog(catalog: &'a Catalog) -> Lookup<'a> {
        let mut lookup = Lookup {
            components: BTreeMap::new(),
            alerts: BTreeMap::new(),
            kinds: BTreeMap::new(),
            plain_kinds: BTreeMap::new(),
            sequences: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            directories: BTreeMap::new(),
            objects: commands::ObjectOwners::from_catalog(catalog),
            called: TitleNames::from_catalog(catalog, &[]),
        };
        let subjects = AlertSubjects::from_catalog(catalog);
        for (at, component) in catalog.components.iter_enumerated() {
            let words = words_of(&component.id.0);
            if let Some(first) = words.first() {
                let known = lookup.sequences.entry(first.clone()).or_default();
                known.push((words, at));
            }
            let namespaces = component
                .resources
                .iter()
                .map(|one| one.id.namespace.as_str());
            let own = lookup.namespaces.entry(at).or_default();
            own.extend(namespaces.filter(|name| !name.is_empty()));
            if let Some(source) = &component.source {
                let owner = lookup.directories.entry(source).or_insert(Some(at));
                *owner = owner.filter(|owner| *owner == at);
            }
            for (position, alert) in component.alerts.iter().enumerate() {
                let concerned = lookup.alerts.entry(&alert.name).or_default();
                concerned.extend(subjects.concerned(at, position));
            }
            for resource in &component.resources {
                // A group with a dot that is not the API server's own is an extension.
                let group = resource.id.group.as_str();
                let is_extension = group.contains('.') && !group.ends_with(".k8s.io");
                if is_extension {
                    let kind = resource.id.kind.as_str();
                    let is_plain = kind.chars().filter(|c| c.is_uppercase()).count() < 2;
                    let kinds = if is_plain {
                        &mut lookup.plain_kinds
                    } else {
                        &mut lookup.kinds
                    };
                    kinds.entry(kind).or_default().insert(at);
                }
            }
        }
        let all = catalog.components.iter_enumerated();
        let titles = all.clone().map(|(at, c)| (c.title.to_lowercase(), at));
        let ids = all.map(|(at, c)| (c.id.0.to_lowercase(), at));
        lookup.components.extend(titles.chain(ids));
        lookup
    }

    /// A component by its id, else by its title.
    pub fn component(&self, name: &str) -> Option<ComponentIx> {
        self.components
            .get(name.trim().to_lowercase().as_str())
            .copied()
    }
}

impl Lookup<'_> {
    /// Components whose id is a sequence of words in a title or a file name, the longest where several begin alike. A
    /// word that may mean anything counts only if commands use the namespace of the component, or a program of its name.
    fn named_by(&self, text: &str, used: &UsedNames) -> Vec<ComponentIx> {
        let words = words_of(text);
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let known = self.sequences.get(word).map_or(&[][..], Vec::as_slice);
            let meant = known.iter().filter(|(wanted, component)| {
                let is_here = words[at..].starts_with(wanted);
                let is_plain = wanted
                    .iter()
                    .all(|word| is_plain_word(word) || word.len() < 4);
                let is_used = || {
                    let own = self.namespaces.get(component);
                    own.is_some_and(|own| {
                        let mut all = used.namespaces.iter();
                        all.any(|name| own.contains(name.as_str()))
                    }) || used.programs.contains(&wanted.join("-"))
                };
                is_here && (!is_plain || is_used())
            });
            let longest = meant.max_by_key(|(wanted, _)| wanted.len());
            at += longest.map_or(1, |(wanted, _)| wanted.len());
            found.extend(longest.map(|(_, component)| *component));
        }
        found
    }

    /// The component in whose directory, or just below it, a file is.
    fn beside(&self, path: &RepoPath) -> Option<ComponentIx> {
        let mut here = path.parent();
        for _ in 0..2 {
            let directory = here?;
            if let Some(owner) = self.directories.get(&directory) {
                return *owner;
            }
            here = directory.parent();
        }
        None
    }

    /// Whether an alert is a component's own.
    pub fn has_alert(&self, component: ComponentIx, alert: &str) -> bool {
        let owners = self.alerts.get(alert);
        owners.is_some_and(|owners| owners.contains(&component))
    }

    /// Alerts that a text names, as whole words. Those that are words of the language are none.
    pub fn alerts_in(&self, text: &str) -> Vec<SmolStr> {
        if self.alerts.is_empty() {
            return Vec::new();
        }
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        let is_name = |word: &&str| word.chars().skip(1).any(|c| c.is_uppercase() || c == '_');
        let names = words.filter(is_name);
        names
            .filter(|name| self.alerts.contains_key(name))
            .map(SmolStr::from)
            .collect()
    }
}

/// The components, kinds and alerts that a runbook names.
pub fn subjects(path: &RepoPath, blocks: &Blocks, lookup: &Lookup<'_>) -> Subjects {
    let mut named = UnresolvedNames::default();
    let front = &blocks.front_matter;
    named.components.extend(front.component.iter().cloned());
    for (key, value) in &front.fields {
        named.add(key, value.split(',').map(str::trim));
    }
    for block in &blocks.blocks {
        if let Some((label, text)) = labelled(block) {
            let codes: Vec<&str> = text.codes().collect();
            if codes.is_empty() {
                let said = text.plain.split_once(':').map_or("", |(_, said)| said);
                named.add(&label, said.split(',').map(str::trim));
            } else {
                named.add(&label, codes.into_iter())
            }
        }
    }
    let headings = blocks.blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Heading { level, text } => Some((*level, text.plain.as_str())),
        _ => None,
    });
    let headings: Vec<(u8, &str)> = headings.collect();
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let title = front.title.as_deref().or_else(|| {
        let first = headings.iter().find(|(level, _)| *level == 1);
        first.map(|(_, text)| *text)
    });
    named.components.push(stem.to_owned());
    named.components.extend(title.map(str::to_owned));
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    named.title = title.map(words).unwrap_or_default();
    named.alerts.push(stem.to_owned());
    named
        .alerts
        .extend(headings.iter().flat_map(|(_, text)| words(text)));
    named.alerts.extend(title.map(words).unwrap_or_default());
    let mut subjects = named.resolved(lookup);
    let used = used_in(blocks);
    for text in [Some(stem), title].into_iter().flatten() {
        let named = lookup.named_by(text, &used);
        subjects.components.extend(named);
    }
    // The name of a file that has no title is all that says what it is about.
    let spaced = stem.replace(['-', '_'], " ");
    let called = lookup.called.in_title(title.unwrap_or(&spaced));
    subjects
        .components
        .extend(called.into_iter().map(|(component, _)| component));
    subjects.components.extend(lookup.beside(path));
    if subjects.components.is_empty() {
        subjects.components = lookup.objects.subjects(blocks);
    }
    for text in blocks.blocks.iter().flat_map(texts) {
        subjects.mentions.extend(lookup.alerts_in(&text.plain));
    }
    subjects.mentions.sort();
    subjects.mentions.dedup();
    subjects.components.sort_unstable();
    subjects.components.dedup();
    subjects
}

/// The words of an id, a title or a file name, in lower case.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// What commands in code blocks name.
#[derive(Default)]
struct UsedNames {
    namespaces: BTreeSet<String>,
    /// The first word of each line.
    programs: BTreeSet<String>,
}

fn used_in(blocks: &Blocks) -> UsedNames {
    let mut used = UsedNames::default();
    for block in &blocks.blocks {
        let BlockKind::Code { text, .. } = &block.kind else {
            continue;
        };
        for line in text.lines() {
            let mut words = line.trim_start_matches(['$', ' ']).split_whitespace();
            used.programs.extend(words.next().map(str::to_owned));
            while let Some(word) = words.next() {
                if let Some(name) = word.strip_prefix("--namespace=") {
                    used.namespaces.insert(name.to_owned());
                } else if matches!(word, "-n" | "--namespace") {
                    used.namespaces.extend(words.next().map(str::to_owned));
                }
            }
        }
    }
    used
}

fn texts(block: &Block) -> Vec<&Text> {
    match &block.kind {
        BlockKind::Paragraph(text)
        | BlockKind::Item { text, .. }
        | BlockKind::Heading { text, .. } => vec![text],
        BlockKind::Row { cells, .. } => cells.iter().collect(),
        BlockKind::Code { .. } => Vec::new(),
    }
}

/// Names that are not yet looked up.
#[derive(Default)]
struct UnresolvedNames {
    components: Vec<String>,
    /// Where the runbook says that it is about kinds.
    kinds: Vec<String>,
    /// The words of its title, which may be kinds.
    title: Vec<String>,
    alerts: Vec<String>,
    replaces: Vec<String>,
}

impl UnresolvedNames {
    fn add<'s>(&mut self, label: &str, values: impl Iterator<Item = &'s str>) {
        let list = match label.to_lowercase().as_str() {
            "component" | "components" | "service" | "services" => &mut self.components,
            "kind" | "kinds" => &mut self.kinds,
            "alert" | "alerts" | "alertname" => &mut self.alerts,
            "replaces" | "symptom" => &mut self.replaces,
            _ => return,
        };
        list.extend(values.filter(|value| !value.is_empty()).map(str::to_owned));
    }

    fn resolved(self, lookup: &Lookup<'_>) -> Subjects {
        let mut components: BTreeSet<ComponentIx> = BTreeSet::new();
        components.extend(
            self.components
                .iter()
                .filter_map(|name| lookup.component(name)),
        );
        let mut alerts: Vec<SmolStr> = Vec::new();
        for name in &self.alerts {
            if let Some(owners) = lookup.alerts.get(name.as_str()) {
                components.extend(owners);
                alerts.push(name.into());
            }
        }
        // What states its kind is about all that have it, and so is a title such as "An ExternalSecret is not syncing".
        let subject = match self.title.as_slice() {
            [article, kind, ..] if matches!(article.as_str(), "A" | "An") => Some(kind),
            _ => None,
        };
        let of_kind = |kind: &String| lookup.kinds.get(kind.as_str());
        let clear = subject.filter(|kind| !AMBIGUOUS.contains(&kind.as_str()));
        let said = self.kinds.iter().chain(clear);
        let plain = said.filter_map(|kind| lookup.plain_kinds.get(kind.as_str()));
        let stated = self.kinds.iter().chain(subject).filter_map(of_kind);
        components.extend(stated.chain(plain).flatten());
        let named = self.title.iter().filter_map(of_kind);
        components.extend(
            named
                .filter(|owners| owners.len() <= MOST_OF_KIND)
                .flatten(),
        );
        alerts.sort();
        alerts.dedup();
        Subjects {
            components: components.into_iter().collect(),
            alerts,
            mentions: Vec::new(),
            replaces: self.replaces,
        }
    }
}

/// A line or an entry that begins with a bold label, and its text.
pub fn labelled(block: &Block) -> Option<(String, &Text)> {
    let text = match &block.kind {
        BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => text,
        _ => return None,
    };
    let strong = text.strong.first().filter(|range| range.start == 0)?;
    let (word, rest) = text.plain.split_at(strong.end);
    let is_label = word.ends_with(':') || rest.trim_start().starts_with(':');
    is_label.then(|| (word.trim_end_matches(':').trim().to_owned(), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_runbooks_is_not_one() {
        let runbook = |path: &str| is(path);
        fn is(path: &str) -> bool {
            super::super::is_runbook(&RepoPath::new(path).unwrap())
        }
        assert!(runbook("docs/runbooks/node-down.md"));
        assert!(runbook("team/Runbooks/disk/full.md"));
        assert!(!runbook("docs/runbooks/README.md"));
        assert!(!runbook("docs/runbooks.md"));
    }
}
