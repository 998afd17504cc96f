//! The contents of a `kustomization.yaml` as plain data: what it includes, and how it changes that. No logic.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::{Located, ResourceId, Sealed};
use base::{Finding, Place};
use yaml::Node;

/// The kind of a kustomization file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AssemblyKind {
    #[default]
    Whole,
    /// Changes the objects that its includer has gathered so far.
    Component,
}

/// The contents of a kustomization.
#[derive(Debug, Clone, Default)]
pub struct Assembly {
    pub kind: AssemblyKind,
    pub place: Place,
    pub resources: Vec<Listed>,
    pub components: Vec<Listed>,
    pub generators: Vec<Generator>,
    pub generator_options: GeneratorOptions,
    pub namespace: Option<Located<SmolStr>>,
    pub name_prefix: SmolStr,
    pub name_suffix: SmolStr,
    pub labels: Vec<LabelSet>,
    pub annotations: Vec<KeyValue>,
    /// Patches that apply before names change, in order.
    pub patches: Vec<Patch>,
    /// Patches that apply after names have changed: the deprecated `patchesJson6902`.
    pub late_patches: Vec<Patch>,
    pub images: Vec<Image>,
    pub replicas: Vec<Replica>,
    pub replacements: Vec<Replacement>,
    /// Transformer configuration files, which add fields that contain names, labels or images.
    pub configurations: Vec<Listed>,
    /// OpenAPI definitions of custom resources, which mark such fields.
    pub definitions: Vec<Listed>,
    pub vars: Vec<Var>,
    /// Generators and transformers that are configured by objects.
    pub generator_plugins: Vec<Plugin>,
    pub transformer_plugins: Vec<Plugin>,
    pub validator_plugins: Vec<Plugin>,
    /// Charts to render.
    pub charts: Vec<HelmChart>,
    /// The fields that list charts.
    pub chart_fields: Vec<Located<SmolStr>>,
    /// Entries that are commented out.
    pub disabled: Vec<Disabled>,
    /// Unsupported fields.
    pub findings: Vec<Finding>,
}

/// A chart that the kustomization renders.
#[derive(Debug, Clone)]
pub struct HelmChart {
    pub name: Option<Located<SmolStr>>,
    pub version: Option<Located<SmolStr>>,
    /// The repository it is fetched from.
    pub repository: Option<SmolStr>,
    pub place: Place,
    /// The release name; empty if none is set.
    pub release: SmolStr,
    pub namespace: SmolStr,
    /// Leaves out the CRDs in the chart's `crds` directory.
    pub skips_crds: bool,
    /// Values files, relative to the kustomization; the last wins.
    pub value_files: Vec<Located<SmolStr>>,
    /// Inline values, which override those of files.
    pub values: Option<Arc<Node>>,
}

/// An entry of a list of files or directories, with the comment above its group of entries.
#[derive(Debug, Clone)]
pub struct Listed {
    pub path: SmolStr,
    pub place: Place,
    pub heading: Option<SmolStr>,
}

/// An entry that is commented out.
#[derive(Debug, Clone)]
pub struct Disabled {
    pub path: SmolStr,
    pub place: Place,
    pub heading: Option<SmolStr>,
}

/// A key and a value, with the place of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    pub key: SmolStr,
    pub value: SmolStr,
    pub place: Place,
}

/// Labels, and the fields that get them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSet {
    pub pairs: Vec<KeyValue>,
    pub reach: LabelReach,
    /// Additional fields that get the labels.
    pub fields: Vec<FieldSpec>,
}

/// A field of objects of some kind. Empty parts match anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub path: SmolStr,
    pub create: bool,
}

/// Which fields of an object get labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelReach {
    Metadata,
    Templates,
    Selectors,
    /// Every field that contains labels, as `commonLabels` sets them.
    Everything,
}

/// A patch, and the objects it selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    pub body: PatchBody,
    pub list: PatchList,
    pub target: Option<Selector>,
    pub place: Place,
    pub allow_name_change: bool,
    pub allow_kind_change: bool,
}

/// The list that a patch is in. kustomize treats labels and annotations differently in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchList {
    Patches,
    StrategicMerge,
}

/// A file with a patch, or an inline patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchBody {
    File(SmolStr),
    /// The scalar that contains the patch.
    Inline(Arc<Node>),
}

/// Selects objects: every non-empty field must match; names are anchored regular expressions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub namespace: SmolStr,
    pub name: SmolStr,
    pub labels: SmolStr,
    pub annotations: SmolStr,
}

/// How a generator treats an existing object of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Behavior {
    #[default]
    Create,
    Merge,
    Replace,
}

/// Generates a ConfigMap or a Secret from literals and files.
#[derive(Debug, Clone)]
pub struct Generator {
    pub kind: SmolStr,
    pub name: SmolStr,
    pub namespace: SmolStr,
    pub secret_type: SmolStr,
    pub behavior: Behavior,
    pub literals: Vec<Literal>,
    pub files: Vec<KeyValue>,
    pub envs: Vec<KeyValue>,
    pub options: GeneratorOptions,
    pub place: Place,
}

/// A key and value of a generated object.
#[derive(Debug, Clone)]
pub struct Literal {
    pub key: SmolStr,
    /// The marker, if the value is secret.
    pub value: SmolStr,
    pub sealed: Option<Sealed>,
    pub place: Place,
}

/// Options of a generator, or the defaults in `generatorOptions`.
#[derive(Debug, Clone, Default)]
pub struct GeneratorOptions {
    pub labels: Vec<KeyValue>,
    pub annotations: Vec<KeyValue>,
    pub disable_hash: Option<bool>,
    pub immutable: Option<bool>,
}

/// An entry of `images`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    pub name: SmolStr,
    pub new_name: SmolStr,
    pub new_tag: SmolStr,
    pub tag_suffix: SmolStr,
    pub digest: SmolStr,
    pub place: Place,
}

/// An entry of `replicas`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    pub name: SmolStr,
    pub count: SmolStr,
    pub place: Place,
}

/// An entry of `replacements`.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// A file with replacements, instead of an inline one.
    pub file: Option<SmolStr>,
    pub source: Option<ReplacementSource>,
    pub targets: Vec<ReplacementTarget>,
    pub place: Place,
}

/// The object and field that a replacement copies from.
#[derive(Debug, Clone)]
pub struct ReplacementSource {
    pub selector: Selector,
    pub field_path: SmolStr,
    pub value: Option<SmolStr>,
    pub options: FieldOptions,
}

/// The objects and fields that a replacement copies to.
#[derive(Debug, Clone)]
pub struct ReplacementTarget {
    pub select: Option<Selector>,
    pub reject: Vec<Selector>,
    pub field_paths: Vec<SmolStr>,
    pub options: FieldOptions,
    pub place: Place,
}

/// Options of a replacement's field.
#[derive(Debug, Clone, Default)]
pub struct FieldOptions {
    pub delimiter: SmolStr,
    pub index: i64,
    pub create: bool,
}

/// A variable that takes its value from a field of an object.
#[derive(Debug, Clone)]
pub struct Var {
    pub name: SmolStr,
    pub object: ResourceId,
    pub field_path: SmolStr,
    pub place: Place,
}

/// An object, in a file or inline, that configures a generator or a transformer.
#[derive(Debug, Clone)]
pub struct Plugin {
    pub body: PatchBody,
    pub place: Place,
}

/// The action of a plugin object, as far as it is supported.
#[derive(Debug, Clone)]
pub enum PluginStep {
    Generate(Box<Generator>),
    Namespace {
        namespace: Located<SmolStr>,
        subjects: Subjects,
        only_unset: bool,
        fields: Vec<FieldSpec>,
    },
    Prefix(SmolStr, Vec<FieldSpec>),
    Suffix(SmolStr, Vec<FieldSpec>),
    /// Labels or annotations.
    Pairs(Vec<KeyValue>, Vec<FieldSpec>),
    Patches(Vec<Patch>),
    Image(Image, Vec<FieldSpec>),
    Replica(Replica, Vec<FieldSpec>),
    Replacements(Vec<Replacement>),
    Inflate(Box<HelmChart>),
    /// Files of objects, encrypted or not.
    Include(Vec<Listed>),
}

/// The subjects of a role binding that get the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subjects {
    #[default]
    Default,
    ServiceAccounts,
    None,
}
