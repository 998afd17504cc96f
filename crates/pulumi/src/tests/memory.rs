//! Files in memory, with the data in them.

use super::*;

/// Sorted by path.
pub struct Memory {
    files: Vec<(RepoPath, String, Option<Node>)>,
}

impl Memory {
    pub fn new(files: &[(&str, &str)]) -> Memory {
        let mut files: Vec<_> = files
            .iter()
            .map(|(path, text)| (RepoPath::new(path).unwrap(), (*text).to_owned(), None))
            .collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        for (number, (path, text, document)) in files.iter_mut().enumerate() {
            if matches!(path.extension(), Some("json" | "yaml")) {
                let documents = yaml::parse(text, FileId(number as u32)).documents;
                *document = documents.into_iter().next().map(|mut document| {
                    secret::seal(&mut document.root);
                    document.root
                });
            }
        }
        Memory { files }
    }

    /// The stacks that files configure, or one without a name.
    pub fn stacks(&self) -> Vec<Stack> {
        let mut stacks = Vec::new();
        for (number, (path, _, document)) in self.files.iter().enumerate() {
            let name = path.file_name().strip_prefix("Pulumi.");
            let Some(name) = name.and_then(|name| name.strip_suffix(".yaml")) else {
                continue;
            };
            let entries = document.as_ref().unwrap().entries_at("config").iter();
            let config = entries.map(|entry| (entry.key.clone(), entry.value.clone()));
            stacks.push(Stack {
                name: Some(name.into()),
                file: Some(FileId(number as u32)),
                config: config.collect(),
            });
        }
        if stacks.is_empty() {
            stacks.push(Stack {
                name: None,
                file: None,
                config: BTreeMap::new(),
            });
        }
        stacks
    }

    fn is_below(path: &RepoPath, directory: &RepoPath) -> bool {
        let rest = path.as_str().strip_prefix(directory.as_str());
        rest.is_some_and(|rest| directory.as_str().is_empty() || rest.starts_with('/'))
    }
}

impl Files for Memory {
    fn path(&self, file: FileId) -> &RepoPath {
        let file = self.files.get(file.0 as usize);
        file.map_or(&base::path::ROOT, |(path, _, _)| path)
    }

    fn file(&self, path: &RepoPath) -> Option<FileId> {
        let number = self.files.iter().position(|(one, _, _)| one == path)?;
        Some(FileId(number as u32))
    }

    fn is_dir(&self, path: &RepoPath) -> bool {
        self.files
            .iter()
            .any(|(one, _, _)| Memory::is_below(one, path))
    }

    fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath> {
        self.is_dir(path).then(|| path.clone())
    }

    fn below(&self, directory: &RepoPath) -> Vec<FileId> {
        let all = (0..self.files.len() as u32).map(FileId);
        all.filter(|file| Memory::is_below(self.path(*file), directory))
            .collect()
    }

    fn has_unread(&self, _path: &RepoPath) -> bool {
        false
    }

    fn read_text(&self, file: FileId) -> Result<String, Finding> {
        Ok(self.files[file.0 as usize].1.clone())
    }
}

impl DataFiles for Memory {
    fn document(&self, file: FileId) -> Option<&Node> {
        self.files.get(file.0 as usize)?.2.as_ref()
    }
}
