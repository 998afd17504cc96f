//! Differences that `catalog.toml` accepts: each silences one finding for as long as the difference is there.

use crate::input::config::{Accepted, Config};
use crate::input::repo::Repo;
use base::Finding;

use super::artifact::ArtifactState;
use super::record::Record;
use super::spec::Spec;

/// Marks accepted differences, and reports entries that match nothing.
pub fn accept(
    repo: &Repo,
    config: &Config,
    specs: &mut [Spec],
    records: &mut [Record],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for accepted in &config.accepted {
        let spec = specs.iter_mut().find(|spec| spec.id == accepted.spec);
        let because = Some(accepted.because.clone());
        let is_used = match (spec, &accepted.file, accepted.step) {
            (Some(spec), Some(file), _) => {
                let record = spec.record.map(|record| &mut records[record]);
                // Without history, nobody can tell whether the file still differs.
                let may_drift = accepted.now.as_deref().is_none_or(|now| now == "drifted");
                let is_unchecked = may_drift
                    && record.as_ref().is_some_and(|record| {
                        let mut artifacts = record.artifacts.iter();
                        artifacts.any(|artifact| {
                            artifact.path == *file
                                && artifact.state == ArtifactState::Holds
                                && artifact.unchecked.is_some()
                        })
                    });
                let artifacts = record.into_iter().flat_map(|record| &mut record.artifacts);
                let mut own =
                    artifacts.filter(|artifact| artifact.path == *file && artifact.is_difference());
                let artifact = own.find(|artifact| is_now(accepted, artifact.state.name()));
                let is_accepted = artifact.map(|artifact| artifact.accepted = because);
                is_accepted.is_some() || is_unchecked
            }
            (Some(spec), None, Some(step)) => {
                let mut steps = spec.steps.iter_mut();
                let step = steps.find(|one| {
                    let breach = one.breach();
                    one.number == step as usize
                        && breach.is_some_and(|breach| is_now(accepted, &breach.why))
                });
                step.map(|step| step.accepted = because).is_some()
            }
            _ => false,
        };
        if !is_used {
            findings.push(repo.place_in_config(config, nothing(accepted)));
        }
    }
    findings
}

/// One finding for each `[[accepted]]` entry, for a repo without anything to accept.
pub fn unused(repo: &Repo, config: &Config) -> Vec<Finding> {
    let unused = config.accepted.iter().map(nothing);
    unused
        .map(|finding| repo.place_in_config(config, finding))
        .collect()
}

/// Whether the difference is the one that was accepted.
fn is_now(accepted: &Accepted, state: &str) -> bool {
    let words = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    accepted
        .now
        .as_ref()
        .is_none_or(|now| words(now) == words(state))
}

fn nothing(accepted: &Accepted) -> Finding {
    let what = match (&accepted.file, accepted.step) {
        (Some(file), _) => format!("`{file}`"),
        (None, Some(step)) => format!("step {step}"),
        (None, None) => "nothing".to_owned(),
    };
    let message = format!(
        "the `[[accepted]]` entry for {what} of spec {} matches no difference",
        accepted.spec
    );
    let help = match accepted.now {
        Some(_) => "remove the entry, or update `now`",
        None => "remove the entry",
    };
    Finding::warning("accepted-nothing", accepted.place, message).help(help)
}
