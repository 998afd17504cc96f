//! Hazards: what will fail or race when the repo meets a cluster. Each check looks at what was composed and says what it
//! found; it neither prints nor changes anything. To add one: a file below `check/` and a line in [`CHECKS`].

use rayon::prelude::*;

use crate::compose::Cluster;
use crate::config::Config;
use crate::diagnostic::{Finding, Rule};
use crate::model::Catalog;
use crate::repo::Repo;

pub trait Check: Sync {
    fn rule(&self) -> &'static Rule;

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding>;
}

/// All checks, the gravest first.
pub const CHECKS: &[&dyn Check] = &[];

/// What checks look at.
pub struct Scene<'a> {
    pub repo: &'a Repo,
    pub config: &'a Config,
    pub clusters: &'a [Cluster],
    pub catalog: &'a Catalog,
}

/// What all checks have to say.
pub fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let each = CHECKS.par_iter().map(|check| check.check(scene));
    each.flatten_iter().collect()
}
