//! An environment page: its components, and the settings that differ from other environments.

use serde::Serialize;

use super::frame::{PageHead, Toc};
use super::{PageContent, view};
use crate::catalog::{ClusterUnits, ComponentIx, EnvironmentIx, Status};
use crate::facts::Gate;
use crate::knowledge::route::Route;
use crate::site::context::Running;
use crate::site::section::settings::{self, Places, SettingGroup, Settings};
use crate::site::view::{Here, PlaceView, Stat, Text, counted};
use crate::sources;
use base::text::{noun, plural};
use markdown::text::{escaped, link};

#[derive(Serialize)]
struct EnvironmentPage<'a> {
    stats: Vec<Stat>,
    links: Vec<Sibling>,
    components: Vec<EnvironmentRow>,
    /// Whether any component differs in other environments.
    any_differs: bool,
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
    differs: bool,
    elsewhere: Vec<String>,
    gate: Option<&'static str>,
    place: Option<PlaceView>,
}

/// Columns of the matrix; beyond, the first ones stand for all.
const MOST_COLUMNS: usize = 8;

pub fn write(here: &Here<'_>, environment: EnvironmentIx, at: usize) -> PageContent {
    let context = here.context;
    let shown = &context.catalog.environments[environment];
    let sheets = &context.routes.environments[environment];
    let routes: Vec<&Route> = sheets.iter().map(|sheet| &sheet.route).collect();
    let mut page = PageHead::new(here, "environment", shown.name.clone()).among(here, &routes, at);
    let Running {
        components: inside,
        enabled,
    } = &context.running[environment];
    let whole = match (sheets.len(), context.catalog.cluster_environments().len()) {
        (1, 1) => ".".to_owned(),
        (1, _) => ", and how they differ from other environments.".to_owned(),
        (many, _) => format!(", page {} of {many}.", at + 1),
    };
    let root = root(here, environment);
    page.description = Some(if shown.is_own(&context.catalog.clusters) {
        format!("Components deployed from {root}{whole}")
    } else {
        format!("Components deployed here from {root}{whole}")
    });
    let components = &inside[sheets[at].range.clone()];
    let rows: Vec<EnvironmentRow> = components
        .iter()
        .map(|at| row(here, environment, *at))
        .collect();
    let settings = matrix(here, environment, components);
    if !rows.is_empty() {
        page.toc.push(Toc::new(2, "components", "Components"));
    }
    if settings.is_some() {
        page.toc.push(Toc::new(2, "settings", "Settings"));
    }
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
    if let Some(settings) = &settings {
        markdown.heading(2, "Settings");
        settings.markdown(&mut markdown);
    }
    let stat = |value: usize, label: String| Stat {
        value,
        label,
        href: None,
    };
    let contents = EnvironmentPage {
        stats: vec![
            stat(inside.len(), noun(inside.len(), "component")),
            stat(*enabled, "enabled".to_owned()),
            stat(shown.units, units_label(here, environment)),
        ],
        links: siblings(here, environment),
        any_differs: rows.iter().any(|row| row.differs),
        components: rows,
        settings,
    };
    PageContent {
        template: "pages/environment.html",
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

fn siblings(here: &Here<'_>, environment: EnvironmentIx) -> Vec<Sibling> {
    let context = here.context;
    let all = context.catalog.cluster_environments();
    let is_one_of_many = all.len() > 1;
    let all = all.iter().enumerate();
    let all = all.map(|(at, other)| (EnvironmentIx::from_usize(at), other));
    let near = all.filter(|(at, _)| at.index().abs_diff(environment.index()) <= MOST_COLUMNS);
    let mut links: Vec<Sibling> = near
        .filter(|_| is_one_of_many)
        .map(|(at, other)| Sibling {
            title: other.name.clone(),
            href: here.to(&context.routes.environments[at][0].route),
            icon: "link",
            current: at == environment,
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

/// The settings of these components that differ between environments, this one's column first.
fn matrix<'a>(
    here: &Here<'a>,
    environment: EnvironmentIx,
    components: &[ComponentIx],
) -> Option<Settings<'a>> {
    let environments = here.context.routes.environments.indices();
    let others = environments.filter(|at| *at != environment);
    let columns: Vec<EnvironmentIx> = [environment]
        .into_iter()
        .chain(others)
        .take(MOST_COLUMNS)
        .collect();
    if columns.len() < 2 {
        return None;
    }
    let mut places = Places::new(here);
    let groups = components.iter().filter_map(|at| {
        let component = here.component(*at);
        let own: Vec<&str> = component
            .environments
            .iter()
            .map(|e| e.name.as_str())
            .collect();
        let (differing, same): (Vec<_>, Vec<_>) = component
            .settings
            .iter()
            .partition(|setting| setting.differs(&own));
        let rows = differing
            .iter()
            .map(|setting| settings::row(here, setting, &columns));
        (!differing.is_empty()).then(|| {
            let mut group = SettingGroup::untitled(&mut places, rows.collect());
            group.title = Some(component.title.clone());
            group.href = Some(format!("{}#configuration", here.href(*at)));
            let identical = counted(same.len(), "identical setting");
            group.note = (!same.is_empty()).then(|| format!("{identical} hidden"));
            group
        })
    });
    let groups: Vec<SettingGroup<'_>> = groups.collect();
    let label = "Settings that differ between environments".to_owned();
    (!groups.is_empty()).then(|| Settings::new(here, label, &columns, groups))
}
