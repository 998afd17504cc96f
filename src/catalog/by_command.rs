//! Components that no reconciler applies: the command that does, if a file states one. Otherwise it is inferred from the
//! layout that something is applied at all.

use smol_str::SmolStr;

use super::component::ComponentDraft;
use super::gather::main_part;
use super::part_objects::objects;
use crate::cluster::Clusters;
use crate::facts::{LabelFacts, Located};

/// How somebody applies a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByCommand {
    Stated(Located<SmolStr>),
    Inferred,
}

/// How a component is applied, if no reconciler does.
pub fn by_command(draft: &ComponentDraft, clusters: &Clusters) -> Option<ByCommand> {
    let units = draft.parts.iter().filter_map(|part| {
        let unit = &clusters[part.cluster].units[part.unit?].unit;
        unit.is_applied_by_command().then_some(unit)
    });
    let mut units = units.peekable();
    units.peek()?;
    let stated = units.find_map(|unit| unit.appearance.command.clone());
    Some(stated.map_or(ByCommand::Inferred, ByCommand::Stated))
}

/// First value of a label or annotation among a component's objects. Objects in production come first.
pub fn labelled(
    draft: &ComponentDraft,
    clusters: &Clusters,
    look: impl Fn(&LabelFacts) -> Option<&Located<SmolStr>>,
) -> Option<String> {
    let main = main_part(draft, clusters).into_iter();
    let parts = main.chain(&draft.parts);
    let mut objects = parts.flat_map(|part| objects(part, clusters));
    objects.find_map(|object| Some(look(&object.statement.labels)?.value.to_string()))
}
