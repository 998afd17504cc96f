//! `kustomize build` as a library: reads kustomizations and builds directories in kustomize's order. Every node keeps
//! the place it was read from. Anything kustomize would reject is a finding, and the build continues. Files are read
//! through `Manifests` only.

mod assembly;
mod build;
mod effort;
mod env;
mod field;
mod finish;
mod generate;
mod image;
mod index;
mod item;
mod json_patch;
mod manifests;
mod merge;
mod object;
mod patch;
mod read;
mod rename;
mod replace;
mod schema;
mod sealed;
mod select;
mod table;
mod transform;
mod variable;

pub use assembly::{
    Assembly, AssemblyKind, Disabled, Generator, HelmChart, Image, KeyValue, LabelReach, LabelSet,
    Listed, Patch, PatchBody, PatchList, Plugin, Replica, Selector,
};
pub use build::{Built, DirectoryBuilder};
pub use item::BuildObject;
pub use manifests::{Inflated, Manifest, Manifests};
pub use object::{Located, Resource, ResourceId, split_api_version};
pub use read::{
    Early, FILE_NAMES, both, entries, images, inflated, is_kustomization, located, patches, read,
    read_early, read_inline, replica, text,
};
pub use sealed::without_hash;
pub use transform::{default_namespace, metadata};

// Parts of an assembly that are used inside the crate only.
use assembly::{
    Behavior, FieldOptions, FieldSpec, GeneratorOptions, Literal, PluginStep, Replacement,
    ReplacementSource, ReplacementTarget, Subjects, Var,
};
use sealed::{Content, Sealed, name_hash};
