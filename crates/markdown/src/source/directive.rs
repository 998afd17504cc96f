//! The first lines of blocks that CommonMark does not have: admonitions and tabs of MkDocs and Zensical, directives of
//! Docusaurus, Starlight, VitePress and Pandoc.

use std::ops::Range;

/// What a block looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    Alert(AlertKind),
    Details {
        kind: AlertKind,
        state: Folding,
    },
    Tab {
        group: TabGroup,
    },
    /// No frame: a directive that means something to another generator only.
    Plain,
}

/// The five kinds of alerts; those of all dialects are mapped to these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertKind {
    Note,
    Tip,
    Important,
    Warning,
    Caution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    Open,
    Closed,
}

/// Whether a tab joins the tab before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabGroup {
    Same,
    New,
}

/// The first line of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub frame: Frame,
    pub default_title: Option<String>,
    /// The range of the title in the line.
    pub title: Range<usize>,
    pub extent: Extent,
    /// Whether it means this even without an indented line below.
    pub is_certain: bool,
}

/// Where a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// At the first line that is indented less than four columns more than the first.
    Indented,
    /// At a line of as many characters.
    Fenced { mark: u8, length: usize },
}

/// Reads the first line of a block, without its indentation.
pub fn opening(line: &str) -> Option<Opening> {
    match line.as_bytes().first()? {
        b'!' | b'?' => admonition(line),
        b'=' => tab(line),
        mark @ (b':' | b'/') => fenced(line, *mark),
        _ => None,
    }
}

/// The length of a line that only closes a fenced block, and its character.
pub fn closing(line: &str) -> Option<(u8, usize)> {
    let line = line.trim_end();
    let mark = *line.as_bytes().first()?;
    let is_fence = matches!(mark, b':' | b'/') && line.bytes().all(|byte| byte == mark);
    (is_fence && line.len() >= 3).then_some((mark, line.len()))
}

/// `!!! note "Title"`, `??? tip`, `???+ warning`.
fn admonition(line: &str) -> Option<Opening> {
    let (rest, folding) = match line.strip_prefix("!!!") {
        Some(rest) => (rest, None),
        None => {
            let rest = line.strip_prefix("???")?;
            match rest.strip_prefix('+') {
                Some(rest) => (rest, Some(Folding::Open)),
                None => (rest, Some(Folding::Closed)),
            }
        }
    };
    let (words, title) = quoted(line, rest);
    let is_word = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
    if !words.chars().all(is_word) {
        return None;
    }
    let name = words.split_whitespace().next()?;
    let kind = kind(name);
    let frame = match folding {
        Some(state) => Frame::Details {
            kind: kind.unwrap_or(AlertKind::Note),
            state,
        },
        None => Frame::Alert(kind.unwrap_or(AlertKind::Note)),
    };
    let hides_title = title.as_ref().is_some_and(Range::is_empty) && folding.is_none();
    Some(Opening {
        frame,
        default_title: (!hides_title).then(|| capitalised(name)),
        is_certain: title.is_some() || kind.is_some(),
        title: title.unwrap_or(0..0),
        extent: Extent::Indented,
    })
}

/// `=== "Title"`; `===!` begins another group, `===+` a tab that is selected at first.
fn tab(line: &str) -> Option<Opening> {
    let marked = line.strip_prefix("===")?;
    let rest = marked.trim_start_matches(['!', '+']);
    let flags = &marked[..marked.len() - rest.len()];
    let (words, title) = quoted(line, rest);
    if !words.is_empty() || !rest.starts_with(' ') {
        return None;
    }
    let group = if flags.contains('!') {
        TabGroup::New
    } else {
        TabGroup::Same
    };
    Some(Opening {
        frame: Frame::Tab { group },
        default_title: Some("Tab".to_owned()),
        title: title.filter(|title| !title.is_empty())?,
        extent: Extent::Indented,
        is_certain: true,
    })
}

/// `:::note[Title]`, `:::tip Title`, `::: {.callout-note title="Title"}`, `/// note | Title`.
fn fenced(line: &str, mark: u8) -> Option<Opening> {
    let line_end = line.trim_end().len();
    let line = &line[..line_end];
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    // A directive that ends on its own line has no body.
    if length < 3 || line.len() == length || line.ends_with(":::") {
        return None;
    }
    let rest = line[length..].trim_start();
    let (name, title) = if mark == b'/' {
        // Without the space it is a path or a comment.
        line[length..].strip_prefix(' ')?;
        let (name, title) = rest.split_once('|').unwrap_or((rest, ""));
        (name.trim(), title.trim())
    } else if let Some(attributes) = rest.strip_prefix('{') {
        let class = attributes.strip_suffix('}')?.split_whitespace().next()?;
        let class = class.strip_prefix('.')?;
        (
            class.strip_prefix("callout-").unwrap_or(class),
            titled(attributes),
        )
    } else {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        (name, label(rest))
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_name) {
        return None;
    }
    let title = within(line, title);
    let kind = kind(name);
    let frame = match (name, kind) {
        ("details", _) => Frame::Details {
            kind: AlertKind::Note,
            state: Folding::Closed,
        },
        ("tab", _) if mark == b'/' => Frame::Tab {
            group: TabGroup::Same,
        },
        (_, Some(kind)) => Frame::Alert(kind),
        ("admonition", None) => Frame::Alert(AlertKind::Note),
        _ if title.is_empty() || mark == b'/' => Frame::Plain,
        _ => Frame::Alert(AlertKind::Note),
    };
    Some(Opening {
        frame,
        default_title: (frame != Frame::Plain).then(|| capitalised(name)),
        title: if frame == Frame::Plain { 0..0 } else { title },
        extent: Extent::Fenced { mark, length },
        is_certain: true,
    })
}

/// The title after the name of a directive: in brackets, as an attribute, or the rest of the line.
fn label(rest: &str) -> &str {
    let rest = rest.trim();
    if let Some(bracketed) = rest.strip_prefix('[') {
        return bracketed.rsplit_once(']').map_or("", |(label, _)| label);
    }
    match rest.strip_prefix('{') {
        Some(attributes) => titled(attributes),
        None => rest,
    }
}

/// The value of `title="…"` in attributes.
fn titled(attributes: &str) -> &str {
    let value = attributes.split_once("title=\"");
    let value = value.and_then(|(_, value)| value.split_once('"'));
    value.map_or("", |(title, _)| title)
}

/// Splits `rest`, the end of `line`, into words and a title in quotes, given as a range of the line.
fn quoted<'l>(line: &'l str, rest: &'l str) -> (&'l str, Option<Range<usize>>) {
    let rest = rest.trim_end();
    let title = rest
        .split_once('"')
        .and_then(|(words, title)| Some((words, title.strip_suffix('"')?)));
    match title {
        Some((words, title)) => (words.trim(), Some(within(line, title))),
        None => (rest.trim(), None),
    }
}

/// The range of `part`, a slice of `line`, in it.
fn within(line: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
    match start.filter(|start| start + part.len() <= line.len()) {
        Some(start) if !part.is_empty() => start..start + part.len(),
        _ => 0..0,
    }
}

/// The alert that a name means; `None` for names that no dialect has.
pub fn kind(name: &str) -> Option<AlertKind> {
    Some(match name.to_ascii_lowercase().as_str() {
        "note" | "info" | "abstract" | "summary" | "tldr" | "seealso" | "todo" | "question"
        | "help" | "faq" | "quote" | "cite" | "example" => AlertKind::Note,
        "tip" | "hint" | "success" | "check" | "done" => AlertKind::Tip,
        "important" => AlertKind::Important,
        "warning" | "attention" => AlertKind::Warning,
        "caution" | "danger" | "error" | "failure" | "fail" | "missing" | "bug" => {
            AlertKind::Caution
        }
        _ => return None,
    })
}

fn capitalised(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

impl AlertKind {
    pub fn name(self) -> &'static str {
        match self {
            AlertKind::Note => "note",
            AlertKind::Tip => "tip",
            AlertKind::Important => "important",
            AlertKind::Warning => "warning",
            AlertKind::Caution => "caution",
        }
    }
}
