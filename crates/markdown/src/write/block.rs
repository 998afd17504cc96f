//! Blocks: paragraphs, headings, lists, tables, quotes, code and diagrams.

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, Event, Tag, TagEnd};

use super::super::math::{self, Setting};
use super::super::{Html, MermaidBlock, id_on_page};
use super::{MAX_DEPTH, Slot, TableSection, Writer};
use base::Finding;
use base::markup::push_attribute;

impl Writer<'_> {
    /// Writes the event at `at` with everything it opens; returns the next index.
    pub(super) fn event(&mut self, at: usize) -> usize {
        let events = self.events;
        let (event, bytes) = &events[at];
        match event {
            Event::Start(tag) => return self.start(at, tag),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(text, bytes),
            Event::Code(code) => self.code(code),
            Event::InlineMath(tex) => self.formula(tex, Setting::Inline),
            // It may stand in the middle of a paragraph, which holds no block.
            Event::DisplayMath(tex) => self.formula(tex, Setting::Inline),
            Event::Html(html) | Event::InlineHtml(html) => self.raw_html(html, &[(0, bytes.start)]),
            Event::SoftBreak => {
                self.markup.push('\n');
                self.text.push(' ');
            }
            Event::HardBreak => {
                self.markup.push_str("<br>\n");
                self.text.push(' ');
            }
            Event::Rule => self.markup.push_str("<hr>\n"),
            Event::TaskListMarker(done) => {
                let input = if *done {
                    "<input type=\"checkbox\" disabled checked aria-label=\"Done\"> "
                } else {
                    "<input type=\"checkbox\" disabled aria-label=\"To do\"> "
                };
                self.push_trusted(input, Slot::Inline);
            }
            Event::FootnoteReference(name) => self.footnote_reference(name),
        }
        at + 1
    }

    fn start(&mut self, at: usize, tag: &Tag<'_>) -> usize {
        match tag {
            Tag::Paragraph => self.element("<p>", "</p>\n"),
            Tag::Heading { .. } => self.heading(at),
            Tag::BlockQuote(kind) => match self.containers.get(&at) {
                Some(container) => return self.container(at, container),
                None => self.quote(*kind),
            },
            Tag::CodeBlock(kind) => return self.code_block(at, kind),
            Tag::HtmlBlock => return self.html_block(at),
            Tag::List(None) => self.element("<ul>\n", "</ul>\n"),
            Tag::List(Some(1)) => self.element("<ol>\n", "</ol>\n"),
            Tag::List(Some(start)) => self.element(&format!("<ol start=\"{start}\">\n"), "</ol>\n"),
            Tag::Item if self.is_task(at) => self.element("<li class=\"task\">", "</li>\n"),
            Tag::Item => self.element("<li>", "</li>\n"),
            Tag::Table(alignments) => {
                self.alignments.clone_from(alignments);
                let open = "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n";
                self.element(open, "</table></div>\n");
            }
            Tag::TableHead => {
                (self.row, self.cell) = (TableSection::Head, 0);
                self.element("<thead><tr>", "</tr></thead>\n");
            }
            Tag::TableRow => {
                (self.row, self.cell) = (TableSection::Body, 0);
                self.element("<tr>", "</tr>\n");
            }
            Tag::TableCell => self.table_cell(),
            Tag::Emphasis => self.element("<em>", "</em>"),
            Tag::Strong => self.element("<strong>", "</strong>"),
            Tag::Strikethrough => self.element("<del>", "</del>"),
            Tag::Superscript => self.element("<sup>", "</sup>"),
            Tag::Subscript => self.element("<sub>", "</sub>"),
            Tag::Link { .. } => self.link(at, tag),
            Tag::Image { .. } => return self.image(at, tag),
            // They are written where they are referred to.
            Tag::FootnoteDefinition(_) => return self.end_of(at) + 1,
            Tag::MetadataBlock(_) => return self.end_of(at) + 1,
            Tag::DefinitionList => self.element("<dl>\n", "</dl>\n"),
            Tag::DefinitionListTitle => self.element("<dt>", "</dt>\n"),
            Tag::DefinitionListDefinition => self.element("<dd>", "</dd>\n"),
        }
        at + 1
    }

    fn end(&mut self, end: &TagEnd) {
        match end {
            TagEnd::Link => self.link_depth = self.link_depth.saturating_sub(1),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
            _ => {
                self.raw.close(&mut self.markup);
                self.text.push(' ');
            }
        }
        if let TagEnd::Heading(_) = end {
            let anchor = std::mem::take(&mut self.anchor);
            self.markup.push_str(&anchor);
        }
        let close = self.open.pop().unwrap_or_default();
        self.markup.push_str(close);
    }

    /// Opens an element. If the page is too deep already, its content goes into the one around it.
    pub(super) fn element(&mut self, open: &str, close: &'static str) {
        if self.open.len() < MAX_DEPTH {
            self.markup.push_str(open);
            self.open.push(close);
        } else {
            self.open.push("");
        }
    }

    /// Whether [`Writer::element`] would open no more.
    pub(super) fn is_too_deep(&self) -> bool {
        self.open.len() >= MAX_DEPTH
    }

    fn formula(&mut self, tex: &str, setting: Setting) {
        self.words(tex);
        let formula = math::formula(tex, setting);
        self.push_trusted(formula.as_str(), Slot::Inline);
    }

    fn heading(&mut self, at: usize) {
        let heading = &self.outline.headings[&at];
        // A level 1 heading that is not a section is in a quote or a list.
        let (open, close) = match heading.level {
            1 | 2 => ("<h2 id=\"", "</h2>\n"),
            3 => ("<h3 id=\"", "</h3>\n"),
            4 => ("<h4 id=\"", "</h4>\n"),
            5 => ("<h5 id=\"", "</h5>\n"),
            _ => ("<h6 id=\"", "</h6>\n"),
        };
        let mut id = String::new();
        push_attribute(
            &mut id,
            &id_on_page(self.context.heading_prefix, &heading.id),
        );
        let mut title = String::new();
        push_attribute(&mut title, &heading.title);
        self.element(&format!("{open}{id}\">"), close);
        self.anchor =
            format!("<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {title}\"></a>");
    }

    fn quote(&mut self, kind: Option<BlockQuoteKind>) {
        let open = match kind {
            None => "<blockquote>\n",
            Some(BlockQuoteKind::Note) => {
                "<blockquote class=\"alert alert-note\"><p class=\"alert-title\">Note</p>\n"
            }
            Some(BlockQuoteKind::Tip) => {
                "<blockquote class=\"alert alert-tip\"><p class=\"alert-title\">Tip</p>\n"
            }
            Some(BlockQuoteKind::Important) => {
                "<blockquote class=\"alert alert-important\"><p class=\"alert-title\">Important</p>\n"
            }
            Some(BlockQuoteKind::Warning) => {
                "<blockquote class=\"alert alert-warning\"><p class=\"alert-title\">Warning</p>\n"
            }
            Some(BlockQuoteKind::Caution) => {
                "<blockquote class=\"alert alert-caution\"><p class=\"alert-title\">Caution</p>\n"
            }
        };
        self.element(open, "</blockquote>\n");
    }

    fn is_task(&self, item: usize) -> bool {
        let first = |at: usize| self.events.get(at).map(|(event, _)| event);
        match first(item + 1) {
            Some(Event::TaskListMarker(_)) => true,
            Some(Event::Start(Tag::Paragraph)) => {
                matches!(first(item + 2), Some(Event::TaskListMarker(_)))
            }
            _ => false,
        }
    }

    fn table_cell(&mut self) {
        let class = match self.alignments.get(self.cell) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            _ => "",
        };
        self.cell += 1;
        match self.row {
            TableSection::Head => self.element(&format!("<th scope=\"col\"{class}>"), "</th>"),
            TableSection::Body => self.element(&format!("<td{class}>"), "</td>"),
        }
    }

    fn code_block(&mut self, at: usize, kind: &CodeBlockKind<'_>) -> usize {
        let end = self.end_of(at);
        let mut code = String::new();
        for (event, _) in &self.events[at..end] {
            if let Event::Text(text) = event {
                code.push_str(text);
            }
        }
        self.words(&code);
        let info = match kind {
            CodeBlockKind::Fenced(info) => info.as_ref(),
            CodeBlockKind::Indented => "",
        };
        let language = info
            .split([' ', '\t', ',', '{', ':'])
            .next()
            .unwrap_or_default();
        if language.eq_ignore_ascii_case("math") {
            let formula = math::formula(&code, Setting::Block);
            self.push_trusted(formula.as_str(), Slot::Block);
            return end + 1;
        }
        let title = info
            .split_once("title=\"")
            .and_then(|(_, title)| title.split_once('"'));
        let title = title.map_or("", |(title, _)| title);
        let source = match self.figures {
            Some(figures) => figures.code.figure(&code, language, title),
            None => Html::default(),
        };
        let picture = if language.eq_ignore_ascii_case("mermaid") {
            self.diagram(at, &code)
        } else {
            None
        };
        match picture {
            Some(picture) => {
                let markup = format!(
                    "<figure class=\"drawing\"><div class=\"diagram-view\">{picture}</div><details class=\"quiet\"><summary>Mermaid source</summary>{}</details></figure>\n",
                    source.as_str()
                );
                self.push_trusted(&markup, Slot::Block);
            }
            None => self.push_trusted(source.as_str(), Slot::Block),
        }
        end + 1
    }

    /// Renders a Mermaid block, or reports why it cannot be.
    fn diagram(&mut self, at: usize, code: &str) -> Option<String> {
        let bytes = &self.events[at].1;
        self.mermaid.push(MermaidBlock {
            source: code.to_owned(),
            line: self.lines.line(bytes.start),
        });
        let picture = match self.figures {
            Some(figures) => (figures.mermaid)(code),
            None => diagram::parse(code).map(|_| Html::default()),
        };
        match picture {
            Ok(picture) => Some(picture.into_string()),
            Err(error) => {
                let place = self.lines.place(bytes);
                let finding = match error {
                    diagram::Error::Unsupported { .. } => {
                        let message = format!("{error}; the page shows its source");
                        Finding::info("diagram-kind-unsupported", place, message)
                    }
                    _ => {
                        let message = format!("this diagram is shown as source: {error}");
                        Finding::warning("diagram-not-drawn", place, message)
                    }
                };
                self.findings.push(finding);
                None
            }
        }
    }

    fn html_block(&mut self, at: usize) -> usize {
        let end = self.end_of(at);
        let mut html = String::new();
        let mut origins = Vec::new();
        for (event, bytes) in &self.events[at..end] {
            if let Event::Html(line) | Event::Text(line) = event {
                origins.push((html.len(), bytes.start));
                html.push_str(line);
            }
        }
        self.raw_html(&html, &origins);
        self.raw.close(&mut self.markup);
        end + 1
    }

    /// The index of the event that closes what the one at `at` opens.
    pub(super) fn end_of(&self, at: usize) -> usize {
        let mut depth = 0usize;
        for (index, (event, _)) in self.events.iter().enumerate().skip(at) {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index;
            }
        }
        self.events.len()
    }
}
