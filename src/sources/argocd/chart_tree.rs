//! Charts in the repo with their subcharts and templates, and those that create Applications. Each chart is looked up
//! once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use base::FileId;
use base::hash::HashMap;
use helm::{Chart, ChartFiles, ChartTree, Library};
use smol_str::{SmolStr, format_smolstr};
use yaml::Node;

use super::super::ReadContext;
use super::applications_from_charts::{self, ApplicationTemplates, Borrowed};
use super::apps_chart;
use super::memo::Memo;
use crate::input::repo::{Repo, RepoPath};

/// Cached chart trees, by directory.
#[derive(Debug, Default)]
pub struct ChartTrees {
    whole: HashMap<RepoPath, Arc<Templates>>,
    applications: HashMap<RepoPath, Arc<ApplicationTemplates>>,
}

/// A chart tree with its templates.
#[derive(Debug)]
pub struct Templates {
    tree: ChartTree,
    /// By chart, its templates.
    pub all: Vec<Vec<FileId>>,
    /// By chart, those of its templates that make Applications.
    pub making: Vec<Vec<FileId>>,
    pub borrowed: Vec<Borrowed>,
    /// By chart, its files, if any template of the tree reads files.
    pub read: Vec<ChartFiles>,
    /// Helm's name for each template, and for the directory that it is in.
    names: HashMap<(usize, FileId), (SmolStr, SmolStr)>,
    /// Parsed templates, by the charts that are enabled.
    libraries: Mutex<BTreeMap<Vec<bool>, Arc<Library>>>,
}

impl Deref for Templates {
    type Target = ChartTree;

    fn deref(&self) -> &ChartTree {
        &self.tree
    }
}

/// The tree of the chart in a directory.
pub fn chart_tree(
    directory: &RepoPath,
    metadata: &Arc<Node>,
    context: &ReadContext<'_>,
) -> Arc<Templates> {
    let mut known = Memo::get(context).lock_chart_trees();
    if let Some(templates) = known.whole.get(directory) {
        return templates.clone();
    }
    let tree = ChartTree::read(directory, metadata, context);
    let repo = context.facts.repo;
    let templates = Arc::new(Templates::find(tree, repo, &mut known.applications));
    known.whole.insert(directory.clone(), templates.clone());
    templates
}

impl Templates {
    fn find(
        tree: ChartTree,
        repo: &Repo,
        known: &mut HashMap<RepoPath, Arc<ApplicationTemplates>>,
    ) -> Templates {
        let found = tree.charts.iter().map(|chart| {
            let known = known.entry(chart.directory.clone());
            let find = || Arc::new(applications_from_charts::find(repo, &chart.directory));
            known.or_insert_with(find).clone()
        });
        let found: Vec<Arc<ApplicationTemplates>> = found.collect();
        let helper_makes = found.iter().any(|one| one.helper_makes);
        let reads_files = found.iter().any(|one| one.reads_files);
        let mut templates = Templates {
            all: Vec::with_capacity(tree.charts.len()),
            making: Vec::with_capacity(tree.charts.len()),
            borrowed: Vec::new(),
            read: Vec::new(),
            names: names(&tree, &found, repo),
            libraries: Mutex::default(),
            tree,
        };
        for (chart, found) in templates.tree.charts.iter().zip(&found) {
            let mut making = Vec::new();
            let mut all = Vec::new();
            if is_filled_in(chart) {
                all.extend(&found.all);
                making.extend(&found.files);
                // If a helper creates Applications, any template that includes helpers may do so as well.
                if helper_makes {
                    making.extend(&found.including);
                    making.sort();
                }
                // If a helper creates them, rendering the templates reports what is missing.
                if templates.tree.is_missing && !helper_makes {
                    templates.borrowed.extend(found.borrowed.iter().cloned());
                }
            }
            templates.all.push(all);
            templates.making.push(making);
            templates.read.push(if reads_files {
                helm::chart_files(&chart.directory, repo)
            } else {
                ChartFiles::default()
            });
        }
        templates.drop_defined(repo);
        templates
    }

    /// Drops what a helper of some chart here defines.
    fn drop_defined(&mut self, repo: &Repo) {
        let charts = &self.tree.charts;
        self.borrowed.retain(|one: &Borrowed| {
            let definition = format!("define \"{}\"", one.name);
            let mut helpers = charts
                .iter()
                .flat_map(|chart| applications_from_charts::helpers(repo, &chart.directory));
            !helpers.any(|file| {
                repo.read_text(file)
                    .is_ok_and(|text| text.contains(&definition))
            })
        });
    }

    pub fn makes_any(&self) -> bool {
        self.making.iter().any(|templates| !templates.is_empty())
    }

    /// Helm's name for a template of a chart, and for the directory of all of its templates.
    pub fn name_of(&self, chart: usize, file: FileId) -> Option<&(SmolStr, SmolStr)> {
        self.names.get(&(chart, file))
    }

    /// The templates of the wanted charts. Definitions closer to the top chart win.
    pub fn library(&self, is_wanted: &[bool], repo: &Repo) -> Arc<Library> {
        // Nothing is left half done in it when a thread panics.
        let mut known = self
            .libraries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = known.get(is_wanted) {
            return library.clone();
        }
        let mut library = Library::default();
        for (at, chart) in self.charts.iter().enumerate().rev() {
            if !is_wanted.get(at).copied().unwrap_or(false) {
                continue;
            }
            let helpers = applications_from_charts::helpers(repo, &chart.directory);
            for file in helpers.chain(self.all[at].iter().copied()) {
                let Ok(text) = repo.read_text(file) else {
                    continue;
                };
                // Errors are reported where the template is run or included.
                let _ = match self.name_of(at, file) {
                    Some((name, _)) => library.add_named(name, &text),
                    None => library.add(&text),
                };
            }
        }
        let library = Arc::new(library);
        known.insert(is_wanted.to_vec(), library.clone());
        library
    }

    /// The files that say what it makes, of parts that are not wanted too: nobody installs these by themselves.
    pub fn files(&self, repo: &Repo) -> BTreeSet<FileId> {
        let mut files = BTreeSet::new();
        for (chart, templates) in self.charts.iter().zip(&self.making) {
            let own = |name: &str| repo.file_in(&chart.directory, name);
            files.extend(own("Chart.yaml").filter(|_| chart.parent.is_some()));
            files.extend(own("values.yaml"));
            files.extend(templates);
        }
        files
    }
}

/// Helm's names for all templates of a tree: paths below the name of the chart at the top.
fn names(
    tree: &ChartTree,
    found: &[Arc<ApplicationTemplates>],
    repo: &Repo,
) -> HashMap<(usize, FileId), (SmolStr, SmolStr)> {
    let mut names = HashMap::default();
    let mut bases: Vec<SmolStr> = Vec::with_capacity(tree.charts.len());
    for (at, (chart, found)) in tree.charts.iter().zip(found).enumerate() {
        let base = match chart.parent {
            Some(parent) => format_smolstr!("{}/charts/{}", bases[parent], chart.name),
            None => chart.name.clone(),
        };
        for file in &found.all {
            let path = repo.path(*file).as_str();
            let inner = path
                .strip_prefix(chart.directory.as_str())
                .unwrap_or(path)
                .trim_start_matches('/');
            let name = format_smolstr!("{base}/{inner}");
            let directory = format_smolstr!("{base}/templates");
            names.insert((at, *file), (name, directory));
        }
        bases.push(base);
    }
    names
}

/// Whether the templates of a chart write anything: a library only defines them. What is known by its values is read from
/// those.
fn is_filled_in(chart: &Chart) -> bool {
    let text = |key: &str| chart.metadata.text_at(&[key]);
    let is_known = text("name") == Some(apps_chart::NAME) && chart.parent == Some(0);
    text("type") != Some("library") && !is_known
}
