//! The page of a component: its head, which answers the first questions, and its sections.

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::{
    Component, ComponentChart, ComponentIx, DescribedBy, Edge, Environment, EnvironmentSet,
    is_link, is_production,
};
use crate::checks::wording::in_words;
use crate::input::repo_host::RepoHost;
use crate::knowledge::pages::{DocTopic, plain};
use crate::site::asset;
use crate::site::section::{self, About, MOST_URLS};
use crate::site::theme::{Theme, ThemeError, View};
use crate::site::view::{Chip, Here, LinkView, More, PlaceView, Text, count, counted, severity};
use base::Severity;
use markdown::Html;
use markdown::text::escaped;

#[derive(Serialize)]
struct ComponentHead {
    id: String,
    title: String,
    icon: ApplicationIcon,
    status: &'static str,
    summary_html: Option<Html>,
    chips: Vec<Chip>,
    alert: Option<AlertView>,
    runs: Vec<RunView>,
    /// The beginning of the address of every file.
    files: Option<String>,
    versions_differ: bool,
    needs: NamedComponents,
    needed_by: NamedComponents,
    /// Its chart is not in the repo, so more may be needed than is known.
    unread_chart: bool,
    links: Vec<Quick>,
    /// Links of other environments.
    more_links: Vec<EnvironmentLinks>,
}

/// A picture of the repo's own, or else letters: none may be loaded from elsewhere.
#[derive(Serialize)]
struct ApplicationIcon {
    href: Option<String>,
    letters: String,
}

#[derive(Serialize)]
struct EnvironmentLinks {
    environment: String,
    links: Vec<LinkView>,
}

#[derive(Serialize)]
struct AlertView {
    severity: &'static str,
    text: String,
    href: &'static str,
}

#[derive(Serialize)]
struct RunView {
    environment: String,
    status: &'static str,
    version: Option<String>,
    /// The line that sets the version.
    place: Option<PlaceView>,
}

#[derive(Serialize)]
struct NamedComponents {
    count: usize,
    components_html: Html,
}

#[derive(Serialize)]
struct Quick {
    title: String,
    /// The environment it leads to, if there are several.
    environment: Option<String>,
    href: String,
    icon: &'static str,
    external: bool,
    primary: bool,
}

#[derive(Serialize)]
struct SectionView {
    kind: &'static str,
    id: String,
    title: String,
    body_html: View,
}

/// Neighbours that the head names.
const MOST_NAMED: usize = 5;
/// Environments that have a row of their own in the head.
const MOST_RUNS: usize = 6;
/// Environments that a row names.
const MOST_NAMES: usize = 12;

pub fn write(
    here: &Here<'_>,
    theme: &Theme,
    index: ComponentIx,
) -> Result<PageContent, ThemeError> {
    let component = here.component(index);
    let about = About {
        here: *here,
        index,
        component,
        docs: here.context.pages.component_docs(index),
    };
    let mut page = PageHead::new(here, "component", component.title.clone());
    let layer = &here.context.layers[here.related(index).layer];
    let layer_href = here.layer_href(here.related(index).layer);
    page = page.below(&layer.title, layer_href);
    (page.previous, page.next) = beside(here, index);
    page.edit_href = edit(&about);
    page.source_href = source(here, component);
    let summary = summary(&about);
    page.description = summary.html.as_ref().map(|html| plain(html.as_str()));

    let mut markdown = Text::with_capacity(16 << 10);
    markdown.prose(&summary.markdown);
    let mut sections = Vec::new();
    let mut desk = Vec::with_capacity(32 << 10);
    for written in section::sections(&about) {
        let template = format!("sections/{}.html", written.kind);
        let body = theme.part(&template, &[("section", &written.body.view)], &mut desk)?;
        page.toc.push(Toc {
            count: written.body.count,
            ..Toc::new(2, &written.id, &written.title)
        });
        let below = written.body.headings.iter();
        page.toc
            .extend(below.map(|(id, title)| Toc::new(3, id, title)));
        markdown.heading(2, &written.title);
        markdown.append(&written.body.markdown);
        sections.push(SectionView {
            kind: written.kind,
            id: written.id,
            title: written.title,
            body_html: body,
        });
    }
    let head = head(&about, icon(&about, theme), summary.html);
    Ok(PageContent {
        template: "pages/component.html",
        page,
        views: vec![
            view("component", &head),
            ("sections", View::serialize(&sections)),
        ],
        markdown,
    })
}

/// What the component is: as the configuration says, else in the first words of its documentation, else in one line.
fn summary(about: &About<'_>) -> ComponentSummary {
    let pages = &about.here.context.pages;
    let described = pages.description(about.index, about.component);
    let is_configured = described.is_some_and(|one| one.by == DescribedBy::Configuration);
    match (&about.docs.summary, described) {
        (Some(html), _) if !is_configured => ComponentSummary {
            html: Some(html.clone()),
            markdown: about.docs.summary_markdown.unwrap_or_default().to_owned(),
        },
        (_, Some(described)) => ComponentSummary {
            html: Some(Html::escape(&described.text)),
            markdown: escaped(&described.text),
        },
        _ => ComponentSummary::default(),
    }
}

#[derive(Default)]
struct ComponentSummary {
    html: Option<Html>,
    markdown: String,
}

/// The icon of its application, or one that bears its own id.
fn icon(about: &About<'_>, theme: &Theme) -> ApplicationIcon {
    let component = about.component;
    let names = [
        component.about.icon.as_deref(),
        Some(component.id.0.as_str()),
    ];
    let own = names
        .into_iter()
        .flatten()
        .find_map(|name| theme.icon(name));
    let words = component.title.split([' ', '-', '/', '.']);
    let letters = words.filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    ApplicationIcon {
        href: own.map(|(file, bytes)| about.here.to(&asset::hashed(&file, bytes))),
        letters: letters.take(2).flat_map(char::to_uppercase).collect(),
    }
}

fn head(about: &About<'_>, icon: ApplicationIcon, summary_html: Option<Html>) -> ComponentHead {
    let (here, component) = (&about.here, about.component);
    let graph = &here.context.graph;
    let related = here.related(about.index);
    let names =
        |all: &[ComponentIx], edges: &[&Edge], other: fn(&Edge) -> ComponentIx, id: &str| {
            let (mut components, more) = here.mentions(all, MOST_NAMED);
            for (mention, at) in components.iter_mut().zip(all) {
                let between = edges.iter().filter(|edge| other(edge) == *at);
                let sets = between.map(|edge| edge.environments);
                mention.only = here.only(EnvironmentSet::union(sets), about.index);
            }
            let more = more.map(|more| More {
                href: format!("#{id}"),
                ..more
            });
            NamedComponents {
                count: all.len(),
                components_html: here.list_items(&components, more.as_ref()),
            }
        };
    let mut versions: Vec<&str> = component
        .environments
        .iter()
        .filter_map(|e| e.version.as_deref())
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let (own, more_links) = environment_links(about);
    let links = links(about, own);
    ComponentHead {
        id: component.id.0.to_string(),
        title: component.title.clone(),
        icon,
        status: component.status.name(),
        summary_html,
        chips: chips(about),
        alert: alert(about),
        runs: runs(here, component),
        files: here.context.repo_host.as_ref().and_then(RepoHost::files),
        versions_differ: versions.len() > 1,
        needs: names(
            &related.needs(),
            &related.upstream,
            |edge| edge.to,
            "upstream",
        ),
        needed_by: names(
            graph.needed_by(about.index),
            &related.downstream,
            |edge| edge.from,
            "downstream",
        ),
        unread_chart: component
            .chart
            .as_ref()
            .is_some_and(ComponentChart::is_unread),
        links,
        more_links,
    }
}

fn chips(about: &About<'_>) -> Vec<Chip> {
    let component = about.component;
    let here = &about.here;
    let index = here.to(&here.context.routes.index);
    let chip = |label, text: &str, href: Option<String>| Chip {
        label,
        text: text.to_owned(),
        href,
    };
    let mut chips = Vec::new();
    if component.layer.is_some() {
        let layer = &here.context.layers[here.related(about.index).layer];
        let href = here.layer_href(here.related(about.index).layer);
        chips.push(chip("layer", &layer.title, Some(href)));
    }
    if !component.namespace.is_empty() {
        let state = format!(
            "{index}#namespace={}",
            base::uri::path(&component.namespace)
        );
        chips.push(chip("namespace", &component.namespace, Some(state)));
    }
    chips.push(chip("kind", in_words(&component.kind), None));
    chips
}

fn alert(about: &About<'_>) -> Option<AlertView> {
    let context = about.here.context;
    let own = about.here.related(about.index).findings.iter();
    let severities: Vec<Severity> = own.map(|at| context.findings[*at].severity).collect();
    let tally = |wanted: Severity| severities.iter().filter(|one| **one == wanted).count();
    let errors = tally(Severity::Error);
    let warnings = tally(Severity::Warning);
    let said: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| counted(number, word))
        .collect();
    let worst = match errors {
        0 => Severity::Warning,
        _ => Severity::Error,
    };
    (!said.is_empty()).then(|| AlertView {
        severity: severity(worst),
        text: said.join(", "),
        href: "#findings",
    })
}

/// Production first. A few environments are listed one by one; if there are more, equal ones are grouped.
fn runs(here: &Here<'_>, component: &Component) -> Vec<RunView> {
    let mut environments: Vec<&Environment> = component.environments.iter().collect();
    environments.sort_by_key(|one| !is_production(&one.name));
    let one = |names: Vec<&str>, at: usize| RunView {
        environment: match names.len() {
            1..=MOST_NAMES => names.join(", "),
            many => {
                let (first, left) = (&names[..MOST_NAMES - 1], many - MOST_NAMES + 1);
                format!("{} and {} more", first.join(", "), count(left))
            }
        },
        status: environments[at].status.name(),
        version: environments[at]
            .version
            .as_ref()
            .map(|version| version.to_string()),
        place: environments[at]
            .version_place
            .and_then(|place| here.known_place(place)),
    };
    if environments.len() <= MOST_RUNS {
        let each = environments.iter().enumerate();
        return each
            .map(|(at, environment)| one(vec![&environment.name], at))
            .collect();
    }
    let mut alike: Vec<(usize, Vec<&str>)> = Vec::new();
    for (at, environment) in environments.iter().enumerate() {
        let known = alike.iter_mut().find(|(first, _)| {
            let first = &environments[*first];
            first.status == environment.status && first.version == environment.version
        });
        match known {
            Some((_, names)) => names.push(&environment.name),
            None => alike.push((at, vec![&environment.name])),
        }
    }
    alike
        .into_iter()
        .map(|(at, names)| one(names, at))
        .collect()
}

/// The links that the configuration defines: buttons for production or the first environment, and those of the others.
fn environment_links(about: &About<'_>) -> (Vec<Quick>, Vec<EnvironmentLinks>) {
    let context = about.here.context;
    let all = context.catalog.links(context.config, about.component);
    let first = runs_first(about.component);
    let is_one = about.component.environments.len() < 2;
    let (own, other): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|link| first.is_some_and(|first| link.environments.contains(&first)));
    let own = own.into_iter().map(|link| {
        let is_everywhere = link.environments.len() == about.component.environments.len();
        Quick {
            environment: (!is_one && !is_everywhere).then(|| link.environments.join(", ")),
            ..Quick::outside(link.name.to_owned(), link.url)
        }
    });
    let mut more: Vec<EnvironmentLinks> = Vec::new();
    for link in other {
        let environment = link.environments.join(", ");
        let view = LinkView {
            title: link.name.to_owned(),
            href: Some(link.url),
        };
        match more.iter_mut().find(|one| one.environment == environment) {
            Some(one) => one.links.push(view),
            None => more.push(EnvironmentLinks {
                environment,
                links: vec![view],
            }),
        }
    }
    (own.collect(), more)
}

/// The environment that people mean if they name none.
fn runs_first(component: &Component) -> Option<&str> {
    let environments = &component.environments;
    let production = environments.iter().find(|one| is_production(&one.name));
    let first = production.or(environments.first())?;
    Some(&first.name)
}

impl Quick {
    fn outside(title: String, href: String) -> Quick {
        Quick {
            title,
            environment: None,
            href,
            icon: "external",
            external: true,
            primary: false,
        }
    }
}

/// Runbooks first, then dashboards and the like, addresses, home page and release notes.
fn links(about: &About<'_>, own: Vec<Quick>) -> Vec<Quick> {
    let here = &about.here;
    let context = here.context;
    let mut links = Vec::new();
    let runbooks = context.runbooks.for_component(about.index);
    let is_documented = about.docs.about(DocTopic::Operations).next().is_some();
    if !runbooks.runbooks.is_empty() || is_documented {
        links.push(Quick {
            icon: "book",
            external: false,
            primary: true,
            ..Quick::outside("Runbooks".to_owned(), "#operations".to_owned())
        });
    }
    links.extend(own);
    let urls = about.component.urls.iter().filter(|url| is_link(url));
    links.extend(urls.take(MOST_URLS).map(|url| {
        let title = url.split("://").nth(1).unwrap_or(url);
        Quick::outside(title.trim_end_matches('/').to_owned(), url.clone())
    }));
    let known = &about.component.about;
    if let Some(href) = known.home.as_ref().or(known.code.as_ref()) {
        links.push(Quick::outside("Home page".to_owned(), href.clone()));
    }
    let code = about.component.source_code.as_ref().or(known.code.as_ref());
    if let Some(href) = code.and_then(|code| release_notes(code)) {
        links.push(Quick::outside("Release notes".to_owned(), href));
    }
    links
}

/// The releases of a repository, on hosts that list them under a known address.
fn release_notes(code: &str) -> Option<String> {
    let code = code.trim_end_matches('/').trim_end_matches(".git");
    let (host, path) = code.strip_prefix("https://")?.split_once('/')?;
    let names = path.split('/').filter(|name| !name.is_empty()).count();
    match host {
        "github.com" | "codeberg.org" if names == 2 => Some(format!("{code}/releases")),
        "gitlab.com" if names >= 2 && !path.contains("/-/") => Some(format!("{code}/-/releases")),
        _ => None,
    }
}

fn source(here: &Here<'_>, component: &Component) -> Option<String> {
    let repo_host = here.context.repo_host.as_ref()?;
    let source = component.source.as_ref()?;
    Some(repo_host.directory(source.as_str()))
}

/// The file to edit: its documentation, or else the file that declares it.
fn edit(about: &About<'_>) -> Option<String> {
    let repo_host = about.here.context.repo_host.as_ref()?;
    let file = match about.docs.parts.first() {
        Some(part) => part.place.file,
        None => about
            .here
            .known_place(about.component.place)
            .map(|_| about.component.place.file)?,
    };
    Some(repo_host.edit(about.here.context.repo.path(file).as_str()))
}

/// The neighbours in the order of the navigation.
fn beside(here: &Here<'_>, index: ComponentIx) -> (Option<LinkView>, Option<LinkView>) {
    let context = here.context;
    let link = |at: ComponentIx| LinkView {
        title: here.component(at).title.clone(),
        href: Some(here.href(at)),
    };
    let at = context.position[index];
    let before = at.checked_sub(1).map(|at| link(context.order[at]));
    let after = context.order.get(at + 1).map(|at| link(*at));
    (before, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_notes_are_where_the_host_lists_them() {
        let notes = |code| release_notes(code);
        assert_eq!(
            notes("https://github.com/traefik/traefik").as_deref(),
            Some("https://github.com/traefik/traefik/releases")
        );
        assert_eq!(
            notes("https://gitlab.com/acme/tools/shop.git").as_deref(),
            Some("https://gitlab.com/acme/tools/shop/-/releases")
        );
        for other in [
            "https://github.com/acme",
            "https://github.com/acme/shop/tree/main/charts",
            "https://git.example.com/acme/shop",
            "http://github.com/acme/shop",
        ] {
            assert_eq!(notes(other), None, "{other}");
        }
    }
}
