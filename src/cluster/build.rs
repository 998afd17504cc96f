//! Builds directories for units: what a unit takes of a directory without a kustomization, and what it sets on top of one.
//! The engine of kustomize does the rest.

mod listing;
mod settings;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use base::hash::{HashMap, HashSet};
use base::{Effect, FileId, Files, Finding, Place, Severity};
use kustomize::{BuildObject, Built, Inflated, Manifest, Manifests};
use smol_str::SmolStr;

use self::settings::with_unit;
use super::published::Published;
use crate::facts::kubernetes::scope::{self, ResourceScope, is_cluster_scoped};
use crate::facts::{self, Assembly, HelmChart, Listing, Located, Resource, ResourceId, SourceRef};
use crate::input::repo::{Patterns, Repo, RepoPath};
use crate::sources::{self, Facts, ReadContext};

/// Builds directories, and caches those that many others include.
pub struct Builder<'a> {
    facts: &'a Facts<'a>,
    engine: kustomize::DirectoryBuilder<ReadContext<'a>>,
    /// Patterns from ignore files in the repo, computed on first use.
    left_out: OnceLock<Patterns>,
    /// CRDs in the repo and the scope of their objects, computed on first use.
    scopes: OnceLock<Scopes>,
    /// Files that generators embed as text, computed on first use.
    inputs: OnceLock<BTreeSet<FileId>>,
    /// Directories that are published as artifacts, computed on first use.
    published: OnceLock<Published>,
    trees: Trees,
}

/// Whether the trees of objects are kept beside what they state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trees {
    #[default]
    Dropped,
    Kept,
}

impl<'a> Builder<'a> {
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Builder::with_engine(
            facts,
            kustomize::DirectoryBuilder::new(ReadContext::new(facts)),
        )
    }

    /// A builder for a few directories, without a cache.
    pub fn once(facts: &'a Facts<'a>) -> Self {
        Builder::with_engine(
            facts,
            kustomize::DirectoryBuilder::once(ReadContext::new(facts)),
        )
    }

    fn with_engine(
        facts: &'a Facts<'a>,
        engine: kustomize::DirectoryBuilder<ReadContext<'a>>,
    ) -> Self {
        Builder {
            facts,
            engine,
            left_out: OnceLock::new(),
            scopes: OnceLock::new(),
            inputs: OnceLock::new(),
            published: OnceLock::new(),
            trees: Trees::Dropped,
        }
    }

    /// Sets whether the trees of objects are kept.
    pub fn with_trees(mut self, trees: Trees) -> Self {
        self.trees = trees;
        self
    }

    pub fn keeps_trees(&self) -> bool {
        self.trees == Trees::Kept
    }

    /// Sets the addresses under which this repo is known.
    pub fn with_own(mut self, own: BTreeSet<String>) -> Self {
        self.engine.manifests_mut().set_own(own);
        self
    }

    /// Context that readers may use besides the object itself.
    pub fn context(&self) -> &ReadContext<'a> {
        self.engine.manifests()
    }

    /// Changes objects as a kustomization at the root of the repo would.
    pub fn change_objects(&self, items: Vec<BuildObject>, assembly: &Assembly) -> Built {
        self.engine
            .change_objects(&RepoPath::root(), items, assembly)
    }

    pub fn repo(&self) -> &'a Repo {
        self.facts.repo
    }

    /// The directory at a path in an artifact that is made of a part of this repo.
    pub fn published_directory(&self, source: &SourceRef, path: &str) -> Option<RepoPath> {
        let published = self.published.get_or_init(|| Published::find(self.facts));
        published.directory(source, path, self.facts)
    }

    /// Objects that a list entry adds: those of a file, or those that a directory builds.
    pub fn resources_at(&self, path: &RepoPath) -> Vec<Resource> {
        if let Some(file) = self.facts.repo.file(path) {
            return if listing::is_applied(path) {
                self.facts.file(file).resources.clone()
            } else {
                Vec::new()
            };
        }
        if self.facts.repo.is_dir(path) {
            self.build(path, None)
                .items
                .into_iter()
                .map(BuildObject::into_resource)
                .collect()
        } else {
            Vec::new()
        }
    }

    /// Whether an object is of the whole cluster, so that no namespace that it was given counts: as its definition in this
    /// repo says, else as most people know it.
    pub fn is_cluster_wide(&self, id: &ResourceId) -> bool {
        let scopes = self.scopes.get_or_init(|| scopes(self.facts));
        let kinds = scopes.get(id.group.as_str()).into_iter().flatten();
        let mut kinds = kinds.filter(|(kind, _)| *kind == id.kind);
        match kinds.next() {
            Some((_, scope)) => *scope == ResourceScope::Cluster,
            None => is_cluster_scoped(&id.group, &id.kind),
        }
    }

    /// The objects of a file.
    pub fn resources_of(&self, file: FileId) -> &[Resource] {
        &self.facts.file(file).resources
    }

    /// The namespace that a directory's kustomization sets.
    pub fn namespace_of(&self, directory: &RepoPath) -> Option<SmolStr> {
        let file = self.facts.assembly_file(directory)?;
        let assembly = self.facts.file(file).assembly.as_ref()?;
        Some(assembly.namespace.as_ref()?.value.clone())
    }

    /// Builds a directory, with the overrides of a unit.
    pub fn build(&self, directory: &RepoPath, unit: Option<&facts::Build>) -> Built {
        let listed = || {
            let listing = unit.map_or(&Listing::Tree, |unit| &unit.listing);
            let ignore = unit.and_then(|unit| unit.ignore.as_deref());
            self.listing(directory, listing, ignore)
        };
        let changed = |assembly: Arc<Assembly>| match unit.filter(|unit| !unit.builds_as_is()) {
            Some(unit) => Arc::new(with_unit(&assembly, unit)),
            None => assembly,
        };
        let mut built = match unit {
            Some(unit) if unit.listing == Listing::Chart => self
                .engine
                .build_listed(directory, &changed(Arc::new(listed()))),
            _ => self.engine.build(directory, listed, changed),
        };
        self.report_templates(&mut built);
        if let Some(unit) = unit {
            self.drop_foreign(directory, unit, &mut built);
        }
        built.findings.extend(unrendered(&built.chart_fields, unit));
        built
    }

    /// Reports templates among the files that are built: they are not YAML yet, so the build fails.
    fn report_templates(&self, built: &mut Built) {
        let files = built.files.iter().filter_map(|file| {
            let known = self.facts.known(*file)?;
            let mut findings = known.findings.iter();
            let template = findings.find(|finding| finding.effect == Effect::Template)?;
            let inputs = self
                .inputs
                .get_or_init(|| sources::kustomize::generator_inputs(self.facts));
            (!inputs.contains(file)).then_some(template.place)
        });
        let faults = files.map(|place| {
            let message = "this document uses template syntax, so the kustomize build fails";
            Finding::error("yaml-template", place, message)
                .help("fill in the template, or remove its entry")
        });
        built.findings.extend(faults.collect::<Vec<Finding>>());
    }

    /// Drops findings about what kustomize would reject, where it is not kustomize that builds.
    fn drop_foreign(&self, directory: &RepoPath, unit: &facts::Build, built: &mut Built) {
        if unit.is_by_plugin {
            let left_out = |finding: &Finding| finding.effect != Effect::None;
            built.findings.retain(left_out);
        }
        let is_plain =
            unit.listing != Listing::Tree && self.facts.assembly_file(directory).is_none();
        // Files in a directory need not be applied together.
        if is_plain && unit.is_inferred {
            built.findings.retain(|one| one.rule != TWICE);
        }
        let twice = built.findings.iter_mut().filter(|one| one.rule == TWICE);
        for finding in twice.filter(|_| is_plain) {
            finding.severity = Severity::Warning;
            finding.message = finding.message.replace(
                "is included twice in one build, so kustomize rejects it",
                "is declared twice, and only one of them counts",
            );
        }
        if is_plain && built.findings.iter().any(|one| one.rule == NAMELESS) {
            let generated: HashSet<Place> = built
                .items
                .iter()
                .filter(|item| item.node.at(&["metadata", "generateName"]).is_some())
                .map(|item| item.place)
                .collect();
            built
                .findings
                .retain(|one| one.rule != NAMELESS || !generated.contains(&one.place));
        }
    }
}

/// The rules about objects that a build has twice, and about objects without a name. Only kustomize minds if the cluster generates one.
const TWICE: &str = "included-twice";
const NAMELESS: &str = "object-without-name";

/// The engine's view of a repo: its files as parsed by readers, and the charts that readers know.
impl Manifests for ReadContext<'_> {
    fn files(&self) -> &dyn Files {
        self.facts.repo
    }

    fn manifest(&self, file: FileId) -> Manifest<'_> {
        let facts = self.facts.file(file);
        Manifest {
            resources: &facts.resources,
            assembly: facts.assembly.as_ref(),
            documents: &facts.other_documents,
        }
    }

    fn assemblies(&self) -> Vec<(FileId, &Assembly)> {
        let all = self.facts.all();
        all.filter_map(|(file, found)| Some((file, &**found.assembly.as_ref()?)))
            .collect()
    }

    fn read_secret_text(&self, file: FileId) -> Result<String, Finding> {
        self.facts.repo.read_secret_text(file)
    }

    fn inflate(&self, chart: &HelmChart, directory: &RepoPath) -> Option<Inflated> {
        let made = sources::inflate(chart, directory, self)?;
        Some(Inflated {
            resources: made.resources,
            findings: made.findings,
            files: made.files,
        })
    }
}

/// Charts that are to be rendered: what is in them is not known here. Without a reconciler that renders charts, the
/// build may fail on them.
fn unrendered(
    fields: &[Located<SmolStr>],
    unit: Option<&facts::Build>,
) -> impl Iterator<Item = Finding> {
    let is_rendered = unit.is_some_and(|unit| unit.renders_charts);
    fields.iter().map(move |field| {
        let field_name = &field.value;
        let (severity, message) = if is_rendered { (
                Severity::Info,
                format!(
                    "the objects of charts under `{field_name}` are known only if the charts are in the repository, \
                     or if `catalog fetch` downloaded them"
                ),
            ) } else { (
                Severity::Warning,
                format!(
                    "the objects of the charts under `{field_name}` are missing from the catalogue: \
                     kustomize renders charts only with `--enable-helm`, which nothing here sets"
                ),
            ) };
        Finding::new("kustomize-unsupported", severity, field.place, message)
            .help("no action needed, unless you want the missing objects in the catalogue")
            .cause(field_name)
            .effect(Effect::Unsupported)
    })
}

/// Kinds by group, with what their objects belong to.
type Scopes = HashMap<SmolStr, Vec<(SmolStr, ResourceScope)>>;

/// The types that files define.
fn scopes(facts: &Facts<'_>) -> Scopes {
    let resources = facts.all().flat_map(|(_, found)| &found.resources);
    let mut scopes = Scopes::default();
    for (group, kind, scope) in resources.filter_map(scope::defined) {
        scopes
            .entry(group.into())
            .or_default()
            .push((kind.into(), scope));
    }
    scopes
}
