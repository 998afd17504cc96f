//! The pages of an environment: all that runs there, and the settings that differ from other environments.

use std::ops::Range;

use serde::Serialize;

use super::frame::PageHead;
use super::matrix::LONG_TABLE;
use super::{PageContent, view};
use crate::catalog::{ClusterUnits, ComponentIx, EnvironmentIx, Status};
use crate::facts::Gate;
use crate::input::repo_host::RepoHost;
use crate::knowledge::route::Route;
use crate::site::context::{CommonSettings, EnvironmentRoutes, Running};
use crate::site::section::settings::{self, Places, SettingGroup, SettingRow, Settings};
use crate::site::view::{Here, PlaceView, Stat, Text, counted};
use crate::sources;
use base::text::{noun, plural};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct EnvironmentPage {
    stats: Vec<Stat>,
    links: Vec<Sibling>,
    components: Vec<EnvironmentRow>,
    /// Whether any component differs in other environments.
    any_differs: bool,
    /// Whether units are ready under different conditions.
    has_gates: bool,
    /// Whether there are so many that a browser should lay out only those in view. Their pages state where each is declared.
    is_long: bool,
    /// The beginning of the address of every file.
    files: Option<String>,
}

#[derive(Serialize)]
struct SettingsPage<'a> {
    links: Vec<Sibling>,
    settings: Option<Settings<'a>>,
}

#[derive(Serialize)]
struct Sibling {
    title: String,
    href: String,
    icon: &'static str,
    current: bool,
}

#[derive(Serialize)]
struct EnvironmentRow {
    title: String,
    href: String,
    status: &'static str,
    version: Option<String>,
    /// The line that sets the version.
    set_at: Option<String>,
    differs: bool,
    elsewhere: Vec<String>,
    gate: Option<&'static str>,
    place: Option<PlaceView>,
}

pub fn write(here: &Here<'_>, environment: EnvironmentIx) -> PageContent {
    let context = here.context;
    let shown = &context.catalog.environments[environment];
    let mut page = PageHead::new(here, "environment", shown.name.clone());
    let Running {
        components,
        enabled,
    } = &context.running[environment];
    let root = root(here, environment);
    page.description = Some(if shown.is_own(&context.catalog.clusters) {
        format!("Components deployed from {root}.")
    } else {
        format!("Components deployed here from {root}.")
    });
    let rows: Vec<EnvironmentRow> = components
        .iter()
        .map(|at| row(here, environment, *at))
        .collect();
    let mut markdown = Text::default();
    markdown.heading(2, "Components");
    markdown.table(
        &["Component", "Status", "Version", "Other environments"],
        rows.iter().map(|row| {
            [
                link(&row.title, Some(&row.href)),
                row.status.to_owned(),
                escaped(row.version.as_deref().unwrap_or_default()),
                escaped(&row.elsewhere.join(", ")),
            ]
        }),
    );
    let stat = |value: usize, label: String| Stat {
        value,
        label,
        href: None,
    };
    let mut links = siblings(here, environment, |routes| Some(&routes.page));
    if let Some(settings) = context.routes.environments[environment].settings.first() {
        let link = Sibling {
            title: "Settings that differ".to_owned(),
            href: here.to(&settings.route),
            icon: "right",
            current: false,
        };
        links.push(link);
    }
    let contents = EnvironmentPage {
        stats: vec![
            stat(components.len(), noun(components.len(), "component")),
            stat(*enabled, "enabled".to_owned()),
            stat(shown.units, units_label(here, environment)),
        ],
        links,
        any_differs: rows.iter().any(|row| row.differs),
        has_gates: rows.windows(2).any(|pair| pair[0].gate != pair[1].gate),
        is_long: rows.len() > LONG_TABLE,
        files: context.repo_host.as_ref().and_then(RepoHost::files),
        components: rows,
    };
    PageContent {
        template: "pages/environment.html",
        page,
        views: vec![view("environment", &contents)],
        markdown,
    }
}

/// A page of the settings that differ from other environments.
pub fn settings(here: &Here<'_>, environment: EnvironmentIx, at: usize) -> PageContent {
    let context = here.context;
    let name = &context.catalog.environments[environment].name;
    let own = &context.routes.environments[environment];
    let sheets = &own.settings;
    let routes: Vec<&Route> = sheets.iter().map(|sheet| &sheet.route).collect();
    let title = format!("Settings of {name}");
    let mut page = PageHead::new(here, "environment", title)
        .below(name, here.to(&own.page))
        .among(here, &routes, at);
    let components = &context.running[environment].components[sheets[at].range.clone()];
    let part = match (sheets.len(), components) {
        (many @ 2.., [first, .., last]) => format!(
            " Page {} of {many}: {} to {}.",
            at + 1,
            here.component(*first).title,
            here.component(*last).title
        ),
        _ => String::new(),
    };
    page.description = Some(format!(
        "Settings that have another value in other environments.{part}"
    ));
    let mut settings = matrix(here, environment, sheets[at].range.clone());
    if let Some(settings) = settings.as_mut().filter(|_| routes.len() > 1) {
        let pages = routes.iter().enumerate();
        let pages = pages.map(|(page, route)| match page == at {
            true => ".".to_owned(),
            false => here.to(route),
        });
        settings.pages = Some(pages.collect::<Vec<_>>().join(" "));
    }
    let mut markdown = Text::default();
    if let Some(settings) = &settings {
        settings.markdown(&mut markdown);
    }
    let contents = SettingsPage {
        links: siblings(here, environment, |routes| {
            Some(&routes.settings.first()?.route)
        }),
        settings,
    };
    PageContent {
        template: "pages/environment_settings.html",
        page,
        views: vec![view("environment", &contents)],
        markdown,
    }
}

/// The noun for the number of units, with their kinds: `units (Kustomizations, HelmReleases)`.
fn units_label(here: &Here<'_>, environment: EnvironmentIx) -> String {
    let noun = noun(here.context.catalog.environments[environment].units, "unit");
    let units = &entry_point(here, environment).units;
    let has = |kind: &&str| units.iter().any(|unit| unit.id.kind == **kind);
    let named: Vec<String> = sources::unit_kinds().filter(has).map(plural).collect();
    let is_other = |kind: &str| sources::unit_kinds().all(|known| known != kind);
    let others = if units.iter().any(|unit| is_other(&unit.id.kind)) {
        " and others"
    } else {
        ""
    };
    if named.is_empty() {
        noun
    } else {
        format!("{noun} ({}{others})", named.join(", "))
    }
}

/// The directory of the entry point that leads there.
fn root(here: &Here<'_>, environment: EnvironmentIx) -> String {
    match entry_point(here, environment).root.as_str() {
        "" => "the root of the repository".to_owned(),
        root => root.to_owned(),
    }
}

fn entry_point<'a>(here: &Here<'a>, environment: EnvironmentIx) -> &'a ClusterUnits {
    let catalog = here.context.catalog;
    &catalog.clusters[catalog.environments[environment].cluster]
}

/// Links to the same page of other environments, and to the source.
fn siblings(
    here: &Here<'_>,
    environment: EnvironmentIx,
    page: fn(&EnvironmentRoutes) -> Option<&Route>,
) -> Vec<Sibling> {
    let context = here.context;
    let routes = &context.routes.environments;
    let others = context.compared.iter().filter(|_| routes.len() > 1);
    let mut links: Vec<Sibling> = others
        .filter_map(|at| {
            Some(Sibling {
                title: context.catalog.environments[*at].name.clone(),
                href: here.to(page(routes.get(*at)?)?),
                icon: "link",
                current: *at == environment,
            })
        })
        .collect();
    if let Some(repo_host) = &context.repo_host {
        let root = &entry_point(here, environment).root;
        links.push(Sibling {
            title: "Source".to_owned(),
            href: repo_host.directory(root.as_str()),
            icon: "file",
            current: false,
        });
    }
    links
}

fn row(here: &Here<'_>, environment: EnvironmentIx, at: ComponentIx) -> EnvironmentRow {
    let component = here.component(at);
    let name = &here.context.catalog.environments[environment].name;
    let own = component.environments.iter().find(|e| e.name == *name);
    let version = own.and_then(|own| own.version.clone());
    let status = own.map_or(component.status, |own| own.status);
    let others = component.environments.iter().filter(|e| e.name != *name);
    let differing = others.filter(|e| e.version != version || e.status != status);
    let elsewhere: Vec<String> = differing
        .take(3)
        .map(|other| match (&other.version, other.status) {
            (Some(version), Status::Enabled) => format!("{} {version}", other.name),
            (_, status) => format!("{} {}", other.name, status.name()),
        })
        .collect();
    let unit = own.and_then(|own| {
        let (declared_in, id) = &own.unit;
        entry_point(here, environment).find_in(*declared_in, id)
    });
    EnvironmentRow {
        title: component.title.clone(),
        href: here.href(at),
        status: status.name(),
        version: version.map(|version| version.to_string()),
        set_at: own
            .and_then(|own| here.known_place(own.version_place?))
            .and_then(|place| place.href),
        differs: !elsewhere.is_empty(),
        elsewhere,
        gate: unit.map(|unit| match unit.gate {
            Gate::None => "resources applied",
            Gate::Unseen => "created",
            Gate::Wait => "all resources Ready",
            Gate::HealthChecks(_) => "health checks pass",
        }),
        place: unit.and_then(|unit| here.known_place(unit.place)),
    }
}

/// The settings that differ between environments: the value here, and those of all others. First those that several
/// components have from one line, on the first page; then the others of the components of this page.
fn matrix<'a>(
    here: &Here<'a>,
    environment: EnvironmentIx,
    range: Range<usize>,
) -> Option<Settings<'a>> {
    let context = here.context;
    let name = &context.catalog.environments[environment].name;
    let running = &context.running[environment].components;
    let common = CommonSettings::new(context.catalog, name, running);
    let mut all = context.running.indices();
    let only_other = all.find(|at| *at != environment);
    let only_other = only_other.filter(|_| context.running.len() == 2);
    let written = |row: SettingRow<'a>| match only_other {
        Some(_) => row.without_names(),
        None => row,
    };
    let mut places = Places::new(here);
    let mut groups: Vec<SettingGroup<'_>> = Vec::new();
    if range.start == 0 {
        let rows = common.iter().map(|one| {
            let others = context.compared.iter();
            let others = others.map(|at| context.catalog.environments[*at].name.as_str());
            let others = others.filter(|other| other != name);
            let others = others.filter_map(|other| Some((other, *one.values.get(other)?)));
            let others: Vec<(&str, Option<&str>)> = others.collect();
            let page = here.href(one.components[0]);
            let mut row = settings::row_beside(one.setting, name, &others, &page);
            row.note = Some(counted(one.components.len(), "component"));
            written(row)
        });
        let rows: Vec<SettingRow<'a>> = rows.collect();
        if !rows.is_empty() {
            let mut group = SettingGroup::untitled(&mut places, rows);
            group.title = Some("Several components".to_owned());
            group.note = Some("each set by one line".to_owned());
            groups.push(group);
        }
    }
    let own = running[range].iter().filter_map(|at| {
        let component = here.component(*at);
        let is_own = |one: &str| component.environments.iter().any(|own| own.name == one);
        let compared = context.compared.iter();
        let compared = compared.map(|at| context.catalog.environments[*at].name.as_str());
        let own: Vec<&str> = compared.filter(|name| is_own(name)).collect();
        let others: Vec<&str> = own.iter().copied().filter(|other| other != name).collect();
        let (differing, same): (Vec<_>, Vec<_>) = component
            .settings
            .iter()
            .partition(|setting| setting.differs(&own));
        let differing = differing.into_iter();
        let differing = differing.filter(|setting| !common.has(*at, setting, name));
        let rows = differing.map(|setting| {
            let others = others.iter().map(|other| (*other, setting.text(other)));
            let others: Vec<(&str, Option<&str>)> = others.collect();
            written(settings::row_beside(
                setting,
                name,
                &others,
                &here.href(*at),
            ))
        });
        let rows: Vec<SettingRow<'a>> = rows.collect();
        (!rows.is_empty()).then(|| {
            let mut group = SettingGroup::untitled(&mut places, rows);
            group.title = Some(component.title.clone());
            group.href = Some(format!("{}#configuration", here.href(*at)));
            let identical = counted(same.len(), "identical setting");
            group.note = (!same.is_empty()).then(|| format!("{identical} hidden"));
            group
        })
    });
    groups.extend(own);
    let label = "Settings that differ between environments".to_owned();
    let others = match only_other {
        Some(other) => context.catalog.environments[other].name.clone(),
        None => "Other environments".to_owned(),
    };
    (!groups.is_empty())
        .then(|| Settings::new(here, label, &[environment], groups).beside_others(others))
}
