//! Charts in the repo with their subcharts and templates, and those that create Applications. Each chart is looked up
//! once.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use base::FileId;
use base::hash::HashMap;
use helm::{Chart, ChartTree};
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
    /// Whether any chart of it has templates that write something.
    pub has_templates: bool,
    /// By chart, those of its templates that make Applications.
    pub making: Vec<Vec<FileId>>,
    pub borrowed: Vec<Borrowed>,
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
        let mut templates = Templates {
            has_templates: false,
            making: Vec::with_capacity(tree.charts.len()),
            borrowed: Vec::new(),
            tree,
        };
        for (chart, found) in templates.tree.charts.iter().zip(&found) {
            let mut making = Vec::new();
            if is_filled_in(chart) {
                templates.has_templates |= !found.all.is_empty();
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
            templates.making.push(making);
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

/// Whether the templates of a chart write anything: a library only defines them. What is known by its values is read from
/// those.
fn is_filled_in(chart: &Chart) -> bool {
    let text = |key: &str| chart.metadata.text_at(&[key]);
    let is_known = text("name") == Some(apps_chart::NAME) && chart.parent == Some(0);
    text("type") != Some("library") && !is_known
}
