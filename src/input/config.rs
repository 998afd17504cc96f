//! `catalog.toml`: what a team may say that its manifests do not, validated once.
//! Every key is optional, and every mistake is collected with its place in the file.
//! Reads that one file and nothing else of the repo.

mod application;
mod chart;
mod check;
mod fetch;
mod guide;
mod kind;
mod link;
mod look;
mod mistake;
mod read;
mod section;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use globset::GlobSet;
use schemars::JsonSchema;
use serde_json::Value;

pub use application::{Application, is_known_application, known_applications};
pub use chart::{
    Chart, Crds, Requests, Starts, Switch, VariablesFrom, VersionFrom, WhenDown, known_charts,
};
pub use check::{Allow, Check, RuleLevel, RuleName, SeverityOf};
pub use fetch::{Fetch, Mirror};
pub use guide::guide;
pub use kind::{Kind, known_kind, reference};
pub use link::{Link, Placeholder, UrlTemplate};
pub use look::ExtraLink;
pub use mistake::{ConfigError, Mistake};

use base::Place;
use base::colour::Colour;
use mistake::Mistakes;
use section::TomlSection;

/// A larger configuration is a mistaken path, not a configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// What `catalog.toml` says. Every key is optional.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(default, deny_unknown_fields, title = "catalog.toml")]
pub struct Config {
    /// The title of the catalogue, shown on every page. Defaults to the name of the repository.
    #[schemars(example = &"Platform")]
    pub title: Option<String>,
    /// The web address of the repository, such as `https://github.com/acme/platform`, for links to source files.
    /// Defaults to the address of the git remote `origin`.
    #[schemars(example = &"https://github.com/acme/platform")]
    pub repository: Option<String>,
    /// The address where the site is published, such as `https://catalog.acme.dev/`. Used for absolute links in the sitemap,
    /// in reports and in the Backstage export.
    #[schemars(example = &"https://catalog.acme.dev/")]
    pub url: Option<String>,
    /// The accent colour of the site, such as `#0b6e4f`. Readable shades for light and dark mode are derived from it.
    #[schemars(with = "Option<String>", example = &"#0b6e4f")]
    pub accent: Option<Colour>,
    /// The logo at the top of every page: an SVG, PNG, WebP or JPEG file of at most 512 KB in the repository.
    #[schemars(example = &"docs/logo.svg")]
    pub logo: Option<String>,
    /// A line of text at the foot of every page.
    #[schemars(example = &"Questions? Ask the platform team.")]
    pub footer: Option<String>,
    /// Extra links in the navigation of every page.
    pub nav: Vec<ExtraLink>,
    /// The repository to read, as a path relative to this file. A repository given on the command line takes precedence.
    /// If the repository has a `catalog.toml` of its own, all keys except `guide` are read from there.
    #[schemars(example = &"../platform")]
    pub repo: Option<String>,
    /// A directory of extra Markdown pages outside the repository, shown under *Guide*. It must be below the directory of this
    /// file, and needs `repo`.
    #[schemars(example = &"docs", extend("with" = "repo = \"platform\""))]
    pub guide: Option<String>,
    /// Paths to skip, in `.gitignore` syntax. Files that git ignores and does not track are always skipped.
    #[schemars(example = ["vendor/", "*.bak.yaml"])]
    pub ignore: Vec<String>,
    /// The clusters, if detection gets them wrong. Any `[[cluster]]` entry disables detection.
    #[schemars(rename = "cluster")]
    pub clusters: Vec<Cluster>,
    /// The kubectl context of each environment. Commands on pages are copied with the context of the environment that the
    /// reader chooses.
    #[schemars(rename = "context")]
    pub contexts: Vec<KubeContext>,
    /// Layers: groups of components, such as the foundation or the applications, in display order. A component belongs to
    /// the first layer that matches.
    #[schemars(rename = "layer")]
    pub layers: Vec<Layer>,
    /// API groups whose CRDs are installed from outside the repository, such as `traefik.io` or `*.cattle.io`. They are not
    /// reported as missing.
    #[schemars(with = "Vec<String>", example = ["traefik.io", "*.cattle.io"])]
    pub external_crds: Globs,
    /// Owners: teams or people. A component belongs to the first owner that matches.
    #[schemars(rename = "owner")]
    pub owners: Vec<Owner>,
    /// Charts that install CRDs or webhooks, in addition to the built-in list.
    #[schemars(rename = "chart")]
    pub charts: Vec<Chart>,
    /// Kinds of custom resources: what their operators create for them and what they refer to, in addition to the built-in
    /// list.
    #[schemars(rename = "kind")]
    pub kinds: Vec<Kind>,
    /// What components are: applications by the name of the component, chart or image, in addition to the built-in list.
    #[schemars(rename = "application")]
    pub applications: Vec<Application>,
    /// Links on the pages of components, such as dashboards, logs and consoles, filled in for each environment.
    #[schemars(rename = "link")]
    pub links: Vec<Link>,
    /// Directories of architecture decisions, such as `docs/architecture`. Defaults to every directory called `adr`, `adrs`,
    /// `decisions` or similar.
    #[schemars(example = ["docs/architecture"])]
    pub decisions: Vec<String>,
    /// Accepted differences between a spec or its record and the files. They are not reported.
    pub accepted: Vec<Accepted>,
    /// Which rules apply, and how severe their findings are.
    pub check: Check,
    /// How `catalog fetch` downloads charts.
    pub fetch: Fetch,
    #[schemars(skip)]
    pub origin: Origin,
}

/// Origin of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// A file outside of the repo, or none at all.
    #[default]
    Elsewhere,
    /// A file in the repo, by its path there, so that findings can have a place in it.
    Repo(String),
}

/// A directory that a reconciler starts from.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Cluster {
    /// The name of the environment in tables and page titles, such as `prod`.
    #[schemars(example = &"prod")]
    pub name: String,
    /// The directory that the reconciler starts from, relative to the repository, such as `clusters/prod`.
    #[schemars(example = &"clusters/prod")]
    pub root: String,
    /// Place of `root`, without the file.
    #[schemars(skip)]
    pub place: Place,
}

/// The kubectl context of an environment.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KubeContext {
    /// The name of the environment.
    #[schemars(example = &"prod")]
    pub name: String,
    /// The context, as `kubectl config get-contexts` lists it.
    #[schemars(example = &"admin@prod")]
    pub context: String,
}

/// A layer of the platform, such as networking or storage.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Layer {
    /// The heading above its components.
    #[schemars(example = &"Foundation")]
    pub name: String,
    /// The components it contains: globs over component ids, namespaces and paths. `*` does not match `/`. `apps/` and
    /// `apps/**` match the directory `apps` and everything below it.
    #[schemars(rename = "match", with = "Vec<String>", example = ["cert-*", "infrastructure/"])]
    pub globs: Globs,
    /// Place of its name, without the file.
    #[schemars(skip)]
    pub place: Place,
}

/// A team or a person that owns components.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Owner {
    /// The name of the team or person.
    #[schemars(example = &"Platform team")]
    pub name: String,
    /// How to reach the owner: a URL or an email address.
    #[schemars(example = &"platform@example.com")]
    pub contact: Option<String>,
    /// The components they own: globs, as for a layer.
    #[schemars(rename = "match", with = "Vec<String>", example = ["infrastructure/"])]
    pub globs: Globs,
    /// Place of its name, without the file.
    #[schemars(skip)]
    pub place: Place,
}

/// A difference between a spec or its record and the files that are there, which is not reported.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Accepted {
    /// The id of the spec, such as `0003a`.
    #[schemars(example = &"0003")]
    pub spec: String,
    /// A file in its record, as the record names it. Set either `file` or `step`.
    pub file: Option<String>,
    /// The number of a validation step, counted from 1.
    #[schemars(example = 2)]
    pub step: Option<u32>,
    /// The difference, in the words of the finding. If set, only this difference is accepted, and any other is reported.
    #[schemars(example = &"`apps/data/` has 4 files, not 3")]
    pub now: Option<String>,
    /// Why the difference is accepted.
    #[schemars(example = &"Spec 0003a split the directory.")]
    pub because: String,
    /// Place of `spec`, without the file.
    #[schemars(skip)]
    pub place: Place,
}

/// A list of globs, compiled. Two are equal when they were written the same.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

/// The JSON Schema of `catalog.toml`, for editors: `docs/catalog.schema.json`.
pub fn schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

/// Reads and validates the file at `path`.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let file_name = path.display().to_string();
    let bytes = read_file(path).map_err(|error| {
        let message = format!("cannot read `{file_name}`: {error}");
        ConfigError::whole_file(&file_name, message)
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => parse(&text, &file_name),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let mut mistakes = Mistakes::new(&text);
            mistakes
                .add(valid..valid, "this byte is not valid UTF-8")
                .help("save the file as UTF-8");
            mistakes.into_result(&file_name, Config::default())
        }
    }
}

/// Whether there is anything where a configuration is looked for, be it fit to be read or not. A link to nothing is nothing.
pub fn is_at(path: &Path) -> bool {
    path.exists()
}

/// Validates `text`; `file_name` is what mistakes call it.
pub fn parse(text: &str, file_name: &str) -> Result<Config, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut mistakes = Mistakes::new(text);
    let document = section::document(text, &mut mistakes);
    let config = read::config(&TomlSection::top(&document), &mut mistakes);
    mistakes.into_result(file_name, config)
}

impl Config {
    /// The directory that `repo` names, given where this configuration was read from.
    pub fn repo_dir(&self, config_file: &Path) -> Option<PathBuf> {
        let beside = config_file.parent().unwrap_or(Path::new(""));
        self.repo.as_ref().map(|repo| beside.join(repo))
    }

    /// Whether the custom resource definitions of this API group come from outside the repo.
    pub fn has_external_crds(&self, group: &str) -> bool {
        self.external_crds.any_match(&[group])
    }
}

impl Layer {
    /// Whether one of the names that a component goes by belongs to this layer.
    pub fn matches(&self, candidates: &[&str]) -> bool {
        self.globs.any_match(candidates)
    }
}

impl Owner {
    /// Whether one of the names that a component goes by belongs to this owner.
    pub fn matches(&self, candidates: &[&str]) -> bool {
        self.globs.any_match(candidates)
    }
}

impl Globs {
    /// Globs from the command line. The error names the invalid glob and the reason.
    pub fn new(patterns: &[String]) -> Result<Globs, String> {
        read::typed_globs(patterns)
    }

    /// The globs as they were written.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    pub fn any_match(&self, candidates: &[&str]) -> bool {
        candidates.iter().any(|name| self.set.is_match(name))
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Globs) -> bool {
        self.patterns == other.patterns
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let real = fs::canonicalize(path)?;
    let beside = path.parent().filter(|beside| *beside != Path::new(""));
    // A link may lead out of the repo, and error messages would show lines of its target.
    if !real.starts_with(fs::canonicalize(beside.unwrap_or(Path::new(".")))?) {
        return Err(io::Error::other(
            "it is a symbolic link that points outside its directory, and is not followed",
        ));
    }
    // A pipe or a device of that name would be read without end.
    let metadata = fs::symlink_metadata(&real)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&real)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        Err(io::Error::other("it is larger than 1 MiB"))
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
