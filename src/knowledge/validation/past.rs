//! Facts about the work itself, which the commit that added the record decides: what was committed together, and what
//! was left alone.

use super::{Breach, BreachKind, ValidationContext, Verdict};
use crate::input::repo::PathCommit;
use claims::FileFact;

/// Most files that a message names.
const MOST_NAMED: usize = 3;

/// `None` for facts about files as they are now.
pub fn check(
    fact: &FileFact,
    path: Option<&str>,
    context: &ValidationContext<'_>,
) -> Option<Verdict> {
    let is_past = matches!(
        fact,
        FileFact::Together
            | FileFact::NoneModified { .. }
            | FileFact::NoneAdded(_)
            | FileFact::Unchanged
    );
    if !is_past {
        return None;
    }
    Some(past(fact, path, context).unwrap_or(Verdict::Unsure))
}

fn past(fact: &FileFact, path: Option<&str>, context: &ValidationContext<'_>) -> Option<Verdict> {
    let (record, _) = context.record?;
    let provenance = context.provenance?;
    let commit = provenance.added(record)?;
    let elsewhere: Vec<&str> = context
        .paths
        .iter()
        .copied()
        .filter(|path| !path.contains(['*', '<', '{']) && !path.ends_with('/'))
        .filter(|path| !provenance.is_in(path, commit))
        .collect();
    if let FileFact::Together = fact {
        return Some(match elsewhere.first() {
            None => Verdict::Holds,
            Some(first) => apart(first, record, commit, context),
        });
    }
    let files = commit.files.as_ref()?;
    let broken = |paths: &[&str]| {
        let what = named(paths);
        let why = format!("commit {} changed {what}", commit.short());
        Verdict::Broken(past_breach(why, paths[0]))
    };
    let changed: Vec<&str> = match fact {
        FileFact::NoneModified { endings, others } => files
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| {
                let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                let is_own = *others && context.paths.contains(path);
                endings.contains(&ending) && !is_own
            })
            .collect(),
        FileFact::NoneAdded(kind) => files
            .iter()
            .filter(|file| file.is_added)
            .map(|file| file.path.as_str())
            .filter(|path| {
                let file = base::RepoPath::new(path).and_then(|path| context.repo.file(&path));
                let content = file.and_then(|file| context.contents.content(file));
                content.is_some_and(|content| content.declares_kind(kind))
            })
            .collect(),
        FileFact::Unchanged => {
            let path = path?;
            let is_in = files.iter().any(|file| file.path == path);
            path_if(is_in, path)
        }
        _ => return None,
    };
    if !changed.is_empty() {
        return Some(broken(&changed));
    }
    // Work in several commits may have changed it in another.
    elsewhere.is_empty().then_some(Verdict::Holds)
}

fn named(paths: &[&str]) -> String {
    let first: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| format!("`{path}`"))
        .collect();
    match paths.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn path_if(is_in: bool, path: &str) -> Vec<&str> {
    if is_in { vec![path] } else { Vec::new() }
}

/// A file and the record are in different commits.
fn apart(
    path: &str,
    record: &str,
    commit: &PathCommit,
    context: &ValidationContext<'_>,
) -> Verdict {
    let provenance = context.provenance;
    let other = provenance.and_then(|provenance| provenance.added(path));
    let Some(other) = other.filter(|other| other.commit != commit.commit) else {
        return Verdict::Unsure;
    };
    let why = format!(
        "`{path}` was committed in {}, the record in {}",
        other.short(),
        commit.short()
    );
    Verdict::Broken(past_breach(why, record))
}

fn past_breach(why: String, path: &str) -> Breach {
    Breach {
        why,
        place: None,
        path: path.to_owned(),
        kind: BreachKind::Past,
    }
}
