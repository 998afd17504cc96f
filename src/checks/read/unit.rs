//! Rules about clusters, and about the directories and templates that units build.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "cluster-missing": "A configured cluster has no directory.",
        does: "Checks for `[[cluster]]` entries in `catalog.toml` whose `root` does not exist.",
        bad: "Nothing of that cluster is in the catalogue or checked.",
        example: "toml" "[[cluster]]\nname = \"prod\"\nroot = \"cluster/prod\"   # the directory is clusters/prod",
        fix: "Set `root` to the directory that the cluster is bootstrapped from, relative to the repository.",
    },
    rule! {
        Warning "generator-too-large": "A template generates too many objects.",
        does: "Checks for ApplicationSets that generate an enormous number of Applications, and ResourceSets that \
               generate an enormous number of objects. Generation stops at a limit.",
        bad: "The rest is missing from the catalogue. Usually two long lists were multiplied by mistake.",
        example: "yaml" "generators:\n  - matrix:\n      generators:\n        - git: {directories: [{path: '*/*'}]}\n        - git: {directories: [{path: '*/*'}]}",
        fix: "Narrow the patterns or inputs, or split the set.",
    },
    rule! {
        Info "generator-unknown": "A generator depends on data outside the repository.",
        does: "Reports ApplicationSet generators and ResourceSet input providers that read something other than this \
               repository: registered clusters, other repositories, pull requests, plugins. Each is reported once.",
        bad: "The manifest is fine, but whatever it generates is missing from the catalogue, and checks that need it \
              report nothing.",
        example: "yaml" "generators:\n  - clusters:\n      selector: {matchLabels: {env: prod}}",
        fix: "No action needed. If a git generator reads this repository under another URL, set that URL as \
              `repository` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Error "path-missing": "A Kustomization or Application builds a directory that does not exist.",
        does: "Checks for units (Kustomizations and Applications) whose `path` does not exist in the repository of \
               their source.",
        bad: "The unit never becomes ready, the objects it applied earlier are no longer updated, and everything that \
              depends on it waits.",
        example: "yaml" "spec:\n  path: ./app/web   # the directory is apps/web\n  sourceRef: {kind: GitRepository, name: platform}",
        fix: "Correct the path, which is relative to the root of the source, or create the directory.",
    },
    rule! {
        Warning "project-forbids": "An AppProject does not permit one of its Applications.",
        does: "Checks the destination and sources of each Application against `destinations` and `sourceRepos` of its \
               AppProject, if the repository declares exactly one with that name. An entry that may match counts as a \
               match.",
        bad: "Argo CD refuses to sync the Application: nothing new is applied, and what is already in the cluster is \
              no longer updated.",
        example: "yaml" "kind: AppProject\nmetadata: {name: web}\nspec:\n  destinations:\n    - {server: https://kubernetes.default.svc, namespace: web-*}   # an Application of it goes to `api`",
        fix: "Add an entry to the AppProject, or move the Application to another project.",
    },
    rule! {
        Info "source-elsewhere": "A Kustomization or Application takes its manifests from outside this repository.",
        does: "Reports units (Kustomizations and Applications) whose source is another repository, or whose path \
               contains a variable that nothing here sets.",
        bad: "The manifest is fine, but the objects it applies are missing from the catalogue, and checks that need \
              them report nothing.",
        example: "yaml" "sourceRef: {kind: GitRepository, name: another-team}",
        fix: "No action needed. If the source is this repository under another URL, set that URL as `repository` in \
              `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Error "substitution-invalid": "A `${…}` expression is invalid.",
        does: "Substitutes variables the way the Kustomization's `postBuild` does, and reports invalid expressions.",
        bad: "The whole Kustomization fails: none of its objects are applied.",
        example: "yaml" "command: [\"sh\", \"-c\", \"echo ${HOME\"]",
        fix: "Close the expression. To keep the text literally, write `$${HOME}`, or annotate the object with \
              `kustomize.toolkit.fluxcd.io/substitute: disabled`.",
    },
    rule! {
        Info "template-unfollowed": "A template, plugin or program generates objects that cannot be evaluated.",
        does: "Reports chart, ApplicationSet and ResourceSet templates that use an unsupported function or an unknown \
               value, or include a template from a chart that is not in the repository. Also reports sources whose \
               objects come from a plugin or Jsonnet.",
        bad: "The manifest is fine, but the objects it generates are missing from the catalogue.",
        example: "yaml" "source:\n  path: apps/web\n  plugin: {name: my-plugin}",
        fix: "No action needed, unless the message names an error: a parameter that no generator sets, or a template \
              whose output is not YAML.",
        skips_input: true,
    },
    rule! {
        Error "unit-chain": "Units create units without end.",
        does: "Checks for units (Kustomizations, HelmReleases or Applications) that create units through more than 24 \
               levels, build one directory more than twice in a chain, or repeat the same declarations more than \
               20,000 times. The number of units that are declared once each is not limited.",
        bad: "Usually a unit applies the directory that declares it, under a new name each time. What is beyond the \
              limit is missing from the catalogue; everything else is there.",
        example: "yaml" "metadata: {name: apps-${NAME}}\nspec: {path: ./apps}   # declared below ./apps itself",
        fix: "Declare units outside the directories they build.",
    },
];
