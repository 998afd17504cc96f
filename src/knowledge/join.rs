//! Connects decisions and specs: what specs say of decisions and of each other, which of them repair earlier ones, and
//! which components are named too often to be anybody's subject.

use std::collections::{BTreeMap, BTreeSet};

use super::spec::kit;
use super::{ArtifactClaim, Knowledge, MentionRole, dead, reference};
use crate::catalog::ComponentIx;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use markdown::Blocks;
use reference::Number;

/// A component that fewer decisions name is no hub.
const LEAST_OF_HUB: usize = 4;

impl Knowledge {
    /// What most decisions name, such as the tool that deploys everything, is the subject of those that say so in their
    /// title, and named in passing by the others.
    pub(super) fn demote_hubs(&mut self) {
        let mut counts: BTreeMap<ComponentIx, usize> = BTreeMap::new();
        for mention in self.decisions.iter().flat_map(|one| &one.mentions) {
            *counts.entry(mention.component).or_default() += 1;
        }
        let most = LEAST_OF_HUB.max(self.decisions.len() / 3);
        for decision in &mut self.decisions {
            for mention in &mut decision.mentions {
                if mention.role == MentionRole::Decided && counts[&mention.component] > most {
                    mention.role = MentionRole::Passing;
                }
            }
        }
    }

    /// Joins the other files of a spec to it: its tasks, its design, and what it changes in living specs.
    pub(super) fn join_parts(
        &mut self,
        repo: &Repo,
        parts: &[(RepoPath, FileId)],
        blocks: &BTreeMap<FileId, Blocks>,
    ) {
        let mut related: Vec<(usize, usize)> = Vec::new();
        for (of, file) in parts {
            let whole = repo.file(of);
            let at = self.specs.iter().position(|spec| Some(spec.file) == whole);
            let Some((at, blocks)) = at.zip(blocks.get(file)) else {
                continue;
            };
            let path = repo.path(*file);
            let living = living_spec(path).and_then(|path| repo.file(&path));
            let living =
                living.and_then(|file| self.specs.iter().position(|spec| spec.file == file));
            related.extend(living.map(|living| (at, living)));
            let spec = &mut self.specs[at];
            spec.parts.push(*file);
            let counts = kit::counts(blocks);
            if path.file_name() == "spec.md" {
                spec.counts.add(counts);
            } else {
                spec.counts.questions += counts.questions;
            }
            if path.file_name() == "tasks.md" {
                spec.task_list = kit::tasks(blocks);
                spec.tasks = kit::progress(&spec.task_list);
                let is_root = |name: &str| {
                    let path = RepoPath::new(name);
                    path.is_some_and(|path| repo.file(&path).is_some() || repo.is_dir(&path))
                };
                spec.artifacts = kit::artifacts(&spec.task_list, &is_root);
            }
        }
        for (change, living) in related {
            for (from, to) in [(change, living), (living, change)] {
                let known = &mut self.specs[from].related;
                if !known.contains(&to) {
                    known.push(to);
                }
            }
        }
    }

    /// Follows what specs say of decisions and of each other.
    pub(super) fn join_specs(&mut self, blocks: &BTreeMap<FileId, Blocks>) {
        let mut joined = Vec::new();
        let mut by_number: BTreeMap<&Number, usize> = BTreeMap::new();
        for (at, one) in self.decisions.iter().enumerate() {
            if let Some(number) = &one.number {
                by_number.entry(number).or_insert(at);
            }
        }
        for spec in &self.specs {
            let Some(blocks) = blocks.get(&spec.file) else {
                joined.push((Vec::new(), Vec::new()));
                continue;
            };
            let mut decisions: BTreeMap<usize, u32> = BTreeMap::new();
            for (first, text) in dead::texts(blocks) {
                for named in reference::decisions_in(&text.plain) {
                    if let Some(&to) = by_number.get(&named.number)
                        && !decisions.contains_key(&to)
                    {
                        let line = dead::line(first, text, named.range.start);
                        decisions.insert(to, line);
                    }
                }
            }
            let before = spec.prerequisites.iter();
            let before = before.flat_map(|statement| reference::specs_in(&statement.text));
            let mut after: Vec<usize> = before
                .filter_map(|named| {
                    let mut all = self.specs.iter();
                    all.position(|other| {
                        other.form == spec.form && other.number.as_ref() == Some(&named.number)
                    })
                })
                .collect();
            after.sort_unstable();
            after.dedup();
            joined.push((decisions.into_iter().collect(), after));
        }
        for (spec, (decisions, after)) in self.specs.iter_mut().zip(joined) {
            spec.decisions = decisions;
            spec.after = after;
        }
        self.join_fixes(blocks);
    }

    /// A fix names an earlier spec and changes a file that it made: by the same number with a letter, or by deleting it.
    fn join_fixes(&mut self, blocks: &BTreeMap<FileId, Blocks>) {
        let mut fixes: Vec<Vec<usize>> = vec![Vec::new(); self.specs.len()];
        for (at, spec) in self.specs.iter().enumerate() {
            let (Some(blocks), Some(record)) = (blocks.get(&spec.file), spec.record) else {
                continue;
            };
            let changed = &self.records[record].artifacts;
            let texts = dead::texts(blocks);
            let named: BTreeSet<&Number> = texts
                .flat_map(|(_, text)| reference::specs_in(&text.plain))
                .filter_map(|named| {
                    let mut specs = self.specs.iter();
                    let other = specs.find(|other| other.number.as_ref() == Some(&named.number))?;
                    other.number.as_ref()
                })
                .collect();
            for (earlier, other) in self.specs.iter().enumerate() {
                let (Some(number), Some(other_record)) = (&other.number, other.record) else {
                    continue;
                };
                if earlier == at || other.form != spec.form || !named.contains(number) {
                    continue;
                }
                let own = &self.records[other_record].artifacts;
                let is_own = |path: &str| own.iter().any(|artifact| artifact.path == path);
                let has_letter = spec
                    .number
                    .as_ref()
                    .is_some_and(|own| own.is_part_of(number));
                let repairs = changed.iter().any(|artifact| {
                    let is_fix = artifact.claim == ArtifactClaim::Deleted || has_letter;
                    is_fix && is_own(&artifact.path)
                });
                if repairs && number < spec.number.as_ref().unwrap_or(number) {
                    fixes[at].push(earlier);
                }
            }
        }
        for (spec, fixes) in self.specs.iter_mut().zip(fixes) {
            spec.fixes = fixes;
        }
    }
}

/// The living spec that a part of a change is about: `openspec/changes/archive/add-a-cache/specs/queue/spec.md` changes
/// `openspec/specs/queue/spec.md`.
fn living_spec(path: &RepoPath) -> Option<RepoPath> {
    let (before, rest) = path.as_str().split_once("openspec/changes/")?;
    let (_, capability) = rest.split_once("/specs/")?;
    RepoPath::new(&format!("{before}openspec/specs/{capability}"))
}
