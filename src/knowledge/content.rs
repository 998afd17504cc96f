//! File contents: whether a text, a key or a `key: value` is present, and on which line. Never reports other content,
//! since that may be a secret.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::input::repo::Repo;
use base::FileId;
use base::hash::HashMap;
use yaml::{Document, Node, Value};

use super::plan::looks_like_path;

/// Files that validation steps ask about, each read once. Once the limit is reached, the remaining steps get no answer;
/// earlier ones keep theirs.
pub struct AskedFiles<'r> {
    repo: &'r Repo,
    read: RefCell<HashMap<FileId, Option<Rc<AskedFile>>>>,
    /// Bytes that may yet be looked through.
    left: Cell<usize>,
}

/// A larger file is not looked into.
const MAX_BYTES: usize = 1024 * 1024;
/// More than this is not looked through in one reading of a repo.
const MAX_WORK: usize = 64 * 1024 * 1024;

impl<'r> AskedFiles<'r> {
    pub fn new(repo: &'r Repo) -> AskedFiles<'r> {
        AskedFiles {
            repo,
            read: RefCell::new(HashMap::default()),
            left: Cell::new(MAX_WORK),
        }
    }

    /// `None` for files that are not text or too large, or if the limit is reached.
    pub fn content(&self, file: FileId) -> Option<Rc<AskedFile>> {
        let mut read = self.read.borrow_mut();
        let content = read
            .entry(file)
            .or_insert_with(|| AskedFile::read(self.repo, file).map(Rc::new));
        let content = content.clone()?;
        self.left
            .set(self.left.get().checked_sub(content.text.len())?);
        Some(content)
    }
}

/// A file that is asked about.
pub struct AskedFile {
    text: String,
    /// Its documents, where it is YAML without mistakes.
    documents: Vec<Document>,
}

/// Whether something is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// In this line.
    At(u32),
    /// Its key is, with another value, in this line.
    Other(u32),
    /// Something like it is: in a comment, as a part of a longer word, in other letters.
    Perhaps,
    Nowhere,
}

impl AskedFile {
    fn read(repo: &Repo, file: FileId) -> Option<AskedFile> {
        let text = repo.read_text(file).ok();
        let text = text.filter(|text| text.len() <= MAX_BYTES)?;
        let extension = repo.path(file).extension();
        let is_yaml =
            extension.is_some_and(|extension| matches!(extension, "yaml" | "yml" | "json"));
        let documents = if is_yaml {
            yaml::parse(&text, file).documents
        } else {
            Vec::new()
        };
        Some(AskedFile { text, documents })
    }

    /// Whether one of its documents is of this kind.
    pub fn has_kind(&self, kind: &str) -> bool {
        let mut documents = self.documents.iter();
        documents.any(|document| document.root.text_at(&["kind"]) == Some(kind))
    }

    /// Looks for a text as it is written between backticks.
    pub fn find(&self, wanted: &str) -> Containment {
        let wanted = wanted.trim();
        let entries = if self.documents.is_empty() {
            Vec::new()
        } else {
            entries(wanted)
        };
        if !entries.is_empty() {
            return match self.find_entries(&entries) {
                // The text may be embedded in the document, for example as JSON.
                Containment::Nowhere | Containment::Other(_) if self.has_line(wanted) => {
                    Containment::At(self.line(wanted))
                }
                found => found,
            };
        }
        let written = self.find_text(wanted);
        let keys: Vec<&str> = wanted.split('.').collect();
        let is_path =
            keys.len() > 1 && keys.iter().all(|key| is_key(key)) && !looks_like_path(wanted);
        match written {
            Containment::Nowhere | Containment::Perhaps if is_path => self.find_path(&keys),
            found => found,
        }
    }

    fn find_entries(&self, entries: &[(Vec<String>, Node)]) -> Containment {
        let mut found = Containment::Nowhere;
        for (keys, value) in entries {
            let mut search = KeySearch::new(keys, Some(value));
            self.documents
                .iter()
                .for_each(|document| search.walk(&document.root));
            match (search.at, search.other) {
                (Some(line), _) => found = Containment::At(line),
                (None, Some(line)) => return Containment::Other(line),
                (None, None) => return Containment::Nowhere,
            }
        }
        found
    }

    /// A path of keys, whatever is at its end. That it is not there says little: there are other ways to write it.
    fn find_path(&self, keys: &[&str]) -> Containment {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let mut search = KeySearch::new(&keys, None);
        self.documents
            .iter()
            .for_each(|document| search.walk(&document.root));
        search.at.map_or(Containment::Perhaps, Containment::At)
    }

    fn find_text(&self, wanted: &str) -> Containment {
        if wanted.is_empty() {
            return Containment::Perhaps;
        }
        let mut perhaps = false;
        for (number, line) in self.text.lines().enumerate() {
            let code = without_comment(line);
            if has_word(code, wanted) {
                return Containment::At(number as u32 + 1);
            }
            perhaps |= line.contains(wanted);
        }
        if perhaps {
            return Containment::Perhaps;
        }
        let squeezed = |text: &str| -> String {
            let letters = text
                .chars()
                .filter(|c| !c.is_whitespace() && !"\"'".contains(*c));
            letters.flat_map(char::to_lowercase).collect()
        };
        if squeezed(&self.text).contains(&squeezed(wanted)) {
            Containment::Perhaps
        } else {
            Containment::Nowhere
        }
    }

    fn has_line(&self, wanted: &str) -> bool {
        self.text
            .lines()
            .any(|line| has_word(without_comment(line), wanted))
    }

    fn line(&self, wanted: &str) -> u32 {
        let mut lines = self.text.lines();
        let at = lines.position(|line| has_word(without_comment(line), wanted));
        at.map_or(1, |at| at as u32 + 1)
    }
}

/// `a.b: value` and `{a: 1, b: 2}` as key paths with values; empty if `wanted` is not a mapping.
fn entries(wanted: &str) -> Vec<(Vec<String>, Node)> {
    if !wanted.contains(": ") {
        return Vec::new();
    }
    let parsed = yaml::parse(wanted, FileId::NONE);
    if !parsed.findings.is_empty() {
        return Vec::new();
    }
    let [document] = parsed.documents.as_slice() else {
        return Vec::new();
    };
    let Some(map) = document.root.as_map() else {
        return Vec::new();
    };
    let keys = |key: &str| -> Vec<String> {
        let parts: Vec<&str> = key.split('.').collect();
        if parts.iter().all(|part| is_key(part)) {
            parts.into_iter().map(str::to_owned).collect()
        } else {
            vec![key.to_owned()]
        }
    };
    let entries = map.0.iter();
    entries
        .filter(|entry| {
            !entry
                .value
                .as_scalar()
                .is_some_and(|scalar| scalar.is_null())
        })
        .map(|entry| (keys(&entry.key), entry.value.clone()))
        .collect()
}

fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Looks for a chain of keys anywhere in a tree.
struct KeySearch<'s> {
    keys: Vec<&'s str>,
    /// The same as one key: a label may have dots in its own name.
    whole: String,
    /// The value required at the end of the chain.
    value: Option<&'s Node>,
    at: Option<u32>,
    other: Option<u32>,
}

impl<'s> KeySearch<'s> {
    fn new(keys: &'s [String], value: Option<&'s Node>) -> KeySearch<'s> {
        KeySearch {
            keys: keys.iter().map(String::as_str).collect(),
            whole: keys.join("."),
            value,
            at: None,
            other: None,
        }
    }

    fn walk(&mut self, node: &Node) {
        if self.at.is_some() {
            return;
        }
        let found = node.at(&self.keys).or_else(|| node.get(&self.whole));
        if let Some(found) = found {
            match self.value {
                Some(wanted) if !covers(found, wanted) => {
                    self.other.get_or_insert(found.place.line);
                }
                _ => self.at = Some(found.place.line),
            }
        }
        match &node.value {
            Value::Map(map) => map.0.iter().for_each(|entry| self.walk(&entry.value)),
            Value::Seq(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Scalar(_) => {}
        }
    }
}

/// Whether `node` contains at least the content of `wanted`.
fn covers(node: &Node, wanted: &Node) -> bool {
    match (&node.value, &wanted.value) {
        (Value::Scalar(node), Value::Scalar(wanted)) => node.text == wanted.text,
        (Value::Map(_), Value::Map(wanted)) => {
            let mut entries = wanted.0.iter();
            entries.all(|entry| {
                node.get(&entry.key)
                    .is_some_and(|node| covers(node, &entry.value))
            })
        }
        (Value::Seq(nodes), Value::Seq(wanted)) => {
            let mut wanted = wanted.iter();
            wanted.all(|wanted| nodes.iter().any(|node| covers(node, wanted)))
        }
        _ => false,
    }
}

/// A line without what most languages take for a comment.
fn without_comment(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with('#') || trimmed.starts_with("//") {
        return "";
    }
    line.split_once(" #").map_or(line, |(code, _)| code)
}

/// Whether `line` contains `wanted` as a whole word, not as part of a longer name.
fn has_word(line: &str, wanted: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    line.match_indices(wanted).any(|(start, _)| {
        let end = start + wanted.len();
        let before = line[..start].chars().next_back();
        let mut after = line[end..].chars();
        let next = after.next();
        let goes_on = is_part(next) || next == Some('.') && is_part(after.next());
        let begins = wanted.starts_with(char::is_alphanumeric);
        let ends = wanted.ends_with(char::is_alphanumeric);
        let is_longer = begins && is_part(before) || ends && goes_on;
        !is_longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> AskedFile {
        AskedFile {
            text: text.to_owned(),
            documents: yaml::parse(text, FileId(0)).documents,
        }
    }

    #[test]
    fn a_key_and_its_value_are_found_in_any_style() {
        let file = content(
            "kind: Kustomization\nspec:\n  dependsOn:\n    - name: external-secrets\n      namespace: flux\n  path: ./k8s\n  retention: \"31d\"\n  sidecar:\n    dashboards: {enabled: true}\n",
        );
        assert_eq!(
            file.find("dependsOn: [{name: external-secrets}]"),
            Containment::At(4)
        );
        assert_eq!(file.find("path: ./k8s"), Containment::At(6));
        assert_eq!(file.find("retention: 31d"), Containment::At(7));
        assert_eq!(
            file.find("sidecar.dashboards.enabled: true"),
            Containment::At(9)
        );
        assert_eq!(
            file.find("sidecar.dashboards.enabled: false"),
            Containment::Other(9)
        );
        assert_eq!(file.find("spec.sidecar"), Containment::At(9));
        assert_eq!(file.find("spec.nothing"), Containment::Perhaps);
        assert_eq!(file.find("prune: true"), Containment::Nowhere);
    }

    #[test]
    fn a_text_is_found_as_a_whole_word_and_outside_comments() {
        let file =
            content("resources:\n  - my-umami-sync.yaml\n  # - off.yaml\n  - deep/on.yaml\n");
        assert_eq!(file.find("on.yaml"), Containment::At(4));
        assert_eq!(file.find("umami-sync.yaml"), Containment::Perhaps);
        assert_eq!(file.find("off.yaml"), Containment::Perhaps);
        assert_eq!(file.find("none.yaml"), Containment::Nowhere);
    }

    #[test]
    fn json_inside_a_document_is_text() {
        let file = content("data:\n  a.json: |\n    {\n      \"uid\": \"flux-cd\"\n    }\n");
        assert_eq!(file.find("\"uid\": \"flux-cd\""), Containment::At(4));
    }
}
