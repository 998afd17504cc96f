//! The version matrix: components by layer, with a column for each environment. Environments in which everything is the
//! same share a column.

use serde::Serialize;

use crate::catalog::{Component, ComponentChart, ComponentIx, Environment, EnvironmentIx, Status};
use crate::checks::wording::in_words;
use crate::input::repo_host::RepoHost;
use crate::knowledge::pages::plain;
use crate::site::context::Layer;
use crate::site::view::by_environment::{in_short, stem};
use crate::site::view::{Filter, Here, PlaceView, counted, severity};
use base::Severity;
use base::hash::HashMap;

#[derive(Serialize)]
pub struct Matrix {
    /// Column heads of environments.
    columns: Vec<EnvironmentColumn>,
    /// How many columns there are.
    width: usize,
    /// Whether adjacent cells that agree are joined.
    is_joined: bool,
    /// Whether it has so many rows that a browser should lay out only those in view.
    is_long: bool,
    /// Whether components differ in it; a column in which all are the same is left out.
    has_namespaces: bool,
    has_kinds: bool,
    has_owners: bool,
    /// Components whose version differs between environments.
    differing: usize,
    pub filters: Vec<Filter>,
    /// The beginning of the address of every file, by which the script tells where a version is set.
    files: Option<String>,
    pub layers: Vec<MatrixLayer>,
}

#[derive(Serialize)]
struct EnvironmentColumn {
    title: String,
    /// All of its environments.
    names: String,
    /// Its page, if it is a single environment.
    href: Option<String>,
}

#[derive(Serialize)]
pub struct MatrixLayer {
    pub id: String,
    pub title: String,
    pub count: usize,
    pub components: Vec<MatrixRow>,
}

#[derive(Serialize)]
pub struct MatrixRow {
    pub title: String,
    pub href: String,
    pub summary: Option<String>,
    /// Environments without a column, such as those that only programs run for.
    elsewhere: Option<String>,
    pub namespace: Option<String>,
    pub kind: String,
    owner: Option<String>,
    /// None if its chart was not read and nothing else is known.
    pub needs: Option<usize>,
    pub needed_by: usize,
    differs: bool,
    pub cells: Vec<VersionCell>,
    findings: Option<Badge>,
    /// Positions of its values among the options of each filter: `0 2,3 1`.
    facets: String,
}

#[derive(Serialize)]
pub struct VersionCell {
    /// Adjacent columns that it covers.
    span: usize,
    /// Empty if the component is not in this environment.
    pub status: &'static str,
    pub version: Option<String>,
    /// The line that sets the version, in the first environment of the cell.
    place: Option<PlaceView>,
    /// Whether it is another version than most environments have.
    differs: bool,
}

#[derive(Serialize)]
struct Badge {
    count: usize,
    severity: &'static str,
    title: String,
    href: String,
}

/// In longer tables, rows have no summary, and adjacent cells that agree are joined.
pub const LONG_TABLE: usize = 1_000;
/// The style has rules for cells that span so many columns.
const MOST_SPANNED: usize = 24;
/// With more markup than this for addresses of lines, in bytes, versions link to the page of their component instead, which
/// has those links.
const MOST_LINKED: usize = 500_000;
/// With more columns than this, adjacent cells that agree are joined.
const MOST_REPEATED: usize = 4;
const LONGEST_SUMMARY: usize = 140;
/// Names of environments that the head of a column has room for, in letters.
const LONGEST_TITLE: usize = 24;

/// All layers, with the components that each has.
pub fn matrix(here: &Here<'_>) -> Matrix {
    let context = here.context;
    let columns = columns(here);
    let filters = filters(here);
    let positions = FacetPositions::new(&filters);
    let rows = |layer: &Layer| -> Vec<MatrixRow> {
        let rows = layer.components.iter();
        rows.map(|at| row(here, *at, layer, &columns, &positions))
            .collect()
    };
    let mut layers: Vec<MatrixLayer> = context
        .layers
        .iter()
        .map(|layer| MatrixLayer {
            id: layer.id.clone(),
            title: layer.title.clone(),
            count: layer.components.len(),
            components: rows(layer),
        })
        .collect();
    link_within(&mut layers, MOST_LINKED);
    let all = || layers.iter().flat_map(|layer| &layer.components);
    let has = |of: fn(&MatrixRow) -> Option<&str>| {
        let mut values = all().map(of);
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let has_namespaces = has(|row| row.namespace.as_deref());
    let has_kinds = has(|row| Some(&row.kind));
    let has_owners = has(|row| row.owner.as_deref());
    let extra = [has_namespaces, has_kinds, has_owners];
    let extra = extra.iter().filter(|is_shown| **is_shown).count();
    Matrix {
        width: 1 + columns.len() + extra + 2,
        is_joined: is_joined(here, columns.len()),
        is_long: context.catalog.components.len() > LONG_TABLE && columns.len() <= MOST_SPANNED,
        differing: all().filter(|row| row.differs).count(),
        columns: columns.into_iter().map(|(column, _)| column).collect(),
        has_namespaces,
        has_kinds,
        has_owners,
        filters,
        files: context.repo_host.as_ref().and_then(RepoHost::files),
        layers,
    }
}

/// Links versions to pages of components where addresses of lines would make the page too heavy.
fn link_within(layers: &mut [MatrixLayer], most: usize) {
    let address = |cell: &VersionCell| cell.place.as_ref()?.href.as_ref().map(String::len);
    let rows = layers.iter().flat_map(|layer| &layer.components);
    let cells = rows.flat_map(|row| &row.cells);
    if cells.filter_map(address).sum::<usize>() <= most {
        return;
    }
    for row in layers.iter_mut().flat_map(|layer| &mut layer.components) {
        for place in row.cells.iter_mut().filter_map(|cell| cell.place.as_mut()) {
            place.href = place.href.is_some().then(|| row.href.clone());
        }
    }
}

fn is_joined(here: &Here<'_>, columns: usize) -> bool {
    columns > MOST_REPEATED || here.context.catalog.components.len() > LONG_TABLE
}

/// The version and status of a component in an environment.
fn state<'c>(component: &'c Component, name: &str) -> Option<&'c Environment> {
    component.environments.iter().find(|one| one.name == name)
}

/// The columns, each with its first environment, which stands for all of it.
fn columns<'a>(here: &Here<'a>) -> Vec<(EnvironmentColumn, &'a str)> {
    let context = here.context;
    let clusters = context.catalog.cluster_environments().len();
    let all = context.compared.iter().copied();
    let mut groups: Vec<Vec<EnvironmentIx>> = Vec::new();
    let mut known: HashMap<Vec<_>, usize> = HashMap::default();
    for at in all.filter(|at| at.index() < clusters) {
        let name = &context.catalog.environments[at].name;
        let components = context.catalog.components.iter();
        let states: Vec<_> = components
            .map(|component| state(component, name).map(|one| (one.status, &one.version)))
            .collect();
        if states.iter().all(Option::is_none) {
            continue;
        }
        match known.get(&states) {
            Some(group) => groups[*group].push(at),
            None => {
                known.insert(states, groups.len());
                groups.push(vec![at]);
            }
        }
    }
    let column = |group: Vec<EnvironmentIx>| {
        let name = |at: &EnvironmentIx| context.catalog.environments[*at].name.as_str();
        let names: Vec<&str> = group.iter().map(name).collect();
        let href = match group.as_slice() {
            [one] => Some(here.to(&context.routes.environments[*one].page)),
            _ => None,
        };
        let column = EnvironmentColumn {
            title: column_title(&names),
            names: names.join(", "),
            href,
        };
        (column, names[0])
    };
    groups.into_iter().map(column).collect()
}

/// `dev`, `dev, test`, `aat ×2` for aat-00 and aat-01, or `dev and 4 more`.
fn column_title(names: &[&str]) -> String {
    let first = stem(names[0]);
    match names.len() {
        1 => names[0].to_owned(),
        _ if !first.is_empty() && names.iter().all(|name| stem(name) == first) => in_short(names),
        2..=3 if names.iter().map(|name| name.len()).sum::<usize>() <= LONGEST_TITLE => {
            names.join(", ")
        }
        many => format!("{} and {} more", names[0], many - 1),
    }
}

fn row(
    here: &Here<'_>,
    at: ComponentIx,
    layer: &Layer,
    columns: &[(EnvironmentColumn, &str)],
    positions: &FacetPositions,
) -> MatrixRow {
    let context = here.context;
    let component = here.component(at);
    let is_long = context.catalog.components.len() > LONG_TABLE;
    let summary = || {
        let written = context.pages.component_docs(at).summary;
        let written = written.map(|html| plain(html.as_str()));
        let described = || Some(context.pages.description(at, component)?.text.clone());
        written.or_else(described)
    };
    let (cells, differs) = cells(here, component, columns);
    let clusters = context.catalog.cluster_environments();
    let elsewhere = component.environments.iter().map(|one| one.name.as_str());
    let elsewhere: Vec<&str> = elsewhere
        .filter(|name| clusters.iter().all(|cluster| cluster.name != *name))
        .collect();
    MatrixRow {
        title: component.title.clone(),
        href: here.href(at),
        summary: (!is_long)
            .then(summary)
            .flatten()
            .map(|text| at_word(&text)),
        elsewhere: (!elsewhere.is_empty()).then(|| elsewhere.join(", ")),
        namespace: Some(component.namespace.to_string()).filter(|n| !n.is_empty()),
        kind: in_words(&component.kind).to_owned(),
        owner: component.owner.clone(),
        needs: needs(here, at),
        needed_by: context.graph.needed_by(at).len(),
        differs,
        cells,
        findings: badge(here, at),
        facets: positions.write(&facets(here, component, &layer.title)),
    }
}

/// How many components one needs. What a chart that was not read needs is not known, so that is not "0".
fn needs(here: &Here<'_>, at: ComponentIx) -> Option<usize> {
    let found = here.related(at).needs().len();
    let chart = here.component(at).chart.as_ref();
    let is_unread = chart.is_some_and(ComponentChart::is_unread);
    (found > 0 || !is_unread).then_some(found)
}

/// The beginning of a text, up to a whole word.
fn at_word(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SUMMARY) {
        Some((end, _)) => {
            let end = text[..end].rfind(' ').unwrap_or(end);
            format!("{}…", text[..end].trim_end_matches([',', '.', ';', ':']))
        }
        None => text.to_owned(),
    }
}

/// The cells of a row, and whether versions differ between them.
fn cells(
    here: &Here<'_>,
    component: &Component,
    columns: &[(EnvironmentColumn, &str)],
) -> (Vec<VersionCell>, bool) {
    let is_joined = is_joined(here, columns.len());
    let states = columns.iter().map(|(_, name)| state(component, name));
    let states: Vec<Option<&Environment>> = states.collect();
    let versions = states.iter().flatten();
    let versions: Vec<&str> = versions.filter_map(|one| one.version.as_deref()).collect();
    let differs = versions.iter().any(|version| *version != versions[0]);
    let usual = usual(&versions);
    let cell = |state: &Option<&Environment>| VersionCell {
        span: 1,
        status: state.map_or("", |state| state.status.name()),
        version: state.and_then(|state| Some(state.version.as_ref()?.to_string())),
        place: state.and_then(|state| here.known_place(state.version_place?)),
        differs: differs
            && state
                .is_some_and(|state| state.version.is_some() && state.version.as_deref() != usual),
    };
    let mut cells: Vec<VersionCell> = Vec::new();
    for next in states.iter().map(cell) {
        match cells.last_mut() {
            Some(last) if is_joined && last.says_the_same(&next) => last.span += 1,
            _ => cells.push(next),
        }
    }
    (cells, differs)
}

/// The most frequent version; the first one if there is a tie.
fn usual<'v>(versions: &[&'v str]) -> Option<&'v str> {
    let times = |one: &str| versions.iter().filter(|other| **other == one).count();
    let best = versions.iter().map(|version| times(version)).max()?;
    versions
        .iter()
        .copied()
        .find(|version| times(version) == best)
}

/// The values of a component for each facet, by the name of the filter.
fn facets(here: &Here<'_>, component: &Component, layer: &str) -> Vec<(&'static str, Vec<String>)> {
    let clusters = here.context.catalog.cluster_environments();
    let is_cluster = |name: &str| clusters.iter().any(|one| one.name == name);
    let environments = component.environments.iter().map(|one| one.name.clone());
    let namespace = component.namespace.to_string();
    vec![
        ("layer", vec![layer.to_owned()]),
        (
            "environment",
            environments.filter(|name| is_cluster(name)).collect(),
        ),
        (
            "namespace",
            Some(namespace)
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
        ),
        ("owner", component.owner.clone().into_iter().collect()),
        ("status", vec![component.status.name().to_owned()]),
        ("kind", vec![in_words(&component.kind).to_owned()]),
    ]
}

fn filters(here: &Here<'_>) -> Vec<Filter> {
    const LABELS: [&str; 6] = [
        "Layer",
        "Environment",
        "Namespace",
        "Owner",
        "Status",
        "Kind",
    ];
    let mut values: Vec<(&'static str, Vec<String>)> = Vec::new();
    for layer in &here.context.layers {
        for at in &layer.components {
            for (nth, (name, own)) in facets(here, here.component(*at), &layer.title)
                .into_iter()
                .enumerate()
            {
                if values.len() <= nth {
                    values.push((name, Vec::new()));
                }
                values[nth].1.extend(own);
            }
        }
    }
    let labelled = values.into_iter().zip(LABELS);
    let filters =
        labelled.map(|((name, values), label)| Filter::count(name, label, values.into_iter()));
    filters.flatten().collect()
}

/// Where the options of each filter are.
struct FacetPositions {
    filters: Vec<(&'static str, HashMap<String, usize>)>,
}

impl FacetPositions {
    fn new(filters: &[Filter]) -> FacetPositions {
        let positions = |filter: &Filter| {
            let options = filter.options.iter().enumerate();
            let options = options.map(|(at, option)| (option.value.clone(), at));
            (filter.name, options.collect())
        };
        FacetPositions {
            filters: filters.iter().map(positions).collect(),
        }
    }

    /// One word for each filter, with the positions of the values; `-` for none.
    fn write(&self, facets: &[(&'static str, Vec<String>)]) -> String {
        let words = self.filters.iter().map(|(name, positions)| {
            let own = facets.iter().find(|(facet, _)| facet == name);
            let own = own.iter().flat_map(|(_, values)| values);
            let own: Vec<String> = own
                .filter_map(|value| Some(positions.get(value)?.to_string()))
                .collect();
            if own.is_empty() {
                "-".to_owned()
            } else {
                own.join(",")
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn badge(here: &Here<'_>, at: ComponentIx) -> Option<Badge> {
    let own = here.related(at).findings.iter();
    let severities = own.map(|at| here.context.findings[*at].severity);
    let grave: Vec<Severity> = severities.filter(|one| *one != Severity::Info).collect();
    let worst = grave.iter().min()?;
    Some(Badge {
        count: grave.len(),
        severity: severity(*worst),
        title: counted(grave.len(), "finding"),
        href: format!("{}#findings", here.href(at)),
    })
}

impl VersionCell {
    fn says_the_same(&self, other: &VersionCell) -> bool {
        (self.status, &self.version) == (other.status, &other.version)
    }

    /// The cell in words, for Markdown.
    pub fn text(&self) -> String {
        let version = self.version.as_deref();
        match (self.status, version) {
            ("", _) => String::new(),
            (status, Some(version)) if status == Status::Enabled.name() => version.to_owned(),
            (status, None) if status == Status::Enabled.name() => "deployed".to_owned(),
            (status, Some(version)) => format!("{version} ({status})"),
            (status, None) => status.to_owned(),
        }
    }

    pub fn span(&self) -> usize {
        self.span
    }
}

impl Matrix {
    /// The titles of the columns of environments.
    pub fn column_titles(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.title.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_environments_are_named_together() {
        assert_eq!(column_title(&["prod"]), "prod");
        assert_eq!(column_title(&["aat-00", "aat-01"]), "aat ×2");
        assert_eq!(column_title(&["dev", "test"]), "dev, test");
        assert_eq!(column_title(&["dev", "a", "b", "c"]), "dev and 3 more");
        assert_eq!(column_title(&["1", "2"]), "1, 2");
        assert_eq!(
            column_title(&["production-of-europe", "staging"]),
            "production-of-europe and 1 more"
        );
    }

    #[test]
    fn the_usual_version_is_the_most_frequent_one() {
        assert_eq!(usual(&["1", "2", "2"]), Some("2"));
        assert_eq!(usual(&["1", "2"]), Some("1"));
        assert_eq!(usual(&[]), None);
    }
}
