//! The source of a page as the parser reads it. Blocks of other dialects (admonitions, tabs, directives) are written as
//! quotes that begin with a heading; offsets map back to the file, so that everything else sees the author's text.

mod directive;
mod math;
mod scan;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use directive::Opening;
pub use directive::{AlertKind, Folding, Frame, TabGroup};

use super::options;

/// MarkdownSource text, rewritten where it uses blocks that the parser does not know.
pub struct MarkdownSource<'t> {
    text: Cow<'t, str>,
    pieces: Vec<Piece>,
    /// By the offset of the heading that stands for them.
    openings: BTreeMap<usize, Opening>,
    options: Options,
}

/// Part of the rewritten text, and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    origin: usize,
    /// 0 for text that is not in the file.
    len: usize,
}

/// The events of a page with their ranges in the file.
pub struct Document<'s> {
    pub events: Vec<(Event<'s>, Range<usize>)>,
    /// Quotes that stand for other blocks, by the index of their opening event.
    pub containers: DialectBlocks,
}

pub type DialectBlocks = BTreeMap<usize, DialectBlock>;

/// A block that the parser does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialectBlock {
    pub frame: Frame,
    /// The title if the author gives none; `None` if there shall be none.
    pub default_title: Option<String>,
    /// The events of the title, without the paragraph around them; empty without one.
    pub title: Range<usize>,
    /// The first event after the title.
    pub body: usize,
    /// The event that closes the block.
    pub end: usize,
}

impl<'t> MarkdownSource<'t> {
    /// The source of a page that begins at `start`, after its front matter.
    pub fn new(text: &'t str, start: usize) -> MarkdownSource<'t> {
        let mut source = scan::rewritten(text, start);
        source.find_formulas();
        source
    }

    /// The events of the page.
    pub fn document(&self) -> Document<'_> {
        let parser = Parser::new_ext(&self.text, self.options).into_offset_iter();
        let mut events: Vec<(Event<'_>, Range<usize>)> = Vec::new();
        let mut containers = DialectBlocks::new();
        let mut quotes = Vec::new();
        let mut title: Option<Opening> = None;
        for (event, bytes) in TextMergeWithOffset::new(parser) {
            let origin = self.origin(&bytes);
            let event = match event {
                Event::Start(Tag::BlockQuote(kind)) => {
                    quotes.push(OpenQuote::Author);
                    Event::Start(Tag::BlockQuote(kind))
                }
                Event::End(TagEnd::BlockQuote(kind)) => {
                    match quotes.pop() {
                        Some(OpenQuote::Removed) => continue,
                        Some(OpenQuote::Dialect(at)) => {
                            let end = events.len();
                            containers
                                .entry(at)
                                .and_modify(|container| container.end = end);
                        }
                        Some(OpenQuote::Author) | None => {}
                    }
                    Event::End(TagEnd::BlockQuote(kind))
                }
                Event::Start(Tag::Heading { .. }) if self.openings.contains_key(&bytes.start) => {
                    title = self.openings.get(&bytes.start).cloned();
                    Event::Start(Tag::Paragraph)
                }
                Event::End(TagEnd::Heading(_)) if title.is_some() => Event::End(TagEnd::Paragraph),
                event => event,
            };
            let closes_title = title.is_some() && event == Event::End(TagEnd::Paragraph);
            events.push((event, origin));
            if closes_title && let Some(opening) = title.take() {
                let quote = container(&mut events, &mut containers, opening);
                if let (Some(quote), Some(open)) = (quote, quotes.last_mut()) {
                    *open = quote;
                }
            }
        }
        Document { events, containers }
    }

    /// The range in the file that a range of the rewritten text comes from.
    fn origin(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.origin_of(bytes.start, 0);
        let end = match bytes.end.checked_sub(1) {
            Some(last) if bytes.end > bytes.start => self.origin_of(last, 1),
            _ => start,
        };
        start..end.max(start)
    }

    fn origin_of(&self, at: usize, more: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.start <= at);
        let Some(piece) = index
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
        else {
            return 0;
        };
        piece.origin + (at - piece.start + more).min(piece.len)
    }
}

/// A quote whose end was not seen yet.
enum OpenQuote {
    Author,
    /// It stands for the container with this index.
    Dialect(usize),
    /// It stands for a block without a frame, and is no longer among the events.
    Removed,
}

impl DialectBlock {
    /// The title without markup.
    pub fn plain_title(&self, events: &[(Event<'_>, Range<usize>)]) -> String {
        let mut title = String::new();
        for (event, _) in &events[self.title.clone()] {
            if let Event::Text(text) | Event::Code(text) | Event::InlineMath(text) = event {
                title.push_str(text);
            }
        }
        match &self.default_title {
            Some(default) if title.trim().is_empty() => default.clone(),
            _ => title.trim().to_owned(),
        }
    }
}

/// Turns the title that `events` ends with into a container, if it begins a quote.
fn container(
    events: &mut Vec<(Event<'_>, Range<usize>)>,
    containers: &mut DialectBlocks,
    opening: Opening,
) -> Option<OpenQuote> {
    let is_start = |(event, _): &(Event<'_>, Range<usize>)| *event == Event::Start(Tag::Paragraph);
    let start = events.iter().rposition(is_start)?;
    let is_empty = start + 2 == events.len();
    if is_empty {
        events.truncate(start);
    }
    let quote = start.checked_sub(1)?;
    if !matches!(events[quote].0, Event::Start(Tag::BlockQuote(_))) {
        return None;
    }
    if opening.frame == Frame::Plain {
        events.truncate(quote);
        return Some(OpenQuote::Removed);
    }
    let container = DialectBlock {
        frame: opening.frame,
        default_title: opening.default_title,
        title: if is_empty {
            start..start
        } else {
            start + 1..events.len() - 1
        },
        body: events.len(),
        end: events.len(),
    };
    containers.insert(quote, container);
    Some(OpenQuote::Dialect(quote))
}

#[cfg(test)]
mod tests;
