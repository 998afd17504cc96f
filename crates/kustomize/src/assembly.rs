//! How a directory assembles objects: what it includes and how it changes what it included.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::{Located, ResourceId, Sealed};
use base::{Finding, Place};
use yaml::Node;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AssemblyKind {
    #[default]
    Whole,
    /// Acts on what its includer has gathered so far.
    Component,
}

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
    /// Patches that run before names change, in order.
    pub patches: Vec<Patch>,
    /// Patches that run after names changed: the deprecated list of JSON patches.
    pub late_patches: Vec<Patch>,
    pub images: Vec<Image>,
    pub replicas: Vec<Replica>,
    pub replacements: Vec<Replacement>,
    /// Files that add to the table of fields in which names refer to other objects.
    pub configurations: Vec<Listed>,
    /// Files with definitions of custom resources that mark such fields.
    pub definitions: Vec<Listed>,
    pub vars: Vec<Var>,
    /// Generators and transformers that are configured by objects of their own.
    pub generator_plugins: Vec<Plugin>,
    pub transformer_plugins: Vec<Plugin>,
    pub validator_plugins: Vec<Plugin>,
    /// Charts that are rendered along with it.
    pub charts: Vec<HelmChart>,
    /// The fields that name charts to render.
    pub chart_fields: Vec<Located<SmolStr>>,
    /// Entries that are commented out: somebody switched them off.
    pub disabled: Vec<Disabled>,
    /// What this assembly asks for that is not supported here.
    pub findings: Vec<Finding>,
}

/// A chart that an assembly has rendered: what is in it becomes objects like any others.
#[derive(Debug, Clone)]
pub struct HelmChart {
    pub name: Option<Located<SmolStr>>,
    pub version: Option<Located<SmolStr>>,
    /// The address that it is fetched from.
    pub repository: Option<SmolStr>,
    pub place: Place,
    /// What the release is called, if anything says so.
    pub release: SmolStr,
    pub namespace: SmolStr,
    /// Leaves out the definitions in the chart's directory of them.
    pub skips_crds: bool,
    /// Files of values, from the directory of the assembly; the last wins.
    pub value_files: Vec<Located<SmolStr>>,
    /// Values that are stated in place, which win over those of files.
    pub values: Option<Arc<Node>>,
}

/// An entry of a list of files or directories, and the comment that heads its part of the list.
#[derive(Debug, Clone)]
pub struct Listed {
    pub path: SmolStr,
    pub place: Place,
    pub heading: Option<SmolStr>,
}

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSet {
    pub pairs: Vec<KeyValue>,
    pub reach: LabelReach,
    /// Further fields that take the labels.
    pub fields: Vec<FieldSpec>,
}

/// A field of objects of some kind; what is empty matches anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    pub group: SmolStr,
    pub version: SmolStr,
    pub kind: SmolStr,
    pub path: SmolStr,
    pub create: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelReach {
    Metadata,
    Templates,
    Selectors,
    /// As `commonLabels` do.
    Everything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    pub body: PatchBody,
    pub list: PatchList,
    pub target: Option<Selector>,
    pub place: Place,
    pub allow_name_change: bool,
    pub allow_kind_change: bool,
}

/// The list that a patch stands in: kustomize does not treat labels and annotations alike in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchList {
    Patches,
    StrategicMerge,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchBody {
    File(SmolStr),
    /// The scalar that holds the patch.
    Inline(Arc<Node>),
}

/// Picks objects: every field that is not empty must match, names as anchored expressions.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Behavior {
    #[default]
    Create,
    Merge,
    Replace,
}

/// Makes a ConfigMap or a Secret out of literals and files.
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

#[derive(Debug, Clone)]
pub struct Literal {
    pub key: SmolStr,
    /// The marker, where the value is secret.
    pub value: SmolStr,
    pub sealed: Option<Sealed>,
    pub place: Place,
}

#[derive(Debug, Clone, Default)]
pub struct GeneratorOptions {
    pub labels: Vec<KeyValue>,
    pub annotations: Vec<KeyValue>,
    pub disable_hash: Option<bool>,
    pub immutable: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    pub name: SmolStr,
    pub new_name: SmolStr,
    pub new_tag: SmolStr,
    pub tag_suffix: SmolStr,
    pub digest: SmolStr,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    pub name: SmolStr,
    pub count: SmolStr,
    pub place: Place,
}

#[derive(Debug, Clone)]
pub struct Replacement {
    /// A file that holds the replacements instead of stating one here.
    pub file: Option<SmolStr>,
    pub source: Option<ReplacementSource>,
    pub targets: Vec<ReplacementTarget>,
    pub place: Place,
}

#[derive(Debug, Clone)]
pub struct ReplacementSource {
    pub selector: Selector,
    pub field_path: SmolStr,
    pub value: Option<SmolStr>,
    pub options: FieldOptions,
}

#[derive(Debug, Clone)]
pub struct ReplacementTarget {
    pub select: Option<Selector>,
    pub reject: Vec<Selector>,
    pub field_paths: Vec<SmolStr>,
    pub options: FieldOptions,
    pub place: Place,
}

#[derive(Debug, Clone, Default)]
pub struct FieldOptions {
    pub delimiter: SmolStr,
    pub index: i64,
    pub create: bool,
}

/// A text that takes its value from a field of an object.
#[derive(Debug, Clone)]
pub struct Var {
    pub name: SmolStr,
    pub object: ResourceId,
    pub field_path: SmolStr,
    pub place: Place,
}

/// An object, in a file or here, that configures a generator or a transformer.
#[derive(Debug, Clone)]
pub struct Plugin {
    pub body: PatchBody,
    pub place: Place,
}

/// What a plugin object asks for, as far as it is known here.
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
}

/// Which subjects of a binding take the namespace that is being set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subjects {
    #[default]
    Default,
    ServiceAccounts,
    None,
}
