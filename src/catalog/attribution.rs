//! Attributes findings to components: those that the finding's document declares, else those whose objects it
//! contains, else the one whose directory contains the file.

use super::{Catalog, ComponentIx};
use crate::input::repo::{Repo, RepoPath};
use base::hash::{HashMap, HashSet};
use base::{FileId, Finding, Place};

/// A finding that concerns more components than this is attributed to none of them.
const MOST_CONCERNED: usize = 12;

pub fn blame(repo: &Repo, catalog: &Catalog, findings: &mut [Finding]) {
    let is_open =
        |finding: &Finding| finding.component.is_none() && finding.place.file != FileId::NONE;
    let open = findings.iter().filter(|finding| is_open(finding));
    let files: HashSet<FileId> = open.map(|finding| finding.place.file).collect();
    if files.is_empty() {
        return;
    }
    let mut claims = Claims::default();
    let subjects = findings.iter().filter(|finding| is_open(finding));
    let subjects = subjects.filter_map(|one| Some((one.place.file, one.subject()?.to_owned())));
    for subject in subjects {
        claims.by_subject.insert(subject, Vec::new());
    }
    claims.fill(catalog, &files);
    let id = |index: ComponentIx| catalog.components[index].id.0.to_string();
    for finding in findings.iter_mut().filter(|finding| is_open(finding)) {
        match claims.concerned(repo, finding).as_slice() {
            [one] => finding.component = Some(id(*one)),
            several => finding.set_concerned(several.iter().map(|one| id(*one)).collect()),
        }
    }
}

/// Relation of a component to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    /// The document declares the component, alone or with others.
    Declared,
    /// The component applies the object, which may declare another component.
    Object,
}

/// By line and column, then the strongest first, then by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LineClaim {
    line: u32,
    column: u32,
    hold: Hold,
    component: ComponentIx,
}

impl LineClaim {
    fn new(place: Place, hold: Hold, component: ComponentIx) -> LineClaim {
        LineClaim {
            line: place.line,
            column: place.column,
            hold,
            component,
        }
    }
}

/// Components by the files, objects and directories that findings are about.
#[derive(Default)]
struct Claims<'a> {
    by_file: HashMap<FileId, Vec<LineClaim>>,
    /// Objects that findings name.
    by_subject: HashMap<(FileId, String), Vec<ComponentIx>>,
    by_directory: HashMap<&'a RepoPath, Option<ComponentIx>>,
}

impl<'a> Claims<'a> {
    fn fill(&mut self, catalog: &'a Catalog, files: &HashSet<FileId>) {
        let named: HashSet<FileId> = self.by_subject.keys().map(|(file, _)| *file).collect();
        for (index, component) in catalog.components.iter_enumerated() {
            let place = component.place;
            if files.contains(&place.file) {
                let claims = self.by_file.entry(place.file).or_default();
                claims.push(LineClaim::new(place, Hold::Declared, index));
            }
            let unit = component.unit.as_ref();
            if let Some(unit) = unit.filter(|_| named.contains(&place.file)) {
                self.name(place.file, unit.to_string(), index);
            }
            for resource in &component.resources {
                let place = resource.place;
                // What a published chart yields has no document here.
                let template = resource.template.as_ref();
                let has_none = template.is_some_and(|line| line.file != Some(place.file));
                if has_none || !files.contains(&place.file) {
                    continue;
                }
                let claims = self.by_file.entry(place.file).or_default();
                claims.push(LineClaim::new(place, Hold::Object, index));
                if named.contains(&place.file) {
                    self.name(place.file, resource.id.to_string(), index);
                }
            }
            if let Some(source) = &component.source {
                let owner = self.by_directory.entry(source).or_insert(Some(index));
                // A directory with two components is attributed to neither.
                *owner = owner.filter(|owner| *owner == index);
            }
        }
        for claims in self.by_file.values_mut() {
            claims.sort_unstable();
            claims.dedup();
        }
    }

    fn name(&mut self, file: FileId, subject: String, index: ComponentIx) {
        let named = self.by_subject.get_mut(&(file, subject));
        if let Some(named) = named.filter(|named| named.last() != Some(&index)) {
            named.push(index);
        }
    }

    /// The components that a finding concerns; none where these are too many.
    fn concerned(&self, repo: &Repo, finding: &Finding) -> Vec<ComponentIx> {
        let file = finding.place.file;
        let Some(claims) = self.by_file.get(&file) else {
            let nearest = self.nearest(repo.path(file));
            return nearest.into_iter().collect();
        };
        let subject = finding.subject().map(str::to_owned);
        let named = subject.and_then(|subject| self.by_subject.get(&(file, subject)));
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            return match named.len() {
                ..=MOST_CONCERNED => named.clone(),
                _ => Vec::new(),
            };
        }
        // The last claim that begins before the line contains it if that claim is a whole document. The end of a list
        // entry is not known.
        let line = finding.place.line;
        let after = claims.partition_point(|claim| claim.line <= line);
        let last = claims[..after].last();
        let Some(last) = last.filter(|last| last.line == line || last.column == 1) else {
            return few(claims.iter());
        };
        let first = claims.partition_point(|claim| claim.line < last.line);
        let strongest = claims[first..after].iter().map(|claim| claim.hold).min();
        let own = claims[first..after].iter();
        few(own.filter(|claim| Some(claim.hold) == strongest))
    }

    fn nearest(&self, path: &RepoPath) -> Option<ComponentIx> {
        let mut directory = path.parent();
        while let Some(here) = directory {
            if let Some(found) = self.by_directory.get(&here) {
                return *found;
            }
            directory = here.parent();
        }
        None
    }
}

/// Each once and in order, unless they are many.
fn few<'c>(claims: impl Iterator<Item = &'c LineClaim>) -> Vec<ComponentIx> {
    let mut few: Vec<ComponentIx> = Vec::new();
    for claim in claims {
        if let Err(at) = few.binary_search(&claim.component) {
            if few.len() == MOST_CONCERNED {
                return Vec::new();
            }
            few.insert(at, claim.component);
        }
    }
    few
}
