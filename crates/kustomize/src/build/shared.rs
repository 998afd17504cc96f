//! Decides which builds are cached. Reads kustomizations through `Manifests`; builds nothing.

use rayon::prelude::*;

use crate::manifests::Manifests;
use base::RepoPath;
use base::hash::{HashMap, HashSet};

/// The directories whose builds are cached. Each includer changes a copy, so a directory of plain files that only two
/// include, such as two overlays, is built twice: that is cheaper. A directory that includes others is always cached,
/// or the work would double with each level.
pub fn shared_directories(manifests: &impl Manifests) -> HashSet<RepoPath> {
    let files = manifests.files();
    let all = manifests.assemblies();
    let each = all.par_iter().filter_map(|(file, assembly)| {
        let directory = files.path(*file).parent()?;
        let listed = assembly.resources.iter();
        let targets = listed
            .filter_map(|listed| directory.join(&listed.path))
            .filter_map(|target| files.resolve_dir(&target));
        let targets: Vec<RepoPath> = targets.collect();
        let is_including = !targets.is_empty() || !assembly.components.is_empty();
        is_including.then_some((directory, targets))
    });
    let each: Vec<(RepoPath, Vec<RepoPath>)> = each.collect();
    let most = each.iter().map(|(_, targets)| targets.len()).sum();
    let mut included: HashMap<RepoPath, usize> =
        HashMap::with_capacity_and_hasher(most, Default::default());
    let mut including: HashSet<RepoPath> =
        HashSet::with_capacity_and_hasher(each.len(), Default::default());
    for (directory, targets) in each {
        for target in targets {
            *included.entry(target).or_default() += 1;
        }
        including.insert(directory);
    }
    included.retain(|directory, times| *times > 2 || *times == 2 && including.contains(directory));
    included.into_keys().collect()
}
