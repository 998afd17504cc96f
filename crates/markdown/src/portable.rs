//! Markdown written again in the part of it that all site generators read alike: no raw HTML of an author's, no
//! extension's syntax, no directive that would include a file or run a template. Text in, text out.

mod escape;
mod page;

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd, TextMergeStream};

use super::outline::slug;
use super::raw::MAX_BYTES as MOST_HTML;
use super::tag::{Token, Tokens};
use super::{MAX_BYTES, cut, options};
use page::{Page, Tightness};

/// The anchors of a page: by the id that a forge would give a heading, the one that it has in every generator.
pub type Anchors = BTreeMap<String, String>;

/// Where links lead: an address, or nothing where only the words shall stay.
pub type Follow<'a> = &'a dyn Fn(&str) -> Option<String>;

/// `markdown` written again, without its first heading, which the front matter has as `title`.
pub fn portable(markdown: &str, title: &str, follow: Follow<'_>) -> String {
    let mut writer = Writer {
        page: Page::default(),
        headings: headings(markdown, title).into_iter(),
        follow,
        inline: String::new(),
        html: String::new(),
        links: Vec::new(),
        marks: Vec::new(),
        cells: Vec::new(),
        rows: Vec::new(),
        code: None,
        title: Title::Expected,
        html_bytes: 0,
        link_depth: 0,
    };
    for event in TextMergeStream::new(Parser::new_ext(cut(markdown, MAX_BYTES), options())) {
        writer.take(event);
    }
    writer.flush(Tightness::Loose);
    writer.page.into_string()
}

/// The anchors that `portable` gives the same page.
pub fn anchors(markdown: &str, title: &str) -> Anchors {
    let headings = headings(markdown, title).into_iter();
    headings
        .map(|heading| (heading.id, heading.anchor))
        .collect()
}

/// A line of text that is nothing but text, for a heading or a link.
pub fn words(text: &str) -> String {
    escape::text(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A heading and what it is called by.
struct Heading {
    /// As forges make it.
    id: String,
    anchor: String,
    is_explicit: bool,
}

/// The headings in order, the title apart.
fn headings(markdown: &str, title: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    // Generators count headings of one name in ways of their own, so that only the first keeps its natural anchor.
    let mut taken = BTreeSet::from([slug(title)]);
    let mut given = BTreeMap::new();
    let mut text: Option<String> = None;
    let mut is_first = true;
    for event in TextMergeStream::new(Parser::new_ext(cut(markdown, MAX_BYTES), options())) {
        match event {
            Event::Start(Tag::Heading { .. }) => text = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(text) = &mut text {
                    text.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(text) = &mut text {
                    text.push(' ');
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                let text = text.take().unwrap_or_default();
                if std::mem::take(&mut is_first) && level as u8 == 1 {
                    continue;
                }
                let natural = slug(&text);
                let times: &mut usize = given.entry(natural.clone()).or_default();
                let id = match *times {
                    0 => natural.clone(),
                    times => format!("{natural}-{times}"),
                };
                *times += 1;
                let is_explicit = !is_plain(text.trim()) || !taken.insert(natural);
                let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                let anchor = if is_explicit && !id.chars().all(is_safe) {
                    format!("section-{}", headings.len() + 1)
                } else {
                    id.clone()
                };
                headings.push(Heading {
                    id,
                    anchor,
                    is_explicit,
                });
            }
            _ => {}
        }
    }
    headings
}

/// Whether every generator makes the same anchor of this heading.
fn is_plain(text: &str) -> bool {
    let letters = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == ' ' || c == '-');
    let gaps = ["  ", "--", " -", "- "]
        .iter()
        .any(|gap| text.contains(gap));
    letters && !gaps && text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.ends_with('-')
}

/// Whether the page's own title has been seen.
#[derive(PartialEq, Eq)]
enum Title {
    Expected,
    Open,
    Past,
}

struct Writer<'f> {
    page: Page,
    headings: std::vec::IntoIter<Heading>,
    follow: Follow<'f>,
    /// The line that is being written.
    inline: String,
    /// Raw HTML that is being read, to be left with its words.
    html: String,
    html_bytes: usize,
    /// Where open links begin in the line, and where they lead.
    links: Vec<(usize, Option<String>)>,
    link_depth: usize,
    /// Where open emphasis begins in the line, behind its mark.
    marks: Vec<usize>,
    cells: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The code block that is open: its language and its text.
    code: Option<(String, String)>,
    title: Title,
}

impl Writer<'_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(code) => {
                let code = if self.page.is_in_table() {
                    escape::code_in_table(&code)
                } else {
                    escape::code(&code)
                };
                self.inline.push_str(&code);
            }
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) => {
                // A line break is all that a cell of a table can have of one.
                if html.to_ascii_lowercase().starts_with("<br") {
                    self.inline.push_str("<br>")
                } else {
                    self.words_of(&html)
                }
            }
            Event::FootnoteReference(name) => self.text(&format!(" [{name}]")),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push_str("<br>"),
            Event::Rule => {
                self.flush(Tightness::Loose);
                self.page.block("* * *", Tightness::Loose);
            }
            Event::TaskListMarker(done) => self.inline.push_str(if done { "☑ " } else { "☐ " }),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.flush(Tightness::Tight),
            Tag::Heading { level, .. } => {
                self.flush(Tightness::Tight);
                self.title = match self.title {
                    Title::Expected if level as u8 == 1 => Title::Open,
                    _ => Title::Past,
                };
            }
            Tag::BlockQuote(kind) => {
                self.flush(Tightness::Tight);
                self.page.quote();
                if let Some(kind) = kind {
                    let label = format!("**{kind:?}**");
                    self.page.block(&label, Tightness::Loose);
                }
            }
            Tag::CodeBlock(kind) => {
                self.flush(Tightness::Tight);
                let language = match kind {
                    CodeBlockKind::Fenced(info) => escape::language(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush(Tightness::Tight);
                self.page.list(first);
            }
            Tag::Item => self.page.item(),
            Tag::FootnoteDefinition(name) => {
                self.flush(Tightness::Loose);
                self.text(&format!("[{name}]"));
                self.flush(Tightness::Loose);
            }
            Tag::Table(_) => {
                self.flush(Tightness::Tight);
                self.page.table();
            }
            Tag::Emphasis => self.open("*"),
            Tag::Strong => self.open("**"),
            Tag::Strikethrough => self.inline.push_str("<del>"),
            Tag::Link { dest_url, .. } => {
                let to = (self.follow)(&dest_url).filter(|_| self.link_depth == 0);
                self.link_depth += 1;
                self.links.push((self.inline.len(), to));
            }
            Tag::Image { dest_url, .. } => {
                let to = (self.follow)(&dest_url);
                let is_here = to.as_ref().is_some_and(|to| !to.contains("://"));
                // A picture of another site would be asked for by every reader.
                let to = if is_here {
                    to.map(|to| format!("!{to}"))
                } else {
                    to.filter(|_| self.link_depth == 0)
                };
                self.link_depth += 1;
                self.links.push((self.inline.len(), to));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(Tightness::Loose),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.words_of(&html);
                self.flush(Tightness::Loose);
            }
            TagEnd::Heading(level) => self.heading(level as u8),
            TagEnd::BlockQuote(_) => {
                self.flush(Tightness::Loose);
                self.page.close();
            }
            TagEnd::CodeBlock => {
                let (language, code) = self.code.take().unwrap_or_default();
                self.page
                    .block(&escape::block(&language, &code), Tightness::Loose);
            }
            TagEnd::Item => {
                self.flush(Tightness::Tight);
                self.page.close_item();
            }
            TagEnd::List(_) => self.page.close(),
            TagEnd::TableCell => {
                let cell = self.line();
                self.cells.push(cell.trim().to_owned());
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.rows.push(std::mem::take(&mut self.cells));
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                self.page.close_table(&rows);
            }
            TagEnd::Emphasis => self.close("*"),
            TagEnd::Strong => self.close("**"),
            TagEnd::Strikethrough => self.inline.push_str("</del>"),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            _ => {}
        }
    }

    fn heading(&mut self, level: u8) {
        let text = self.line();
        if self.title == Title::Open {
            self.title = Title::Past;
            return;
        }
        let Some(heading) = self.headings.next() else {
            return;
        };
        let anchor = if heading.is_explicit {
            format!("<a id=\"{}\"></a>", heading.anchor)
        } else {
            String::new()
        };
        let level = "#".repeat(usize::from(level.clamp(2, 6)));
        let line = format!("{level} {anchor}{}", text.trim());
        self.page.block(line.trim_end(), Tightness::Loose);
    }

    fn text(&mut self, text: &str) {
        self.inline.push_str(&escape::text(text));
    }

    fn open(&mut self, mark: &str) {
        self.inline.push_str(mark);
        self.marks.push(self.inline.len());
    }

    /// Ends emphasis, or takes its beginning away where nothing is in it.
    fn close(&mut self, mark: &str) {
        match self.marks.pop() {
            Some(start) if self.inline.len() == start => {
                self.inline.truncate(start - mark.len());
            }
            Some(_) => self.inline.push_str(mark),
            None => {}
        }
    }

    /// The line so far, with nothing open in it.
    fn line(&mut self) -> String {
        self.links.clear();
        self.marks.clear();
        self.link_depth = 0;
        std::mem::take(&mut self.inline)
    }

    fn close_link(&mut self) {
        self.link_depth = self.link_depth.saturating_sub(1);
        let Some((start, Some(to))) = self.links.pop() else {
            return;
        };
        let words = self.inline.split_off(start.min(self.inline.len()));
        let (mark, to) = match to.strip_prefix('!') {
            Some(to) => ("!", to),
            None => ("", to.as_str()),
        };
        if words.trim().is_empty() && mark.is_empty() {
            return;
        }
        let to = escape::address(to);
        self.inline.push_str(&format!("{mark}[{words}]({to})"));
    }

    /// What raw HTML says, without its tags.
    fn words_of(&mut self, html: &str) {
        self.html_bytes += html.len();
        if self.html_bytes > MOST_HTML {
            return;
        }
        let mut tokens = Tokens::new(html);
        while let Some((_, token)) = tokens.next() {
            match token {
                Token::Text(text) => self.inline.push_str(&escape::html_text(text)),
                Token::Stray => self.inline.push_str("&lt;"),
                Token::Comment => {}
                Token::Tag(tag) if matches!(tag.name.as_str(), "script" | "style") => {
                    if !tag.is_end {
                        tokens.skip_element(&tag.name);
                    }
                }
                Token::Tag(tag) => {
                    let alt = tag.attributes.iter().find(|(name, _)| name == "alt");
                    if let Some((_, alt)) = alt.filter(|_| tag.name == "img") {
                        self.text(alt);
                    }
                }
            }
        }
    }

    /// Ends the line that is being written.
    fn flush(&mut self, tightness: Tightness) {
        let line = self.line();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() {
            self.page.block(&escape::beginning(&line), tightness);
        }
    }
}

#[cfg(test)]
mod tests;
