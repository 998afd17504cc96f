//! Charts as Helm loads them: metadata, defaults, templates, files and subcharts.

mod archive;
mod defaults;
mod helmignore;
mod metadata;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::data::Data;
use crate::document::Documents;
use crate::engine::parse::ParseError;
use crate::engine::{ParsedTemplate, parse};
use crate::format::read;
use crate::known::{ChartKeys, FileReads};

pub use defaults::DefaultPlace;
pub use metadata::{Import, ListedChart, Metadata};

/// Limits on charts within charts, and on all files of a chart.
const MAX_DEPTH: usize = 8;
const MAX_FILES: usize = 20_000;
/// Limits that Helm itself has: on a file, and on all of them unpacked.
pub const MAX_FILE: usize = 5 * 1024 * 1024;
pub const MAX_TOTAL: usize = 100 * 1024 * 1024;

/// A file of a chart, with its path inside it.
#[derive(Debug, Clone)]
pub struct PackageFile {
    pub path: SmolStr,
    pub data: Arc<[u8]>,
}

impl PackageFile {
    pub fn new(path: impl Into<SmolStr>, data: impl Into<Arc<[u8]>>) -> PackageFile {
        PackageFile {
            path: path.into(),
            data: data.into(),
        }
    }

    /// The content, with marks for what is not UTF-8.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        // Much faster than the lossy conversion where nothing is lost.
        match std::str::from_utf8(&self.data) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&self.data),
        }
    }
}

/// A template, parsed when it is first rendered.
#[derive(Debug)]
pub struct TemplateFile {
    pub path: SmolStr,
    text: SmolStr,
    parsed: OnceLock<Result<Arc<ParsedTemplate>, ParseError>>,
    pub(crate) reads: OnceLock<Option<FileReads>>,
}

impl TemplateFile {
    pub fn parsed(&self) -> &Result<Arc<ParsedTemplate>, ParseError> {
        let parse = || parse(self.text.clone()).map(Arc::new);
        self.parsed.get_or_init(parse)
    }
}

/// A chart with everything that it contains.
#[derive(Debug)]
pub struct Package {
    pub metadata: Metadata,
    pub values: Data,
    /// Number of values in them.
    pub(crate) size: usize,
    /// `values.yaml`, as it is and parsed when somebody asks for a line of it.
    values_file: Option<Arc<[u8]>>,
    values_document: OnceLock<Option<yaml::Node>>,
    pub(crate) known: OnceLock<ChartKeys>,
    /// The manifests below `crds/`, parsed when they are first rendered.
    pub(crate) crds: OnceLock<Documents>,
    /// `values.schema.json`, or why it cannot be read.
    pub schema: Option<Result<serde_json::Value, String>>,
    pub templates: Vec<TemplateFile>,
    /// Files that templates can read.
    pub files: Vec<PackageFile>,
    pub subcharts: Vec<Arc<Package>>,
}

impl Package {
    /// Reads the files of a chart's directory, except those that its `.helmignore` names.
    pub fn from_directory(files: Vec<PackageFile>) -> Result<Package, String> {
        let rules = files.iter().find(|file| file.path == ".helmignore");
        let rules =
            helmignore::IgnoreRules::parse(&rules.map(PackageFile::text).unwrap_or_default())?;
        let kept = files.into_iter().filter(|file| !rules.ignores(&file.path));
        Package::from_files(kept.collect(), 0)
    }

    /// Unpacks a packaged chart.
    pub fn from_archive(bytes: &[u8]) -> Result<Package, String> {
        Package::from_files(archive::unpack(bytes, MAX_TOTAL)?, 0)
    }

    fn from_files(files: Vec<PackageFile>, depth: usize) -> Result<Package, String> {
        if depth > MAX_DEPTH || files.len() > MAX_FILES {
            return Err("the chart has too many files or subcharts".to_owned());
        }
        let metadata = files.iter().find(|file| file.path == "Chart.yaml");
        let metadata = metadata.ok_or("Chart.yaml file is missing")?;
        let requirements = files.iter().find(|file| file.path == "requirements.yaml");
        let mut package = Package {
            metadata: Metadata::read(
                &metadata.text(),
                requirements.map(PackageFile::text).as_deref(),
            )?,
            values: Data::map(),
            size: 0,
            values_file: None,
            values_document: OnceLock::new(),
            known: OnceLock::new(),
            crds: OnceLock::new(),
            schema: None,
            templates: Vec::new(),
            files: Vec::new(),
            subcharts: Vec::new(),
        };
        let mut subcharts: Vec<(SmolStr, Vec<PackageFile>)> = Vec::new();
        for file in files {
            match file.path.as_str() {
                "Chart.yaml" | "Chart.lock" => {}
                "values.yaml" => {
                    let values = read::yaml(&file.text());
                    let values =
                        values.map_err(|error| format!("cannot load values.yaml: {error}"))?;
                    package.values = match values {
                        Data::Null => Data::map(),
                        values @ Data::Map(_) => values,
                        _ => return Err("cannot load values.yaml: it is not a map".to_owned()),
                    };
                    package.size = package.values.size();
                    package.values_file = Some(file.data);
                }
                "values.schema.json" => {
                    let read = serde_json::from_str(&file.text());
                    package.schema = Some(read.map_err(|error| error.to_string()));
                }
                "requirements.yaml" | "requirements.lock" if package.metadata.is_v1 => {
                    package.files.push(file);
                }
                "requirements.yaml" | "requirements.lock" => {}
                path if path.starts_with("templates/") => package.templates.push(TemplateFile {
                    text: file.text().into(),
                    path: file.path,
                    parsed: OnceLock::new(),
                    reads: OnceLock::new(),
                }),
                path if path.starts_with("charts/") && !path.ends_with(".prov") => {
                    let inner = &path["charts/".len()..];
                    let name = inner.split('/').next().unwrap_or_default();
                    let file = PackageFile::new(inner, file.data.clone());
                    match subcharts.iter_mut().find(|(known, _)| known == name) {
                        Some((_, files)) => files.push(file),
                        None => subcharts.push((name.into(), vec![file])),
                    }
                }
                _ => package.files.push(file),
            }
        }
        for (name, files) in subcharts {
            if name.starts_with(['_', '.']) {
                continue;
            }
            let chart = subchart(&name, files, depth + 1).map_err(|error| {
                format!(
                    "error unpacking subchart {name} in {}: {error}",
                    package.metadata.name
                )
            })?;
            package.subcharts.push(Arc::new(chart));
        }
        Ok(package)
    }

    /// Whether templates of the chart are only used by others.
    pub fn is_library(&self) -> bool {
        self.metadata.kind.eq_ignore_ascii_case("library")
    }
}

fn subchart(name: &str, files: Vec<PackageFile>, depth: usize) -> Result<Package, String> {
    if name.ends_with(".tgz") {
        let [file] = files.as_slice() else {
            return Err("a directory has the name of an archive".to_owned());
        };
        if depth > MAX_DEPTH {
            return Err("the chart has too many files or subcharts".to_owned());
        }
        return Package::from_files(archive::unpack(&file.data, MAX_TOTAL)?, depth);
    }
    let inner = files.into_iter().filter_map(|file| {
        let (_, path) = file.path.split_once('/')?;
        Some(PackageFile::new(path, file.data.clone()))
    });
    Package::from_files(inner.collect(), depth)
}
