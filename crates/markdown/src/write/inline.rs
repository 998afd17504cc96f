//! Inline content: text, links, images, footnotes and raw HTML.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag};

use super::super::link::{self, Resolved};
use super::super::raw::{self, ResolvedAddress};
use super::super::{Link, id_on_page};
use super::{Markup, Slot, Writer};
use base::markup::{push_attribute, push_text};
use base::{Finding, Severity};

const OUTSIDE: &str = " rel=\"noopener noreferrer\"";

impl Writer<'_> {
    pub(super) fn text(&mut self, text: &str, bytes: &Range<usize>) {
        self.text.push_str(text);
        let is_linked = self.link_depth > 0 || self.raw.has_link();
        let mut done = 0;
        if !is_linked && text.contains("://") {
            for url in link::bare(text) {
                push_text(&mut self.markup, &text[done..url.start]);
                self.links.push(Link {
                    target: text[url.clone()].to_owned(),
                    line: self.lines.line((bytes.start + url.start).min(bytes.end)),
                });
                self.push_open_link(&text[url.clone()], OUTSIDE);
                push_text(&mut self.markup, &text[url.clone()]);
                self.markup.push_str("</a>");
                done = url.end;
            }
        }
        push_text(&mut self.markup, &text[done..]);
    }

    pub(super) fn code(&mut self, code: &str) {
        self.text.push_str(code);
        self.markup.push_str("<code>");
        push_text(&mut self.markup, code);
        self.markup.push_str("</code>");
    }

    pub(super) fn link(&mut self, at: usize, tag: &Tag<'_>) {
        let Tag::Link {
            link_type,
            dest_url,
            title,
            ..
        } = tag
        else {
            return;
        };
        self.link_depth += 1;
        let mut target = dest_url.to_string();
        if *link_type == LinkType::Email {
            target.insert_str(0, "mailto:");
        }
        let bytes = self.events[at].1.clone();
        let (href, rel) = match self.resolve(&target, &bytes) {
            Resolved::Inside(href) => (href, ""),
            Resolved::Outside(href) => (href, OUTSIDE),
            Resolved::Elsewhere => return self.element("<span>", "</span>"),
            Resolved::Broken | Resolved::Refused => {
                return self.element("<span class=\"broken\">", "</span>");
            }
        };
        let mut open = String::from("<a href=\"");
        push_attribute(&mut open, &href);
        open.push('"');
        if !title.is_empty() {
            open.push_str(" title=\"");
            push_attribute(&mut open, title);
            open.push('"');
        }
        open.push_str(rel);
        open.push('>');
        self.element(&open, "</a>");
    }

    /// Shows an image of the site; one of another site becomes a link, so that no page contacts another machine.
    pub(super) fn image(&mut self, at: usize, tag: &Tag<'_>) -> usize {
        let end = self.end_of(at);
        let Tag::Image {
            dest_url, title, ..
        } = tag
        else {
            return end + 1;
        };
        let mut alt = String::new();
        for (event, _) in &self.events[at..end.min(self.events.len())] {
            match event {
                Event::Text(text) | Event::Code(text) => alt.push_str(text),
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
        }
        self.words(&alt);
        let bytes = self.events[at].1.clone();
        match self.resolve(dest_url, &bytes) {
            Resolved::Inside(src) => {
                self.markup.push_str("<img src=\"");
                push_attribute(&mut self.markup, &src);
                self.markup.push_str("\" alt=\"");
                push_attribute(&mut self.markup, &alt);
                if !title.is_empty() {
                    self.markup.push_str("\" title=\"");
                    push_attribute(&mut self.markup, title);
                }
                self.markup.push_str("\" loading=\"lazy\">");
            }
            Resolved::Outside(href) if self.link_depth == 0 && !self.raw.has_link() => {
                self.push_open_link(&href, OUTSIDE);
                push_text(&mut self.markup, if alt.is_empty() { &href } else { &alt });
                self.markup.push_str("</a>");
            }
            Resolved::Outside(_) | Resolved::Elsewhere => push_text(&mut self.markup, &alt),
            Resolved::Broken | Resolved::Refused => {
                self.markup.push_str("<span class=\"broken\">");
                push_text(
                    &mut self.markup,
                    if alt.is_empty() { dest_url } else { &alt },
                );
                self.markup.push_str("</span>");
            }
        }
        end + 1
    }

    fn push_open_link(&mut self, href: &str, rel: &str) {
        self.markup.push_str("<a href=\"");
        push_attribute(&mut self.markup, href);
        self.markup.push('"');
        self.markup.push_str(rel);
        self.markup.push('>');
    }

    /// Resolves a link, records it, and reports it if it is broken.
    fn resolve(&mut self, target: &str, bytes: &Range<usize>) -> Resolved {
        self.links.push(Link {
            target: target.to_owned(),
            line: self.lines.line(bytes.start),
        });
        let outline = self.outline;
        let prefix = self.context.heading_prefix;
        let title = outline
            .title
            .map(|index| outline.headings[&index].id.as_str());
        let ids = |fragment: &str| {
            let small = fragment.to_lowercase();
            let known = [fragment, small.as_str()].into_iter();
            let id = known.into_iter().find(|id| outline.ids.contains(*id))?;
            // The title belongs to the page, so its anchor is the top.
            Some(if title == Some(id) {
                "#".to_owned()
            } else {
                format!("#{}", id_on_page(prefix, id))
            })
        };
        let resolved = link::resolve(target, self.context, &ids);
        let (severity, message, help) = match &resolved {
            Resolved::Inside(href) => {
                self.note_move(target, href, bytes);
                return resolved;
            }
            Resolved::Outside(_) | Resolved::Elsewhere => return resolved,
            Resolved::Broken if target.trim().is_empty() => (
                Severity::Warning,
                "this link leads nowhere: its target is empty".to_owned(),
                "add the target or remove the link",
            ),
            Resolved::Broken if target.starts_with('#') => (
                Severity::Warning,
                format!("this page has no heading `{target}`"),
                "correct the link or remove it",
            ),
            Resolved::Broken => (
                Severity::Warning,
                format!("`{target}` does not exist"),
                "correct the link or remove it",
            ),
            // It may well work where the page is read.
            Resolved::Refused => (
                Severity::Info,
                format!(
                    "`{}` is not allowed as a link, so it is shown as text",
                    target.chars().take(80).collect::<String>()
                ),
                "use https, mailto or a path",
            ),
        };
        let place = self.lines.place(bytes);
        self.findings.push(
            Finding::new("link-broken", severity, place, message)
                .help(help)
                .cause(target),
        );
        resolved
    }

    /// Records the new target of a link for the Markdown version. A reference definition elsewhere stays.
    fn note_move(&mut self, target: &str, href: &str, bytes: &Range<usize>) {
        let written = self
            .source
            .get(bytes.clone())
            .and_then(|text| text.rfind(target));
        if let Some(at) = written.filter(|_| !target.starts_with('#') && !target.is_empty()) {
            let start = bytes.start + at;
            let href = (self.context.markdown_href)(href);
            self.moves.insert(start, (start + target.len(), href));
        }
    }

    /// Writes raw HTML. `origins` maps offsets in it to the source.
    pub(super) fn raw_html(&mut self, html: &str, origins: &[(usize, usize)]) {
        if self.part == Markup::Markdown {
            for _ in html.lines().filter(|line| raw::is_break(line)) {
                self.markup.push_str("<br>");
            }
            return;
        }
        self.raw_bytes += html.len();
        if self.raw_bytes > raw::MAX_BYTES {
            push_text(&mut self.markup, html);
            return;
        }
        let mut markup = std::mem::take(&mut self.markup);
        let mut open = std::mem::take(&mut self.raw);
        let prefix = self.context.heading_prefix;
        raw::tidy(html, &mut markup, &mut open, prefix, &mut |target, at| {
            let origin = origins.partition_point(|(start, _)| *start <= at);
            let (start, source) = origins[origin.saturating_sub(1)];
            let start = source + (at - start);
            match self.resolve(target, &(start..start + 1)) {
                Resolved::Inside(href) => ResolvedAddress::Href(href),
                Resolved::Outside(href) => ResolvedAddress::Outside(href),
                Resolved::Elsewhere | Resolved::Broken | Resolved::Refused => {
                    ResolvedAddress::Nothing
                }
            }
        });
        (self.markup, self.raw) = (markup, open);
    }

    pub(super) fn footnote_reference(&mut self, name: &str) {
        if !self.outline.footnotes.contains_key(name) {
            return self
                .markup
                .push_str(&super::super::Html::escape(&format!("[^{name}]")).0);
        }
        let next = self.notes.len() + 1;
        let mut id = String::new();
        push_attribute(&mut id, self.context.heading_prefix);
        let number = *self.notes.entry(name.to_owned()).or_insert(next);
        let anchor = if number == next {
            self.due.push_back(name.to_owned());
            format!(" id=\"{id}fnref-{number}\"")
        } else {
            String::new()
        };
        let markup = format!(
            "<sup><a href=\"#{id}fn-{number}\"{anchor} role=\"doc-noteref\" aria-label=\"Footnote {number}\">{number}</a></sup>"
        );
        self.push_trusted(&markup, Slot::Inline);
    }

    /// Writes the footnotes that this part is the first to refer to.
    pub(super) fn footnotes(&mut self) {
        if self.due.is_empty() {
            return;
        }
        self.markup
            .push_str("<section class=\"footnotes\" aria-label=\"Footnotes\"><ol>\n");
        while let Some(name) = self.due.pop_front() {
            let number = self.notes[&name];
            let mut id = String::new();
            push_attribute(&mut id, self.context.heading_prefix);
            self.markup
                .push_str(&format!("<li id=\"{id}fn-{number}\" value=\"{number}\">"));
            self.events(self.outline.footnotes[&name].clone());
            self.raw.close(&mut self.markup);
            self.markup.push_str(&format!(
                "<a class=\"back\" href=\"#{id}fnref-{number}\" aria-label=\"Back to the text\">↩</a></li>\n"
            ));
        }
        self.markup.push_str("</ol></section>\n");
    }
}
