//! Facts that one file can decide.

use yaml::{Node, Value};

use super::{AskedFile, Containment, KeySearch, covers, entries};
use crate::FileFact;

impl AskedFile {
    /// Whether the file is as a fact says; `Perhaps` for facts that a single file does not decide.
    pub fn answer(&self, fact: &FileFact) -> Containment {
        match fact {
            FileFact::Has(wanted) => self.find(wanted),
            FileFact::Output(name) => self.block(&format!("output \"{name}\"")),
            FileFact::Sections(names) => self.sections(names),
            FileFact::Title(start) => self.title(start),
            FileFact::OfKind(kind) => self.of_kind(kind),
            FileFact::Json => self.json(),
            FileFact::Ports(port, target) => self.ports(port, target),
            FileFact::Tolerates(taint) => self.tolerates(taint),
            FileFact::Unscheduled => self.unscheduled(),
            FileFact::Disabled(name) => self.disabled(name),
            FileFact::Entry { name, entry } => self.entry(name, entry),
            FileFact::Instances { module, count } => self.instances(module, *count),
            FileFact::VersionRange => self.version_range(),
            FileFact::Probes { path, port } => self.probes(path, port),
            FileFact::Limits => self.keys_at(&["resources", "limits"]),
            _ => Containment::Perhaps,
        }
    }

    /// The part of the values that is called like this, with the lines that it has in the file.
    pub fn part(&self, name: &str) -> Option<AskedFile> {
        let mut found: Vec<(&Node, u32)> = Vec::new();
        self.walk(&mut |key, key_line, node| {
            if node.as_map().is_some() && is_called(key, name) {
                found.push((node, key_line));
            }
        });
        let [(node, line)] = found.as_slice() else {
            return None;
        };
        let lines: Vec<&str> = self.text.lines().collect();
        let first = (*line as usize).checked_sub(1)?;
        let indent = |text: &str| text.len() - text.trim_start().len();
        let own = indent(lines.get(first)?);
        let below = lines[first + 1..]
            .iter()
            .take_while(|text| text.trim().is_empty() || indent(text) > own);
        let mut text = "\n".repeat(first + 1);
        for line in below {
            text += line;
            text.push('\n');
        }
        let document = yaml::Document {
            root: (*node).clone(),
            comments: Vec::new(),
        };
        Some(AskedFile {
            text,
            documents: vec![document],
            is_terraform: false,
            declares: None,
        })
    }

    /// Whether every document of `wanted` is in this file, with at least the same content; where not, the first key that
    /// differs.
    pub fn covers(&self, wanted: &str) -> Option<Result<(), String>> {
        let wanted = yaml::parse(wanted, base::FileId::NONE);
        if !wanted.findings.is_empty() || wanted.documents.is_empty() {
            return None;
        }
        for document in &wanted.documents {
            let is_here = |own: &yaml::Document| covers(&own.root, &document.root);
            if !self.documents.iter().any(is_here) {
                let nearest = self.documents.iter().min_by_key(|own| {
                    usize::from(own.root.text_at(&["kind"]) != document.root.text_at(&["kind"]))
                })?;
                let key = first_difference(&nearest.root, &document.root);
                return Some(Err(key.unwrap_or_default()));
            }
        }
        Some(Ok(()))
    }

    /// The first key of another file that this one does not have. Names of maps differ from file to file, as do values.
    pub fn lacks_key_of(&self, other: &AskedFile) -> Option<Option<String>> {
        let (own, other) = (self.documents.first()?, other.documents.first()?);
        if own.root.text_at(&["kind"])? != other.root.text_at(&["kind"])? {
            return Some(Some("kind".to_owned()));
        }
        let spec = other.root.get("spec")?;
        let empty = Node::map(own.root.place);
        let own = own.root.get("spec").unwrap_or(&empty);
        Some(missing_key(own, spec).map(|key| format!("spec.{key}")))
    }

    /// Relative links, with their lines: all of them, or those of the section with this title.
    pub fn links(&self, section: &str) -> Option<Vec<(String, u32)>> {
        let mut links = Vec::new();
        let mut level = 0;
        let mut has_section = section.is_empty();
        let mut is_inside = section.is_empty();
        for (number, line) in self.text.lines().enumerate() {
            if let Some((depth, title)) = heading(line) {
                if !section.is_empty() && title == section {
                    (is_inside, has_section, level) = (true, true, depth);
                } else if !section.is_empty() && depth <= level {
                    is_inside = false;
                }
            }
            if !is_inside {
                continue;
            }
            let targets = line.split("](").skip(1);
            for target in targets.filter_map(|rest| rest.split([')', ' ', '#']).next()) {
                let is_relative = !target.is_empty() && !target.contains(':');
                if is_relative {
                    links.push((target.to_owned(), number as u32 + 1));
                }
            }
        }
        has_section.then_some(links)
    }

    fn sections(&self, names: &[String]) -> Containment {
        let headings: Vec<String> = self
            .text
            .lines()
            .filter_map(heading)
            .map(|(_, title)| title)
            .collect();
        if names.iter().all(|name| headings.contains(name)) {
            Containment::At(1)
        } else {
            Containment::Nowhere
        }
    }

    fn title(&self, start: &str) -> Containment {
        let mut lines = self.text.lines().enumerate();
        let title = lines.find_map(|(number, line)| {
            let title = line
                .strip_prefix("title:")
                .or_else(|| line.strip_prefix("# "))?;
            Some((number as u32 + 1, title.trim().trim_matches(['"', '\''])))
        });
        match title {
            Some((line, title)) if title.starts_with(start) => Containment::At(line),
            Some((line, _)) => Containment::Other(line),
            None => Containment::Nowhere,
        }
    }

    fn of_kind(&self, kind: &str) -> Containment {
        let mut documents = self.documents.iter();
        let found = documents.find(|one| one.root.text_at(&["kind"]) == Some(kind));
        found.map_or(Containment::Nowhere, |one| {
            Containment::At(one.root.place.line)
        })
    }

    /// JSON in the entries of a ConfigMap whose names end with `.json`, or in the file itself.
    fn json(&self) -> Containment {
        let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let mut found = Containment::Nowhere;
        let mut broken = None;
        self.walk(&mut |key, line, node| {
            if let Value::Scalar(scalar) = &node.value
                && key.ends_with(".json")
            {
                if is_json(&scalar.text) {
                    found = Containment::At(line);
                } else {
                    broken.get_or_insert(line);
                }
            }
        });
        match broken {
            Some(line) => Containment::Other(line),
            None if found == Containment::Nowhere && is_json(&self.text) => Containment::At(1),
            None => found,
        }
    }

    fn ports(&self, port: &str, target: &str) -> Containment {
        let mut found = Containment::Nowhere;
        self.walk(&mut |key, line, node| {
            if key != "ports" {
                return;
            }
            let is_meant = |entry: &Node| {
                let to = entry.text_at(&["targetPort"]).or(entry.text_at(&["port"]));
                entry.text_at(&["port"]) == Some(port) && to == Some(target)
            };
            if node.items().iter().any(is_meant) {
                found = Containment::At(line);
            } else if found == Containment::Nowhere {
                found = Containment::Other(line);
            }
        });
        found
    }

    fn tolerates(&self, taint: &str) -> Containment {
        let mut found = Containment::Nowhere;
        self.walk(&mut |key, line, node| {
            if key != "tolerations" {
                return;
            }
            let is_meant = |one: &Node| {
                let is_any =
                    one.text_at(&["key"]).is_none() && one.text_at(&["operator"]) == Some("Exists");
                let names = [one.text_at(&["key"]), one.text_at(&["value"])];
                is_any || names.contains(&Some(taint))
            };
            if node.items().iter().any(is_meant) {
                found = Containment::At(line);
            } else if found == Containment::Nowhere {
                found = Containment::Other(line);
            }
        });
        found
    }

    fn unscheduled(&self) -> Containment {
        let mut found = Containment::At(1);
        self.walk(&mut |key, line, node| {
            let is_empty = node.items().is_empty() && node.entries().is_empty();
            if matches!(
                key,
                "nodeSelector" | "tolerations" | "affinity" | "nodeName"
            ) && !is_empty
            {
                found = Containment::Other(line);
            }
        });
        found
    }

    /// `name: {enabled: false}`, `nameEnabled: false`, `name_enabled = false`.
    fn disabled(&self, name: &str) -> Containment {
        let mut found = Containment::Nowhere;
        let mut add = |line: u32, is_off: Option<bool>| match is_off {
            Some(true) if found == Containment::Nowhere => found = Containment::At(line),
            Some(false) => found = Containment::Other(line),
            _ => {}
        };
        self.walk(&mut |key, line, node| {
            if is_called(key, name) {
                let value = node
                    .get("enabled")
                    .or_else(|| node.as_scalar().map(|_| node));
                let is_off = value.and_then(Node::as_bool).map(|is_on| !is_on);
                add(value.map_or(line, |value| value.place.line), is_off);
            }
            if is_called(key, &format!("{name}_enabled")) {
                add(line, node.as_bool().map(|is_on| !is_on));
            }
        });
        if self.documents.is_empty() {
            for (number, line) in self.text.lines().enumerate() {
                let Some((key, value)) = line.split_once('=') else {
                    continue;
                };
                if is_called(key.trim(), &format!("{name}_enabled")) {
                    let is_off = match value.trim() {
                        "false" => Some(true),
                        "true" => Some(false),
                        _ => None,
                    };
                    add(number as u32 + 1, is_off);
                }
            }
        }
        found
    }

    /// An item with this `name`, or a map under it, that has an entry.
    fn entry(&self, name: &str, entry: &str) -> Containment {
        let wanted = entries(entry);
        let mut found = Containment::Nowhere;
        if wanted.is_empty() {
            return Containment::Perhaps;
        }
        let mut look = |node: &Node| {
            let has = |(keys, value): &(Vec<String>, Node)| {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                node.at(&keys).is_some_and(|own| covers(own, value))
            };
            if wanted.iter().all(has) {
                found = Containment::At(node.place.line);
            } else if found == Containment::Nowhere {
                found = Containment::Other(node.place.line);
            }
        };
        self.walk(&mut |key, _, node| {
            if node.as_map().is_some() && is_called(key, name) {
                look(node);
            }
            for item in node.items() {
                if item
                    .text_at(&["name"])
                    .is_some_and(|own| own.eq_ignore_ascii_case(name))
                {
                    look(item);
                }
            }
        });
        found
    }

    /// Terraform modules whose source ends with a name.
    fn instances(&self, module: &str, count: usize) -> Containment {
        let mut lines = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            let is_source = line.split_once('=').is_some_and(|(key, value)| {
                let source = value.trim().trim_matches('"').trim_end_matches('/');
                key.trim() == "source" && source.rsplit('/').next() == Some(module)
            });
            if is_source {
                lines.push(number as u32 + 1);
            }
        }
        match lines.first() {
            Some(line) if lines.len() == count => Containment::At(*line),
            Some(line) => Containment::Other(*line),
            None => Containment::Nowhere,
        }
    }

    /// The version of a chart as a range: `>=6.0.0 <7.0.0`, `1.x`, `^2`.
    fn version_range(&self) -> Containment {
        let mut found = Containment::Nowhere;
        self.walk(&mut |key, line, node| {
            let Some(version) = node.text().filter(|_| key == "version") else {
                return;
            };
            let is_part = |part: &str| {
                let bare = part.trim_start_matches(['>', '<', '=', '^', '~', '!']);
                let mut numbers = bare.split('.');
                !bare.is_empty()
                    && numbers.all(|number| {
                        matches!(number, "x" | "X" | "*")
                            || number.starts_with(|c: char| c.is_ascii_digit())
                    })
            };
            let mut parts = version
                .split([' ', ','])
                .filter(|part| !part.is_empty() && *part != "||");
            let is_range = version.contains(['>', '<', '^', '~', '*', 'x', 'X']);
            found = if is_range && parts.all(is_part) {
                Containment::At(line)
            } else {
                Containment::Other(line)
            };
        });
        found
    }

    fn probes(&self, path: &str, port: &str) -> Containment {
        let mut good = 0;
        let mut other = None;
        self.walk(&mut |key, line, node| {
            if matches!(key, "livenessProbe" | "readinessProbe") {
                let is_meant = node.text_at(&["httpGet", "path"]) == Some(path)
                    && node.text_at(&["httpGet", "port"]) == Some(port);
                if is_meant {
                    good += 1;
                } else {
                    other = Some(line);
                }
            }
        });
        match (good, other) {
            (_, Some(line)) => Containment::Other(line),
            (2.., None) => Containment::At(1),
            _ => Containment::Nowhere,
        }
    }

    fn keys_at(&self, keys: &[&str]) -> Containment {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let mut search = KeySearch::new(&keys, None);
        self.documents
            .iter()
            .for_each(|document| search.walk(&document.root));
        search.at.map_or(Containment::Nowhere, Containment::At)
    }

    /// A block of Terraform with this beginning.
    pub(super) fn block(&self, head: &str) -> Containment {
        let is_block = |line: &str| {
            let start = line.split('{').next().unwrap_or_default();
            let words: Vec<&str> = start.split_whitespace().collect();
            words.join(" ") == head
        };
        let mut lines = self.text.lines();
        let at = lines.position(is_block);
        at.map_or(Containment::Nowhere, |at| Containment::At(at as u32 + 1))
    }

    /// Every entry of every mapping: its key, the line of the key, its value.
    fn walk<'n>(&'n self, see: &mut dyn FnMut(&'n str, u32, &'n Node)) {
        for document in &self.documents {
            walk(&document.root, see);
        }
    }
}

fn walk<'n>(node: &'n Node, see: &mut dyn FnMut(&'n str, u32, &'n Node)) {
    match &node.value {
        Value::Map(map) => {
            for entry in &map.0 {
                see(&entry.key, entry.key_place.line, &entry.value);
                walk(&entry.value, see);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| walk(item, see)),
        Value::Scalar(_) => {}
    }
}

/// Whether a key is what people call by a name: `prometheus-node-exporter` is the node-exporter, `vmsingle` VMSingle.
fn is_called(key: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let is_longer = || {
        let (key, name) = (key.to_lowercase(), name.to_lowercase());
        name.contains('-')
            && key
                .strip_suffix(&name)
                .is_some_and(|rest| rest.ends_with('-'))
    };
    plain(key) == plain(name) || is_longer()
}

/// Depth and title of a Markdown heading, in lower case.
fn heading(line: &str) -> Option<(usize, String)> {
    let depth = line.len() - line.trim_start_matches('#').len();
    let title = line.get(depth..)?.strip_prefix(' ')?;
    ((1..=6).contains(&depth)).then(|| {
        (
            depth,
            title.trim().trim_end_matches('#').trim().to_lowercase(),
        )
    })
}

/// The first key of `wanted` that `own` does not cover.
fn first_difference(own: &Node, wanted: &Node) -> Option<String> {
    let Value::Map(map) = &wanted.value else {
        return None;
    };
    let differing = map.0.iter().find(|entry| {
        own.get(&entry.key)
            .is_none_or(|own| !covers(own, &entry.value))
    })?;
    let below = own
        .get(&differing.key)
        .and_then(|own| first_difference(own, &differing.value));
    Some(match below {
        Some(below) => format!("{}.{below}", differing.key),
        None => differing.key.to_string(),
    })
}

fn missing_key(own: &Node, wanted: &Node) -> Option<String> {
    wanted.entries().iter().find_map(|entry| {
        let Some(value) = own.get(&entry.key) else {
            return Some(entry.key.to_string());
        };
        missing_key(value, &entry.value).map(|below| format!("{}.{below}", entry.key))
    })
}
