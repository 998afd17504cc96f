//! Orders that do not hold what they promise: a unit comes after what brings its types, which counts as ready too early.

use super::after::After;
use super::{Certainty, Order, Provider, Standing, Weak};
use crate::fact::Gate;

impl Order<'_> {
    /// Whether a unit waits for what creates the provider, or for the provider itself, without that being enough.
    pub(super) fn weak(&self, unit: usize, provider: &Provider<'_>, after: &mut After) -> Standing {
        let mut chain = Vec::new();
        let mut above = self.unit(provider.unit).owner;
        let mut below = provider.unit;
        while let Some(at) = above {
            if !self.gated(at).contains(&below) {
                chain.push(at);
            }
            if after.follows_ready(self, unit, at)
                && let Some(entry) = self.before(unit).seen_ready_by(at)
            {
                let checks = |at: &usize| matches!(self.unit(*at).unit.gate, Gate::HealthChecks(_));
                return Standing::Weak(Weak {
                    entry: self.stated(entry),
                    certainty: match chain.iter().any(checks) || chain.is_empty() {
                        true => Certainty::Likely,
                        false => provider.certainty,
                    },
                    ungated: chain,
                });
            }
            below = at;
            above = self.unit(at).owner.filter(|owner| *owner != at);
        }
        // A release that is seen ready, but does not wait for what it runs.
        if after.follows_ready(self, unit, provider.unit)
            && let Some(entry) = self.before(unit).seen_ready_by(provider.unit)
        {
            return Standing::Weak(Weak {
                entry: self.stated(entry),
                ungated: vec![provider.unit],
                certainty: provider.certainty,
            });
        }
        self.weak_turn(unit, provider)
            .unwrap_or(Standing::Unordered)
    }

    /// Whether a unit, or one that creates it, comes after the provider in turn, without seeing more than that it is there.
    fn weak_turn(&self, unit: usize, provider: &Provider<'_>) -> Option<Standing> {
        let above = |unit: usize| {
            let owner = |at: &usize| self.unit(*at).owner.filter(|owner| owner != at);
            std::iter::successors(Some(unit), owner).take(64)
        };
        let wanted: Vec<usize> = above(provider.unit).collect();
        for here in above(unit) {
            let unit = &self.unit(here).unit;
            // Only the turn just before is named; those before it come before as well.
            let sibling = self.unseen[here].first().and_then(|(nth, _)| {
                let stated = self.unseen[here].iter();
                if let Some((nth, on)) = stated.into_iter().find(|(_, on)| wanted.contains(on)) {
                    return Some((*nth, *on));
                }
                let owner = self.unit(here).owner;
                let mut siblings = wanted.iter().filter(|at| self.unit(**at).owner == owner);
                let before = siblings.find(|at| {
                    let turn = |unit: &crate::fact::Unit| unit.turn.map(|turn| turn.number);
                    turn(&self.unit(**at).unit) < turn(unit)
                })?;
                Some((*nth, *before))
            });
            if let Some((nth, before)) = sibling {
                return Some(Standing::Weak(Weak {
                    entry: self.stated((here, nth)),
                    ungated: vec![before],
                    // Somebody may have told the reconciler to look at health, in a place that is not read here.
                    certainty: Certainty::Likely,
                }));
            }
        }
        None
    }
}
