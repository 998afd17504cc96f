//! File contents: whether a text, a key or a `key: value` is present, and on which line. Never reports other content,
//! since that may be a secret.

use base::FileId;
use yaml::{Document, Node, Value};

use crate::looks_like_path;

mod ask;

/// A file that is asked about.
pub struct AskedFile {
    text: String,
    /// Its documents, where it is YAML without mistakes.
    documents: Vec<Document>,
    is_terraform: bool,
    /// The blocks that a file of its name is made of: outputs or variables.
    declares: Option<&'static str>,
}

/// Whether something is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// In this line.
    At(u32),
    /// Its key is, with another value, in this line.
    Other(u32),
    /// Only as an entry that is commented out, in this line.
    Comment(u32),
    /// Something like it is: as a part of a longer word, in other letters, in the words of a comment.
    Perhaps,
    Nowhere,
}

impl AskedFile {
    /// A file by its path and its text.
    pub fn new(path: &str, text: String) -> AskedFile {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let documents = if matches!(ending, "yaml" | "yml" | "json") {
            yaml::parse(&text, FileId::NONE).documents
        } else {
            Vec::new()
        };
        AskedFile {
            text,
            documents,
            is_terraform: ending == "tf",
            declares: match path.rsplit('/').next() {
                Some("outputs.tf") => Some("output"),
                Some("variables.tf") => Some("variable"),
                _ => None,
            },
        }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether one of its documents is of this kind.
    pub fn has_kind(&self, kind: &str) -> bool {
        let mut documents = self.documents.iter();
        documents.any(|document| document.root.text_at(&["kind"]) == Some(kind))
    }

    /// The kind of its first document.
    pub fn first_kind(&self) -> Option<&str> {
        self.documents.first()?.root.text_at(&["kind"])
    }

    /// Whether one of its documents is an object of this kind with this name.
    pub fn has_object(&self, kind: &str, name: &str) -> bool {
        let mut documents = self.documents.iter();
        documents.any(|document| {
            let root = &document.root;
            root.text_at(&["kind"]) == Some(kind)
                && root
                    .text_at(&["metadata", "name"])
                    .is_some_and(|own| own.eq_ignore_ascii_case(name))
        })
    }

    /// Whether one of its documents is an object of this kind that a cluster gets.
    pub fn declares_kind(&self, kind: &str) -> bool {
        let mut documents = self.documents.iter();
        documents.any(|document| {
            let root = &document.root;
            let is_build = root
                .text_at(&["apiVersion"])
                .is_some_and(|version| version.starts_with("kustomize.config"));
            root.text_at(&["kind"]) == Some(kind) && !is_build
        })
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
        if let Some(found) = self.find_shape(wanted) {
            return found;
        }
        let written = self.find_text(wanted);
        let keys: Vec<&str> = wanted.split('.').collect();
        let is_path =
            keys.len() > 1 && keys.iter().all(|key| is_key(key)) && !looks_like_path(wanted);
        match written {
            Containment::Nowhere if is_path && !self.documents.is_empty() => self.find_path(&keys),
            Containment::Perhaps | Containment::Comment(_) if is_path => {
                match self.find_path(&keys) {
                    Containment::Nowhere => written,
                    found => found,
                }
            }
            found => found,
        }
    }

    /// Code that is written in another way in files: `KEY=value` of an environment, `PREFIX_*`, a Terraform address.
    fn find_shape(&self, wanted: &str) -> Option<Containment> {
        if let Some((name, value)) = wanted
            .split_once('=')
            .filter(|_| !self.documents.is_empty())
        {
            let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) || self.has_line(wanted) {
                return None;
            }
            let mut found = Containment::Nowhere;
            let mut see = |node: &Node| {
                if node.text_at(&["name"]) == Some(name) {
                    let line = node.place.line;
                    found = if node.text_at(&["value"]) == Some(value) {
                        Containment::At(line)
                    } else {
                        Containment::Other(line)
                    };
                }
                if let Some(own) = node.get(name) {
                    found = if own.text() == Some(value) {
                        Containment::At(own.place.line)
                    } else {
                        Containment::Other(own.place.line)
                    };
                }
            };
            let documents = self.documents.iter();
            documents.for_each(|document| each_node(&document.root, &mut see));
            return Some(found);
        }
        if let Some(start) = wanted.strip_suffix('*')
            && start.len() > 2
            && start.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            let mut lines = self.text.lines();
            let at = lines.position(|line| without_comment(line).contains(start));
            return Some(at.map_or(Containment::Nowhere, |at| Containment::At(at as u32 + 1)));
        }
        if self.is_terraform {
            self.find_address(wanted)
        } else {
            None
        }
    }

    /// The address of a Terraform block. Whether something is used by its address is open if only its block is here.
    fn find_address(&self, wanted: &str) -> Option<Containment> {
        let parts: Vec<&str> = wanted.split('.').collect();
        if !parts.iter().all(|part| is_key(part)) {
            return None;
        }
        // A word in a file of outputs is the name of one, unless it is a key or a text in its blocks.
        if let ([name], Some(kind)) = (parts.as_slice(), self.declares) {
            let head = format!("{kind} \"{name}\"");
            let quoted = format!("\"{name}\"");
            let is_other = self.text.lines().any(|line| {
                let rest = line.trim_start().strip_prefix(name);
                let is_key_here = rest.is_some_and(|rest| rest.trim_start().starts_with('='));
                is_key_here || line.contains(&quoted) && !line.contains(&head)
            });
            return (!is_other).then(|| self.block(&head));
        }
        let head = match parts.as_slice() {
            ["module", name, ..] => format!("module \"{name}\""),
            ["var", name, ..] => format!("variable \"{name}\""),
            ["local", ..] => "locals".to_owned(),
            ["data", kind, name, ..] => format!("data \"{kind}\" \"{name}\""),
            [kind, name] if kind.contains('_') => {
                return Some(self.block(&format!("resource \"{kind}\" \"{name}\"")));
            }
            [kind, name, ..] if kind.contains('_') => format!("resource \"{kind}\" \"{name}\""),
            _ => return None,
        };
        let is_declared = matches!(self.block(&head), Containment::At(_));
        match self.find_text(wanted) {
            Containment::Nowhere | Containment::Comment(_) if is_declared => {
                Some(Containment::Perhaps)
            }
            found => Some(found),
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

    /// A path of keys, whatever is at its end.
    fn find_path(&self, keys: &[&str]) -> Containment {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let mut search = KeySearch::new(&keys, None);
        self.documents
            .iter()
            .for_each(|document| search.walk(&document.root));
        search.at.map_or(Containment::Nowhere, Containment::At)
    }

    fn find_text(&self, wanted: &str) -> Containment {
        if wanted.is_empty() {
            return Containment::Perhaps;
        }
        let mut perhaps = false;
        let mut comment = None;
        let squeezed_wanted = squeezed(wanted);
        for (number, line) in self.text.lines().enumerate() {
            let number = number as u32 + 1;
            let code = without_comment(line);
            if has_word(code, wanted) {
                return Containment::At(number);
            }
            if is_commented_out(line, wanted) {
                comment.get_or_insert(number);
            } else if has_word(line, wanted) {
                perhaps = true;
            } else {
                perhaps |= line.contains(wanted) && !looks_like_path(wanted);
            }
        }
        // Alignment and quotes make no difference.
        let mut lines = self.text.lines();
        let is_like = |line: &str| has_word(&squeezed(without_comment(line)), &squeezed_wanted);
        if wanted.contains([' ', '"'])
            && let Some(at) = lines.position(is_like)
        {
            return Containment::At(at as u32 + 1);
        }
        if let Some(line) = comment.filter(|_| !perhaps) {
            return Containment::Comment(line);
        }
        let in_small = squeezed(&self.text).to_lowercase();
        if perhaps || !looks_like_path(wanted) && in_small.contains(&squeezed_wanted.to_lowercase())
        {
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

/// A text without spaces and quotes.
fn squeezed(text: &str) -> String {
    let letters = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"\"'".contains(*c));
    letters.collect()
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
        let found = at_keys(node, &self.keys).or_else(|| node.get(&self.whole));
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

/// A path of keys, through the items of lists.
fn at_keys<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    let Some((first, rest)) = keys.split_first() else {
        return Some(node);
    };
    let next = node.get(first)?;
    at_keys(next, rest).or_else(|| next.items().iter().find_map(|item| at_keys(item, rest)))
}

fn each_node(node: &Node, see: &mut dyn FnMut(&Node)) {
    see(node);
    match &node.value {
        Value::Map(map) => map.0.iter().for_each(|entry| each_node(&entry.value, see)),
        Value::Seq(items) => items.iter().for_each(|item| each_node(item, see)),
        Value::Scalar(_) => {}
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

/// Whether a line is a comment that holds this and nothing else, such as an entry of a list that was disabled.
fn is_commented_out(line: &str, wanted: &str) -> bool {
    let trimmed = line.trim_start();
    let comment = trimmed
        .strip_prefix('#')
        .or_else(|| trimmed.strip_prefix("//"));
    comment.is_some_and(|comment| {
        let entry = comment.trim_start_matches(['#', '/']).trim();
        let entry = entry.strip_prefix("- ").unwrap_or(entry).trim();
        entry.trim_matches(['"', '\'', ',']) == wanted
    })
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
mod tests;
