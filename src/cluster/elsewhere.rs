//! What kustomizations say of objects in bases that are not fetched.

use std::collections::BTreeSet;

use smol_str::{SmolStr, format_smolstr};

use super::build::Builder;
use super::unit::Objects;
use base::FileId;

/// The images that kustomizations set and that no object here runs.
pub fn set_images(
    builder: &Builder<'_>,
    files: &BTreeSet<FileId>,
    objects: &Objects,
) -> Vec<SmolStr> {
    let facts = builder.context().facts;
    let assemblies = files
        .iter()
        .filter_map(|file| facts.known(*file)?.assembly.as_ref());
    let set = assemblies.flat_map(|assembly| &assembly.images);
    let set = set.filter(|image| !image.new_tag.is_empty()).map(|image| {
        let name = if image.new_name.is_empty() {
            &image.name
        } else {
            &image.new_name
        };
        format_smolstr!("{name}:{}", image.new_tag)
    });
    let run: BTreeSet<&str> = objects
        .iter()
        .flat_map(|object| {
            let runs = &object.statement.runs;
            let workload = runs.workload.iter().flat_map(|workload| &workload.images);
            workload
                .chain(&runs.images)
                .map(|image| image.value.as_str())
        })
        .collect();
    let set: BTreeSet<SmolStr> = set.filter(|image| !run.contains(image.as_str())).collect();
    set.into_iter().collect()
}
