//! Function calls, including functions that read files of the repo.

use super::{ModuleRun, ScopeId};
use crate::value::{HERE, HclData, HclValue, MAX_ITEMS, MAX_TEXT};
use crate::{function, syntax};
use base::glob::{self, Stars};
use base::{FileId, Place, RepoPath};

/// Number of items or characters that count as a step.
const LOOKED: usize = 16;

impl ModuleRun<'_> {
    pub(crate) fn call(
        &mut self,
        scope: ScopeId,
        name: &str,
        args: Vec<HclValue>,
        place: Place,
    ) -> HclValue {
        // The result of a function may reveal the contents of a collection, unless the function returns elements
        // unchanged.
        let is_shown = !function::returns_elements(name);
        let is_secret = args
            .iter()
            .any(|arg| arg.is_secret || is_shown && arg.holds_secret);
        // The size of the arguments is charged as well as the call.
        let looked: usize = args.iter().map(function::weight).sum();
        if self.steps.charge((looked / LOOKED) as u64).is_err() {
            return HclValue::unknown(place).with_secrecy(is_secret);
        }
        let value = match name {
            "templatefile" => self.template_file(scope, &args, place),
            "file" => match args.first().and_then(|path| self.file(path)) {
                Some(file) => HclValue::new(HclData::File(file), Place::start_of(file)),
                None => HclValue::unknown(place),
            },
            "fileset" => self
                .file_set(&args, place)
                .unwrap_or_else(|| HclValue::unknown(place)),
            "yamldecode" | "jsondecode" => self.decoded(&args, place),
            "sensitive" => args
                .into_iter()
                .next()
                .unwrap_or_else(|| HclValue::unknown(place))
                .with_secrecy(true),
            _ => function::call(name, &args, place).unwrap_or_else(|| HclValue::unknown(place)),
        };
        value.with_secrecy(is_secret)
    }

    /// The path in the repo. Paths are relative to the directory that Terraform runs in.
    pub fn resolve(&self, path: &HclValue) -> Option<RepoPath> {
        let text = path.as_text()?;
        match text.strip_prefix(HERE) {
            // The root of the repo is empty.
            Some(path) => RepoPath::new(path.trim_start_matches('/')),
            None => {
                let root = self.module(self.root()).directory.as_ref()?;
                root.join(&text)
            }
        }
    }

    fn file(&mut self, path: &HclValue) -> Option<FileId> {
        let file = self.documents.files().file(&self.resolve(path)?)?;
        self.named.insert(file);
        Some(file)
    }

    /// The files that match a pattern.
    pub(super) fn files_at(&mut self, pattern: &HclValue) -> Option<Vec<FileId>> {
        if let Some(file) = self.file(pattern) {
            return Some(vec![file]);
        }
        let path = self.resolve(pattern)?;
        let tree = self.documents.files();
        let (directory, _) = path.as_str().rsplit_once('/').unwrap_or_default();
        let directory = match directory.find('*') {
            Some(star) => directory[..star].rsplit_once('/').unwrap_or_default().0,
            None => directory,
        };
        let below = tree.below(&RepoPath::new(directory)?);
        let fits =
            |file: &FileId| glob::matches(path.as_str(), tree.path(*file).as_str(), Stars::Deep);
        let files: Vec<FileId> = below.into_iter().filter(fits).take(MAX_ITEMS).collect();
        self.named.extend(&files);
        (!files.is_empty()).then_some(files)
    }

    /// The files of a directory that match a pattern, by relative path.
    fn file_set(&self, args: &[HclValue], place: Place) -> Option<HclValue> {
        let (directory, pattern) = (self.resolve(args.first()?)?, args.get(1)?.as_text()?);
        let tree = self.documents.files();
        let directory = tree.resolve_dir(&directory)?;
        let start = match directory.as_str() {
            "" => 0,
            path => path.len() + 1,
        };
        let below = tree.below(&directory);
        let paths = below
            .into_iter()
            .filter_map(|file| tree.path(file).as_str().get(start..));
        let fitting = paths
            .filter(|path| glob::matches(&pattern, path, Stars::Deep))
            .take(MAX_ITEMS + 1);
        Some(HclValue::list(
            fitting.map(|path| HclValue::text(path, place)).collect(),
            place,
        ))
    }

    fn template_file(&mut self, scope: ScopeId, args: &[HclValue], place: Place) -> HclValue {
        let file = args.first().and_then(|path| self.file(path));
        let text = file.and_then(|file| self.documents.files().read_text(file).ok());
        let (Some(file), Some(text)) = (file, text.filter(|text| text.len() <= MAX_TEXT)) else {
            return HclValue::unknown(place);
        };
        let Some(parts) = syntax::parse_template(&text, file) else {
            return HclValue::unknown(place);
        };
        let vars = args.get(1).and_then(HclValue::table);
        let bindings = vars.map(|vars| vars.entries.clone()).unwrap_or_default();
        let start = Place::start_of(file);
        self.depth += 1;
        let value = self.template(scope, &bindings, &parts, start);
        self.depth -= 1;
        value
    }

    fn decoded(&mut self, args: &[HclValue], place: Place) -> HclValue {
        match args.first().map(|arg| &arg.data) {
            Some(HclData::Encoded(inner)) => (**inner).clone(),
            Some(HclData::File(file)) => match self.documents.documents(*file).as_slice() {
                [only] => HclValue::from_node(only),
                _ => HclValue::unknown(place),
            },
            Some(HclData::Text(text)) if !text.contains(HERE) => {
                let place = args[0].place;
                match args[0].documents().unwrap_or_default().as_slice() {
                    [only] => HclValue::from_node(only),
                    _ => HclValue::unknown(place),
                }
            }
            _ => HclValue::unknown(place),
        }
    }
}
