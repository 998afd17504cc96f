//! Which components a document names, and the line that does: by a path, by an object, or by title. Everything that a
//! component may be called is put into tables once, so that a document is read once however many components there are.

use crate::catalog::{Catalog, ComponentIx};
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use base::hash::HashMap;
use claims::{looks_like_path, outline};
use markdown::{BlockKind, Blocks, Text};

use super::plain::is_plain_word;
use crate::input::config::Config;
pub use role::MentionRole;
use role::{DocumentPart, SectionRole};
pub use title::TitleNames;
use weigh::Mentions;
use word::{
    is_document, is_own_kind, is_telling, is_telling_kind, is_telling_name, names_component, words,
};

mod role;
mod title;
mod weigh;
mod word;

/// A component that a document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// By position in the catalogue.
    pub component: ComponentIx,
    /// The first line that names it in the most certain way.
    pub line: u32,
    pub by: MentionedBy,
    pub role: MentionRole,
}

/// How a component is named, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MentionedBy {
    FrontMatter,
    Path,
    Resource,
    Title,
}

impl MentionedBy {
    pub fn reason(self) -> &'static str {
        match self {
            MentionedBy::FrontMatter => "about this component",
            MentionedBy::Path => "mentions its files",
            MentionedBy::Resource => "mentions its objects",
            MentionedBy::Title => "mentions it",
        }
    }
}

impl Mention {
    /// Whether a document is about the component rather than naming it in passing.
    pub fn is_decided(&self) -> bool {
        self.role != MentionRole::Passing
    }

    /// Why it is relevant.
    pub fn reason(&self) -> &'static str {
        match (self.role, self.by) {
            (MentionRole::Subject, MentionedBy::Title | MentionedBy::Resource) => "in its title",
            (MentionRole::Decided, _) => "in its decision",
            _ => self.by.reason(),
        }
    }
}

/// Index of names and paths that identify components.
pub struct ComponentNames<'c> {
    repo: &'c Repo,
    catalog: &'c Catalog,
    by_file: HashMap<FileId, Vec<ComponentIx>>,
    /// Directories of manifests, and those above them that hold one component only.
    by_directory: HashMap<RepoPath, DirectoryOwner>,
    /// Ids, units and charts; none where two have the same.
    by_name: HashMap<&'c str, Option<ComponentIx>>,
    /// Kinds with components, by the names of objects.
    by_object: HashMap<&'c str, Vec<(&'c str, ComponentIx)>>,
    /// By the first word of the title, in lower case: all its words, and the component.
    by_title: HashMap<String, Vec<(Vec<String>, ComponentIx)>>,
    /// Kinds of extensions that one component alone has objects of.
    by_kind: HashMap<&'c str, Option<ComponentIx>>,
    in_title: TitleNames,
    ids: HashMap<String, ComponentIx>,
}

/// Whose a directory is.
#[derive(Clone, Copy)]
enum DirectoryOwner {
    /// Its own manifests are in it.
    Own(ComponentIx),
    /// It holds those of one component, deeper.
    Above(ComponentIx),
    Several,
}

/// A file with objects of more components than this belongs to none of them.
const MOST_OWNERS: usize = 3;

impl<'c> ComponentNames<'c> {
    pub fn from_catalog(
        repo: &'c Repo,
        config: &Config,
        catalog: &'c Catalog,
    ) -> ComponentNames<'c> {
        let mut names = ComponentNames {
            repo,
            catalog,
            by_file: HashMap::default(),
            by_directory: HashMap::default(),
            by_name: HashMap::default(),
            by_object: HashMap::default(),
            by_title: HashMap::default(),
            by_kind: HashMap::default(),
            in_title: TitleNames::from_catalog(catalog, &config.applications),
            ids: HashMap::default(),
        };
        for (index, component) in catalog.components.iter_enumerated() {
            names.ids.insert(component.id.0.to_lowercase(), index);
            names
                .ids
                .entry(component.title.to_lowercase())
                .or_insert(index);
            for resource in &component.resources {
                names.file(resource.place.file, index);
                if is_own_kind(&resource.id.group, &resource.id.kind) {
                    let owner = names
                        .by_kind
                        .entry(resource.id.kind.as_str())
                        .or_insert(Some(index));
                    *owner = owner.filter(|owner| *owner == index);
                }
                let named = names
                    .by_object
                    .entry(resource.id.name.as_str())
                    .or_default();
                if named.len() <= MOST_OWNERS {
                    named.push((resource.id.kind.as_str(), index));
                }
            }
            if component.place.line > 0 {
                names.file(component.place.file, index);
            }
            if let Some(source) = &component.source {
                names.directory(source, index);
            }
            let unit = component.unit.as_ref().map(|unit| unit.name.as_str());
            let chart = component
                .chart
                .as_ref()
                .filter(|chart| names_component(chart));
            let chart = chart.map(|chart| chart.name.as_str());
            for name in [Some(component.id.0.as_str()), unit, chart]
                .into_iter()
                .flatten()
            {
                let known = names.by_name.entry(name).or_insert(Some(index));
                *known = known.filter(|known| *known == index);
            }
            let words: Vec<String> = words(&component.title)
                .map(|(_, word)| word.to_lowercase())
                .collect();
            if let Some(first) = words
                .first()
                .filter(|_| is_telling(&component.title, &words))
            {
                names
                    .by_title
                    .entry(first.clone())
                    .or_default()
                    .push((words, index));
            }
        }
        // The longest title first: `External Secrets Operator` is not `External Secrets`.
        for titles in names.by_title.values_mut() {
            titles.sort_by_key(|(words, index)| (std::cmp::Reverse(words.len()), *index));
        }
        names
    }

    fn file(&mut self, file: FileId, index: ComponentIx) {
        if file == FileId::NONE {
            return;
        }
        let owners = self.by_file.entry(file).or_default();
        if owners.len() <= MOST_OWNERS && owners.last() != Some(&index) {
            owners.push(index);
        }
    }

    fn directory(&mut self, source: &RepoPath, index: ComponentIx) {
        let claim = |known: Option<&DirectoryOwner>, wanted: DirectoryOwner| match (known, wanted) {
            (None, wanted) => wanted,
            (Some(DirectoryOwner::Own(_)), DirectoryOwner::Own(_)) => DirectoryOwner::Several,
            (Some(DirectoryOwner::Own(own)), _) => DirectoryOwner::Own(*own),
            (Some(_), DirectoryOwner::Own(own)) => DirectoryOwner::Own(own),
            (Some(DirectoryOwner::Above(known)), DirectoryOwner::Above(one)) if *known == one => {
                DirectoryOwner::Above(one)
            }
            _ => DirectoryOwner::Several,
        };
        let mut wanted = DirectoryOwner::Own(index);
        let mut here = Some(source.clone());
        while let Some(directory) = here.filter(|directory| !directory.as_str().is_empty()) {
            let owner = claim(self.by_directory.get(&directory), wanted);
            self.by_directory.insert(directory.clone(), owner);
            wanted = DirectoryOwner::Above(index);
            here = directory.parent();
        }
    }

    /// The components that a document names, by position.
    pub fn mentions(&self, file: FileId, blocks: &Blocks) -> Vec<Mention> {
        let mut found = Mentions::default();
        for name in &blocks.front_matter.component {
            if let Some(index) = self.ids.get(&name.trim().to_lowercase()) {
                found.add(*index, 1, MentionedBy::FrontMatter, DocumentPart::Title);
            }
        }
        if let Some(title) = &blocks.front_matter.title {
            self.title(title, 1, &mut found);
        }
        let title = outline::title_position(&blocks.blocks);
        let mut section = SectionRole::from_blocks(blocks);
        for (at, block) in blocks.blocks.iter().enumerate() {
            let mut add = |text: &Text, part: DocumentPart| {
                self.text(file, text, block.line, &mut |component, line, by| {
                    found.add(component, line, by, part)
                });
                if part <= DocumentPart::Decision {
                    self.leading_kinds(text, &mut |component| found.define(component));
                }
            };
            match &block.kind {
                BlockKind::Heading { text, level } if *level == 1 || Some(at) == title => {
                    add(text, DocumentPart::Title);
                    self.title(&text.plain, block.line, &mut found);
                }
                BlockKind::Heading { text, level } => {
                    section.enter(*level, &text.plain);
                    add(text, section.heading());
                }
                BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => {
                    add(text, section.block(&block.kind));
                }
                BlockKind::Row { cells, .. } => {
                    let part = section.block(&block.kind);
                    cells.iter().for_each(|cell| add(cell, part));
                }
                // Code blocks may show files that are yet to be written.
                BlockKind::Code { .. } => {}
            }
        }
        found.into_sorted()
    }

    /// What the title names, also by what people call it.
    fn title(&self, title: &str, line: u32, found: &mut Mentions) {
        for (component, _) in self.in_title.in_title(title) {
            found.add(component, line, MentionedBy::Title, DocumentPart::Title);
        }
    }

    /// Components that own `path`, which may no longer exist.
    pub fn of_path(&self, path: &str) -> Vec<ComponentIx> {
        let written = path.trim_end_matches('/');
        let Some(path) = RepoPath::new(written) else {
            return Vec::new();
        };
        if let Some(owners) = self
            .repo
            .file(&path)
            .and_then(|file| self.by_file.get(&file))
        {
            return if owners.len() <= MOST_OWNERS {
                owners.clone()
            } else {
                Vec::new()
            };
        }
        let mut here = Some(path.clone());
        while let Some(directory) = here.filter(|directory| !directory.as_str().is_empty()) {
            match self.by_directory.get(&directory) {
                Some(DirectoryOwner::Own(index)) => return vec![*index],
                // Above its manifests, only the directory itself is meant.
                Some(DirectoryOwner::Above(index)) if directory == path => return vec![*index],
                Some(_) => return Vec::new(),
                None => here = directory.parent(),
            }
        }
        Vec::new()
    }

    /// The id of the one component that a path belongs to.
    pub fn owner_of(&self, path: &str) -> Option<String> {
        match self.of_path(path).as_slice() {
            [one] => Some(self.catalog.components[*one].id.0.to_string()),
            _ => None,
        }
    }

    fn text(
        &self,
        file: FileId,
        text: &Text,
        first: u32,
        add: &mut dyn FnMut(ComponentIx, u32, MentionedBy),
    ) {
        let breaks: Vec<usize> = text.plain.match_indices('\n').map(|(at, _)| at).collect();
        let line_of = |at: usize| first + breaks.partition_point(|end| *end < at) as u32;
        for (range, target) in &text.links {
            for index in self.of_link(file, target) {
                add(index, line_of(range.start), MentionedBy::Path);
            }
        }
        for range in &text.code {
            let code = text.plain[range.clone()].trim();
            let line = line_of(range.start);
            if code.contains('/') && is_document(code) {
                continue;
            }
            if code.contains('/') && looks_like_path(code.trim_end_matches("${ENVIRONMENT}")) {
                let path = code.trim_start_matches("./");
                // A directory at the root holds more than one thing, even if one component is all of it so far.
                let is_top = !path.trim_end_matches('/').contains('/');
                let owners = self.of_path(path).into_iter();
                for index in owners.filter(|index| !is_top && self.is_telling_path(*index, path)) {
                    add(index, line, MentionedBy::Path);
                }
                continue;
            }
            if let Some(index) = self.object(code, &text.plain) {
                add(index, line, MentionedBy::Resource);
            }
        }
        self.titles(&text.plain, &mut |index, at| {
            add(index, line_of(at), MentionedBy::Title)
        });
        for (at, word) in words(&text.plain) {
            if let Some(Some(index)) = self.by_kind.get(word) {
                add(*index, line_of(at), MentionedBy::Resource);
            }
        }
    }

    /// Whether a path is a file, the directory of the component, or one above it that is called like it.
    fn is_telling_path(&self, component: ComponentIx, path: &str) -> bool {
        let component = &self.catalog.components[component];
        let Some(path) = RepoPath::new(path.trim_end_matches('/')) else {
            return false;
        };
        let is_below = |source: &RepoPath| path == *source || path.is_below(source);
        self.repo.file(&path).is_some()
            || component.source.as_ref().is_none_or(is_below)
            || component.id.0.contains(path.file_name())
    }

    /// Components that alone have objects of the kind that a text begins with: `**ClusterSecretStore:** the one …`.
    fn leading_kinds(&self, text: &Text, add: &mut dyn FnMut(ComponentIx)) {
        let first = words(&text.plain).next();
        let known = first.and_then(|(_, word)| self.by_kind.get(word));
        known.copied().flatten().into_iter().for_each(add);
    }

    /// By a link in the repo, to a file or a directory.
    fn of_link(&self, file: FileId, target: &str) -> Vec<ComponentIx> {
        let target = target.split(['#', '?']).next().unwrap_or_default();
        if target.is_empty() || target.contains(':') || is_document(target) {
            return Vec::new();
        }
        let path = match target.strip_prefix('/') {
            Some(rest) => RepoPath::new(rest),
            None => self
                .repo
                .path(file)
                .parent()
                .and_then(|directory| directory.join(target)),
        };
        path.map(|path| self.of_path(path.as_str()))
            .unwrap_or_default()
    }

    /// By `id`, by the name of its unit or chart, or by `Kind/name`, where the kind may stand in the words around it.
    fn object(&self, code: &str, around: &str) -> Option<ComponentIx> {
        let (kind, name) = match code.split_once('/') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, code),
        };
        if let Some(known) = self.by_name.get(name)
            && kind.is_none()
            && is_telling_name(name)
        {
            return *known;
        }
        let objects = self
            .by_object
            .get(name)
            .filter(|objects| objects.len() <= MOST_OWNERS)?;
        let mut meant = objects.iter().filter(|(known, _)| match kind {
            Some(kind) => kind.eq_ignore_ascii_case(known),
            None => is_telling_kind(known) && around.contains(known),
        });
        let (_, first) = meant.next()?;
        meant.all(|(_, other)| other == first).then_some(*first)
    }

    fn titles(&self, text: &str, add: &mut dyn FnMut(ComponentIx, usize)) {
        if self.by_title.is_empty() {
            return;
        }
        let all: Vec<(usize, &str)> = words(text).collect();
        let mut at = 0;
        while let Some((start, word)) = all.get(at) {
            let lower = word.to_lowercase();
            let titles = self
                .by_title
                .get(&lower)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let is_name =
                |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
            let meant = titles.iter().find(|(wanted, _)| {
                let here = all[at..].iter().map(|(_, word)| *word);
                let is_there = here.clone().take(wanted.len()).count() == wanted.len()
                    && here
                        .zip(wanted)
                        .all(|(word, wanted)| word.to_lowercase() == *wanted);
                // A name is written as one: `home assistant` may be anybody's.
                let mut written = all[at..].iter().take(wanted.len());
                let is_plain = wanted.iter().all(|word| is_plain_word(word));
                is_there && is_name(word) && (!is_plain || written.all(|(_, word)| is_name(word)))
            });
            match meant {
                Some((wanted, index)) => {
                    if !title::is_instead(&all[..at]) {
                        add(*index, *start);
                    }
                    at += wanted.len();
                }
                None => at += 1,
            }
        }
    }
}
