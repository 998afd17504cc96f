//! Sources: the tools whose files the catalogue understands. Each has a reader, which turns its files into facts, and
//! traits for what else is known of it. To add one: a file here, and a line in [`SOURCES`].

pub mod address;
pub mod apply_command;
pub mod argocd;
pub mod charts;
mod describe;
mod duration;
mod expand;
pub mod flux;
pub mod helmfile;

pub mod inventory;
mod kubernetes;
pub mod kustomize;
pub mod local_charts;
pub mod local_package;
mod operate;
pub mod placeholder;
pub mod published_chart;
pub mod pulumi;
mod read_context;
mod reader;
pub mod rendered_chart;
mod repo_facts;
pub mod skaffold;
pub mod terraform;

pub mod values_from;

pub use ::kustomize::read_inline;
pub use base::{missing, outside};
pub use describe::{
    Describe, Fetched, describe, describe_values_from, is_origin, is_plumbing, makes_no_pods,
    resolve_files,
};
pub use expand::{
    Expand, Expanded, InstallEnvironment, Program, Run, environments, expand, inflate, install,
    makes_unnamed, programs,
};
pub use operate::{
    Advice, LineChange, NameInTool, NewUnit, Operate, Refusal, Verb, advice, answers_for_release,
    command, gate, name_in_tool, requeue, retry_advice, unit_kinds, write_gate, write_unit,
};
pub use read_context::ReadContext;
pub use reader::{
    Reader, SourceFile, entry_point, is_bootstrap, is_bootstrap_source, preinstalled_groups,
    read_text, unit,
};
pub use repo_facts::{Facts, Kept};

/// All sources, in the order in which they are asked. A document goes to the first reader that takes it, and later
/// ones may change what earlier ones said of an object.
pub const SOURCES: &[Source] = &[
    kustomize::SOURCE,
    helmfile::SOURCE,
    skaffold::SOURCE,
    kubernetes::SOURCE,
    flux::SOURCE,
    argocd::SOURCE,
    terraform::SOURCE,
    pulumi::SOURCE,
];

/// Support for one tool. Only the reader is required.
pub struct Source {
    pub reader: &'static dyn Reader,
    /// Describes built objects.
    pub describe: Option<&'static dyn Describe>,
    /// Objects that templates, charts and programs make.
    pub expand: Option<&'static dyn Expand>,
    /// How people operate and fix units.
    pub operate: Option<&'static dyn Operate>,
}

impl Source {
    /// A source of which only files are read.
    pub const fn reading(reader: &'static dyn Reader) -> Source {
        Source {
            reader,
            describe: None,
            expand: None,
            operate: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reader_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = SOURCES.iter().map(|source| source.reader.name()).collect();
        assert_eq!(names.len(), SOURCES.len());
    }
}
