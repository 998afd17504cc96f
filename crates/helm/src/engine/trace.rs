//! The values that templates print: those that pipelines read, and where in the output their text went.

use std::rc::Rc;

use smol_str::SmolStr;

use super::value::{GoList, GoMap, MapKind, Val};

/// Maximum number of values that are noted for one pipeline.
const MAX_READS: usize = 64;

/// A value that a pipeline read. A scalar is known by what contains it.
#[derive(Debug, Clone)]
pub enum ValueRead {
    Field(Rc<GoMap>, SmolStr),
    Item(Rc<GoList>, usize),
    Map(Rc<GoMap>),
    List(Rc<GoList>),
}

impl ValueRead {
    pub fn is_scalar(&self) -> bool {
        matches!(self, ValueRead::Field(..) | ValueRead::Item(..))
    }
}

/// From which offset on the output was written by a node of the template.
#[derive(Debug, Clone)]
pub struct Mark {
    pub offset: usize,
    /// Where the output of an action ends; the same as `offset` for text.
    pub end: usize,
    /// The line of the template.
    pub line: u32,
    pub source: Written,
    /// Whether other templates wrote a part.
    pub includes: bool,
    pub reads: Vec<ValueRead>,
}

/// The output of a node of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Its own text, of which each line is a line of the template.
    Text,
    /// Something that was computed.
    Value,
}

/// The text of a template that a pipeline included, and what was written into it.
#[derive(Debug)]
struct Included {
    text: SmolStr,
    marks: Vec<Mark>,
}

/// The values that running pipelines read, and where their text went.
#[derive(Debug, Default)]
pub struct Trace {
    reads: Vec<ValueRead>,
    included: Vec<Included>,
    /// How often templates were included.
    includes: usize,
    /// Marks in the output of the template that is running.
    pub marks: Vec<Mark>,
}

/// A point in time to which a trace can be compared.
#[derive(Debug, Clone, Copy)]
pub struct TracePoint {
    reads: usize,
    included: usize,
    includes: usize,
}

impl Trace {
    pub fn now(&self) -> TracePoint {
        TracePoint {
            reads: self.reads.len(),
            included: self.included.len(),
            includes: self.includes,
        }
    }

    /// Forgets what was read since.
    pub fn forget(&mut self, since: TracePoint) {
        self.reads.truncate(since.reads);
        self.included.truncate(since.included);
    }

    /// Notes that a value was read from a container.
    pub fn read(&mut self, container: &Val, key: &SmolStr, value: &Val) {
        let read = match (whole(value), container) {
            (Some(read), _) => read,
            (None, _) if value.is_null() => return,
            (None, Val::Map(map)) if map.is_dict() => ValueRead::Field(map.clone(), key.clone()),
            _ => return,
        };
        self.push(read);
    }

    /// Notes that a value was used whose origin is known, if it is a scalar.
    pub fn used(&mut self, value: &Val, origin: Option<&ValueRead>) {
        if let Some(read) = whole(value).or_else(|| origin.cloned()) {
            self.push(read);
        }
    }

    fn push(&mut self, read: ValueRead) {
        if self.reads.len() < MAX_READS {
            self.reads.push(read);
        }
    }

    /// The scalar that was read since, if it is the only one.
    pub fn only(&self, since: TracePoint) -> Option<ValueRead> {
        let reads = self.reads.get(since.reads..).unwrap_or_default();
        let mut scalars = reads.iter().filter(|read| read.is_scalar());
        let only = scalars.next().filter(|_| scalars.next().is_none());
        only.filter(|_| self.includes == since.includes).cloned()
    }

    /// Begins the output of another template; returns what is known of the one around it.
    pub fn enter(&mut self) -> Vec<Mark> {
        self.includes += 1;
        std::mem::take(&mut self.marks)
    }

    /// Ends the output of a template that was included.
    pub fn leave(&mut self, outer: Vec<Mark>, text: &SmolStr) {
        let marks = std::mem::replace(&mut self.marks, outer);
        if marks.is_empty() {
            return;
        }
        if text.trim().contains('\n') {
            self.included.push(Included {
                text: text.clone(),
                marks,
            });
        } else {
            let reads = marks.into_iter().flat_map(|mark| mark.reads);
            reads.for_each(|read| self.push(read));
        }
    }

    /// Marks what a pipeline wrote at the end of `out`; `base` says where and with which line.
    pub fn wrote(&mut self, mut mark: Mark, out: &str, since: TracePoint, keeps: MarkRule) {
        mark.includes = self.includes != since.includes;
        if self.reads.len() > since.reads {
            mark.reads = self.reads.split_off(since.reads);
        }
        let included = self
            .included
            .split_off(since.included.min(self.included.len()));
        let text = &out[mark.offset..];
        let inner = match included.as_slice() {
            [one] => moved(one, text, &mark),
            _ => Vec::new(),
        };
        if keeps == MarkRule::All || !mark.reads.is_empty() {
            self.marks.push(mark);
        }
        self.marks.extend(inner);
    }
}

/// Which marks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkRule {
    /// All, since they decide about lines.
    All,
    /// Those with values.
    Values,
}

/// Maps and lists are known by themselves.
fn whole(value: &Val) -> Option<ValueRead> {
    match value {
        Val::Map(map) if matches!(map.kind, MapKind::Any | MapKind::Values) => {
            Some(ValueRead::Map(map.clone()))
        }
        Val::List(list) => Some(ValueRead::List(list.clone())),
        _ => None,
    }
}

/// The marks of an included text where the text was written with another indentation; nothing if it was changed
/// otherwise.
fn moved(included: &Included, text: &str, around: &Mark) -> Vec<Mark> {
    let mut marks = included.marks.iter().peekable();
    let mut moved = Vec::new();
    let mut outer = numbered(text);
    for (start, line, indent) in numbered(&included.text) {
        let Some((outer_start, outer_line, outer_indent)) = outer.next() else {
            return Vec::new();
        };
        if line != outer_line {
            return Vec::new();
        }
        let end = start + indent + line.len() + 1;
        while let Some(mark) = marks.next_if(|mark| mark.offset < end) {
            let to = |offset: usize| {
                let within = offset.saturating_sub(start + indent);
                around.offset + outer_start + outer_indent + within
            };
            let last = text.len() + around.offset;
            moved.push(Mark {
                offset: to(mark.offset).min(last),
                end: to(mark.end).min(last),
                line: around.line,
                source: Written::Value,
                includes: mark.includes,
                reads: mark.reads.clone(),
            });
        }
    }
    moved
}

/// The lines of a text that are not blank, with their offset, without white space around them, and their indentation.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let indent = line.len() - line.trim_start().len();
        (at, line.trim(), indent)
    });
    lines.filter(|(_, line, _)| !line.is_empty())
}
