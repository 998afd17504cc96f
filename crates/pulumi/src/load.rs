//! The files of a program: resolves imports and caches syntax trees. Reads files of the repo, each once for all stacks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::parse::parse;
use super::project::DataFiles;
use super::syntax::Module;
use super::value::Package;
use base::hash::HashMap;
use base::{FileId, Files, Finding, RepoPath};
use yaml::Node;

/// Maximum number of files in a program.
const MAX_FILES: usize = 2_000;
/// Prefix of a path that is relative to the root of the repo.
pub const ROOT: &str = "\u{0}";
/// Extensions of a file that is imported without one.
pub const ENDINGS: &[&str] = &["ts", "tsx", "mts", "cts", "js", "mjs", "cjs"];

/// The target of an import.
pub enum Resolved {
    File(FileId),
    /// An installed package.
    Package(Package),
    /// A data file.
    Data(FileId),
    /// A file of another kind.
    Unread(SmolStr),
    Missing(SmolStr),
}

/// Resolves imports and keeps the trees of files.
pub struct Loader<'p> {
    pub files: &'p dyn Files,
    pub data: &'p dyn DataFiles,
    parsed: HashMap<FileId, Option<Arc<Module>>>,
    /// Packages in this repo by name, once they were needed.
    workspace: Option<BTreeMap<SmolStr, RepoPath>>,
    /// Path aliases of `tsconfig.json`, by directory.
    aliases: HashMap<RepoPath, Vec<(String, RepoPath)>>,
    pub findings: Vec<Finding>,
    /// The source files of the program, and those it reads.
    pub used: BTreeSet<FileId>,
}

impl<'p> Loader<'p> {
    pub fn new(files: &'p dyn Files, data: &'p dyn DataFiles) -> Loader<'p> {
        Loader {
            files,
            data,
            parsed: HashMap::default(),
            workspace: None,
            aliases: HashMap::default(),
            findings: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    /// The tree of a file; `None` if it cannot be parsed, which was reported.
    pub fn module(&mut self, file: FileId) -> Option<Arc<Module>> {
        if let Some(known) = self.parsed.get(&file) {
            return known.clone();
        }
        if self.parsed.len() >= MAX_FILES {
            return None;
        }
        self.used.insert(file);
        let path = self.files.path(file);
        let module = match self.files.read_text(file) {
            Ok(text) => parse(&text, file, path.file_name()),
            Err(finding) => Err(finding),
        };
        let module = match module {
            Ok(module) => Some(Arc::new(module)),
            Err(finding) => {
                self.findings.push(finding);
                None
            }
        };
        self.parsed.insert(file, module.clone());
        module
    }

    /// The directory of a file, as `__dirname`.
    pub fn directory(&self, file: Option<FileId>) -> SmolStr {
        let parent = file
            .and_then(|file| self.files.path(file).parent())
            .unwrap_or_else(RepoPath::root);
        smol_str::format_smolstr!("{ROOT}{parent}")
    }

    /// The path in the repo that a text denotes.
    pub fn repo_path(&self, text: &str, base: &RepoPath) -> Option<RepoPath> {
        match text.strip_prefix(ROOT) {
            Some(rest) => RepoPath::new(rest.trim_start_matches('/')),
            None if text.starts_with('/') => None,
            None => base.join(text),
        }
    }

    pub fn resolve(&mut self, from: &str, importer: Option<FileId>) -> Resolved {
        let directory = importer
            .and_then(|file| self.files.path(file).parent())
            .unwrap_or_else(RepoPath::root);
        if from.starts_with('.') {
            let target = directory.join(from);
            if let Some(file) = target.as_ref().and_then(|target| self.file_of(target)) {
                return Resolved::File(file);
            }
            return match target.and_then(|target| self.files.file(&target)) {
                Some(file) if self.files.path(file).extension() == Some("json") => {
                    Resolved::Data(file)
                }
                Some(_) => Resolved::Unread(from.into()),
                None => Resolved::Missing(from.into()),
            };
        }
        if let Some(file) = self
            .by_alias(from, &directory)
            .or_else(|| self.by_name(from))
        {
            return Resolved::File(file);
        }
        Resolved::Package(package(from))
    }

    /// The file at the path of an import, with a missing extension or `index` added.
    fn file_of(&self, target: &RepoPath) -> Option<FileId> {
        let files = self.files;
        let is_code = |file: &FileId| {
            let extension = files.path(*file).extension();
            extension.is_some_and(|extension| ENDINGS.contains(&extension))
        };
        if let Some(file) = files.file(target).filter(is_code) {
            return Some(file);
        }
        let text = target.as_str();
        // The name of the compiled file denotes its source.
        let compiled = [
            (".js", ".ts"),
            (".mjs", ".mts"),
            (".cjs", ".cts"),
            (".jsx", ".tsx"),
        ];
        let written = compiled
            .iter()
            .filter_map(|(from, to)| Some(format!("{}{to}", text.strip_suffix(from)?)));
        let with_ending = ENDINGS.iter().map(|ending| format!("{text}.{ending}"));
        let inside = ENDINGS.iter().map(|ending| {
            if text.is_empty() {
                format!("index.{ending}")
            } else {
                format!("{text}/index.{ending}")
            }
        });
        let mut all = written.chain(with_ending).chain(inside);
        all.find_map(|path| files.file(&RepoPath::new(&path)?))
    }

    /// The entry file of a directory.
    pub fn entry_of(&self, directory: &RepoPath, main: Option<&str>) -> Option<FileId> {
        let stated = main.and_then(|main| {
            let target = directory.join(main)?;
            self.file_of(&target).or_else(|| {
                // If `main` names compiled code, the source is mostly in `src`.
                let (first, rest) = main.trim_start_matches("./").split_once('/')?;
                let is_built = matches!(first, "dist" | "lib" | "build" | "bin" | "out");
                let target = directory.join(&format!("src/{rest}"))?;
                let flat = directory.join(rest)?;
                is_built
                    .then(|| self.file_of(&target).or_else(|| self.file_of(&flat)))
                    .flatten()
            })
        });
        stated
            .or_else(|| self.file_of(directory))
            .or_else(|| self.file_of(&directory.join("src")?))
    }

    /// The `main` of a directory's `package.json`.
    pub fn package_main(&self, directory: &RepoPath) -> Option<String> {
        let file = self.files.file_in(directory, "package.json")?;
        let main = self.data.document(file)?.text_at(&["main"])?;
        Some(main.to_owned())
    }

    fn by_name(&mut self, from: &str) -> Option<FileId> {
        if self.workspace.is_none() {
            self.workspace = Some(workspace(self.files, self.data));
        }
        let workspace = self.workspace.as_ref()?;
        let mut name = from;
        loop {
            if let Some(directory) = workspace.get(name) {
                let rest = from[name.len()..].trim_start_matches('/');
                if rest.is_empty() {
                    let main = self.package_main(directory);
                    return self.entry_of(directory, main.as_deref());
                }
                let target = directory.join(rest);
                let inside = directory.join(&format!("src/{rest}"));
                let mut both = target.into_iter().chain(inside);
                return both.find_map(|target| self.file_of(&target));
            }
            name = name.rsplit_once('/')?.0;
        }
    }

    fn by_alias(&mut self, from: &str, directory: &RepoPath) -> Option<FileId> {
        let mut here = Some(directory.clone());
        for _ in 0..16 {
            let at = here?;
            if !self.aliases.contains_key(&at) {
                let found = aliases(self.files, &at);
                self.aliases.insert(at.clone(), found);
            }
            let targets: Vec<RepoPath> = self.aliases[&at]
                .iter()
                .filter_map(|(pattern, target)| match pattern.strip_suffix('*') {
                    Some(start) => target.join(from.strip_prefix(start)?),
                    None => (pattern == from).then(|| target.clone()),
                })
                .collect();
            if let Some(file) = targets.iter().find_map(|target| self.file_of(target)) {
                return Some(file);
            }
            here = at.parent();
        }
        None
    }
}

/// An installed package and a path in it: `@pulumi/kubernetes/helm/v3` is two parts below `@pulumi/kubernetes`.
fn package(from: &str) -> Package {
    let from = from.strip_prefix("node:").unwrap_or(from);
    let count = if from.starts_with('@') { 2 } else { 1 };
    let mut parts = from.split('/');
    let module: Vec<&str> = parts.by_ref().take(count).collect();
    let path = parts.filter(|part| !matches!(*part, "index" | "index.js"));
    Package {
        module: module.join("/").into(),
        path: path.map(SmolStr::from).collect(),
    }
}

/// The packages in the repo, by their names in `package.json`.
fn workspace(files: &dyn Files, data: &dyn DataFiles) -> BTreeMap<SmolStr, RepoPath> {
    let all = files.below(&RepoPath::root()).into_iter();
    let packages = all.filter(|file| {
        let path = files.path(*file);
        path.file_name() == "package.json" && !path.as_str().contains("node_modules/")
    });
    let named = packages.take(MAX_FILES).filter_map(|file| {
        let name = data.document(file)?.text_at(&["name"])?;
        Some((name.into(), files.path(file).parent()?))
    });
    named.collect()
}

/// The path aliases in the `tsconfig.json` of a directory.
fn aliases(files: &dyn Files, directory: &RepoPath) -> Vec<(String, RepoPath)> {
    let file = files.file_in(directory, "tsconfig.json");
    let Some(text) = file.and_then(|file| files.read_text(file).ok()) else {
        return Vec::new();
    };
    let parsed = yaml::parse(&without_comments(&text), FileId::NONE);
    let Some(options) = parsed
        .documents
        .first()
        .and_then(|it| it.root.get("compilerOptions"))
    else {
        return Vec::new();
    };
    let base = options.text_at(&["baseUrl"]).unwrap_or(".");
    let Some(base) = directory.join(base) else {
        return Vec::new();
    };
    let entries = options.entries_at("paths").iter().take(200);
    let found = entries.filter_map(|entry| {
        let target = entry.value.items().first().and_then(Node::text)?;
        let target = target.strip_suffix('*').unwrap_or(target);
        let target = match target {
            "" => base.clone(),
            target => base.join(target.trim_end_matches('/'))?,
        };
        Some((entry.key.to_string(), target))
    });
    found.collect()
}

/// JSON without comments and trailing commas, which `tsconfig.json` may have.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_text = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' if in_text => {
                plain.push(c);
                plain.extend(rest.next());
            }
            '"' => {
                in_text = !in_text;
                plain.push(c);
            }
            '/' if !in_text && rest.peek() == Some(&'/') => {
                while rest.next_if(|c| *c != '\n').is_some() {}
            }
            '/' if !in_text && rest.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '\t' if !in_text => plain.push(' '),
            _ => plain.push(c),
        }
    }
    plain
}
