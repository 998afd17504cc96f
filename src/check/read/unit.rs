//! What is said about clusters, and about what a unit builds.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "cluster-missing": "A configured cluster has no directory.",
        does: "Looks for `[[cluster]]` entries of `catalog.toml` whose `root` does not exist.",
        bad: "Nothing of that cluster is in the catalogue, and nothing of it is checked.",
        example: "toml" "[[cluster]]\nname = \"prod\"\nroot = \"cluster/prod\"   # the directory is clusters/prod",
        fix: "Name the directory that the cluster's reconciler starts from, relative to the repository.",
    },
    rule! {
        Warning "generator-too-large": "A template makes too many units.",
        does: "Stops where the generators of one ApplicationSet give an enormous number of Applications, or a ResourceSet one of objects.",
        bad: "The rest is left out of the catalogue. Mostly somebody multiplied two long lists without meaning to.",
        example: "yaml" "generators:\n  - matrix:\n      generators:\n        - git: {directories: [{path: '*/*'}]}\n        - git: {directories: [{path: '*/*'}]}",
        fix: "Narrow the patterns or inputs, or split the set.",
    },
    rule! {
        Info "generator-unknown": "A generator depends on what only a running reconciler knows.",
        does: "Names the generators of ApplicationSets, and the providers of inputs of ResourceSets, that look at something else \
               than this repository: registered clusters, other repositories, pull requests, plugins. Each is named once.",
        bad: "It is not bad: what it gives is missing from the catalogue, and checks that would need it stay silent.",
        example: "yaml" "generators:\n  - clusters:\n      selector: {matchLabels: {env: prod}}",
        fix: "Nothing to do. Where a git generator looks at this repository under another address, state that address as \
              `repository` in `catalog.toml`.",
    },
    rule! {
        Error "path-missing": "A unit builds a directory that does not exist.",
        does: "Looks for units whose `path` names nothing in the repository that they take their files from.",
        bad: "The unit never becomes ready, what it applied before is left as it was, and all that depends on it waits.",
        example: "yaml" "spec:\n  path: ./app/web   # the directory is apps/web\n  sourceRef: {kind: GitRepository, name: platform}",
        fix: "Correct the path, which is relative to the root of the source, or create the directory.",
    },
    rule! {
        Warning "project-forbids": "A project does not allow what one of its Applications does.",
        does: "Compares where each Application goes, and what it takes, with `destinations` and `sourceRepos` of its AppProject, if \
               the repository declares exactly one of that name. An entry that may match counts as one that does.",
        bad: "Argo CD refuses to sync the Application: nothing of it is applied, and what was applied before stays as it was.",
        example: "yaml" "kind: AppProject\nmetadata: {name: web}\nspec:\n  destinations:\n    - {server: https://kubernetes.default.svc, namespace: web-*}   # an Application of it goes to `api`",
        fix: "Add an entry to the AppProject, or give the Application another project.",
    },
    rule! {
        Info "source-elsewhere": "A unit takes its files from somewhere else.",
        does: "Names the units whose source is another repository, or whose path holds a variable that nothing here sets.",
        bad: "It is not bad: what the unit applies is not known here, so that it is missing from the catalogue, and checks \
              that would need it stay silent.",
        example: "yaml" "sourceRef: {kind: GitRepository, name: another-team}",
        fix: "Nothing to do. Where the source is this repository under another address, state that address as `repository` \
              in `catalog.toml`.",
    },
    rule! {
        Error "substitution-invalid": "A `${…}` in a manifest cannot be substituted.",
        does: "Substitutes variables as the unit's `postBuild` would, and reports expressions that it does not understand.",
        bad: "The unit fails as a whole: nothing that it holds is applied.",
        example: "yaml" "command: [\"sh\", \"-c\", \"echo ${HOME\"]",
        fix: "Close the expression. For a text that shall stay as it is, write `$${HOME}`, or annotate the object with \
              `kustomize.toolkit.fluxcd.io/substitute: disabled`.",
    },
    rule! {
        Info "template-unfollowed": "A template, plugin or program makes objects that are not known here.",
        does: "Names templates of charts, ApplicationSets and ResourceSets that use a function or a value which cannot be followed, or \
               include what only a chart elsewhere defines, and sources that a plugin or Jsonnet makes objects of.",
        bad: "It is not bad: the units that it makes are missing from the catalogue.",
        example: "yaml" "source:\n  path: apps/web\n  plugin: {name: my-plugin}",
        fix: "Nothing to do, unless the message names a mistake: a parameter that no generator gives, or a template that \
              writes something else than YAML.",
    },
    rule! {
        Error "unit-chain": "A chain of units that create units is too long.",
        does: "Stops where units create units more levels deep than anybody means to.",
        bad: "Most likely a unit applies the directory that declares it, under another name each time. What is behind \
              the limit is missing from the catalogue.",
        example: "yaml" "metadata: {name: apps-${NAME}}\nspec: {path: ./apps}   # declared below ./apps itself",
        fix: "Declare units outside of the directories that they build.",
    },
];
