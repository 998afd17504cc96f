//! The values that decide the scalars of a manifest, and the lines of templates that wrote them.

use std::rc::Rc;
use std::sync::Arc;

use base::hash::{HashMap, HashSet};
use smol_str::{SmolStr, ToSmolStr};
use yaml::{Node, Style};

use crate::data::Data;
use crate::engine::Val;
use crate::engine::print;
use crate::engine::trace::{Mark, ValueRead, Written};
use crate::engine::value::{GoMap, MapKind};
use crate::render::RenderedManifest;

/// Maximum number of values that one scalar is made of.
const MAX_VALUES: usize = 8;
/// Maximum nesting of values whose maps are known again.
const MAX_DEPTH: usize = 100;

/// The path of a value, from the values of the released chart on. Items of lists are numbered from zero.
pub type ValuePath = Arc<[SmolStr]>;

/// Where a scalar of a manifest comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalarOrigin {
    /// The line of the template that wrote it.
    pub line: Option<u32>,
    /// The values whose text it has, in the order in which they were printed.
    pub values: Vec<ValuePath>,
}

/// Values that an action of a template printed into a range of the text.
#[derive(Debug, Clone)]
pub struct PrintedValue {
    start: usize,
    end: usize,
    /// The end of this range and all before it.
    reach: usize,
    values: Arc<[ReadPath]>,
    /// Whether the range holds one scalar and nothing else.
    is_alone: bool,
}

/// A path, and whether a map or list was printed whole.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReadPath {
    path: ValuePath,
    is_whole: bool,
}

/// The paths of the maps and lists in the values of a release, which are known by their addresses.
pub struct ValuePaths {
    by_address: HashMap<usize, usize>,
    /// The container of each, and the key or index in it.
    steps: Vec<(usize, SmolStr)>,
}

fn address<T>(shared: &Rc<T>) -> usize {
    Rc::as_ptr(shared) as usize
}

impl ValuePaths {
    pub fn new(values: &Val) -> ValuePaths {
        let mut paths = ValuePaths {
            by_address: HashMap::default(),
            steps: Vec::new(),
        };
        paths.add(values, usize::MAX, &SmolStr::default(), 0);
        paths
    }

    fn add(&mut self, value: &Val, container: usize, key: &SmolStr, depth: usize) {
        let known = match value {
            Val::Map(map) => address(map),
            Val::List(list) => address(list),
            _ => return,
        };
        if depth > MAX_DEPTH {
            return;
        }
        let own = self.steps.len();
        self.by_address.insert(known, own);
        self.steps.push((container, key.clone()));
        match value {
            Val::Map(map) => {
                for (key, inner) in map.entries.borrow().iter() {
                    self.add(inner, own, key, depth + 1);
                }
            }
            Val::List(list) => {
                for (at, inner) in list.items.iter().enumerate() {
                    if matches!(inner, Val::Map(_) | Val::List(_)) {
                        self.add(inner, own, &at.to_smolstr(), depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Forgets maps that templates changed: their content is no longer that of the values.
    pub fn without(mut self, changed: &[Rc<GoMap>]) -> ValuePaths {
        let changed: HashSet<usize> = changed.iter().map(address).collect();
        for one in changed {
            self.by_address.remove(&one);
        }
        self
    }

    fn path(&self, of: usize, last: Option<SmolStr>) -> Option<ValuePath> {
        let mut at = *self.by_address.get(&of)?;
        let mut path: Vec<SmolStr> = last.into_iter().collect();
        loop {
            let (container, key) = &self.steps[at];
            if *container == usize::MAX {
                break;
            }
            path.push(key.clone());
            at = *container;
        }
        path.reverse();
        Some(path.into())
    }

    fn resolve(&self, read: &ValueRead) -> Option<ReadPath> {
        let (path, is_whole) = match read {
            ValueRead::Field(map, key) => (self.path(address(map), Some(key.clone()))?, false),
            ValueRead::Item(list, at) => (self.path(address(list), Some(at.to_smolstr()))?, false),
            ValueRead::Map(map) if map.kind == MapKind::Values => return None,
            ValueRead::Map(map) => (self.path(address(map), None)?, true),
            ValueRead::List(list) => (self.path(address(list), None)?, true),
        };
        Some(ReadPath { path, is_whole })
    }

    /// Where a text has values.
    pub fn printed(&self, text: &str, marks: &[Mark]) -> Vec<PrintedValue> {
        let mut printed = Vec::new();
        let mut reach = 0;
        for mark in marks {
            if mark.source == Written::Text || mark.reads.is_empty() || mark.end <= mark.offset {
                continue;
            }
            let mut values: Vec<ReadPath> = Vec::new();
            for read in &mark.reads {
                // What is passed to another template is not what that writes.
                let found = self.resolve(read);
                let found = found.filter(|found| !(found.is_whole && mark.includes));
                values.extend(found.filter(|found| !values.contains(found)));
            }
            if values.is_empty() {
                continue;
            }
            reach = reach.max(mark.end);
            let is_line = !text[mark.offset..mark.end].trim().contains('\n');
            let scalars = mark.reads.iter().filter(|read| read.is_scalar()).count();
            printed.push(PrintedValue {
                start: mark.offset,
                end: mark.end,
                reach,
                values: values.into(),
                is_alone: is_line && scalars == 1 && !mark.includes,
            });
        }
        printed
    }
}

/// The values in a range of a text, with places in it.
pub fn within(printed: &[PrintedValue], range: std::ops::Range<usize>) -> Vec<PrintedValue> {
    let last = printed.partition_point(|one| one.start < range.end);
    let first = printed.partition_point(|one| one.reach <= range.start);
    let mut reach = 0;
    let mut found = Vec::new();
    for one in printed.get(first..last).unwrap_or_default() {
        if one.end > range.start {
            let end = one.end.min(range.end) - range.start;
            reach = reach.max(end);
            found.push(PrintedValue {
                start: one.start.saturating_sub(range.start),
                end,
                reach,
                ..one.clone()
            });
        }
    }
    found
}

impl RenderedManifest {
    /// Where the scalar at a path comes from; items of lists are numbered from zero. `None` if there is no scalar.
    pub fn origin(&self, path: &[&str]) -> Option<ScalarOrigin> {
        let (node, line) = find(&self.root, path)?;
        let scalar = node.as_scalar()?;
        let index = (line as usize).saturating_sub(1);
        let mut values: Vec<ValuePath> = Vec::new();
        for printed in self.printed_at(node, line) {
            for read in printed.values.iter() {
                let found = self.decides(read, printed.is_alone, path, &scalar.text);
                if let Some(found) = found
                    && !values.contains(&found)
                    && values.len() < MAX_VALUES
                {
                    values.push(found);
                }
            }
        }
        Some(ScalarOrigin {
            line: self.lines.get(index).copied(),
            values,
        })
    }

    /// The offset of each line of the text.
    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
    }

    /// The values that were printed into a scalar whose key is on a line.
    fn printed_at(&self, node: &Node, line: u32) -> impl Iterator<Item = &PrintedValue> {
        let starts = self.starts();
        let start_of = |line: u32| starts.get((line as usize).saturating_sub(1)).copied();
        let text = self.text.as_str();
        let line_start = start_of(node.place.line).unwrap_or(text.len());
        let column = (node.place.column as usize).saturating_sub(1);
        let rest = &text[line_start..];
        let is_block = node
            .as_scalar()
            .is_some_and(|scalar| matches!(scalar.style, Style::Block));
        let start = match rest.char_indices().nth(column) {
            Some((at, _)) if !is_block => line_start + at,
            _ => line_start,
        };
        let end = if is_block {
            block_end(text, start_of(line).unwrap_or(line_start))
        } else {
            start + text[start..].find('\n').unwrap_or(text.len() - start)
        };
        let first = self.printed.partition_point(|one| one.reach <= start);
        let last = self.printed.partition_point(|one| one.start < end);
        let found = self.printed.get(first..last).unwrap_or_default().iter();
        found.filter(move |one| one.end > start)
    }

    /// The value that a scalar has the text of.
    fn decides(
        &self,
        read: &ReadPath,
        is_alone: bool,
        path: &[&str],
        text: &str,
    ) -> Option<ValuePath> {
        let value = value_at(&self.values, &read.path)?;
        if !read.is_whole {
            let own = scalar_text(value)?;
            let is_set = !own.is_empty() && !matches!(value, Data::Bool(false));
            let is_same = own == text || !own.is_empty() && text.contains(own.as_str());
            let is_found = is_same || own.contains("{{") || is_alone && is_set;
            return is_found.then(|| read.path.clone());
        }
        // The deepest part of the map that the manifest has below the place where it was printed.
        (0..path.len()).rev().find_map(|at| {
            let below = &path[at..];
            let found = leaf(value, below, text)?;
            Some(read.path.iter().cloned().chain(found).collect())
        })
    }
}

/// The path below a value to a scalar with a text. Lists may stand behind other items, so that the number of an item
/// is not what it is in the manifest.
fn leaf(value: &Data, path: &[&str], text: &str) -> Option<Vec<SmolStr>> {
    let has_text = |value: &Data| scalar_text(value).is_some_and(|own| own == text);
    if let (Data::List(items), Some((first, rest))) = (value, path.split_first()) {
        first.parse::<usize>().ok()?;
        let below = |item| follow(item, rest).filter(|found| has_text(found));
        let mut same = (0..items.len()).filter(|at| below(&items[*at]).is_some());
        let at = same.next().filter(|_| same.next().is_none())?;
        let rest = rest.iter().map(SmolStr::new);
        return Some(std::iter::once(at.to_smolstr()).chain(rest).collect());
    }
    let found = follow(value, path).filter(|found| has_text(found));
    found.map(|_| path.iter().map(SmolStr::new).collect())
}

fn follow<'d>(value: &'d Data, path: &[&str]) -> Option<&'d Data> {
    path.iter()
        .try_fold(value, |value, step| below(value, step))
}

fn below<'d>(value: &'d Data, step: &str) -> Option<&'d Data> {
    match value {
        Data::Map(map) => map.get(step),
        Data::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn value_at<'d>(values: &'d Data, path: &[SmolStr]) -> Option<&'d Data> {
    path.iter()
        .try_fold(values, |value, step| below(value, step))
}

/// The text that templates print for a scalar.
fn scalar_text(value: &Data) -> Option<SmolStr> {
    match value {
        Data::Text(text) => Some(text.clone()),
        Data::Bool(value) => Some(value.to_smolstr()),
        Data::Int(value) => Some(value.to_smolstr()),
        Data::Float(value) => Some(print::float(*value).into()),
        Data::Null | Data::List(_) | Data::Map(_) => None,
    }
}

/// The node at a path, and the line of its key.
fn find<'n>(root: &'n Node, path: &[&str]) -> Option<(&'n Node, u32)> {
    let mut node = root;
    let mut line = root.place.line;
    for step in path {
        match &node.value {
            yaml::Value::Map(map) => {
                let entry = map.0.iter().find(|entry| entry.key == *step)?;
                line = entry.key_place.line;
                node = &entry.value;
            }
            yaml::Value::Seq(items) => {
                node = items.get(step.parse::<usize>().ok()?)?;
                line = node.place.line;
            }
            yaml::Value::Scalar(_) => return None,
        }
    }
    Some((node, line))
}

/// The end of the block whose key is on the line that starts at an offset.
fn block_end(text: &str, start: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let outer = indent(first);
    let mut end = start + first.len();
    for line in lines {
        if !line.trim().is_empty() && indent(line) <= outer {
            break;
        }
        end += line.len();
    }
    end
}
