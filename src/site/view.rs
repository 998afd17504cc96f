//! Views that several templates share, as documented in `theme/VIEWS.md`, built relative to one page. Templates get
//! plain data with links already resolved.

pub mod by_environment;
pub mod change;
pub mod knowledge;
pub mod kube;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::catalog::{Component, ComponentIx, EnvironmentSet, Status};
use crate::checks;
use crate::knowledge::route::Route;
use crate::site::context::{LayerIx, Related, SiteContext};
use crate::site::theme::{self, ComponentKind, ComponentWriter, MARKS};
pub use base::text::{count, counted};
use base::{FileId, Severity};
use markdown::Html;
pub use markdown::text::{self, Text};

#[derive(Debug, Clone, Serialize)]
pub struct LinkView {
    pub title: String,
    pub href: Option<String>,
}

/// Link to the full list, for a list that is shown in part.
#[derive(Debug, Clone, Serialize)]
pub struct More {
    pub title: String,
    pub href: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct PlaceView {
    pub label: String,
    pub href: Option<String>,
}

impl theme::Snippet for PlaceView {
    const KIND: ComponentKind = ComponentKind::Place;

    fn shape(&self) -> usize {
        usize::from(self.href.is_some())
    }

    fn marked(&self) -> PlaceView {
        PlaceView {
            label: MARKS[0].to_owned(),
            href: self.href.as_ref().map(|_| MARKS[1].to_owned()),
        }
    }

    fn texts(&self) -> [&str; MARKS.len()] {
        [
            &self.label,
            self.href.as_deref().unwrap_or_default(),
            "",
            "",
        ]
    }
}

/// A status by its name.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct StatusName(pub &'static str);

impl theme::Snippet for StatusName {
    const KIND: ComponentKind = ComponentKind::Status;

    fn shape(&self) -> usize {
        0
    }

    fn marked(&self) -> StatusName {
        StatusName(MARKS[0])
    }

    fn texts(&self) -> [&str; MARKS.len()] {
        [self.0, "", "", ""]
    }
}

/// A component by name, with its status.
#[derive(Debug, Clone, Serialize)]
pub struct Mention {
    pub title: String,
    pub href: Option<String>,
    pub status: &'static str,
    /// The environments it is limited to, as text.
    pub only: Option<String>,
}

impl Mention {
    fn is_enabled(&self) -> bool {
        self.status == Status::Enabled.name()
    }
}

impl theme::Snippet for Mention {
    const KIND: ComponentKind = ComponentKind::Component;

    fn shape(&self) -> usize {
        let has = [self.href.is_some(), self.only.is_some(), self.is_enabled()];
        has.into_iter()
            .fold(0, |shape, has| shape * 2 + usize::from(has))
    }

    fn marked(&self) -> Mention {
        let mark = |text: &Option<String>, mark: &str| text.as_ref().map(|_| mark.to_owned());
        Mention {
            title: MARKS[0].to_owned(),
            href: mark(&self.href, MARKS[1]),
            status: if self.is_enabled() {
                self.status
            } else {
                MARKS[2]
            },
            only: mark(&self.only, MARKS[3]),
        }
    }

    fn texts(&self) -> [&str; MARKS.len()] {
        let [href, only] = [&self.href, &self.only].map(|text| text.as_deref().unwrap_or_default());
        [&self.title, href, self.status, only]
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct Chip {
    pub label: &'static str,
    pub text: String,
    pub href: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Stat {
    pub value: usize,
    pub label: String,
    pub href: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Filter {
    pub name: &'static str,
    pub label: &'static str,
    pub options: Vec<FilterOption>,
}

#[derive(Debug, Clone, Serialize)]
pub struct FilterOption {
    pub value: String,
    pub count: usize,
}

impl Filter {
    /// Every value, and how often it occurs. Nothing where all are the same: a choice of one is none.
    pub fn count(
        name: &'static str,
        label: &'static str,
        values: impl Iterator<Item = String>,
    ) -> Option<Filter> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        let options = counts
            .into_iter()
            .map(|(value, count)| FilterOption { value, count });
        (options.len() > 1).then(|| Filter {
            name,
            label,
            options: options.collect(),
        })
    }
}

/// Copyable commands: steps, each with an optional description.
pub fn commands<'c>(
    label: &str,
    steps: impl Iterator<Item = (Option<&'c str>, &'c [String])>,
) -> Html {
    let mut markup = Html::default();
    markup.markup("<div class=\"cmds\" role=\"group\" aria-label=\"");
    markup.text(label).markup("\">");
    for (comment, commands) in steps {
        if let Some(comment) = comment {
            markup.markup("<p class=\"cmd-note\">").text(comment);
            markup.markup("</p>");
        }
        for command in commands {
            markup.markup("\n<pre class=\"cmd\"><code>").text(command);
            markup.markup("</code></pre>");
        }
    }
    markup.markup("\n</div>");
    markup
}

#[derive(Debug, Clone, Serialize)]
pub struct DiagramView {
    pub id: String,
    pub title: String,
    pub caption: Option<String>,
    pub diagram_svg: String,
    /// The same in sentences, as the entries of a list.
    pub text_html: Html,
    /// The page as Markdown, which has the Mermaid source.
    pub source_href: Option<String>,
    #[serde(skip)]
    pub source: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct FindingView {
    pub severity: &'static str,
    pub rule: &'static str,
    pub rule_href: Option<String>,
    pub message_html: Html,
    pub help_html: Option<Html>,
    pub snippet_html: Option<Html>,
    pub place: Option<PlaceView>,
    /// The components that it concerns.
    pub components: Vec<LinkView>,
    /// The original message, for Markdown.
    #[serde(skip)]
    pub message: String,
}

/// The first `most` characters of a text, with an ellipsis if it is cut.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    let end = if text.len() > most {
        text.char_indices().nth(most)
    } else {
        None
    };
    match end {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The page that describes a rule.
pub fn rule_route(rule: &str) -> Route {
    Route::new(checks::page(rule))
}

/// The context of the site as seen from one of its pages.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    pub context: &'a SiteContext<'a>,
    pub route: &'a Route,
    pub components: &'a ComponentWriter<'a>,
}

impl<'a> Here<'a> {
    pub fn component(&self, index: ComponentIx) -> &'a Component {
        &self.context.catalog.components[index]
    }

    pub fn related(&self, index: ComponentIx) -> &'a Related<'a> {
        &self.context.related[index]
    }

    pub fn to(&self, route: &Route) -> String {
        match self.site_address() {
            Some(address) => format!("{address}{route}"),
            None => self.route.to(route),
        }
    }

    /// The address of the site, on the page that a server may show anywhere.
    pub fn site_address(&self) -> Option<&str> {
        let is_anywhere = *self.route == self.context.routes.not_found;
        self.context.config.url.as_deref().filter(|_| is_anywhere)
    }

    pub fn href(&self, component: ComponentIx) -> String {
        self.to(&self.context.routes.components[component])
    }

    /// Link to the list of a layer's components.
    pub fn layer_href(&self, layer: LayerIx) -> String {
        let index = self.to(&self.context.routes.index);
        format!("{index}#{}", self.context.layers[layer].id)
    }

    /// The file of the whole catalogue, for what no page lists in full.
    pub fn catalog_href(&self) -> String {
        self.to(&Route::new("service-catalog.json"))
    }

    pub fn mention(&self, component: ComponentIx) -> Mention {
        let mentioned = self.component(component);
        Mention {
            title: mentioned.title.clone(),
            href: Some(self.href(component)),
            status: mentioned.status.name(),
            only: None,
        }
    }

    /// In which environments something holds for a component, in words, unless it does wherever that is.
    pub fn only(&self, some: EnvironmentSet, component: ComponentIx) -> Option<String> {
        let catalog = self.context.catalog;
        let names = catalog.only_in(some, self.component(component))?;
        Some(match names.len() {
            1..=3 => format!("{} only", names.join(", ")),
            many => format!(
                "{many} of {} environments",
                catalog.cluster_environments().len()
            ),
        })
    }

    /// A component in the focus graph of the architecture page, which sites with many components have.
    pub fn focus_href(&self, index: ComponentIx) -> String {
        let page = self.context.routes.components[index].as_str();
        let name = page.rsplit('/').next().unwrap_or(page);
        let name = name.strip_suffix(".html").unwrap_or(name);
        let architecture = self.to(&self.context.routes.architecture);
        format!("{architecture}#focus={}", base::uri::path(name))
    }

    /// Some components, and how many are left out.
    pub fn mentions(&self, all: &[ComponentIx], most: usize) -> (Vec<Mention>, Option<More>) {
        self.mentions_of(all, most, all.len())
    }

    /// The same where the first ones of more are at hand.
    pub fn mentions_of(
        &self,
        first: &[ComponentIx],
        most: usize,
        total: usize,
    ) -> (Vec<Mention>, Option<More>) {
        // One more takes no more room than saying that there is one more.
        let shown = if total > most + 1 {
            most.min(first.len())
        } else {
            first.len()
        };
        let mentions = first[..shown].iter().map(|at| self.mention(*at)).collect();
        (mentions, self.more(total - shown, self.catalog_href()))
    }

    /// Components as the items of a list, which every page has several of.
    pub fn list_items(&self, mentions: &[Mention], more: Option<&More>) -> Html {
        let mut items = Html::default();
        for mention in mentions {
            items.markup("<li>");
            self.components.write(mention, &mut items);
            items.markup("</li>");
        }
        if let Some(more) = more {
            items.markup("<li><a class=\"more\" href=\"");
            items.text(&more.href).markup("\">").text(&more.title);
            items.markup("</a></li>");
        }
        items
    }

    pub fn more(&self, left: usize, href: String) -> Option<More> {
        (left > 0).then(|| More {
            title: format!("and {} more", count(left)),
            href,
        })
    }

    pub fn place(&self, place: base::Place) -> PlaceView {
        let path = self.context.repo.path(place.file);
        let repo_host = self.context.repo_host.as_ref();
        let mut label = String::with_capacity(path.as_str().len() + 6);
        label.push_str(path.as_str());
        if place.line > 0 {
            // A text takes whatever is written to it.
            let _ = write!(label, ":{}", place.line);
        }
        PlaceView {
            label,
            href: repo_host.map(|repo_host| repo_host.line(self.context.repo, place)),
        }
    }

    /// A place that may be nowhere.
    pub fn known_place(&self, place: base::Place) -> Option<PlaceView> {
        (place.file != FileId::NONE && place.line > 0).then(|| self.place(place))
    }

    pub fn finding(&self, finding: &base::Finding, whose: Whose) -> FindingView {
        let link = |id: &str| {
            let components = &self.context.catalog.components;
            let by_id = components.binary_search_by(|c| c.id.0.as_str().cmp(id));
            let index = ComponentIx::from_usize(by_id.ok()?);
            Some(LinkView {
                title: components[index].title.clone(),
                href: Some(self.href(index)),
            })
        };
        let components = match whose {
            Whose::Known => Vec::new(),
            Whose::Said => finding.concerned().filter_map(link).collect(),
        };
        FindingView {
            severity: severity(finding.severity),
            rule: finding.rule,
            rule_href: Some(self.to(&rule_route(finding.rule))),
            message_html: inline_code(&finding.message),
            help_html: finding.help.as_deref().map(inline_code),
            snippet_html: None,
            place: self.known_place(finding.place),
            components,
            message: finding.message.clone(),
        }
    }

    /// A diagram with an id of its own in the page.
    pub fn diagram(
        &self,
        id: &str,
        caption: Option<String>,
        diagram: &diagram::Diagram,
    ) -> DiagramView {
        let mut text_html = Html::default();
        for sentence in diagram.text().lines() {
            text_html.markup("<li>").text(sentence).markup("</li>");
        }
        DiagramView {
            id: id.to_owned(),
            title: diagram.title.clone(),
            caption,
            diagram_svg: diagram.svg(),
            text_html,
            source_href: Some(self.to(&self.route.markdown())),
            source: diagram.mermaid(),
        }
    }
}

/// Whether a finding is listed under its component, or must name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Known,
    Said,
}

pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// Text with `code` in backticks, as messages are written, as markup.
pub fn inline_code(text: &str) -> Html {
    let mut markup = String::with_capacity(text.len() + 16);
    let pieces: Vec<&str> = text.split('`').collect();
    // An odd one out is a backtick and nothing more.
    let paired = pieces.len() % 2 == 1;
    for (at, piece) in pieces.iter().enumerate() {
        let escaped = Html::escape(piece);
        match at % 2 {
            1 if paired => {
                markup.push_str("<code>");
                markup.push_str(escaped.as_str());
                markup.push_str("</code>");
            }
            _ => {
                if at > 0 && !paired {
                    markup.push('`');
                }
                markup.push_str(escaped.as_str());
            }
        }
    }
    Html::trusted(markup)
}

#[cfg(test)]
mod tests;
