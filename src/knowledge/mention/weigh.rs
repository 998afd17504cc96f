//! How much a document says of each component that it names, and the role that follows from all of it. A decision names
//! many components, and is about few.

use base::hash::HashMap;

use super::role::DocumentPart;
use super::{Mention, MentionRole, MentionedBy};
use crate::catalog::ComponentIx;

/// Paths of more components are a list of what else changes.
const MOST_BY_PATH: usize = 3;
/// A first paragraph that names more components compares or lists them.
const MOST_IN_LEAD: usize = 3;
/// Decided objects of more components are examples.
const MOST_BY_OBJECT: usize = 2;
/// Named less often, a component is no subject of a decision beside others.
const LEAST: usize = 3;

/// The mentions of components in one document.
#[derive(Default)]
pub struct Mentions(HashMap<ComponentIx, Weight>);

struct Weight {
    by: MentionedBy,
    line: u32,
    part: DocumentPart,
    /// Of what the decision says.
    decided: usize,
    /// Sentences of the decision that begin with a kind which it alone has.
    defined: usize,
    decided_paths: usize,
    paths: usize,
}

impl Mentions {
    pub fn add(&mut self, component: ComponentIx, line: u32, by: MentionedBy, part: DocumentPart) {
        let weight = self.0.entry(component).or_insert(Weight {
            by,
            line,
            part,
            decided: 0,
            defined: 0,
            decided_paths: 0,
            paths: 0,
        });
        // The line to show is in the part that counts most, and there the one that names it most certainly.
        if (part, by, line) < (weight.part, weight.by, weight.line) {
            weight.line = line;
        }
        weight.part = weight.part.min(part);
        weight.by = weight.by.min(by);
        let is_decided = part != DocumentPart::Other;
        weight.decided += usize::from(is_decided);
        weight.decided_paths += usize::from(is_decided && by == MentionedBy::Path);
        weight.paths += usize::from(by == MentionedBy::Path);
    }

    /// Notes that the decision defines an object of a component.
    pub fn define(&mut self, component: ComponentIx) {
        if let Some(weight) = self.0.get_mut(&component) {
            weight.defined += 1;
        }
    }

    /// In the order of the components.
    pub fn into_sorted(self) -> Vec<Mention> {
        let all = || self.0.values();
        let summary = Summary {
            is_titled: all().any(Weight::is_titled),
            by_path: all().filter(|weight| weight.paths > 0).count(),
            in_lead: all()
                .filter(|weight| weight.part == DocumentPart::Lead)
                .count(),
            by_object: all().filter(|weight| weight.defined > 0).count(),
            most: all().map(|weight| weight.decided).max().unwrap_or(0),
        };
        // Beside a subject, others must be written about to be meant as well.
        let beside = Summary {
            is_titled: all().any(|weight| weight.role(&summary) == MentionRole::Subject),
            ..summary
        };
        let mut mentions: Vec<Mention> = self
            .0
            .iter()
            .map(|(component, weight)| Mention {
                component: *component,
                line: weight.line,
                by: weight.by,
                role: match weight.role(&summary) {
                    MentionRole::Subject => MentionRole::Subject,
                    _ => weight.role(&beside),
                },
            })
            .collect();
        mentions.sort_by_key(|mention| mention.component);
        mentions
    }
}

/// What one component has to be compared with.
#[derive(Clone, Copy)]
struct Summary {
    /// Whether a component is the subject: by title, front matter or its files.
    is_titled: bool,
    by_path: usize,
    in_lead: usize,
    by_object: usize,
    /// How often the decision names the component that it names most often.
    most: usize,
}

impl Weight {
    fn is_titled(&self) -> bool {
        self.part == DocumentPart::Title || self.by == MentionedBy::FrontMatter
    }

    fn role(&self, summary: &Summary) -> MentionRole {
        if self.is_titled() {
            return MentionRole::Subject;
        }
        let is_often = self.decided >= LEAST && self.decided * 2 >= summary.most;
        let is_near = summary.by_path <= MOST_BY_PATH;
        if is_near && self.decided_paths > 0 && (!summary.is_titled || is_often)
            || is_near
                && !summary.is_titled
                && (self.paths > 1 || self.paths > 0 && summary.by_path == 1)
        {
            return MentionRole::Subject;
        }
        // Beside the subject of a decision, another component must be written about to be meant as well.
        let in_lead = summary.in_lead <= MOST_IN_LEAD;
        let by_object = self.defined > 0 && summary.by_object <= MOST_BY_OBJECT;
        let is_decided = match (summary.is_titled, self.part) {
            (true, DocumentPart::Lead) => by_object || in_lead && is_often,
            (false, DocumentPart::Lead) => in_lead || is_often,
            (_, DocumentPart::Decision) => by_object || is_often && !summary.is_titled,
            _ => false,
        };
        if is_decided {
            MentionRole::Decided
        } else {
            MentionRole::Passing
        }
    }
}
