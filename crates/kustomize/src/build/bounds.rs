//! Limits on the objects that a build gathers. Counts and cuts off; reads nothing.

use super::{Accumulated, Built};
use crate::Assembly;
use base::Place;

/// Maximum number of objects in a build.
const MAX_ITEMS: usize = 100_000;
/// Cost of including a directory besides its contents, in objects.
const INCLUSION: usize = 16;
/// Cost of a finding, in objects.
const FINDING: usize = 4;
/// A component visits all objects that exist. This many visits cost as much as one object.
const LOOK: usize = 64;

impl Accumulated {
    /// Whether the limit is reached. Reported once, at the entry that would exceed it.
    pub(super) fn is_full(&mut self, place: Place) -> bool {
        let is_full = self.effort.is_exceeded() || self.built.items.len() > MAX_ITEMS;
        if is_full {
            self.built.findings.extend(self.effort.take_finding(place));
        }
        is_full
    }

    /// Number of entries that are copied when this is included.
    pub(super) fn weight(&self) -> usize {
        let Built {
            items,
            findings,
            files,
            disabled,
            chart_fields,
            ..
        } = &self.built;
        let few = items.len() + files.len() + disabled.len() + chart_fields.len();
        few + FINDING * findings.len() + self.vars.len()
    }

    /// Drops the contents if they exceed the limit: everything that includes them would copy them.
    pub(super) fn within_bounds(self) -> Accumulated {
        if !self.effort.is_exceeded() {
            return self;
        }
        let mut findings = self.built.findings;
        findings.retain(|finding| finding.rule == "build-too-large");
        findings.sort();
        findings.dedup();
        Accumulated {
            built: Built {
                findings,
                // They were read, even if their contents are dropped.
                files: self.built.files,
                is_partial: true,
                ..Built::default()
            },
            effort: self.effort,
            ..Accumulated::default()
        }
    }
}

/// Cost of applying a kustomization to the objects that exist.
pub(super) fn cost(assembly: &Assembly, built: &Built) -> usize {
    INCLUSION
        + FINDING * assembly.findings.len()
        + assembly.disabled.len()
        + assembly.chart_fields.len()
        + assembly.generators.len()
        + assembly.patches.len()
        + assembly.late_patches.len()
        + assembly.replacements.len()
        + built.items.len() / LOOK
}
