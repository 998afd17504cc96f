//! Builds trees from parser events: resolves anchors and merge keys, enforces limits and reports mistakes. Touches
//! nothing but the text it is given.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use smol_str::SmolStr;

use super::quoted::{self, Indented};
use super::template::{complex_key, is_template, template};
use super::{Comment, CommentPosition, Document, Entry, Node, Scalar, Style, Value};
use super::{alias_key, block, doubt, mapping, tagged};
use base::budget::Budget;
use base::hash::HashMap;
use base::{Effect, Few, FileId, Finding, Place};

/// Maximum nesting, so that recursion over trees is safe.
const MAX_DEPTH: usize = 200;
/// Maximum number of nodes per file once aliases are expanded. The largest real bundles have a tenth of it.
const MAX_NODES: u64 = 2_000_000;
/// Maximum number of nodes that aliases add to a file: enough for heavy use, too few for a bomb.
const MAX_ALIAS_NODES: u64 = 100_000;
/// A file with more broken documents than this is not YAML; more findings would not help.
const MAX_BROKEN_DOCUMENTS: usize = 20;

/// The documents of a file, and the findings about them.
#[derive(Debug, Default)]
pub struct Parsed {
    pub documents: Vec<Document>,
    pub findings: Vec<Finding>,
}

/// Reads all documents of a file.
pub fn parse(text: &str, file: FileId) -> Parsed {
    match block::parse(text, file) {
        Some(documents) => Parsed {
            documents,
            findings: Vec::new(),
        },
        None => parse_completely(text, file),
    }
}

/// Reads all documents of a file with the complete parser.
pub(super) fn parse_completely(text: &str, file: FileId) -> Parsed {
    parse_from(
        text,
        TextOffset {
            file,
            lines_before: 0,
            columns_before: 0,
        },
    )
}

/// Reads the YAML inside a scalar, such as an inline patch. Places refer to the outer file.
pub fn parse_within(node: &Node) -> Parsed {
    let Some(scalar) = node.as_scalar() else {
        return Parsed::default();
    };
    // The place of a block scalar is the start of its content, as for any other scalar.
    let origin = TextOffset {
        file: node.place.file,
        lines_before: node.place.line.saturating_sub(1),
        columns_before: node.place.column.saturating_sub(1),
    };
    parse_from(&scalar.text, origin)
}

#[derive(Clone, Copy)]
struct TextOffset {
    file: FileId,
    lines_before: u32,
    columns_before: u32,
}

fn parse_from(text: &str, origin: TextOffset) -> Parsed {
    let is_broken = |parsed: &Parsed| {
        let mut findings = parsed.findings.iter();
        findings.any(|finding| finding.effect.is_unparsed())
    };
    let parse = |text: &str| {
        let parsed = quoted::parse(text, is_broken, |text, indented| {
            parse_once(text, origin, indented)
        });
        parsed.unwrap_or_default()
    };
    let parsed = parse(text);
    let mut findings = parsed.findings.iter();
    if findings.any(|finding| finding.rule == "yaml-unknown-anchor")
        && let Cow::Owned(separated) = alias_key::separated(text)
    {
        return parse(&separated);
    }
    parsed
}

/// Parses a text in which some lines were indented. The error is the number of a line that the parser wants indented
/// and kustomize accepts as it is.
fn parse_once(text: &str, origin: TextOffset, indented: &Indented) -> Result<Parsed, usize> {
    let mut options = granit_parser::options! { emit_unresolved_aliases: true };
    options.max_buffered_comment_events = usize::MAX;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    // Minified JSON has long keys.
    options.simple_key_max_lookahead = 16 * 1024;
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut loader = Loader::new(text, origin, indented);
    let start = loader.place_at(1, 0, 0);
    loader.doubts.extend(doubt::check_directive(text, start));
    loop {
        match parser.next_event() {
            None => break,
            Some(Ok((event, span))) => {
                if let Err(finding) = loader.take(event, span) {
                    loader.abandon(finding);
                    if loader.exhausted() || !matches!(parser.proceed_next_document(), Ok(true)) {
                        break;
                    }
                }
            }
            Some(Err(error)) => {
                let line = error.marker().line();
                let is_quoted = matches!(
                    error.kind(),
                    granit_parser::ErrorKind::InvalidQuotedScalarIndent
                );
                if is_quoted && indented.may_indent(text, line) {
                    return Err(line);
                }
                let finding = loader.syntax_error(&error);
                loader.abandon(finding);
                if loader.exhausted() || !matches!(parser.proceed_next_document(), Ok(true)) {
                    break;
                }
            }
        }
    }
    Ok(Parsed {
        findings: loader.findings.finish(),
        ..loader.parsed
    })
}

struct Loader<'t> {
    text: &'t str,
    /// Lines that were indented, so that columns in them are those of the file.
    indented: &'t Indented,
    origin: TextOffset,
    parsed: Parsed,
    open: Vec<OpenCollection>,
    /// The contents of all open collections, innermost last. A collection takes its own when it ends, so that no tree
    /// has spare capacity.
    items: Vec<Node>,
    entries: Vec<Entry>,
    comments: Vec<Comment>,
    anchors: HashMap<usize, Anchored>,
    nodes: Budget,
    alias_nodes: Budget,
    broken: usize,
    /// Findings that count only if the document turns out to be a Kubernetes object.
    doubts: Few,
    findings: Few,
    /// Whether a document has begun: directives before the first one count against it.
    started: bool,
    /// Whether the current document has a root.
    in_document: bool,
}

/// A collection that has not ended yet.
struct OpenCollection {
    place: Place,
    anchor: usize,
    body: Collected,
}

/// Index of the collection's first item or entry among those of all open collections.
enum Collected {
    Seq { first: usize },
    Map { first: usize, key: Option<Key> },
}

struct Key {
    text: SmolStr,
    place: Place,
    merges: bool,
}

struct Anchored {
    node: Node,
    nodes: usize,
    depth: usize,
}

impl<'t> Loader<'t> {
    fn new(text: &'t str, origin: TextOffset, indented: &'t Indented) -> Self {
        Loader {
            text,
            indented,
            origin,
            parsed: Parsed::default(),
            open: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            comments: Vec::new(),
            anchors: HashMap::default(),
            nodes: Budget::new(MAX_NODES),
            alias_nodes: Budget::new(MAX_ALIAS_NODES),
            broken: 0,
            doubts: Few::default(),
            findings: Few::default(),
            started: false,
            in_document: false,
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Finding> {
        base::steps::count(1);
        match event {
            Event::DocumentStart(..) => {
                self.close_all();
                if self.started {
                    self.doubts = Few::default();
                }
                self.started = true;
                self.in_document = false;
            }
            Event::DocumentEnd => {
                // Comments may follow the last value, so the document takes all that came since.
                let comments = std::mem::take(&mut self.comments);
                if self.in_document
                    && let Some(document) = self.parsed.documents.last_mut()
                {
                    document.comments.extend(comments);
                }
            }
            Event::Comment(text, placement) => {
                let position = match placement {
                    granit_parser::Placement::Right => CommentPosition::AfterValue,
                    _ => CommentPosition::OwnLine,
                };
                self.comments.push(Comment {
                    text: text.into(),
                    place: self.place(&span),
                    position,
                });
            }
            Event::Scalar(text, style, anchor, tag) => {
                let place = self.place(&span);
                self.count(1, place)?;
                // The parser marks an absent value, which kustomize treats as null.
                let is_absent =
                    span.start.index() == span.end.index() && style == ScalarStyle::Plain;
                let text = if is_absent { Cow::default() } else { text };
                let scalar = tagged::scalar(text, style, tag.as_deref(), place)?;
                self.doubts.extend(doubt::check_value(&scalar, place));
                self.add(scalar_node(scalar, place), anchor, 1, 1)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                let first = self.items.len();
                self.start(Collected::Seq { first }, anchor, &span)?;
            }
            Event::MappingStart(_, anchor, _) => {
                let (first, key) = (self.entries.len(), None);
                self.start(Collected::Map { first, key }, anchor, &span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
            Event::Alias(id) => self.alias(id, &span)?,
            Event::UnresolvedAlias(name) => {
                return Err(Finding::error(
                    "yaml-unknown-anchor",
                    self.place(&span),
                    format!(
                        "the alias `*{name}` refers to an anchor that this document does not define"
                    ),
                )
                .effect(Effect::Unreadable));
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, body: Collected, anchor: usize, span: &Span) -> Result<(), Finding> {
        let place = Place {
            len: 0,
            ..self.place(span)
        };
        self.count(1, place)?;
        self.open.push(OpenCollection {
            place,
            anchor,
            body,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Finding> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.body {
            Collected::Seq { first } => Value::Seq(self.items.split_off(first)),
            Collected::Map { first, .. } => {
                let entries = self.entries.split_off(first);
                Value::Map(mapping::resolve(entries, &mut self.findings))
            }
        };
        let node = Node {
            value,
            place: open.place,
        };
        if open.anchor == 0 {
            return self.add(node, 0, 0, 0);
        }
        let (nodes, depth) = measure(&node);
        self.add(node, open.anchor, nodes, depth)
    }

    fn alias(&mut self, id: usize, span: &Span) -> Result<(), Finding> {
        let place = self.place(span);
        let Some(anchored) = self.anchors.get(&id) else {
            // An alias inside the collection it names has no finite value.
            return Err(Finding::error(
                "yaml-recursive-alias",
                place,
                "an alias refers to a collection that contains it, so its value would be infinite",
            )
            .effect(Effect::Unreadable));
        };
        let (nodes, depth) = (anchored.nodes, anchored.depth);
        let charged = self.alias_nodes.charge(nodes as u64);
        if charged.is_err() || self.open.len() + depth > MAX_DEPTH {
            return Err(Finding::error(
                "yaml-expansion",
                place,
                format!(
                    "the aliases of this document expand to more than {MAX_ALIAS_NODES} values or \
                     {MAX_DEPTH} levels; the document is skipped"
                ),
            )
            .effect(Effect::Unreadable));
        }
        self.count(nodes, place)?;
        let node = self.anchors[&id].node.clone();
        self.add(node, 0, nodes, depth)
    }

    /// Adds a finished node to the open collection, or makes it the root of the document.
    fn add(
        &mut self,
        node: Node,
        anchor: usize,
        nodes: usize,
        depth: usize,
    ) -> Result<(), Finding> {
        if anchor != 0 {
            let node = node.clone();
            self.anchors.insert(anchor, Anchored { node, nodes, depth });
        }
        let Some(open) = self.open.last_mut() else {
            if !node.is_null() {
                self.in_document = true;
                if is_object(&node) {
                    let doubts = std::mem::take(&mut self.doubts).finish();
                    self.findings.extend(doubts);
                }
                self.parsed.documents.push(Document {
                    root: node,
                    comments: std::mem::take(&mut self.comments),
                });
            }
            return Ok(());
        };
        match &mut open.body {
            Collected::Seq { .. } => self.items.push(node),
            Collected::Map { key, .. } => match key.take() {
                None => {
                    let place = node.place;
                    let Value::Scalar(scalar) = node.value else {
                        return Err(complex_key(self.text, place));
                    };
                    self.doubts.extend(doubt::check_key(&scalar, place));
                    *key = Some(Key {
                        merges: scalar.text == "<<" && scalar.style == Style::Plain,
                        text: scalar.text,
                        place,
                    });
                }
                Some(key) => self.entries.push(Entry {
                    // Marks a merge with a key that YAML text cannot produce.
                    key: if key.merges { mapping::MERGE } else { key.text },
                    key_place: key.place,
                    value: node,
                }),
            },
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, place: Place) -> Result<(), Finding> {
        if self.nodes.charge(nodes as u64).is_ok() {
            return Ok(());
        }
        Err(Finding::error(
            "yaml-too-many-values",
            place,
            format!("the file contains more than {MAX_NODES} values; the rest is skipped"),
        )
        .effect(Effect::Unreadable))
    }

    fn abandon(&mut self, finding: Finding) {
        self.broken += 1;
        self.findings.take(finding);
        self.close_all();
        self.comments.clear();
    }

    fn close_all(&mut self) {
        self.open.clear();
        self.items.clear();
        self.entries.clear();
        self.anchors.clear();
    }

    fn exhausted(&self) -> bool {
        self.broken >= MAX_BROKEN_DOCUMENTS || self.nodes.is_exceeded()
    }

    fn syntax_error(&self, error: &ScanError) -> Finding {
        let marker = error.marker();
        let place = self.place_at(marker.line(), marker.col(), 1);
        let deep = matches!(
            error.kind(),
            granit_parser::ErrorKind::RecursionLimitExceeded
        );
        if deep {
            return Finding::error(
                "yaml-too-deep",
                place,
                format!("nested more than {MAX_DEPTH} levels deep; the document is skipped"),
            )
            .effect(Effect::Unreadable);
        }
        if is_template(self.text) {
            template(place)
        } else {
            Finding::error("yaml-syntax", place, format!("not valid YAML: {}", error.info()))
                .help("fix the syntax; until then this document is skipped, and the others in the file are \
                       read")
                .effect(Effect::InvalidSyntax)
        }
    }

    fn place(&self, span: &Span) -> Place {
        let len = if span.start.line() == span.end.line() {
            span.end.index().saturating_sub(span.start.index())
        } else {
            0
        };
        self.place_at(span.start.line(), span.start.col(), len)
    }

    fn place_at(&self, line: usize, column: usize, len: usize) -> Place {
        let column = self.indented.column(line, column);
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place {
            file: self.origin.file,
            line: small(line).max(1).saturating_add(self.origin.lines_before),
            column: small(column)
                .saturating_add(1)
                .saturating_add(self.origin.columns_before),
            len: small(len),
        }
    }
}

fn is_object(node: &Node) -> bool {
    node.get("apiVersion").is_some() && node.get("kind").is_some()
}

fn scalar_node(scalar: Scalar, place: Place) -> Node {
    Node {
        value: Value::Scalar(scalar),
        place,
    }
}

fn measure(node: &Node) -> (usize, usize) {
    let children = |sizes: &mut dyn Iterator<Item = (usize, usize)>| {
        sizes.fold((1, 1), |(nodes, depth), (n, d)| {
            (nodes + n, depth.max(d + 1))
        })
    };
    match &node.value {
        Value::Scalar(_) => (1, 1),
        Value::Seq(items) => children(&mut items.iter().map(measure)),
        Value::Map(map) => children(&mut map.0.iter().map(|entry| measure(&entry.value))),
    }
}
