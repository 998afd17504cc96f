//! What a sentence is about: a file, a part of one, or several of which one or all must be as it says.

use super::{Breach, BreachKind, Look, ValidationContext, Verdict, past};
use crate::input::repo::RepoPath;
use base::FileId;
use claims::{AskedFile, Containment, FileFact, SentenceSubject};

/// What the facts of a sentence are looked for in.
pub enum Target {
    Path(String),
    /// A part of a file.
    Part(String, FileId, AskedFile),
    /// One of these files must be so.
    Any(Vec<(String, FileId)>),
    /// All of these files must be so.
    Every(Vec<(String, FileId)>),
}

/// `None` if a sentence is about nothing that is known.
pub fn target(
    subject: &SentenceSubject<'_>,
    context: &ValidationContext<'_>,
) -> Result<Option<Target>, &'static str> {
    let owned = |files: &[(&str, FileId)]| -> Vec<(String, FileId)> {
        let each = files.iter();
        each.map(|(path, file)| ((*path).to_owned(), *file))
            .collect()
    };
    Ok(match subject {
        SentenceSubject::Path(path) => {
            let path = resolve(path, context).ok_or("unclear which file is meant")?;
            Some(Target::Path(path))
        }
        SentenceSubject::Kind(kind) => {
            let is_meant = |file: &AskedFile, _: &str| file.has_kind(kind);
            only(context, &is_meant).map(Target::Path)
        }
        SentenceSubject::Named { name, kind } => {
            let is_meant = |file: &AskedFile, _: &str| file.has_object(kind, name);
            only(context, &is_meant).map(Target::Path)
        }
        SentenceSubject::Module(name) => {
            let middle = format!("modules/{name}/");
            let mut own = context.artifacts.iter();
            let found = own.find_map(|(path, _)| {
                let end = path.find(&middle)? + middle.len();
                RepoPath::new(path[..end].trim_end_matches('/'))
            });
            let files = found.map(|directory| {
                let below = context.repo.below(&directory);
                let below = below.map(|file| (context.repo.path(file).to_string(), file));
                below.filter(|(path, _)| path.ends_with(".tf")).collect()
            });
            files.map(Target::Any)
        }
        SentenceSubject::Section(name) => {
            let mut parts = context.artifacts.iter().filter_map(|(path, file)| {
                let part = context.contents.content(*file)?.part(name)?;
                Some(Target::Part((*path).to_owned(), *file, part))
            });
            match (parts.next(), parts.next()) {
                (Some(part), None) => Some(part),
                _ => None,
            }
        }
        SentenceSubject::Same => context.same.clone().map(Target::Path),
        SentenceSubject::Every(noun) => {
            let meant = context.artifacts.iter();
            let meant: Vec<_> = meant
                .filter(|(path, _)| {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    name.to_lowercase().contains(noun.as_str())
                })
                .copied()
                .collect();
            (!meant.is_empty()).then(|| Target::Every(owned(&meant)))
        }
        SentenceSubject::Artifacts => {
            (context.record.is_some()).then(|| Target::Any(owned(&context.artifacts)))
        }
        SentenceSubject::None => None,
    })
}

/// The path in the repo that is meant. A bare name is that of an artifact, where one has it.
fn resolve(written: &str, context: &ValidationContext<'_>) -> Option<String> {
    let bare = written.trim_start_matches("./");
    if bare.trim_end_matches('/').contains('/') {
        return Some(bare.to_owned());
    }
    let is_name = |path: &str| path.rsplit('/').next() == Some(bare);
    let mut named = context.paths.iter().filter(|path| is_name(path));
    match (named.next(), named.next()) {
        (Some(path), None) => Some((*path).to_owned()),
        (Some(_), Some(_)) => None,
        (None, _) => {
            // At the root of the repo, or anywhere.
            let path = RepoPath::new(bare)?;
            let is_there = context.repo.file(&path).is_some() || context.repo.is_dir(&path);
            is_there.then(|| bare.to_owned())
        }
    }
}

/// The one artifact that is meant. A later spec may have moved what it is about.
fn only(
    context: &ValidationContext<'_>,
    is_meant: &dyn Fn(&AskedFile, &str) -> bool,
) -> Option<String> {
    let among = |files: &[(&str, FileId)]| {
        let meant = files.iter().filter(|(path, file)| {
            let content = context.contents.content(*file);
            content.is_some_and(|content| is_meant(&content, path))
        });
        let mut meant: Vec<String> = meant.map(|(path, _)| (*path).to_owned()).collect();
        meant.sort();
        meant.dedup();
        meant
    };
    let mut own = among(&context.artifacts);
    if own.is_empty() {
        own = among(&context.later);
    }
    match own.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

impl Target {
    pub fn check(&self, fact: &FileFact, context: &ValidationContext<'_>) -> Verdict {
        if let Some(verdict) = past::check(fact, self.path(), context) {
            return verdict;
        }
        match self {
            Target::Path(path) => Look { context, path }.at(fact),
            Target::Part(path, file, part) => {
                let look = Look { context, path };
                look.verdict(*file, fact, part.answer(fact))
            }
            Target::Any(files) => {
                let mut verdicts = files.iter().map(|(path, file)| {
                    let look = Look { context, path };
                    (path, *file, look.answer(*file, fact))
                });
                let mut other = None;
                let mut is_unsure = false;
                let found = verdicts.any(|(path, file, answer)| {
                    match answer {
                        Containment::At(_) => return true,
                        Containment::Other(_) | Containment::Comment(_) => {
                            let look = Look { context, path };
                            other.get_or_insert(look.verdict(file, fact, answer));
                        }
                        Containment::Perhaps => is_unsure = true,
                        Containment::Nowhere => {}
                    }
                    false
                });
                match (found, other, is_unsure) {
                    (true, ..) => Verdict::Holds,
                    (false, Some(broken), _) => broken,
                    (false, None, true) => Verdict::Unsure,
                    (false, None, false) if matches!(fact, FileFact::Disabled(_)) => {
                        Verdict::Unsure
                    }
                    (false, None, false) => none_has(files, fact),
                }
            }
            Target::Every(files) => {
                for (path, file) in files {
                    let look = Look { context, path };
                    match look.verdict(*file, fact, look.answer(*file, fact)) {
                        Verdict::Holds => {}
                        other => return other,
                    }
                }
                Verdict::Holds
            }
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Target::Path(path) | Target::Part(path, ..) => Some(path),
            Target::Any(_) | Target::Every(_) => None,
        }
    }
}

/// None of several files says what one of them should.
fn none_has(files: &[(String, FileId)], fact: &FileFact) -> Verdict {
    let Some((first, _)) = files.first() else {
        return Verdict::Unsure;
    };
    Verdict::Broken(Breach {
        why: format!(
            "none of its files {}",
            missing_words(fact).unwrap_or_else(|| "says so".to_owned())
        ),
        place: None,
        path: first.clone(),
        kind: BreachKind::Other,
    })
}

/// What a file does that is as a fact says, such as "contains `x`".
pub fn missing_words(fact: &FileFact) -> Option<String> {
    Some(match fact {
        FileFact::Has(text) => format!("contains `{text}`"),
        FileFact::Output(name) => format!("has the output `{name}`"),
        FileFact::Sections(_) => "has all of these sections".to_owned(),
        FileFact::Title(start) => format!("has a title that begins with `{start}`"),
        FileFact::OfKind(kind) => format!("has an object of kind {kind}"),
        FileFact::Json => "holds valid JSON".to_owned(),
        FileFact::Ports(port, target) => format!("maps port {port} to {target}"),
        FileFact::Tolerates(taint) => format!("tolerates the taint `{taint}`"),
        FileFact::Unscheduled => "leaves scheduling to the cluster".to_owned(),
        FileFact::Disabled(name) => format!("disables `{name}`"),
        FileFact::Entry { name, entry } => format!("sets `{entry}` for `{name}`"),
        FileFact::Instances { module, count } => format!(
            "has {} of `{module}`",
            base::text::counted(*count, "module")
        ),
        FileFact::VersionRange => "sets a version range".to_owned(),
        FileFact::Probes { path, .. } => format!("has both probes on `{path}`"),
        FileFact::Limits => "sets resource limits".to_owned(),
        _ => return None,
    })
}
