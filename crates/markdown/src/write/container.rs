//! Blocks of other dialects: alerts with a title, blocks to unfold, and tabs that work without a script.

use base::markup::push_attribute;

use super::super::source::{AlertKind, DialectBlock, Folding, Frame, TabGroup};
use super::{Slot, Writer};

impl Writer<'_> {
    /// Writes the block that the quote at `at` stands for, up to its body; returns the index of that.
    pub(super) fn container(&mut self, at: usize, container: &DialectBlock) -> usize {
        match container.frame {
            Frame::Alert(kind) => {
                self.element(
                    &format!("<blockquote class=\"alert {}\">", class(kind)),
                    "</blockquote>\n",
                );
                if !container.title.is_empty() || container.default_title.is_some() {
                    self.markup.push_str("<p class=\"alert-title\">");
                    self.title(container);
                    self.markup.push_str("</p>\n");
                }
            }
            Frame::Details { kind, state } => {
                let open = match state {
                    Folding::Open => " open",
                    Folding::Closed => "",
                };
                self.element(
                    &format!("<details class=\"alert {}\"{open}>", class(kind)),
                    "</details>\n",
                );
                self.markup.push_str("<summary class=\"alert-title\">");
                self.title(container);
                self.markup.push_str("</summary>\n");
            }
            Frame::Tab { group } => self.tab(at, container, group),
            // It has no quote any more.
            Frame::Plain => {}
        }
        container.body
    }

    fn title(&mut self, container: &DialectBlock) {
        match &container.default_title {
            Some(title) if container.title.is_empty() => push_attribute(&mut self.markup, title),
            _ => {
                self.events(container.title.clone());
                self.raw.close(&mut self.markup);
                self.text.push(' ');
            }
        }
    }

    /// Tabs are radio buttons, each before its panel; the style shows the panel of the one that is chosen.
    fn tab(&mut self, at: usize, container: &DialectBlock, group: TabGroup) {
        let before = at
            .checked_sub(1)
            .and_then(|end| self.tabs.get(&end).copied());
        let before = before.filter(|_| group == TabGroup::Same);
        let (group, number) = before.map_or((at, 1), |(group, number)| (group, number + 1));
        self.tabs.insert(container.end, (group, number));
        let is_first = number == 1;
        let title = container.plain_title(self.events);
        self.words(&title);
        let mut label = String::new();
        push_attribute(&mut label, &title);
        let mut prefix = String::new();
        push_attribute(&mut prefix, self.context.heading_prefix);
        let checked = if is_first { " checked" } else { "" };
        // All tabs of a group are in one element, which the last one closes.
        let is_last = !self.continues(container.end);
        let open = if is_first {
            "<div class=\"tabs\">\n"
        } else {
            ""
        };
        let close = if is_last {
            "</div>\n</div>\n"
        } else {
            "</div>\n"
        };
        if self.is_too_deep() {
            return self.element("", "");
        }
        self.markup.push_str(open);
        let input = format!(
            "<input type=\"radio\" name=\"{prefix}tabs-{group}\" id=\"{prefix}tab-{group}-{number}\"{checked}>\
             <label for=\"{prefix}tab-{group}-{number}\">{label}</label>"
        );
        self.push_trusted(&input, Slot::Block);
        self.element("<div class=\"tab\">\n", close);
    }

    /// Whether the block after `end` is a tab of the same group.
    fn continues(&self, end: usize) -> bool {
        let next = self.containers.get(&(end + 1));
        next.is_some_and(|next| {
            next.frame
                == Frame::Tab {
                    group: TabGroup::Same,
                }
        })
    }
}

fn class(kind: AlertKind) -> String {
    format!("alert-{}", kind.name())
}
