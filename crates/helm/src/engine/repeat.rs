//! Loops.

use super::call::located;
use super::limit::Fail;
use super::print;
use super::run::{Frame, LoopFlow, Run};
use super::trace::ValueRead;
use super::tree::Branch;
use super::value::{MapKind, Val};

impl Run {
    /// `range`: runs the body for each item, or what stands after `else` if there is none.
    pub(super) fn range(
        &mut self,
        frame: &mut Frame,
        branch: &Branch,
        dot: &Val,
        out: &mut String,
    ) -> Result<LoopFlow, Fail> {
        let start = self.trace.now();
        let over = self.pipe_value(frame, &branch.pipe, dot)?;
        self.trace.forget(start);
        self.asked.reads_list |= over.is_versions();
        let items: Vec<(Val, Val)> = match &over {
            Val::Nil | Val::Null => Vec::new(),
            Val::Map(map) if !matches!(map.kind, MapKind::Struct(_)) => {
                let entries = map.entries.borrow();
                entries
                    .iter()
                    .map(|(key, value)| (Val::Text(key.clone()), value.as_element()))
                    .collect()
            }
            Val::List(list) => {
                let items = list.items.iter().enumerate();
                items
                    .map(|(at, item)| (Val::Int(at as i64), item.as_element()))
                    .collect()
            }
            Val::Int(count) | Val::Int64(count) => {
                self.spent.charge((*count).max(0) as u64)?;
                (0..*count).map(|at| (Val::Int(at), Val::Int(at))).collect()
            }
            other => match other.items() {
                Some(items) => {
                    let items = items.into_iter().enumerate();
                    items
                        .map(|(at, item)| (Val::Int(at as i64), item))
                        .collect()
                }
                None => {
                    let shown = print::to_text(&mut self.spent, other)?;
                    let message = format!("range can't iterate over {shown}");
                    let last = branch.pipe.commands.last();
                    let last = last.and_then(|command| command.operands.last());
                    let at = last.map_or(branch.pipe.at, |last| last.at);
                    return Err(located(frame, at, last, &message));
                }
            },
        };
        self.spent.charge(items.len() as u64)?;
        let known = frame.variables.len();
        let names = &branch.pipe.variables;
        if items.is_empty() {
            return self.body(frame, &branch.otherwise, dot, out);
        }
        self.spent.enter()?;
        let outer = frame.dot_origin.take();
        for (nth, (key, item)) in items.into_iter().enumerate() {
            let origin = item_origin(&over, nth, &key, &item);
            match names.as_slice() {
                [] => {}
                [one] => self.set(frame, &branch.pipe, one, item.clone(), origin.clone())?,
                [first, second, ..] => {
                    self.set(frame, &branch.pipe, first, key, None)?;
                    self.set(frame, &branch.pipe, second, item.clone(), origin.clone())?;
                }
            }
            frame.dot_origin = origin;
            let flow = self.body(frame, &branch.body, &item, out)?;
            frame.variables.truncate(known);
            if flow == LoopFlow::Break {
                break;
            }
        }
        frame.dot_origin = outer;
        self.spent.leave();
        Ok(LoopFlow::On)
    }
}

/// Where an item of a loop comes from, if it is a scalar.
fn item_origin(over: &Val, nth: usize, key: &Val, item: &Val) -> Option<ValueRead> {
    match (over, key) {
        _ if matches!(item, Val::Map(_) | Val::List(_) | Val::Null | Val::Nil) => None,
        (Val::Map(map), Val::Text(key)) if map.is_dict() => {
            Some(ValueRead::Field(map.clone(), key.clone()))
        }
        (Val::List(list), _) => Some(ValueRead::Item(list.clone(), nth)),
        _ => None,
    }
}
