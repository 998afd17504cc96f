//! Placeholders in files that people or scaffolding tools fill in before they are used: `<CLUSTER_NAME>`, `APP_NAME`,
//! and the templates of cookiecutter, copier and others. Looks at text and trees, and at nothing else.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::Facts;
use crate::facts::Placeholder;
use crate::input::repo::{Repo, RepoPath};
use base::hash::{HashMap, HashSet};
use base::{FileId, Place};
use yaml::{Document, Node, Value};

/// Fields below `spec` that say where an object gets its files from or applies them to.
const LOCATIONS: [&str; 6] = [
    "path",
    "repoURL",
    "server",
    "targetRevision",
    "name",
    "namespace",
];
/// How deep such fields are looked for.
const MAX_DEPTH: usize = 5;

/// The first placeholder of a file: one in an identity, else any.
pub fn first(
    path: &RepoPath,
    file: FileId,
    text: &str,
    documents: &[Document],
) -> Option<Placeholder> {
    let found = |text: &str, place: Place| Placeholder {
        text: text.into(),
        place,
        is_identity: true,
    };
    if let Some(name) = path.as_str().split('/').find(|name| is_action(name)) {
        return Some(found(name, Place::start_of(file)));
    }
    let identity = documents.iter().find_map(|document| {
        let root = &document.root;
        root.text_at(&["apiVersion"])?;
        let kind = root.text_at(&["kind"])?;
        let names = [["metadata", "name"], ["metadata", "namespace"]];
        let name = names.iter().find_map(|keys| {
            let node = root.at(keys)?;
            let name = node.text()?;
            // Names of roles may be in capitals.
            let is_word =
                is_capitals(name) && !kind.ends_with("Role") && !kind.ends_with("RoleBinding");
            let is_one = is_word || is_action(name) || bracketed(name).is_some();
            is_one.then(|| found(name, node.place))
        });
        name.or_else(|| {
            let is_unit = matches!(kind, "Application" | "Kustomization" | "HelmRelease");
            let (value, place) = location(root.get("spec").filter(|_| is_unit)?, 0)?;
            Some(found(value, place))
        })
    });
    identity.or_else(|| {
        let mut lines = (1u32..).zip(text.lines());
        lines.find_map(|(line, content)| {
            let code = content.trim_start();
            let text = bracketed(content).filter(|_| !code.starts_with('#'))?;
            let place = Place {
                line,
                ..Place::start_of(file)
            };
            Some(Placeholder {
                is_identity: false,
                ..found(text, place)
            })
        })
    })
}

/// A location below a node that is a placeholder, or has one.
fn location(node: &Node, depth: usize) -> Option<(&str, Place)> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &node.value {
        Value::Scalar(_) => None,
        Value::Seq(items) => items.iter().find_map(|item| location(item, depth + 1)),
        Value::Map(map) => map.0.iter().find_map(|entry| {
            let text = entry.value.text();
            let text = text.filter(|_| LOCATIONS.contains(&entry.key.as_str()));
            // An address with a part to fill in is that of whoever copies the repo.
            let is_one = |text: &&str| match entry.key.as_str() {
                "repoURL" => bracketed(text) == Some(text),
                _ => bracketed(text).is_some(),
            };
            match text.filter(is_one) {
                Some(text) => Some((text, entry.value.place)),
                None => location(&entry.value, depth + 1),
            }
        }),
    }
}

/// Whether a text has an action of Go, Jinja or the like.
fn is_action(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// The first `<PLACEHOLDER>` in a text.
fn bracketed(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(at, _)| {
        let inside = &text[at + 1..];
        let name = &inside[..inside.find('>')?];
        let is_name = name.len() > 2
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name
                .bytes()
                .all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
        is_name.then(|| &text[at..at + name.len() + 2])
    })
}

/// Whether a text is words in capitals, such as `APP_NAME`. No object can have such a name.
fn is_capitals(text: &str) -> bool {
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

/// Files that are templates, and directories of which most files are.
#[derive(Debug, Default)]
pub struct Templates {
    files: HashSet<FileId>,
    directories: HashSet<RepoPath>,
}

impl Templates {
    pub fn find(facts: &Facts<'_>) -> Templates {
        let identities = facts.all().filter(|(_, found)| {
            let placeholder = found.placeholder.as_ref();
            placeholder.is_some_and(|placeholder| placeholder.is_identity)
        });
        let files: HashSet<FileId> = identities.map(|(file, _)| file).collect();
        if files.is_empty() {
            return Templates::default();
        }
        // Files below each directory: those with objects, and those with placeholders.
        let mut counts: HashMap<RepoPath, (usize, usize)> = HashMap::default();
        for (file, found) in facts.all() {
            let has_placeholder = found.placeholder.is_some();
            if found.resources.is_empty() && !has_placeholder {
                continue;
            }
            for directory in above(facts.repo, file) {
                let (all, with) = counts.entry(directory).or_default();
                *all += 1;
                *with += usize::from(has_placeholder);
            }
        }
        let is_template = |directory: &RepoPath| {
            let (all, with) = counts.get(directory).copied().unwrap_or_default();
            with * 2 >= all
        };
        let directories = files
            .iter()
            .flat_map(|file| above(facts.repo, *file))
            .filter(is_template)
            .collect();
        Templates { files, directories }
    }

    /// Whether a file is a template, or in a directory of them.
    pub fn contains(&self, repo: &Repo, file: FileId) -> bool {
        self.files.contains(&file)
            || !self.directories.is_empty()
                && above(repo, file).any(|directory| self.directories.contains(&directory))
    }

    /// Whether a directory is one of templates.
    pub fn is_below(&self, directory: &RepoPath) -> bool {
        let mut here = Some(directory.clone());
        while let Some(at) = here {
            if self.directories.contains(&at) {
                return true;
            }
            here = at.parent();
        }
        false
    }
}

/// The directories above a file, without the root of the repo: a repo as a whole is no template.
fn above(repo: &Repo, file: FileId) -> impl Iterator<Item = RepoPath> {
    let parent = repo.path(file).parent();
    std::iter::successors(parent, RepoPath::parent)
        .filter(|directory| !directory.as_str().is_empty())
}

/// The first placeholder of each file that is a template.
pub fn templates<'a>(
    files: impl Iterator<Item = (FileId, &'a crate::facts::FileFacts)>,
) -> BTreeMap<FileId, (Place, SmolStr)> {
    let found = files.filter_map(|(file, facts)| {
        let placeholder = facts.placeholder.as_ref()?;
        placeholder
            .is_identity
            .then(|| (file, (placeholder.place, placeholder.text.clone())))
    });
    found.collect()
}

/// Larger files are not looked at for names.
const MAX_BYTES: usize = 256 * 1024;
/// Files that are looked at for names, in order of their paths.
const MAX_FILES: usize = 4_000;

/// Kinds and names of objects that scripts create: in manifests that they fill in (`sync.yaml.tmpl`), and in their own text.
pub fn created_by_scripts(repo: &Repo) -> BTreeSet<(SmolStr, SmolStr)> {
    let is_one = |file: &FileId| {
        let name = repo.path(*file).file_name();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        match ending {
            "sh" | "bash" => true,
            "templ" | "tmpl" | "tpl" | "template" | "gotmpl" | "j2" | "jinja" | "jinja2" | "in" => {
                stem.ends_with(".yaml") || stem.ends_with(".yml")
            }
            _ => false,
        }
    };
    let mut names = BTreeSet::new();
    for file in repo.files().filter(is_one).take(MAX_FILES) {
        let Ok(text) = repo.read_text(file) else {
            continue;
        };
        if text.len() <= MAX_BYTES && text.contains("kind:") {
            names.extend(names_in(&text));
        }
    }
    names
}

/// The kinds and names of objects in a text that need not be YAML as a whole.
fn names_in(text: &str) -> impl Iterator<Item = (SmolStr, SmolStr)> {
    let mut kind = SmolStr::default();
    let mut below_metadata = false;
    text.lines().filter_map(move |line| {
        let (key, value) = line.trim().split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            // References below `spec` have a kind, too.
            "kind" if !line.starts_with(' ') => kind = value.into(),
            "metadata" => below_metadata = value.is_empty(),
            "spec" => below_metadata = false,
            "name" if below_metadata && !value.is_empty() => {
                below_metadata = false;
                return Some((kind.clone(), value.into()));
            }
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(path: &str, text: &str) -> Option<bool> {
        let parsed = yaml::parse(text, FileId(0));
        let path = RepoPath::new(path).unwrap();
        let found = first(&path, FileId(0), text, &parsed.documents)?;
        Some(found.is_identity)
    }

    #[test]
    fn a_placeholder_in_a_name_or_a_path_makes_a_template() {
        let head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\n";
        let with = |rest: &str| identity("a.yaml", &format!("{head}{rest}"));
        assert_eq!(with("metadata: {name: APP_NAME}\n"), Some(true));
        assert_eq!(with("metadata: {name: \"{{ app }}\"}\n"), Some(true));
        assert_eq!(
            with("spec: {source: {path: a/<CLUSTER_NAME>}}\n"),
            Some(true)
        );
        assert_eq!(
            with("spec: {source: {repoURL: <GITOPS_REPO_URL>}}\n"),
            Some(true)
        );
        assert_eq!(identity("{{cookiecutter.app}}/a.yaml", head), Some(true));
    }

    #[test]
    fn other_placeholders_do_not() {
        let head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n";
        let with = |rest: &str| identity("a.yaml", &format!("{head}{rest}"));
        assert_eq!(
            with("spec: {values: \"host: <DOMAIN_NAME>\"}\n"),
            Some(false)
        );
        assert_eq!(with("# a <COMMENT>\n"), None);
        let url = "https://git.example.com/<ORG>/<REPO>";
        assert_eq!(
            with(&format!("spec: {{source: {{repoURL: \"{url}\"}}}}\n")),
            Some(false)
        );
        assert_eq!(with("spec: {path: \"${CLUSTER_NAME}\"}\n"), None);
        assert_eq!(with("spec: {text: \"List<String>\"}\n"), None);
        let role = "apiVersion: v1\nkind: ClusterRole\nmetadata: {name: AWS_ADMIN}\n";
        assert_eq!(identity("a.yaml", role), None);
    }
}
