//! What a build may gather, and what becomes of one that gathers more.

use super::{Accumulated, Built};
use crate::Assembly;
use base::Place;

/// More objects than this in one build are nobody's intention.
const MAX_ITEMS: usize = 100_000;
/// What including a directory costs beside what it brings, as so many objects.
const INCLUSION: usize = 16;
/// What a finding costs, as so many objects.
const FINDING: usize = 4;
/// A component looks at all objects that are there; so many of those cost as much as one more.
const LOOK: usize = 64;

impl Accumulated {
    /// Whether there is no room for more; said once, at the entry that would bring more.
    pub(super) fn is_full(&mut self, place: Place) -> bool {
        let is_full = self.effort.is_exceeded() || self.built.items.len() > MAX_ITEMS;
        if is_full {
            self.built.findings.extend(self.effort.tell(place));
        }
        is_full
    }

    /// How much is copied where this is included.
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

    /// Without what was gathered, where that is too much: everything that includes it would copy it.
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
                // They did take part, whatever became of what they say.
                files: self.built.files,
                is_partial: true,
                ..Built::default()
            },
            effort: self.effort,
            ..Accumulated::default()
        }
    }
}

/// What it costs to go through a kustomization, with the objects that are there already.
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
