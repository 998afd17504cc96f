//! Adds a Namespace for objects that block the creation of theirs: a new file next to the other manifests of the unit, and
//! its entry in the directory's `kustomization.yaml`.

use super::super::CheckContext;
use super::super::order::{StartupOrder, Trapped};
use super::listing;
use crate::cluster::UnitIx;
use crate::input::repo::RepoPath;
use base::{FileId, Remedy, RemedyKind};
use yaml::{Scalar, ScalarKind};

/// Adds a namespace that otherwise only releases create. `trapped` lists everything there is to fix, by cluster.
pub fn namespace(
    context: &CheckContext<'_>,
    order: &StartupOrder<'_>,
    one: &Trapped<'_>,
    trapped: &[Vec<Trapped<'_>>],
) -> Option<Remedy> {
    let name = one.namespace;
    let mut makers = one.makers.iter();
    // If a unit declares the Namespace, it should move instead, and we cannot tell where to.
    if !makers.all(|maker| order.unit(*maker).unit.release.is_some()) {
        return None;
    }
    let unit = order.unit(one.unit);
    let directory = unit.directory.as_ref()?;
    let build = unit.unit.build.as_ref()?;
    let target = build.target_namespace.as_ref();
    let is_plain = RepoPath::new(&build.path).as_ref() == Some(directory)
        && target.is_none_or(|target| target.value == name)
        && unit.unit.template.is_none();
    if !is_plain || directory.as_str().is_empty() {
        return None;
    }
    let path = directory.join("namespace.yaml")?;
    // A name such as `2024` would be read as a number.
    let is_text = matches!(Scalar::plain(name).kind(), ScalarKind::Str(_));
    if !is_text || context.repo.file(&path).is_some() {
        return None;
    }
    let list = listing(context.repo, directory);
    let sign = match list {
        Some(file) => file,
        // Without a `kustomization.yaml`, every file in the directory is applied.
        None => {
            let mut files = one.objects.iter().map(|object| object.statement.place.file);
            files.find(|file| {
                *file != FileId::NONE
                    && context.repo.path(*file).parent().as_ref() == Some(directory)
            })?
        }
    };
    if !is_alone(context, sign, name, trapped) {
        return None;
    }
    Some(Remedy {
        title: format!("add Namespace `{name}` to {directory}"),
        kind: RemedyKind::AddNamespace {
            name: name.to_owned(),
            path: path.to_string(),
            list,
        },
    })
}

/// Whether every unit that applies the file, in any cluster, lacks the same namespace.
fn is_alone(
    context: &CheckContext<'_>,
    file: FileId,
    name: &str,
    trapped: &[Vec<Trapped<'_>>],
) -> bool {
    context
        .clusters
        .iter()
        .zip(trapped)
        .all(|(cluster, trapped)| {
            let mut units = cluster.units.iter_enumerated();
            let is_loose = cluster.loose.files.contains(&file);
            let lacks = |unit: UnitIx| {
                let mut here = trapped.iter();
                here.any(|one| one.unit == unit && one.namespace == name)
            };
            !is_loose
                && units.all(|(index, unit)| {
                    let mut applied = unit.applied.iter();
                    !applied.any(|applied| applied.files.contains(&file)) || lacks(index)
                })
        })
}
