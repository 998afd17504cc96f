//! `catalog.toml`: what a team may say that its manifests do not, validated once.
//! Every key is optional, and every mistake is collected with its place in the file.
//! Reads that one file and nothing else of the repo.

mod chart;
mod check;
mod guide;
mod mistake;
mod read;
mod section;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use globset::GlobSet;
use schemars::JsonSchema;
use serde_json::Value;

pub use chart::{Chart, Crds, Starts, Switch, VersionFrom, WhenDown, known_charts};
pub use check::{Allow, Check, Level, RuleName, SeverityOf};
pub use guide::guide;
pub use mistake::{ConfigError, Mistake};

use base::Place;
use mistake::Mistakes;
use section::Section;

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
    /// Directories of architecture decisions, such as `docs/architecture`. Defaults to every directory called `adr`, `adrs`,
    /// `decisions` or similar.
    #[schemars(example = ["docs/architecture"])]
    pub decisions: Vec<String>,
    /// Accepted differences between a spec or its record and the files. They are not reported.
    pub accepted: Vec<Accepted>,
    /// Which rules apply, and how severe their findings are.
    pub check: Check,
    #[schemars(skip)]
    pub origin: Origin,
}

/// Where a configuration was read from.
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
    /// Where `root` is written; the file is not known here.
    #[schemars(skip)]
    pub place: Place,
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
    /// Where its name is written; the file is not known here.
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
    /// Where its name is written; the file is not known here.
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
    /// Where `spec` is written; the file is not known here.
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
    let config = read::config(&Section::top(&document), &mut mistakes);
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
    /// Globs that somebody typed; the error says which cannot be one, and why.
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
    // What a link leads to elsewhere is none of the repo's business, and mistakes would show its lines.
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
mod tests {
    use super::*;

    const FULL: &str = r#"
title = "Platform"
repository = "https://github.com/acme/platform.git/"
repo = "../platform"
ignore = ["/drafts/", "!drafts/kept.yaml", "*.bak"]
decisions = ["./docs/architecture/"]
external_crds = ["traefik.io", "*.cattle.io"]

[[cluster]]
name = "dev"
root = "./clusters/dev/"

[[cluster]]
name = "prod"
root = "clusters/prod"

[[layer]]
name = "Network"
match = ["traefik", "k8s/network/", "cert-*"]

[[layer]]
name = "Apps"
match = ["apps/**"]

[[owner]]
name = "Platform team"
contact = "platform@example.org"
match = ["**"]

[[accepted]]
spec = "0003"
step = 2
now = "`a/` has 4 files, not 3"
because = "Spec 0003a added one."

[[accepted]]
spec = "0002"
file = "infra/main.tf"
because = "It moved to another repository."
"#;

    /// The places and messages of all mistakes, one a line.
    fn mistakes(text: &str) -> Vec<String> {
        let error = parse(text, "catalog.toml").unwrap_err();
        let line = |m: &Mistake| format!("{}:{} {}", m.line, m.column, m.message);
        error.mistakes.iter().map(line).collect()
    }

    #[test]
    fn an_empty_file_is_a_configuration() {
        assert_eq!(parse("", "catalog.toml").unwrap(), Config::default());
    }

    #[test]
    fn an_address_has_no_control_characters() {
        for key in ["url", "repository"] {
            let found = mistakes(&format!("{key} = \"https://x/\\u0000\""));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains("is not a URL"), "{found:?}");
        }
    }

    #[test]
    fn every_key_is_read() {
        let config = parse(FULL, "catalog.toml").unwrap();
        assert_eq!(config.title.as_deref(), Some("Platform"));
        assert_eq!(
            config.repository.as_deref(),
            Some("https://github.com/acme/platform")
        );
        assert_eq!(
            config.repo_dir(Path::new("docs/catalog.toml")),
            Some(PathBuf::from("docs/../platform"))
        );
        assert_eq!(config.ignore.len(), 3);
        let clusters: Vec<_> = config
            .clusters
            .iter()
            .map(|c| (c.name.as_str(), c.place.line))
            .collect();
        assert_eq!(clusters, [("dev", 11), ("prod", 15)]);
        assert_eq!(config.decisions, ["docs/architecture"]);
        let accepted = config.accepted.iter();
        let accepted: Vec<_> = accepted
            .map(|a| (a.spec.as_str(), a.step, a.place.line))
            .collect();
        assert_eq!(accepted, [("0003", Some(2), 31), ("0002", None, 37)]);
        assert_eq!(config.layers[0].name, "Network");
        assert_eq!(
            config.owners[0].contact.as_deref(),
            Some("platform@example.org")
        );
        assert!(config.owners[0].matches(&["anything/at/all"]));
        assert!(config.has_external_crds("management.cattle.io"));
        assert!(!config.has_external_crds("cattle.io"));
    }

    #[test]
    fn a_directory_matches_itself_and_all_below_but_a_star_stops_at_a_slash() {
        let config = parse(FULL, "catalog.toml").unwrap();
        let [network, apps] = &config.layers[..] else {
            panic!("two layers")
        };
        assert!(network.matches(&["other", "k8s/network"]));
        assert!(network.matches(&["k8s/network/traefik/release.yaml"]));
        assert!(network.matches(&["cert-manager"]));
        assert!(!network.matches(&["cert-manager/x", "k8s", "k8s/networks"]));
        assert!(apps.matches(&["apps"]) && apps.matches(&["apps/n8n"]));
        assert!(!apps.matches(&[]));
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_their_places() {
        let text = r#"
tilte = "x"
title = 3
ignore = ["[a", "ok", 4]
external_crds = "traefik.io"
repository = "github.com/acme"

[[cluster]]
name = "dev"
root = "/clusters/dev"

[[cluster]]
name = "dev"
root = "a/../../b"

[[cluster]]
nmae = "x"
root = ".."

[layer]
name = "x"

[[owner]]
name = ""
contact = "javascript:alert(1)"
match = ["a{b"]
"#;
        assert_eq!(
            mistakes(text),
            [
                "2:1 unknown key `tilte`",
                "3:9 `title` must be a string, not an integer",
                "4:11 `[a` is not a valid glob: unclosed character class; missing ']'",
                "4:23 `ignore` must be a string, not an integer",
                "5:17 `external_crds` must be a list of strings, not a string",
                "6:14 `github.com/acme` is not a URL",
                "10:8 `/clusters/dev` is not a directory in the repository",
                "13:8 there are two clusters named `dev`",
                "14:8 `a/../../b` is not a directory in the repository",
                "16:1 the key `name` is missing",
                "17:1 unknown key `nmae`",
                "18:8 `..` is not a directory in the repository",
                "20:1 `layer` must be a list of tables, not a table",
                "24:8 the name of this owner is empty",
                "25:11 `javascript:alert(1)` is neither a URL nor an email address",
                "26:10 `a{b` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
            ]
        );
    }

    #[test]
    fn a_mistake_is_shown_with_its_line_and_a_suggestion() {
        let error = parse("# us\n\ntilte = \"x\"\n", "catalog.toml").unwrap_err();
        let expected = "\
error: unknown key `tilte`
 --> catalog.toml:3:1
  |
3 | tilte = \"x\"
  | ^^^^^
  |
  = help: did you mean `title`?";
        assert_eq!(error.to_string(), expected);
        let far = parse("environments = 1", "catalog.toml").unwrap_err();
        assert!(far.to_string().contains("`external_crds`, `owner`"));
    }

    #[test]
    fn a_guide_lies_beside_a_repo_that_is_named_and_nowhere_else() {
        let config = parse("repo = \"content\"\nguide = \"docs\"\n", "catalog.toml").unwrap();
        assert_eq!(config.guide.as_deref(), Some("docs"));
        assert_eq!(
            mistakes("guide = \"docs\""),
            ["1:9 `guide` is set without `repo`"]
        );
        for outside in ["../docs", "/etc", "docs/../.."] {
            let text = format!("repo = \"content\"\nguide = \"{outside}\"\n");
            let message = format!("2:9 `{outside}` is not below the directory of this file");
            assert_eq!(mistakes(&text), [message]);
        }
    }

    #[test]
    fn broken_syntax_is_told_with_what_stands_before_it_and_nothing_it_causes() {
        let text = "tilte = 1\n[[cluster]]\nname = \"a\"\nroot\n[[cluster\nname = 1\n";
        assert_eq!(
            mistakes(text),
            [
                "1:1 unknown key `tilte`",
                "4:5 invalid TOML: key with no value, expected `=`",
                "5:10 invalid TOML: unclosed array table, expected `]]`",
            ]
        );
        assert_eq!(
            mistakes("title = \"a\"\ntitle = \"b\"\n"),
            ["2:1 invalid TOML: duplicate key"]
        );
    }

    #[test]
    fn what_is_accepted_says_what_and_why() {
        let text = "[[accepted]]\nspec = \"1\"\nbecause = \"x\"\n[[accepted]]\nspec = \"1\"\nfile = \"a\"\nstep = 0\n\
                    [[accepted]]\nspec = \"1\"\nstep = \"2\"\nbecause = \" \"\n";
        assert_eq!(
            mistakes(text),
            [
                "1:1 this entry has neither `file` nor `step`",
                "4:1 the key `because` is missing",
                "7:8 `step` counts from 1",
                "7:8 this entry has both `file` and `step`",
                "8:1 this entry has neither `file` nor `step`",
                "10:8 `step` must be an integer, not a string",
                "11:11 the reason is empty",
            ]
        );
    }

    #[test]
    fn credentials_in_the_address_are_refused_and_not_repeated() {
        let text = "repository = \"https://me:secret@github.com/acme/platform\"";
        let error = parse(text, "catalog.toml").unwrap_err().to_string();
        assert!(error.contains("credentials") && !error.contains("secret"));
    }

    #[test]
    fn the_schema_has_the_keys_that_are_read() {
        let schema = schemars::schema_for!(Config);
        let keys = |value: &serde_json::Value| -> Vec<String> {
            let object = value["properties"].as_object().unwrap();
            let mut keys: Vec<String> = object.keys().cloned().collect();
            keys.sort();
            keys
        };
        let sorted = |keys: &[&str]| {
            let mut keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
            keys.sort();
            keys
        };
        let defs = &schema.as_value()["$defs"];
        assert_eq!(keys(schema.as_value()), sorted(read::KEYS));
        assert_eq!(keys(&defs["Cluster"]), sorted(read::CLUSTER_KEYS));
        assert_eq!(keys(&defs["Layer"]), sorted(read::LAYER_KEYS));
        assert_eq!(keys(&defs["Owner"]), sorted(read::OWNER_KEYS));
        assert_eq!(keys(&defs["Chart"]), sorted(chart::CHART_KEYS));
        assert_eq!(keys(&defs["Accepted"]), sorted(read::ACCEPTED_KEYS));
        assert_eq!(keys(&defs["Check"]), sorted(check::KEYS));
        assert_eq!(keys(&defs["Allow"]), sorted(check::ALLOW_KEYS));
        assert!(schema.as_value()["properties"]["ignore"]["description"].is_string());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let missing = load(&dir.path().join("catalog.toml")).unwrap_err();
        assert!(missing.to_string().contains("catalog.toml`: "));
        assert!(
            load(dir.path())
                .unwrap_err()
                .to_string()
                .contains("regular file")
        );

        let latin = dir.path().join("latin.toml");
        std::fs::write(&latin, b"title = \"a\"\n# caf\xe9\n").unwrap();
        let error = load(&latin).unwrap_err();
        assert_eq!((error.mistakes[0].line, error.mistakes[0].column), (2, 6));
    }
}
