//! Charts in the repo as packages, each read once. Their dependencies are other charts in the repo, or were fetched.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smol_str::{SmolStr, format_smolstr};

use super::ReadContext;
use super::published_chart::published;
use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use base::hash::HashMap;
use helm::package::ListedChart;
use helm::{Data, Package, PackageFile};

/// No chart has more files or bytes than this.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: usize = 64 << 20;
/// No chart lists more dependencies.
const MAX_DEPENDENCIES: usize = 2_000;

/// The charts of a repo that were read, by their `Chart.yaml`.
#[derive(Default)]
pub struct LocalPackages {
    packages: Mutex<HashMap<FileId, OncePackage>>,
}

type OncePackage = Arc<OnceLock<Result<Arc<LocalPackage>, SmolStr>>>;

/// A chart in the repo.
#[derive(Debug)]
pub struct LocalPackage {
    pub package: Arc<Package>,
    /// All files of it and of its dependencies in the repo.
    pub files: BTreeSet<FileId>,
    /// Files by the path that Helm knows them under.
    templates: HashMap<String, FileId>,
}

impl LocalPackages {
    pub fn package(
        &self,
        context: &ReadContext<'_>,
        file: FileId,
    ) -> Result<Arc<LocalPackage>, SmolStr> {
        let slot = {
            // Nothing is left half done in it when a thread panics.
            let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
            packages.entry(file).or_default().clone()
        };
        slot.get_or_init(|| LocalPackage::read(context, file))
            .clone()
    }
}

impl fmt::Debug for LocalPackages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalPackages").finish_non_exhaustive()
    }
}

impl LocalPackage {
    fn read(context: &ReadContext<'_>, file: FileId) -> Result<Arc<LocalPackage>, SmolStr> {
        let directory = context.facts.repo.path(file).parent();
        let mut reader = PackageReader {
            context,
            files: BTreeSet::new(),
            templates: HashMap::default(),
            bytes: 0,
        };
        let directory = directory.unwrap_or_else(RepoPath::root);
        let package = reader.chart(&directory, None, ChartRank::Top)?;
        Ok(Arc::new(LocalPackage {
            package: Arc::new(package),
            files: reader.files,
            templates: reader.templates,
        }))
    }

    /// The file of a template, by the path that Helm knows it under.
    pub fn template(&self, path: &str) -> Option<FileId> {
        self.templates.get(path).copied()
    }
}

/// Whether a chart is the one that is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChartRank {
    Top,
    Part,
}

struct PackageReader<'r> {
    context: &'r ReadContext<'r>,
    files: BTreeSet<FileId>,
    templates: HashMap<String, FileId>,
    bytes: usize,
}

impl PackageReader<'_> {
    /// Reads the chart in a directory. Helm knows it under a path, the one at the top under its name.
    fn chart(
        &mut self,
        directory: &RepoPath,
        path: Option<&str>,
        rank: ChartRank,
    ) -> Result<Package, SmolStr> {
        let repo = self.context.facts.repo;
        let mut files = Vec::new();
        let mut own: Vec<(String, FileId)> = Vec::new();
        for file in repo.below(directory) {
            let inner = inner_path(repo, directory, file);
            let Some(data) = content(repo, file, &inner) else {
                continue;
            };
            self.bytes += data.len();
            self.files.insert(file);
            if self.files.len() > MAX_FILES || self.bytes > MAX_BYTES {
                return Err("the chart has too many files, or they are too large".into());
            }
            files.push(PackageFile::new(inner.as_str(), data));
            own.push((inner, file));
        }
        let mut package = Package::from_directory(files).map_err(SmolStr::from)?;
        let path = path.unwrap_or(&package.metadata.name).to_owned();
        for (inner, file) in own {
            self.templates.insert(format!("{path}/{inner}"), file);
        }
        self.hide_secrets(directory, &mut package);
        // Who packs a chart packs what it lists itself; its parts bring their own.
        if rank == ChartRank::Top {
            let listed = package.metadata.dependencies.clone();
            for chart in listed.into_iter().take(MAX_DEPENDENCIES) {
                if let Some(found) = self.dependency(directory, &chart, &package, &path) {
                    package.subcharts.push(found);
                }
            }
        }
        Ok(package)
    }

    /// Notes the files of a chart that was read already under another path.
    fn name_templates(&mut self, directory: &RepoPath, path: &str) {
        let repo = self.context.facts.repo;
        for file in repo.below(directory).take(MAX_FILES) {
            let inner = inner_path(repo, directory, file);
            self.templates.insert(format!("{path}/{inner}"), file);
        }
    }

    /// Takes the values of the chart from its file as it was read, without secrets.
    fn hide_secrets(&self, directory: &RepoPath, package: &mut Package) {
        let repo = self.context.facts.repo;
        let file = repo.file_in(directory, "values.yaml");
        let Some(file) = file else {
            return;
        };
        let mut documents = self.context.documents(file).iter();
        if let (Some(document), Ok(text)) = (documents.next(), repo.read_text(file))
            && document.as_map().is_some()
        {
            package.values = Data::from_text(document, &text);
        }
    }

    /// A chart that another one lists and does not contain.
    fn dependency(
        &mut self,
        directory: &RepoPath,
        chart: &ListedChart,
        package: &Package,
        path: &str,
    ) -> Option<Arc<Package>> {
        let mut known = package.subcharts.iter();
        let is_known = known.any(|known| known.metadata.name == chart.name);
        if let Some(relative) = chart.repository.strip_prefix("file://") {
            let inside = directory.join(relative)?;
            let inside = self.context.facts.repo.resolve_dir(&inside)?;
            let name = match chart.alias.as_str() {
                "" => &chart.name,
                alias => alias,
            };
            let path = format_smolstr!("{path}/charts/{name}");
            if is_known {
                self.name_templates(&inside, &path);
                return None;
            }
            let read = self.chart(&inside, Some(&path), ChartRank::Part);
            return read.ok().map(Arc::new);
        }
        if is_known {
            return None;
        }
        let request = published(
            Some(&chart.repository),
            Some(&chart.name),
            Some(&chart.version),
        );
        let library = self.context.facts.repo.charts();
        library.package(&request.ok()?).ok()
    }
}

/// The path of a file in the directory of its chart.
fn inner_path(repo: &Repo, directory: &RepoPath, file: FileId) -> String {
    let path = repo.path(file).as_str();
    let inner = path.strip_prefix(directory.as_str()).unwrap_or(path);
    inner.trim_start_matches('/').to_owned()
}

/// The content of a file that templates may use. Files that become Secrets are left out.
fn content(repo: &Repo, file: FileId, inner: &str) -> Option<Vec<u8>> {
    if repo.withheld(file).is_some() {
        return None;
    }
    let is_archive = inner.starts_with("charts/") && inner.ends_with(".tgz");
    if is_archive {
        repo.read(file).ok()
    } else {
        repo.read_text(file).ok().map(String::into_bytes)
    }
}
