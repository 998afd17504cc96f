//! Owner of a component: from the configuration, else from a label or annotation on one of its objects, else from the
//! file of the repo that says who owns its directory.

use rayon::prelude::*;

use super::Component;
use super::component::NamedComponent;
use super::gather::main_part;
use super::layer::candidates;
use super::part_objects::objects;
use crate::cluster::Clusters;
use crate::input::config::{Config, Origin};
use crate::input::repo::{OwnerFiles, Owners, Repo, RepoPath};
use base::Place;

pub fn assign(
    components: &mut [Component],
    named: &[NamedComponent],
    clusters: &Clusters,
    repo: &Repo,
    config: &Config,
) {
    let files = OwnerFiles::read(repo);
    let config_file = match &config.origin {
        Origin::Repo(path) => RepoPath::new(path).and_then(|path| repo.file(&path)),
        Origin::Elsewhere => None,
    };
    let each = components.par_iter_mut().zip(named).with_max_len(64);
    each.for_each(|(component, named)| {
        let names = candidates(component);
        let configured = config.owners.iter().find(|owner| owner.matches(&names));
        let configured = configured.map(|owner| {
            let place = config_file.map(|file| Place {
                file,
                ..owner.place
            });
            (vec![owner.name.clone()], place)
        });
        let stated = configured
            .or_else(|| labelled(named, clusters).map(placed))
            .or_else(|| in_files(component, repo, &files).map(placed));
        let Some((names, place)) = stated else {
            return;
        };
        component.owner = names.first().cloned();
        component.owners = names;
        component.owner_place = place;
    });
}

fn placed(owners: Owners) -> (Vec<String>, Option<Place>) {
    (owners.names, Some(owners.place))
}

/// The first label or annotation of its objects that names an owner.
fn labelled(named: &NamedComponent, clusters: &Clusters) -> Option<Owners> {
    let draft = &named.draft;
    let main = main_part(draft, clusters).into_iter();
    let parts = main.chain(&draft.parts);
    let mut objects = parts.flat_map(|part| objects(part, clusters));
    objects.find_map(|object| {
        let owner = object.statement.labels.owner.as_ref()?;
        Some(Owners {
            names: vec![owner.value.to_string()],
            place: owner.place,
        })
    })
}

/// The owners of the files in its directory, by the first of them; else those of the file that declares it.
fn in_files(component: &Component, repo: &Repo, files: &OwnerFiles) -> Option<Owners> {
    let declared = (component.place.line > 0).then(|| repo.path(component.place.file));
    let places = component.resources.iter().map(|resource| resource.place);
    let paths = places.filter(|place| place.line > 0);
    let mut paths = paths.map(|place| repo.path(place.file));
    let own = match &component.source {
        Some(source) => declared
            .filter(|path| path.is_below(source))
            .or_else(|| paths.find(|path| path.is_below(source)))
            .cloned()
            // A directory of files that no object comes from, such as those of a chart.
            .or_else(|| {
                repo.below(source)
                    .next()
                    .map(|file| repo.path(file).clone())
            }),
        None => None,
    };
    files.owners_of(own.as_ref().or(declared)?)
}
